//! Parameters of a local target: dbdyno's own, and settings of the server.

use std::path::PathBuf;

use engine::{Error, Kind, Result, Target};
use server::SettingNames;

const SETTINGS: SettingNames = SettingNames {
    allowed: |byte| matches!(byte, b'a'..=b'z' | b'_' | b'.'),
    characters: "a-z, _ and .",
    example: "shared_buffers=2GB",
    reserved: RESERVED,
};

const RESERVED: &[&str] = &[
    "config_file",
    "data_directory",
    "event_source",
    "external_pid_file",
    "hba_file",
    "hot_standby",
    "ident_file",
    "lc_messages",
    "listen_addresses",
    "log_destination",
    "log_line_prefix",
    "logging_collector",
    "port",
    "primary_conninfo",
    "primary_slot_name",
    "synchronous_standby_names",
    "unix_socket_directories",
    "unix_socket_group",
    "unix_socket_permissions",
];

/// Maximum number of replicas.
pub(super) const REPLICAS_MAX: u32 = 8;

/// What a commit on the primary waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Synchronous {
    /// No replica.
    #[default]
    Off,
    /// All replicas have it on stable storage.
    On,
    /// All replicas have passed it to the operating system.
    RemoteWrite,
    /// All replicas have made it visible to queries.
    RemoteApply,
}

impl Synchronous {
    const NAMES: [(&str, Synchronous); 4] = [
        ("off", Synchronous::Off),
        ("on", Synchronous::On),
        ("remote_write", Synchronous::RemoteWrite),
        ("remote_apply", Synchronous::RemoteApply),
    ];

    fn of(value: &str) -> Result<Synchronous> {
        let found = Synchronous::NAMES.iter().find(|(name, _)| *name == value).map(|(_, level)| *level);
        found.ok_or_else(|| {
            let names = Synchronous::NAMES.map(|(name, _)| name).join(", ");
            usage(format!("parameter synchronous={value} is not one of {names}"))
                .hint("with synchronous=on, commits wait until every replica has them on stable storage")
        })
    }

    /// The value of `synchronous_commit`: with asynchronous replicas, commits on the primary stay durable.
    pub(super) fn commit_level(self) -> &'static str {
        match self {
            Synchronous::Off | Synchronous::On => "on",
            Synchronous::RemoteWrite => "remote_write",
            Synchronous::RemoteApply => "remote_apply",
        }
    }
}

/// The parameters of a target `local:postgres`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Parameters {
    /// Directory of the server's programs.
    pub(super) bin: Option<PathBuf>,
    /// Major version.
    pub(super) version: Option<u32>,
    /// User of the operating system that runs the server.
    pub(super) os_user: Option<String>,
    /// Whether pages have checksums.
    pub(super) data_checksums: Option<bool>,
    /// Number of replicas.
    pub(super) replicas: u32,
    pub(super) synchronous: Synchronous,
    /// Settings of the server, each once.
    pub(super) settings: Vec<(String, String)>,
}

impl Parameters {
    /// Reads the parameters of `target`; the last value of a parameter wins.
    pub(super) fn of(target: &Target) -> Result<Parameters> {
        let mut parameters = Parameters::default();
        let mut synchronous = None;
        for (name, value) in &target.parameters {
            match name.as_str() {
                "bin" => parameters.bin = Some(PathBuf::from(value)),
                "version" => parameters.version = Some(version(value)?),
                "os_user" => parameters.os_user = Some(value.clone()),
                "replicas" => parameters.replicas = replicas(value)?,
                "synchronous" => synchronous = Some(Synchronous::of(value)?),
                "data_checksums" => parameters.data_checksums = Some(switch(name, value)?),
                _ => SETTINGS.take(&mut parameters.settings, name, value)?,
            }
        }
        parameters.synchronous = synchronous.unwrap_or_default();
        parameters.check_replication(synchronous.is_some())?;
        Ok(parameters)
    }

    /// Rejects contradictory parameters.
    fn check_replication(&self, synchronous_asked: bool) -> Result<()> {
        if synchronous_asked && self.replicas == 0 {
            return Err(usage("parameter synchronous is given without replicas".to_owned())
                .hint("also give replicas=2, or omit synchronous"));
        }
        // With `local` and `off` commits do not wait for replicas that are synchronous.
        let waits = |value: &str| !matches!(value, "local" | "off");
        if self.synchronous != Synchronous::Off
            && self.settings.iter().any(|(name, value)| name == "synchronous_commit" && waits(value))
        {
            return Err(usage("parameters synchronous and synchronous_commit set the same thing twice".to_owned())
                .hint("omit synchronous_commit: synchronous=remote_apply sets it"));
        }
        Ok(())
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

fn replicas(value: &str) -> Result<u32> {
    value.parse().ok().filter(|count| (1..=REPLICAS_MAX).contains(count)).ok_or_else(|| {
        usage(format!("parameter replicas={value} is not a number from 1 to {REPLICAS_MAX}"))
            .hint("replicas=2 starts a primary with two replicas; omit it for a single server")
    })
}

fn switch(name: &str, value: &str) -> Result<bool> {
    match value {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(usage(format!("parameter {name}={value} is neither on nor off"))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(target: &str) -> Result<Parameters> {
        Parameters::of(&target.parse().expect("a target"))
    }

    #[test]
    fn own_parameters_are_separated_from_settings() {
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
    fn replicas_and_synchronous_commit_are_parsed() {
        let of = |text: &str| parse(text).map(|found| (found.replicas, found.synchronous));
        assert_eq!(of("local:postgres").unwrap(), (0, Synchronous::Off));
        assert_eq!(of("local:postgres?replicas=2").unwrap(), (2, Synchronous::Off));
        assert_eq!(of("local:postgres?synchronous=remote_apply&replicas=8").unwrap(), (8, Synchronous::RemoteApply));
        let weakened = of("local:postgres?replicas=1&synchronous=on&synchronous_commit=local");
        assert_eq!(weakened.unwrap(), (1, Synchronous::On));
        for (text, word) in [
            ("local:postgres?replicas=0", "replicas=0 is not a number from 1 to 8"),
            ("local:postgres?replicas=99", "replicas=99"),
            ("local:postgres?replicas=two", "replicas=two"),
            ("local:postgres?synchronous=on", "without replicas"),
            ("local:postgres?replicas=2&synchronous=yes", "not one of off, on, remote_write, remote_apply"),
            ("local:postgres?replicas=2&synchronous=on&synchronous_commit=remote_apply", "twice"),
            ("local:postgres?replicas=2&synchronous_standby_names=x", "set by dbdyno"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.kind == Kind::Usage && error.message.contains(word) && error.hint.is_some(), "{error:?}");
        }
    }

    #[test]
    fn invalid_parameters_are_usage_errors() {
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
            if SETTINGS.check(&name, &value).is_ok() {
                prop_assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_' || byte == b'.'));
                prop_assert!(!value.contains(['\n', '\r', '\0']));
            }
        }
    }
}
