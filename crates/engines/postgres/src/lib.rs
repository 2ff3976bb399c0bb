//! PostgreSQL, and what speaks its protocol.
//!
//! A crate of its own so that its weight (TLS, the protocol) is paid only where it is used. The session is our own
//! because it is what is measured with: the convenient drivers cost half as much again per statement as `pgbench`.
//!
//! Native needs: none; `local:postgres` needs the server's programs. Known limits: one node; no client certificates,
//! no GSSAPI; below version 15 a reading of the counters takes a second.

mod codec;
mod connect;
mod counter;
mod dialect;
mod failure;
mod inventory;
mod message;
mod node;
mod process;
mod server;
mod session;
mod sql;
mod wire;

use std::path::Path;

use engine::{Dialect, Engine, Node, Result, Site, StatementFile, Target};

/// PostgreSQL 13 and later.
pub const POSTGRES: Postgres = Postgres;

/// The engine, before a connection is made.
#[derive(Clone, Copy, Debug)]
pub struct Postgres;

impl Engine for Postgres {
    fn name(&self) -> &'static str {
        "postgres"
    }

    fn title(&self) -> &'static str {
        "PostgreSQL"
    }

    fn summary(&self) -> &'static str {
        "13 to 18, over a Unix socket, TCP or TLS; local:postgres starts one"
    }

    fn schemes(&self) -> &'static [&'static str] {
        &["postgres", "postgresql"]
    }

    fn dialect(&self) -> &'static Dialect {
        &dialect::DIALECT
    }

    fn statement_files(&self) -> &'static [StatementFile] {
        sql::FILES
    }

    fn open(&self, target: &Target, site: &Site) -> Result<Box<dyn Node>> {
        Ok(Box::new(node::open(target, site)?))
    }

    fn clean_up(&self, directory: &Path) -> Result<Vec<String>> {
        server::clean_up(directory)
    }
}
