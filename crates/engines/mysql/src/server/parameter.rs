//! What a local target asks for: dbdyno's own parameters, and settings of the server.

use std::path::PathBuf;

use engine::{Error, Kind, Result, Target};

/// Settings that dbdyno gives to every server it starts: it would not reach or find the server with others.
const OURS: &[&str] = &[
    "basedir",
    "bind_address",
    "bootstrap",
    "chroot",
    "datadir",
    "init_file",
    "lc_messages",
    "log_error",
    "pid_file",
    "port",
    "skip_grant_tables",
    "skip_networking",
    "socket",
    "tmpdir",
    "user",
];

/// The parameters of a target `local:mariadb`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parameters {
    /// Directory of the server's programs.
    pub(super) bin: Option<PathBuf>,
    /// User of the operating system that runs the server.
    pub(super) os_user: Option<String>,
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
                "os_user" => parameters.os_user = Some(value.clone()),
                _ => {
                    // To the server both are the same.
                    let name = name.replace('-', "_");
                    check_setting(&name, value)?;
                    parameters.settings.retain(|(known, _)| *known != name);
                    parameters.settings.push((name, value.clone()));
                }
            }
        }
        Ok(parameters)
    }
}

/// Refuses what could be anything else than one setting of the server.
fn check_setting(name: &str, value: &str) -> Result<()> {
    let usage = |message: String| Error::new(Kind::Usage, message);
    if name.is_empty() || !name.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_')) {
        let message = format!("parameter {} cannot be a setting of the server", name.escape_debug());
        return Err(usage(message).hint("settings consist of a-z, 0-9 and _, for example innodb_buffer_pool_size=2G"));
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
        let text = "local:mariadb?bin=/opt/m&os_user=ada&sync_binlog=1&innodb-page-size=8k&sync_binlog=0";
        let parameters = parse(text).expect("good parameters");
        assert_eq!(parameters.bin, Some(PathBuf::from("/opt/m")));
        assert_eq!(parameters.os_user.as_deref(), Some("ada"));
        let settings =
            [("innodb_page_size", "8k"), ("sync_binlog", "0")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(parameters.settings, settings);
    }

    #[test]
    fn what_cannot_be_is_the_user_s_mistake() {
        for text in [
            "local:mariadb?port=3307",
            "local:mariadb?skip-networking=0",
            "local:mariadb?datadir=/etc",
            "local:mariadb?sync_binlog%0Aport=1",
            "local:mariadb?sync_binlog=1%0Aport=1",
            "local:mariadb?Sync_Binlog=1",
        ] {
            assert_eq!(parse(text).expect_err(text).kind, Kind::Usage, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_setting_that_passes_is_one_line(name in "\\PC*|[a-z_=\n]{1,8}", value in "[\\PC\n\r\0]*") {
            if check_setting(&name, &value).is_ok() {
                prop_assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
                prop_assert!(!value.contains(['\n', '\r', '\0']));
            }
        }
    }
}
