//! The settings of a temporary server: explicit, sized to the host, each with its reason, which is also written into
//! its configuration; and the settings that a target may override.

use engine::{Error, Kind, Machine, Result, Workspace};

/// Inputs of the values.
#[derive(Clone, Copy, Debug)]
pub struct Sizing {
    /// The host.
    pub machine: Machine,
    /// Size of the buffer cache that the plan assumes.
    pub cache_bytes: Option<u64>,
    /// Maximum number of concurrent sessions.
    pub sessions_max: u64,
    /// Number of servers that share the host, each with a full copy of the data.
    pub nodes: u64,
}

impl Sizing {
    /// For each of `nodes` servers in `workspace`.
    pub fn of(workspace: &Workspace, nodes: u64) -> Sizing {
        Sizing {
            machine: Machine::here(&workspace.directory),
            cache_bytes: workspace.cache_bytes.map(|bytes| bytes.0),
            sessions_max: u64::from(workspace.sessions_max),
            nodes,
        }
    }

    /// Size of the buffer cache: as assumed by the plan, else a quarter of the memory, divided by the number of
    /// servers.
    pub fn buffer_bytes(&self) -> u64 {
        self.cache_bytes.unwrap_or(self.machine.memory_bytes / 4 / self.nodes)
    }

    /// One per job of the plan, plus ten for counters, set-up, cancellation and inspection.
    pub fn connections_max(&self) -> u64 {
        self.sessions_max + 10
    }
}

/// A setting with the reason for its value.
#[derive(Debug)]
pub struct Setting {
    /// Name of the server variable.
    pub name: &'static str,
    /// Its value on a host of this size.
    pub value: fn(&Sizing) -> String,
    /// The reason, in one line.
    pub why: &'static str,
}

/// A setting.
pub const fn setting(name: &'static str, value: fn(&Sizing) -> String, why: &'static str) -> Setting {
    Setting { name, value, why }
}

/// A setting that depends on the role of one server, with the reason for its value.
#[derive(Clone, Debug)]
pub struct ConfigLine {
    /// Name of the server variable.
    pub name: &'static str,
    /// Its value.
    pub value: String,
    /// The reason, in one line.
    pub why: &'static str,
}

/// One line per setting, formatted by `line` from name, value and reason: `settings`, then this server's `own`, then
/// the `requested` ones. If a name has several values, only the last is written.
pub fn configuration<'a>(
    sizing: &Sizing,
    settings: impl Iterator<Item = &'a Setting>,
    own: &[ConfigLine],
    requested: &[(String, String)],
    line: fn(&str, &str, &str) -> String,
) -> String {
    let is_asked = |name: &str| requested.iter().any(|(requested, _)| requested == name);
    let is_own = |name: &str| own.iter().any(|own| own.name == name);
    let settings = settings.filter(|setting| !is_own(setting.name) && !is_asked(setting.name));
    let settings = settings.map(|setting| line(setting.name, &(setting.value)(sizing), setting.why));
    let own = own.iter().filter(|own| !is_asked(own.name)).map(|own| line(own.name, &own.value, own.why));
    let requested = requested.iter().map(|(name, value)| line(name, value, "requested by the target"));
    settings.chain(own).chain(requested).collect()
}

/// Rules for parameters of a target that are settings of a product's servers.
#[derive(Debug)]
pub struct SettingNames {
    /// Whether a name may contain this byte.
    pub allowed: fn(u8) -> bool,
    /// Description of the allowed characters.
    pub characters: &'static str,
    /// An example of a setting with its value.
    pub example: &'static str,
    /// Settings that dbdyno itself needs to reach and find the server.
    pub reserved: &'static [&'static str],
}

impl SettingNames {
    /// Rejects anything that is not the name and value of one setting. Whether the server supports it is checked later.
    ///
    /// # Errors
    /// `Usage`, with the name.
    pub fn check(&self, name: &str, value: &str) -> Result<()> {
        let usage = |message: String| Error::new(Kind::Usage, message);
        if name.is_empty() || !name.bytes().all(self.allowed) {
            let message = format!("parameter {} cannot be a setting of the server", name.escape_debug());
            let hint = format!("settings consist of {}, for example {}", self.characters, self.example);
            return Err(usage(message).hint(hint));
        }
        if value.chars().any(char::is_control) {
            return Err(usage(format!("parameter {name} has a value with control characters")));
        }
        if self.reserved.contains(&name) {
            return Err(usage(format!("parameter {name} is set by dbdyno itself")).hint("omit it"));
        }
        Ok(())
    }

    /// Appends a setting to those `requested` so far, replacing an earlier value.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn take(&self, requested: &mut Vec<(String, String)>, name: &str, value: &str) -> Result<()> {
        self.check(name, value)?;
        requested.retain(|(known, _)| known != name);
        requested.push((name.to_owned(), value.to_owned()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_several_values_is_written() {
        let machine = Machine { memory_bytes: 1 << 30, processors: 1, free_bytes: 0, shared_memory_bytes: 0 };
        let sizing = Sizing { machine, cache_bytes: None, sessions_max: 8, nodes: 2 };
        let settings = [
            setting("cache", |size| size.buffer_bytes().to_string(), "a quarter"),
            setting("role", |_| "alone".to_owned(), "the default"),
            setting("sync", |_| "on".to_owned(), "the default"),
        ];
        let own = |name, value: &str| ConfigLine { name, value: value.to_owned(), why: "own" };
        let own = [own("role", "first"), own("slots", "2")];
        let requested = [("sync", "off"), ("slots", "9")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        let line = |name: &str, value: &str, why: &str| format!("{name}={value} # {why}\n");
        assert_eq!(
            configuration(&sizing, settings.iter(), &own, &requested, line),
            "cache=134217728 # a quarter\nrole=first # own\nsync=off # requested by the target\n\
             slots=9 # requested by the target\n"
        );
    }
}
