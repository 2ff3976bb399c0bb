//! What a local target asks for: dbdyno's own parameters, and settings of the server.

use std::path::PathBuf;

use engine::{Error, Kind, Result, Target};

/// Settings that dbdyno gives to every cluster it starts: it would not reach or find the server with others.
const OURS: &[&str] = &[
    "config_file",
    "data_directory",
    "event_source",
    "external_pid_file",
    "hba_file",
    "ident_file",
    "lc_messages",
    "listen_addresses",
    "log_destination",
    "log_line_prefix",
    "logging_collector",
    "port",
    "unix_socket_directories",
    "unix_socket_group",
    "unix_socket_permissions",
];

/// The parameters of a target `local:postgres`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parameters {
    /// Directory of the server's programs.
    pub(super) bin: Option<PathBuf>,
    /// Major version.
    pub(super) version: Option<u32>,
    /// User of the operating system that runs the server.
    pub(super) os_user: Option<String>,
    /// Whether pages carry checksums.
    pub(super) data_checksums: Option<bool>,
    /// Settings of the server, each once.
    pub(super) settings: Vec<(String, String)>,
}

impl Parameters {
    /// Reads the parameters of `target`; of one that is given twice the last counts.
    ///
    /// # Errors
    /// `Usage` where a name or a value cannot be one. Whether the server knows a setting, it is asked later.
    pub(super) fn of(target: &Target) -> Result<Parameters> {
        let mut parameters = Parameters::default();
        for (name, value) in &target.parameters {
            match name.as_str() {
                "bin" => parameters.bin = Some(PathBuf::from(value)),
                "version" => parameters.version = Some(version(value)?),
                "os_user" => parameters.os_user = Some(value.clone()),
                "data_checksums" => parameters.data_checksums = Some(switch(name, value)?),
                _ => {
                    check_setting(name, value)?;
                    parameters.settings.retain(|(known, _)| known != name);
                    parameters.settings.push((name.clone(), value.clone()));
                }
            }
        }
        Ok(parameters)
    }
}

fn usage(message: String) -> Error {
    Error::new(Kind::Usage, message)
}

fn version(value: &str) -> Result<u32> {
    value.parse().map_err(|_| {
        usage(format!("parameter version={value} is not a major version")).hint("give a number such as version=15")
    })
}

fn switch(name: &str, value: &str) -> Result<bool> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(usage(format!("parameter {name}={value} is neither on nor off"))),
    }
}

/// Refuses what could be anything else than one setting of the server.
fn check_setting(name: &str, value: &str) -> Result<()> {
    if name.is_empty() || !name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'_' | b'.')) {
        let message = format!("parameter {} cannot be a setting of the server", name.escape_debug());
        return Err(usage(message).hint("settings consist of a-z, _ and ., for example shared_buffers=2GB"));
    }
    if value.chars().any(char::is_control) {
        return Err(usage(format!("parameter {name} has a value with control characters")));
    }
    if OURS.contains(&name) {
        return Err(usage(format!("parameter {name} is set by dbdyno itself")).hint("leave it away"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(target: &str) -> Result<Parameters> {
        Parameters::of(&target.parse().expect("a target"))
    }

    #[test]
    fn own_parameters_are_told_from_settings() {
        let text =
            "local:postgres?bin=/opt/pg&version=15&os_user=ada&data_checksums=off&work_mem=1MB&fsync=off&work_mem=2MB";
        let parameters = parse(text).expect("good parameters");
        assert_eq!(parameters.bin, Some(PathBuf::from("/opt/pg")));
        assert_eq!((parameters.version, parameters.os_user.as_deref()), (Some(15), Some("ada")));
        assert_eq!(parameters.data_checksums, Some(false));
        let settings = [("fsync", "off"), ("work_mem", "2MB")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(parameters.settings, settings);
    }

    #[test]
    fn what_cannot_be_is_the_user_s_mistake() {
        for text in [
            "local:postgres?version=fifteen",
            "local:postgres?data_checksums=maybe",
            "local:postgres?port=5433",
            "local:postgres?unix_socket_directories=/etc",
            "local:postgres?work_mem%0Aport=1",
            "local:postgres?work_mem=1MB%0Aport=1",
            "local:postgres?-c=1",
            "local:postgres?Work_Mem=1MB",
        ] {
            assert_eq!(parse(text).expect_err(text).kind, Kind::Usage, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_setting_that_passes_is_one_line(name in "\\PC*|[a-z_.\n=]{1,8}", value in "[\\PC\n\r\0]*") {
            if check_setting(&name, &value).is_ok() {
                prop_assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte == b'.'));
                prop_assert!(!value.contains(['\n', '\r', '\0']));
            }
        }
    }
}
