//! A place of its own in the measured directory for each node.

use engine::server::{Product, Signal};

/// Nodes of one target at most: each has a folder of its own name, so that what a dead invocation left is found.
pub(super) const NODES_MAX: usize = 16;

/// The first is also the only one of a target of one node.
pub(super) static PRODUCTS: [Product; NODES_MAX] = [
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
        for (number, product) in (2..).zip(&PRODUCTS[1..]) {
            assert_eq!(product.name, format!("mariadb-{number}"));
        }
    }
}
