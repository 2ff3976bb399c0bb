//! PostgreSQL, and what speaks its protocol.
//!
//! A crate of its own so that its weight (TLS, the protocol) is paid only where it is used. The session is our own
//! because it is what is measured with: the convenient drivers cost half as much again per statement as `pgbench`.
//!
//! Native needs: none; `local:postgres` needs the server's programs. A synchronous replica of a temporary server that
//! dies is waited for no longer, as a manager of a cluster would have it.
//!
//! Known limits: no client certificates, no GSSAPI; below version 15 a reading of the counters takes a second; of
//! PostgreSQL's relatives none was run against, only servers that lack what they lack.

mod ability;
mod activity;
mod codec;
mod connect;
mod counter;
mod dialect;
mod failure;
#[doc(hidden)]
pub mod fuzz;
mod inventory;
mod membership;
mod message;
mod node;
mod objects;
mod partition;
mod process;
mod relative;
mod server;
mod session;
mod sql;
mod wire;

use std::path::Path;

use engine::{Dialect, Engine, Node, ObjectForm, Result, StatementFile, Target, Workspace};

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
        "13 to 18, over a Unix socket, TCP or TLS; local:postgres starts one, with replicas=N more; its relatives \
         (CockroachDB, YugabyteDB, Citus, openGauss, Aurora) as far as they answer, not yet run against one"
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

    fn object_forms(&self) -> std::result::Result<&'static [ObjectForm], &'static str> {
        Ok(objects::FORMS)
    }

    fn open(&self, target: &Target, workspace: &Workspace) -> Result<Box<dyn Node>> {
        Ok(Box::new(node::open(target, workspace)?))
    }

    fn open_all(&self, target: &Target, workspace: &Workspace) -> Result<Vec<Box<dyn Node>>> {
        let nodes = node::open_all(target, workspace)?;
        Ok(nodes.into_iter().map(|node| Box::new(node) as Box<dyn Node>).collect())
    }

    fn clean_up(&self, directory: &Path) -> Result<Vec<String>> {
        server::clean_up(directory)
    }
}
