//! MariaDB and MySQL, two products that speak one protocol.
//!
//! A crate of its own so that its weight (the protocol, TLS) is paid only where it is used. The session is our own
//! because it is what is measured with: it does one write and one read for a statement and allocates nothing.
//!
//! Native needs: none; `local:mariadb` and `local:mysql` need the server's programs, and `local:mariadb?nodes=N` the
//! library of Galera. Known limits: no client certificates; a password is proved by `mysql_native_password` and
//! `caching_sha2_password`; it is sent itself (`sha256_password`, `mysql_clear_password`, and `caching_sha2_password` where
//! the server keeps no proof of it) only over a private socket, to a server whose certificate is verified, or by an explicit
//! wish; `local:mysql` needs MySQL 8.0.30, the first with `innodb_redo_log_capacity`. Replicas of MySQL are not run against
//! servers: what is said of them is from its documentation.

mod activity;
mod caps;
mod codec;
mod commits;
mod connect;
mod counter;
mod database_time;
mod dialect;
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
mod replication;
mod server;
mod session;
mod sql;
mod wire;

use std::path::Path;

use engine::{Dialect, Engine, Node, ObjectForm, Result, StatementFile, Target, Workspace};

use self::flavour::Flavour;

/// MariaDB 10.5 and later.
pub const MARIADB: MysqlEngine = MysqlEngine { flavour: Flavour::MariaDb };

/// MySQL 8.0 and later.
pub const MYSQL: MysqlEngine = MysqlEngine { flavour: Flavour::MySql };

/// One of the two products, before a connection is made. Which one a server is, it says itself: the scheme of a URL
/// decides nothing.
#[derive(Clone, Copy, Debug)]
pub struct MysqlEngine {
    flavour: Flavour,
}

impl Engine for MysqlEngine {
    fn name(&self) -> &'static str {
        self.flavour.name()
    }

    fn title(&self) -> &'static str {
        self.flavour.title()
    }

    fn summary(&self) -> &'static str {
        match self.flavour {
            Flavour::MariaDb => {
                "10.5 and later, over a Unix socket, TCP or TLS; local:mariadb starts one, local:mariadb?nodes=3 a Galera cluster"
            }
            Flavour::MySql => "8.0 and later, over a Unix socket, TCP or TLS; local:mysql starts one",
        }
    }

    fn schemes(&self) -> &'static [&'static str] {
        match self.flavour {
            Flavour::MariaDb => &["mariadb"],
            Flavour::MySql => &["mysql"],
        }
    }

    fn dialect(&self) -> &'static Dialect {
        &dialect::DIALECT
    }

    fn statement_files(&self) -> &'static [StatementFile] {
        sql::FILES
    }

    fn object_forms(&self) -> std::result::Result<&'static [ObjectForm], &'static str> {
        Ok(objects::FORMS)
    }

    fn open(&self, target: &Target, workspace: &Workspace) -> Result<Box<dyn Node>> {
        Ok(Box::new(opening::open(self.flavour, target, workspace)?))
    }

    fn open_all(&self, target: &Target, workspace: &Workspace) -> Result<Vec<Box<dyn Node>>> {
        let nodes = opening::open_all(self.flavour, target, workspace)?;
        Ok(nodes.into_iter().map(|node| -> Box<dyn Node> { Box::new(node) }).collect())
    }

    fn clean_up(&self, directory: &Path) -> Result<Vec<String>> {
        server::clean_up(self.flavour, directory)
    }
}
