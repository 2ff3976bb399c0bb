//! The parts that an agent kept on a host, as they are asked for later: one line each.

use std::collections::BTreeSet;
use std::io::{BufRead, Write};
use std::time::Duration;

use record::{FromKeeper, PartKey, ToKeeper};

use crate::error::{Error, Result};
use crate::host_agent::{HostCommand, Program};
use crate::kept_parts::{FoundParts, KeptParts};
use crate::question::answer_each;
use crate::remote_host::RemoteHost;

/// How long an answer may take: a part may be large.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// The most answers of one host: an agent keeps one part for each attempt at a run.
const ANSWERS_MAX: usize = 100_000;

impl KeptParts {
    /// Answers the questions of `input` on `output` until there are no more.
    ///
    /// # Errors
    /// Where a question cannot be read, or an answer cannot be written.
    pub fn answer(&self, input: impl BufRead, output: impl Write) -> Result<()> {
        let mut giving = Giving::default();
        answer_each(input, output, |question| match question {
            ToKeeper::Next { record } => giving.next(self, &record),
            ToKeeper::Remove { mut parts } => {
                parts.retain(|key| giving.given.contains(key));
                self.remove_given(&parts);
                FromKeeper::Removed
            }
        })
    }
}

/// Parts that are given one after the other.
#[derive(Default)]
struct Giving {
    given: BTreeSet<PartKey>,
    /// None before the first question.
    left: Option<FoundParts>,
}

impl Giving {
    fn next(&mut self, kept: &KeptParts, record: &str) -> FromKeeper {
        let FoundParts { parts, passed_over } = self.left.get_or_insert_with(|| kept.of_record(record));
        if let Some(part) = parts.pop() {
            self.given.insert(part.key());
            return FromKeeper::Part(Box::new(part));
        }
        passed_over.pop().map_or(FromKeeper::NoMore, |message| FromKeeper::PassedOver { message })
    }
}

/// The keeper of parts on another host. It ends when this is dropped.
pub struct RemoteKeeper<'a> {
    host: &'a RemoteHost,
    command: HostCommand<'a>,
}

impl<'a> RemoteKeeper<'a> {
    /// Starts one on `host`.
    ///
    /// # Errors
    /// Where the host cannot be reached or used.
    pub fn start(host: &'a RemoteHost, is_interrupted: &(dyn Fn() -> bool + Sync)) -> Result<RemoteKeeper<'a>> {
        let directory = host.directory.as_deref().unwrap_or(".");
        let command = HostCommand::begin(host, &Program::own()?, &["--parts", "--dir", directory], is_interrupted)?;
        command.keep_lines();
        Ok(RemoteKeeper { host, command })
    }

    /// Its parts of `record`.
    ///
    /// # Errors
    /// Where it does not answer, and where it does not come to an end.
    pub fn parts(&mut self, record: &str) -> Result<FoundParts> {
        let mut found = FoundParts::default();
        for _ in 0..ANSWERS_MAX {
            match self.ask(&ToKeeper::Next { record: record.to_owned() })? {
                FromKeeper::Part(part) => found.parts.push(*part),
                FromKeeper::PassedOver { message } => found.passed_over.push(message),
                _ => return Ok(found),
            }
        }
        Err(Error::new(format!("host {}: it gives more than {ANSWERS_MAX} parts", self.host.name)))
    }

    /// Has it remove those of `parts` that it gave.
    ///
    /// # Errors
    /// Where it does not answer.
    pub fn remove(&mut self, parts: &[PartKey]) -> Result<()> {
        self.ask(&ToKeeper::Remove { parts: parts.to_vec() }).map(drop)
    }

    fn ask(&mut self, question: &ToKeeper) -> Result<FromKeeper> {
        match self.command.ask(question, ANSWER_TIMEOUT)? {
            FromKeeper::Refused { message } => Err(Error::new(format!("host {}: {message}", self.host.name))),
            answer => Ok(answer),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::kept_part;

    #[test]
    fn parts_are_given_once_each_and_removed_when_they_are_not_needed() {
        let directory = tempfile::tempdir().unwrap();
        let kept = KeptParts::below(directory.path());
        for part in [kept_part("r", 1, "a"), kept_part("r", 2, "a"), kept_part("other", 3, "a")] {
            kept.keep(&part).unwrap();
        }
        let ask = |questions: &[ToKeeper]| -> Vec<FromKeeper> {
            let lines: String = questions.iter().map(|one| serde_json::to_string(one).unwrap() + "\n").collect();
            let mut output = Vec::new();
            kept.answer(lines.as_bytes(), &mut output).unwrap();
            String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        };
        let next = || ToKeeper::Next { record: "r".to_owned() };
        let left = |record: &str| kept.of_record(record).parts.len();
        std::fs::write(kept.folder().join("broken.part"), "{").unwrap();
        let answers = ask(&[next(), next(), next(), next()]);
        let [FromKeeper::Part(one), FromKeeper::Part(other), FromKeeper::PassedOver { message }, FromKeeper::NoMore] =
            &answers[..]
        else {
            panic!("{answers:?}")
        };
        assert!(message.contains("broken.part"), "{message}");
        assert_eq!(left("r"), 2, "they stay until that is told");
        let keys = vec![one.key(), other.key()];
        assert_eq!(ask(&[ToKeeper::Remove { parts: keys.clone() }]), [FromKeeper::Removed]);
        assert_eq!(left("r"), 2, "none was given to this one");
        ask(&[next(), next(), ToKeeper::Remove { parts: keys[..1].to_vec() }]);
        assert_eq!((left("r"), left("other")), (1, 1), "one was named");
        ask(&[next(), next(), ToKeeper::Remove { parts: keys }]);
        assert_eq!((left("r"), left("other")), (0, 1));
    }
}
