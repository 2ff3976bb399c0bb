//! What tells a server of one product from one of the other: programs, options and settings, as data.

use server::{Product, Setting, Signal};

use super::{log, settings};
use crate::flavour::Flavour;

/// Name of the directory for temporary files, among the data: it shall be on the same device. A name with a dot is in
/// nobody's way where data are made.
pub(super) const TEMPORARY: &str = ".dbdyno_temporary";

/// How servers of one product are made and started.
#[derive(Debug)]
pub(super) struct Blueprint {
    pub(super) flavour: Flavour,
    /// A place of its own in the measured directory for each node, by which what a dead invocation left is found. The
    /// first is also the only one of a target of one node.
    pub(super) products: &'static [Product],
    /// The server program; also the group of its options in an option file.
    pub(super) server: &'static str,
    /// The program that makes the data; the server itself where it does that.
    pub(super) maker: &'static str,
    /// Where packages put programs that are none for ordinary users. Searched behind `PATH`.
    pub(super) places: &'static [&'static str],
    /// How to get the programs.
    pub(super) package: &'static str,
    /// Name of the option file, among the data.
    pub(super) option_file: &'static str,
    /// Arguments with which data are made. Nothing is synced then: what is not there after a crash is made again. Whoever
    /// reaches the socket has passed the mode of its directory, and nobody reaches it another way: no password.
    pub(super) make: &'static [&'static str],
    /// Settings that the data are made with and that cannot change afterwards.
    pub(super) of_the_data: &'static [&'static str],
    /// Arguments with which the server says whether it takes a setting, and ends. It needs no data for that.
    pub(super) check: &'static [&'static str],
    /// Arguments of every start.
    pub(super) launch: &'static [&'static str],
    /// Settings beside those of both products.
    pub(super) settings: &'static [Setting],
    /// Further parameters that `local:` takes.
    pub(super) parameters: &'static str,
}

impl Blueprint {
    /// Of the servers of `flavour`.
    pub(super) fn of(flavour: Flavour) -> &'static Blueprint {
        match flavour {
            Flavour::MariaDb => &MARIADB,
            Flavour::MySql => &MYSQL,
        }
    }

    /// As a target names it.
    pub(super) fn target(&self) -> String {
        format!("local:{}", self.flavour.name())
    }

    /// Nodes of one target at most.
    pub(super) fn nodes_max(&self) -> usize {
        self.products.len()
    }
}

static MARIADB: Blueprint = Blueprint {
    flavour: Flavour::MariaDb,
    products: &MARIADB_PRODUCTS,
    server: "mariadbd",
    maker: "mariadb-install-db",
    places: &["/usr/sbin", "/usr/libexec", "/usr/local/mysql/bin", "/opt/mariadb/bin"],
    package: "install MariaDB (Debian, Ubuntu: apt-get install mariadb-server)",
    option_file: "mariadb.cnf",
    make: &[
        "--auth-root-authentication-method=normal",
        "--skip-test-db",
        "--skip-name-resolve",
        "--debug-no-sync",
        "--innodb-log-file-size=8M",
        "--lc-messages=en_US",
    ],
    of_the_data: &["innodb_data_file_path", "innodb_page_size", "innodb_undo_tablespaces", "lower_case_table_names"],
    // An option of a plugin that it does not take only switches the plugin off here; an unknown one ends it.
    check: &["--help", "--verbose"],
    launch: &["--ignore-db-dirs=.dbdyno_temporary"],
    settings: settings::OF_MARIADB,
    parameters: "bin, os_user, nodes",
};

static MYSQL: Blueprint = Blueprint {
    flavour: Flavour::MySql,
    products: &[product("mysql")],
    server: "mysqld",
    maker: "mysqld",
    places: &["/usr/sbin", "/usr/libexec", "/usr/local/mysql/bin", "/opt/mysql/bin"],
    package: "install MySQL (Ubuntu: apt-get install mysql-server)",
    option_file: "mysql.cnf",
    make: &[
        "--initialize-insecure",
        "--innodb-flush-method=nosync",
        "--innodb-doublewrite=off",
        "--innodb-redo-log-capacity=64M",
        "--auto-generate-certs=off",
        "--secure-file-priv=",
        "--lc-messages=en_US",
    ],
    of_the_data: &["innodb_data_file_path", "innodb_page_size", "lower_case_table_names"],
    // Without the second it looks for a directory that packages make.
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
        variables: &["MYSQL", "MARIADB", "DBI_", "UMASK"],
        data_option: "--datadir=",
        speech: &log::SPEECH,
        stop_in_order: Signal::TERM,
        // There is no quick way but this; the log repairs what is kept.
        stop_at_once: Signal::KILL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_has_a_name_of_its_own() {
        for blueprint in [&MARIADB, &MYSQL] {
            let name = blueprint.flavour.name();
            assert_eq!(blueprint.products[0].name, name);
            for (number, product) in (2..).zip(&blueprint.products[1..]) {
                assert_eq!(product.name, format!("{name}-{number}"));
            }
        }
    }

    #[test]
    fn the_directory_for_temporary_files_is_no_database() {
        assert_eq!(MARIADB.launch, [format!("--ignore-db-dirs={TEMPORARY}")]);
    }
}
