//! Parameters of a local target: dbdyno's own, and settings of the server.

use std::path::PathBuf;

use engine::{Error, Kind, Result, Target};
use server::{SettingNames, Sizing};

use super::settings;
use super::spec::ServerSpec;
use crate::flavour::Flavour;

const SETTINGS: SettingNames = SettingNames {
    allowed: |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'),
    characters: "a-z, 0-9 and _",
    example: "innodb_buffer_pool_size=2G",
    reserved: RESERVED,
};

const RESERVED: &[&str] = &[
    "admin_address",
    "basedir",
    "bind_address",
    "bootstrap",
    "chroot",
    "datadir",
    "init_file",
    "initialize",
    "initialize_insecure",
    "lc_messages",
    "log_error",
    "mysqlx",
    "pid_file",
    "port",
    "skip_grant_tables",
    "skip_networking",
    "socket",
    "tmpdir",
    "user",
    "wsrep_cluster_address",
    "wsrep_cluster_name",
    "wsrep_new_cluster",
    "wsrep_node_address",
    "wsrep_node_name",
    "wsrep_on",
    "wsrep_sst_method",
];

/// The parameters of a target `local:mariadb` or `local:mysql`.
#[derive(Clone, Debug)]
pub(super) struct Parameters {
    /// The kind of servers.
    pub(super) spec: &'static ServerSpec,
    /// Directory of the server's programs.
    pub(super) bin: Option<PathBuf>,
    /// User of the operating system that runs the server.
    pub(super) os_user: Option<String>,
    /// Number of servers, 1 to [`ServerSpec::nodes_max`].
    pub(super) nodes: usize,
    /// The replication library.
    pub(super) provider: Option<PathBuf>,
    /// Its options in addition to those of dbdyno.
    pub(super) provider_options: Option<String>,
    /// Settings of the server, each once.
    pub(super) settings: Vec<(String, String)>,
}

impl Parameters {
    /// Reads the parameters of `target` for servers of `spec`; the last value of a parameter wins.
    pub(super) fn of(target: &Target, spec: &'static ServerSpec) -> Result<Parameters> {
        let mut parameters = Parameters {
            spec,
            bin: None,
            os_user: None,
            nodes: 1,
            provider: None,
            provider_options: None,
            settings: Vec::new(),
        };
        for (name, value) in &target.parameters {
            match name.as_str() {
                "bin" => parameters.bin = Some(PathBuf::from(value)),
                "os_user" => parameters.os_user = Some(value.clone()),
                "nodes" => parameters.nodes = count_of_nodes(value, spec)?,
                _ => parameters.set(name, value)?,
            }
        }
        match parameters.nodes == 1 && (parameters.provider.is_some() || parameters.provider_options.is_some()) {
            true => Err(Error::new(Kind::Usage, "replication parameters are given for one node")
                .hint(format!("also give nodes=2 to {}", spec.nodes_max()))),
            false => Ok(parameters),
        }
    }

    /// The size of a log that is made with the data: that of the target, else that of a server of `sizing`.
    pub(super) fn kept_log_size(&self, sizing: &Sizing) -> Option<String> {
        let name = self.spec.kept_log_size?;
        let requested = self.settings.iter().find(|(requested, _)| requested == name).map(|(_, size)| size.clone());
        Some(requested.unwrap_or_else(|| settings::log_bytes(sizing).to_string()))
    }

    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        // Equivalent to the server.
        let name = name.replace('-', "_");
        SETTINGS.check(&name, value)?;
        match name.as_str() {
            "wsrep_provider" if self.spec.nodes_max() > 1 => self.provider = Some(PathBuf::from(value)),
            "wsrep_provider_options" if self.spec.nodes_max() > 1 => self.provider_options = Some(value.to_owned()),
            _ => SETTINGS.take(&mut self.settings, &name, value)?,
        }
        Ok(())
    }
}

fn count_of_nodes(text: &str, spec: &ServerSpec) -> Result<usize> {
    let nodes_max = spec.nodes_max();
    if nodes_max == 1 {
        let message = format!("nodes={} is requested, but {} is a single server", text.escape_debug(), spec.target());
        let cluster = ServerSpec::of(Flavour::MariaDb).target();
        return Err(Error::new(Kind::Usage, message)
            .hint(format!("omit nodes; Galera clusters need MariaDB: {cluster}?nodes=3")));
    }
    text.parse().ok().filter(|count| (1..=nodes_max).contains(count)).ok_or_else(|| {
        let message = format!("nodes {} is not a number of servers to start", text.escape_debug());
        Error::new(Kind::Usage, message).hint(format!("use 1 to {nodes_max}"))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<Parameters> {
        let target: Target = text.parse().expect("a target");
        let flavour = if target.scheme == "mysql" { Flavour::MySql } else { Flavour::MariaDb };
        Parameters::of(&target, ServerSpec::of(flavour))
    }

    #[test]
    fn own_parameters_are_separated_from_settings() {
        let text = "local:mariadb?bin=/opt/m&os_user=ada&sync_binlog=1&innodb-page-size=8k&sync_binlog=0";
        let parameters = parse(text).expect("good parameters");
        assert_eq!(parameters.bin, Some(PathBuf::from("/opt/m")));
        assert_eq!(parameters.os_user.as_deref(), Some("ada"));
        let settings =
            [("innodb_page_size", "8k"), ("sync_binlog", "0")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!((parameters.settings, parameters.nodes), (settings.to_vec(), 1));
    }

    #[test]
    fn replication_parameters_need_several_nodes() {
        let parameters =
            parse("local:mariadb?nodes=3&wsrep-provider=/l.so&wsrep_provider_options=a%3Db").expect("good");
        assert_eq!((parameters.nodes, parameters.settings), (3, Vec::new()));
        assert_eq!(parameters.provider, Some(PathBuf::from("/l.so")));
        assert_eq!(parameters.provider_options.as_deref(), Some("a=b"));
        for (text, word) in [
            ("local:mariadb?nodes=0", "nodes 0 "),
            ("local:mariadb?nodes=17", "nodes 17 "),
            ("local:mariadb?nodes=three", "nodes three "),
            ("local:mariadb?wsrep_provider=/l.so", "one node"),
            ("local:mariadb?nodes=2&wsrep_on=off", "wsrep_on"),
            ("local:mysql?nodes=3", "local:mysql is a single server"),
            ("local:mysql?nodes=1", "local:mysql is a single server"),
        ] {
            let error = parse(text).expect_err(text);
            assert_eq!(error.kind, Kind::Usage, "{text}");
            assert!(error.message.contains(word) && error.hint.is_some(), "{text}: {error:?}");
        }
    }

    #[test]
    fn invalid_parameters_are_usage_errors() {
        for text in [
            "local:mariadb?port=3307",
            "local:mariadb?skip-networking=0",
            "local:mariadb?datadir=/etc",
            "local:mariadb?sync_binlog%0Aport=1",
            "local:mariadb?sync_binlog=1%0Aport=1",
            "local:mariadb?Sync_Binlog=1",
            "local:mysql?port=3307",
            "local:mysql?mysqlx=on",
            "local:mysql?admin-address=127.0.0.1",
        ] {
            assert_eq!(parse(text).expect_err(text).kind, Kind::Usage, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_setting_that_passes_is_one_line(name in "\\PC*|[a-z_=\n]{1,8}", value in "[\\PC\n\r\0]*") {
            if SETTINGS.check(&name, &value).is_ok() {
                prop_assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_'));
                prop_assert!(!value.contains(['\n', '\r', '\0']));
            }
        }
    }
}
