//! The subjects of a fleet, and who may use which.

/// The subjects of one fleet, by its name.
#[derive(Clone, Debug)]
pub(crate) struct Subjects {
    fleet: String,
}

impl Subjects {
    pub(crate) fn of(fleet: &str) -> Subjects {
        Subjects { fleet: fleet.to_owned() }
    }

    /// To `agent`.
    pub(crate) fn to(&self, agent: &str) -> String {
        format!("dbd.{}.a.{agent}", self.fleet)
    }

    /// From `agent`, by itself.
    pub(crate) fn hello(&self, agent: &str) -> String {
        format!("dbd.{}.hello.{agent}", self.fleet)
    }

    /// From `agent`, in answer to question `number`.
    pub(crate) fn reply(&self, agent: &str, number: u64) -> String {
        format!("dbd.{}.r.{agent}.{number}", self.fleet)
    }

    /// What the coordinator reads.
    pub(crate) fn of_coordinator(&self) -> Vec<String> {
        vec![format!("dbd.{}.hello.*", self.fleet), format!("dbd.{}.r.*.*", self.fleet)]
    }

    /// What `agent` reads.
    pub(crate) fn of_agent(&self, agent: &str) -> Vec<String> {
        vec![self.to(agent)]
    }

    /// What `agent` may publish: nothing that another agent reads, and nothing in the name of another agent.
    pub(crate) fn published_by(&self, agent: &str) -> Vec<String> {
        vec![self.hello(agent), format!("dbd.{}.r.{agent}.*", self.fleet)]
    }

    /// Everything.
    pub(crate) fn all(&self) -> String {
        format!("dbd.{}.>", self.fleet)
    }

    /// The agent that published on `subject`, and the number of the question that it answers; None for a subject that
    /// no agent publishes on.
    pub(crate) fn publisher<'a>(&self, subject: &'a str) -> Option<(&'a str, Option<u64>)> {
        let rest = subject.strip_prefix("dbd.")?.strip_prefix(&self.fleet)?;
        if let Some(agent) = rest.strip_prefix(".hello.") {
            return Some((agent, None));
        }
        let (agent, number) = rest.strip_prefix(".r.")?.split_once('.')?;
        Some((agent, Some(number.parse().ok()?)))
    }
}

/// The agent that publishes or reads `subject`; empty for a subject of none.
pub(crate) fn agent_of(subject: &str) -> &str {
    subject.split('.').nth(3).unwrap_or_default()
}

/// Whether `name` can be that of an agent: it is a part of subjects.
pub fn is_agent_name(name: &str) -> bool {
    let is_allowed = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    (1..=40).contains(&name.len()) && name.chars().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_publisher_is_read_from_the_subject() {
        let subjects = Subjects::of("f00");
        assert_eq!(subjects.publisher(&subjects.hello("h-1")), Some(("h-1", None)));
        assert_eq!(subjects.publisher(&subjects.reply("h-1", 17)), Some(("h-1", Some(17))));
        for other in ["dbd.f01.hello.h", "dbd.f00.a.h", "dbd.f00.r.h", "dbd.f00.r.h.x", "x", ""] {
            assert_eq!(subjects.publisher(other), None, "{other}");
        }
    }

    #[test]
    fn every_subject_names_its_agent() {
        let subjects = Subjects::of("f00");
        for subject in [subjects.hello("h-1"), subjects.reply("h-1", 17), subjects.to("h-1")] {
            assert_eq!(agent_of(&subject), "h-1");
        }
        assert_eq!((agent_of("x"), agent_of("")), ("", ""));
    }

    #[test]
    fn a_name_is_one_part_of_a_subject() {
        assert!(is_agent_name("h-1") && is_agent_name("a"));
        for name in ["", "a.b", "*", ">", "a b", "é", &"x".repeat(41)] {
            assert!(!is_agent_name(name), "{name:?}");
        }
    }
}
