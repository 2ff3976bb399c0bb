//! Differences between the servers of both products: programs, options and settings, as data.

use server::{ConfigLine, Product, Setting, Signal, Sizing};

use super::{log, settings};
use crate::flavour::Flavour;

/// Name of the directory for temporary files in the data directory, so that it is on the same device. A name with a dot
/// does not disturb the initialisation.
pub(super) const TEMPORARY_DIRECTORY: &str = ".dbdyno_temporary";

/// How servers of one product are initialised and started.
#[derive(Debug)]
pub(super) struct ServerSpec {
    pub(super) flavour: Flavour,
    /// One per node, each with its own subdirectory of the measured directory, by which leftovers of a crashed
    /// invocation are found. A single-node target uses the first.
    pub(super) products: &'static [Product],
    /// The server program; also its option group in an option file.
    pub(super) server: &'static str,
    /// The program that initialises the data directory; it may be the server.
    pub(super) installer: &'static str,
    /// Installation directories of packages. Searched after `PATH`.
    pub(super) package_directories: &'static [&'static str],
    /// How to install the programs.
    pub(super) package: &'static str,
    /// Name of the option file in the data directory.
    pub(super) option_file: &'static str,
    /// Arguments of the initialisation. Nothing is synced: after a crash the data are created again. There is no
    /// password: access is controlled by the mode of the socket's directory, and there is no other way to connect.
    pub(super) init: &'static [&'static str],
    /// The setting for the size of the log, where a start keeps the log of the initialisation if it has that size. MySQL
    /// removes the files that are not in use at every start, and reserves new ones.
    pub(super) kept_log_size: Option<&'static str>,
    /// Settings that are fixed at initialisation.
    pub(super) init_settings: &'static [&'static str],
    /// Arguments with which the server validates a setting and exits. It needs no data for that.
    pub(super) check: &'static [&'static str],
    /// Arguments of every start.
    pub(super) launch: &'static [&'static str],
    /// Settings of this product only.
    pub(super) settings: &'static [Setting],
    /// Further parameters of `local:`.
    pub(super) parameters: &'static str,
}

impl ServerSpec {
    /// The specification for `flavour`.
    pub(super) fn of(flavour: Flavour) -> &'static ServerSpec {
        match flavour {
            Flavour::MariaDb => &MARIADB,
            Flavour::MySql => &MYSQL,
        }
    }

    /// The target name.
    pub(super) fn target(&self) -> String {
        format!("local:{}", self.flavour.name())
    }

    /// The option file of a server whose socket is `socket`, with this node's `own` lines, and the settings `requested`
    /// by the target at the end.
    pub(super) fn configuration(
        &self,
        sizing: &Sizing,
        socket: &str,
        own: &[ConfigLine],
        requested: &[(String, String)],
    ) -> String {
        let settings = settings::configuration(self.settings, sizing, socket, own, requested);
        format!("# written by dbdyno at every start\n[{}]\n{settings}", self.server)
    }

    /// Maximum number of nodes of a target.
    pub(super) fn nodes_max(&self) -> usize {
        self.products.len()
    }
}

static MARIADB: ServerSpec = ServerSpec {
    flavour: Flavour::MariaDb,
    products: &MARIADB_PRODUCTS,
    server: "mariadbd",
    installer: "mariadb-install-db",
    package_directories: &["/usr/sbin", "/usr/libexec", "/usr/local/mysql/bin", "/opt/mariadb/bin"],
    package: "install MariaDB (Debian, Ubuntu: apt-get install mariadb-server)",
    option_file: "mariadb.cnf",
    init: &[
        "--auth-root-authentication-method=normal",
        "--skip-test-db",
        "--skip-name-resolve",
        "--debug-no-sync",
        "--innodb-log-file-size=8M",
        "--lc-messages=en_US",
    ],
    kept_log_size: Some("innodb_log_file_size"),
    init_settings: &["innodb_data_file_path", "innodb_page_size", "innodb_undo_tablespaces", "lower_case_table_names"],
    // An invalid option of a plugin only disables the plugin here; an unknown one terminates the server.
    check: &["--help", "--verbose"],
    launch: &["--ignore-db-dirs=.dbdyno_temporary"],
    settings: settings::OF_MARIADB,
    parameters: "bin, os_user, nodes",
};

static MYSQL: ServerSpec = ServerSpec {
    flavour: Flavour::MySql,
    products: &[product("mysql")],
    server: "mysqld",
    installer: "mysqld",
    package_directories: &["/usr/sbin", "/usr/libexec", "/usr/local/mysql/bin", "/opt/mysql/bin"],
    package: "install MySQL (Ubuntu: apt-get install mysql-server)",
    option_file: "mysql.cnf",
    init: &[
        "--initialize-insecure",
        "--innodb-flush-method=nosync",
        "--innodb-doublewrite=off",
        "--innodb-redo-log-capacity=64M",
        "--auto-generate-certs=off",
        "--secure-file-priv=",
        "--lc-messages=en_US",
    ],
    kept_log_size: None,
    init_settings: &["innodb_data_file_path", "innodb_page_size", "lower_case_table_names"],
    // Without the second it requires a directory that packages create.
    check: &["--validate-config", "--secure-file-priv="],
    launch: &[],
    settings: settings::OF_MYSQL,
    parameters: "bin, os_user",
};

static MARIADB_PRODUCTS: [Product; 16] = [
    product("mariadb"),
    product("mariadb-2"),
    product("mariadb-3"),
    product("mariadb-4"),
    product("mariadb-5"),
    product("mariadb-6"),
    product("mariadb-7"),
    product("mariadb-8"),
    product("mariadb-9"),
    product("mariadb-10"),
    product("mariadb-11"),
    product("mariadb-12"),
    product("mariadb-13"),
    product("mariadb-14"),
    product("mariadb-15"),
    product("mariadb-16"),
];

const fn product(name: &'static str) -> Product {
    Product {
        name,
        socket_name: "mysqld.sock",
        users: &["mysql", "nobody"],
        data_option: "--datadir=",
        error_patterns: &log::ERROR_PATTERNS,
        shutdown_signal: Signal::TERM,
        // There is no other fast shutdown; kept data are recovered from the log.
        immediate_signal: Signal::KILL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_has_a_unique_name() {
        for spec in [&MARIADB, &MYSQL] {
            let name = spec.flavour.name();
            assert_eq!(spec.products[0].name, name);
            for (number, product) in (2..).zip(&spec.products[1..]) {
                assert_eq!(product.name, format!("{name}-{number}"));
            }
        }
    }

    #[test]
    fn the_directory_for_temporary_files_is_no_database() {
        assert_eq!(MARIADB.launch, [format!("--ignore-db-dirs={TEMPORARY_DIRECTORY}")]);
    }
}
