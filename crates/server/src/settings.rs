//! The settings of a temporary server: explicit, sized to the host, each with its reason, which is also written into its
//! configuration; and what a target may ask for among them.

use engine::{Error, Kind, Machine, Result, Workspace};

/// What the values follow from.
#[derive(Clone, Copy, Debug)]
pub struct Sizing {
    /// The host.
    pub machine: Machine,
    /// Size of the buffer cache that the plan counts on.
    pub cache_bytes: Option<u64>,
    /// Sessions open at the same time, at most.
    pub sessions_max: u64,
    /// Servers that share the host, each with all data.
    pub nodes: u64,
}

impl Sizing {
    /// Of one of `nodes` servers in `site`.
    pub fn of(workspace: &Workspace, nodes: u64) -> Sizing {
        Sizing {
            machine: Machine::here(&workspace.directory),
            cache_bytes: workspace.cache_bytes.map(|bytes| bytes.0),
            sessions_max: u64::from(workspace.sessions_max),
            nodes,
        }
    }

    /// Size of the buffer cache: what the plan counts on, else a quarter of the memory between all servers.
    pub fn buffer_bytes(&self) -> u64 {
        self.cache_bytes.unwrap_or(self.machine.memory_bytes / 4 / self.nodes)
    }

    /// The jobs of the plan, and ten for counters, set-up, cancelling and a look from outside.
    pub fn connections_max(&self) -> u64 {
        self.sessions_max + 10
    }
}

/// One setting, and why it has this value.
#[derive(Debug)]
pub struct Setting {
    /// As the server calls it.
    pub name: &'static str,
    /// Its value on a host of this size.
    pub value: fn(&Sizing) -> String,
    /// Why, in one line.
    pub why: &'static str,
}

/// A setting.
pub const fn setting(name: &'static str, value: fn(&Sizing) -> String, why: &'static str) -> Setting {
    Setting { name, value, why }
}

/// A setting that follows from what one server is to the others, and why it has this value.
#[derive(Clone, Debug)]
pub struct Line {
    /// As the server calls it.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// Why, in one line.
    pub why: &'static str,
}

/// A line for each setting, as `line` writes its name, its value and the reason: those of `settings`, those that are this
/// server's `own`, and those that were `asked` for. Of several values for a name only the last is written.
pub fn configuration<'a>(
    sizing: &Sizing,
    settings: impl Iterator<Item = &'a Setting>,
    own: &[Line],
    asked: &[(String, String)],
    line: fn(&str, &str, &str) -> String,
) -> String {
    let is_asked = |name: &str| asked.iter().any(|(asked, _)| asked == name);
    let is_own = |name: &str| own.iter().any(|own| own.name == name);
    let settings = settings.filter(|setting| !is_own(setting.name) && !is_asked(setting.name));
    let settings = settings.map(|setting| line(setting.name, &(setting.value)(sizing), setting.why));
    let own = own.iter().filter(|own| !is_asked(own.name)).map(|own| line(own.name, &own.value, own.why));
    let asked = asked.iter().map(|(name, value)| line(name, value, "asked for by the target"));
    settings.chain(own).chain(asked).collect()
}

/// Which parameters of a target can be settings of a product's servers.
#[derive(Debug)]
pub struct SettingNames {
    /// Whether a name may have this byte.
    pub has: fn(u8) -> bool,
    /// The same in words.
    pub letters: &'static str,
    /// A setting with its value.
    pub example: &'static str,
    /// Settings that dbdyno gives to every server: it would not reach or find the server with others.
    pub ours: &'static [&'static str],
}

impl SettingNames {
    /// Refuses what could be anything else than one setting of the server. Whether the server knows it, it is asked later.
    ///
    /// # Errors
    /// `Usage`, with the name.
    pub fn check(&self, name: &str, value: &str) -> Result<()> {
        let usage = |message: String| Error::new(Kind::Usage, message);
        if name.is_empty() || !name.bytes().all(self.has) {
            let message = format!("parameter {} cannot be a setting of the server", name.escape_debug());
            let hint = format!("settings consist of {}, for example {}", self.letters, self.example);
            return Err(usage(message).hint(hint));
        }
        if value.chars().any(char::is_control) {
            return Err(usage(format!("parameter {name} has a value with control characters")));
        }
        if self.ours.contains(&name) {
            return Err(usage(format!("parameter {name} is set by dbdyno itself")).hint("leave it away"));
        }
        Ok(())
    }

    /// Puts a setting behind those that were `asked` for before, in place of an earlier value.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn take(&self, asked: &mut Vec<(String, String)>, name: &str, value: &str) -> Result<()> {
        self.check(name, value)?;
        asked.retain(|(known, _)| known != name);
        asked.push((name.to_owned(), value.to_owned()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_values_the_last_is_written() {
        let machine = Machine { memory_bytes: 1 << 30, processors: 1, free_bytes: 0, shared_memory_bytes: 0 };
        let sizing = Sizing { machine, cache_bytes: None, sessions_max: 8, nodes: 2 };
        let settings = [
            setting("cache", |size| size.buffer_bytes().to_string(), "a quarter"),
            setting("role", |_| "alone".to_owned(), "the default"),
            setting("sync", |_| "on".to_owned(), "the default"),
        ];
        let own = |name, value: &str| Line { name, value: value.to_owned(), why: "own" };
        let own = [own("role", "first"), own("slots", "2")];
        let asked = [("sync", "off"), ("slots", "9")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        let line = |name: &str, value: &str, why: &str| format!("{name}={value} # {why}\n");
        assert_eq!(
            configuration(&sizing, settings.iter(), &own, &asked, line),
            "cache=134217728 # a quarter\nrole=first # own\nsync=off # asked for by the target\n\
             slots=9 # asked for by the target\n"
        );
    }
}
