//! MariaDB and MySQL, two products with the same protocol.
//!
//! A crate of its own so that its dependencies (the protocol, TLS) are limited to it. It has its own client, because
//! client overhead is part of the measurement: a statement is one write and one read without allocation.
//!
//! Native dependencies: none; `local:mariadb` and `local:mysql` need the server's programs, and `local:mariadb?nodes=N`
//! the Galera library. Known limits: no compression, no revocation lists; supported plugins are `mysql_native_password` and
//! `caching_sha2_password`; a clear text password (`sha256_password`, `mysql_clear_password`, and
//! `caching_sha2_password` if the server has not cached the hash) is sent only over a private socket, to a verified
//! server, or with an explicit option; `local:mysql` needs MySQL 8.0.30, the first with `innodb_redo_log_capacity`.
//! Replicas of MySQL are untested, and implemented from its documentation.

mod activity;
mod caps;
mod codec;
mod commits;
mod connect;
mod counter;
mod database_time;
mod dialect;
mod durability;
mod failure;
mod flavour;
#[doc(hidden)]
pub mod fuzz;
mod inventory;
mod message;
mod node;
mod objects;
mod opening;
mod process;
mod query;
mod replication;
mod server;
mod session;
mod sql;
mod state;
mod wire;

use std::path::Path;

use engine::{Description, Durability, Engine, Node, Result, Target, Workspace};

use self::flavour::Flavour;
use self::node::MysqlNode;
use self::server::Kept;

/// MariaDB 10.5 and later.
pub const MARIADB: MysqlEngine = MysqlEngine::of(
    Flavour::MariaDb,
    "10.5 and later, over a Unix socket, TCP or TLS; local:mariadb starts one, local:mariadb?nodes=3 a Galera cluster",
    &["mariadb"],
);

/// MySQL 8.0 and later.
pub const MYSQL: MysqlEngine = MysqlEngine::of(
    Flavour::MySql,
    "8.0 and later, over a Unix socket, TCP or TLS; local:mysql starts one",
    &["mysql"],
);

/// One of the two products, before a connection is made. The product of a server is detected, not taken from the scheme
/// of the URL.
#[derive(Clone, Copy, Debug)]
pub struct MysqlEngine {
    flavour: Flavour,
    about: Description,
}

impl MysqlEngine {
    const fn of(flavour: Flavour, summary: &'static str, schemes: &'static [&'static str]) -> MysqlEngine {
        let about = Description {
            name: flavour.name(),
            title: flavour.title(),
            summary,
            schemes,
            harmless_parameters: server::HARMLESS,
            is_in_process: false,
            dialect: &dialect::DIALECT,
            statement_files: sql::FILES,
            object_forms: Ok(objects::FORMS),
            shares_threads: true,
            pipelines: true,
        };
        MysqlEngine { flavour, about }
    }
}

fn boxed(nodes: Vec<MysqlNode>) -> Vec<Box<dyn Node>> {
    nodes.into_iter().map(|node| -> Box<dyn Node> { Box::new(node) }).collect()
}

impl Engine for MysqlEngine {
    fn about(&self) -> &Description {
        &self.about
    }

    fn statistics_script(&self) -> Option<&'static str> {
        Some(include_str!("../statistics/dump.sql"))
    }

    fn open(&self, target: &Target, workspace: &Workspace) -> Result<Box<dyn Node>> {
        Ok(Box::new(opening::open(self.flavour, target, workspace)?))
    }

    fn open_all(&self, target: &Target, workspace: &Workspace) -> Result<Vec<Box<dyn Node>>> {
        Ok(boxed(opening::open_all(self.flavour, target, workspace)?))
    }

    fn open_cluster(&self, target: &Target, workspace: &Workspace) -> Result<Vec<Box<dyn Node>>> {
        Ok(boxed(opening::start(self.flavour, target, workspace, Kept::All)?))
    }

    fn durability(&self) -> Option<&'static Durability> {
        Some(match self.flavour {
            Flavour::MariaDb => &durability::OF_MARIADB,
            Flavour::MySql => &durability::OF_MYSQL,
        })
    }

    fn clean_up(&self, directory: &Path) -> Result<Vec<String>> {
        server::clean_up(self.flavour, directory)
    }
}
