//! PostgreSQL and PostgreSQL-compatible servers.
//!
//! A crate of its own so that its dependencies (TLS, the protocol) are limited to it. It has its own client, because
//! client overhead is part of the measurement: the common drivers need half as much again per statement as `pgbench`.
//!
//! Native dependencies: none; `local:postgres` needs the server's programs. A lost synchronous replica of a temporary
//! server is removed from `synchronous_standby_names`, as a cluster manager does.
//!
//! Known limits: no GSSAPI, no OAuth, no revocation lists; before version 15 a reading of the counters takes a second; no
//! PostgreSQL-compatible server was tested, only servers that lack the same features.

mod activity;
mod capability;
mod codec;
mod connect;
mod counter;
mod dialect;
mod discovery;
mod durability;
mod failure;
mod flavour;
#[doc(hidden)]
pub mod fuzz;
mod inventory;
pub mod keywords;
mod message;
mod node;
mod objects;
mod partition;
mod process;
mod server;
mod session;
mod sql;
mod wire;

use std::path::Path;

use self::server::Kept;
use engine::{Description, Durability, Engine, Node, Result, Target, Workspace};

/// PostgreSQL 13 and later.
pub const POSTGRES: Postgres = Postgres;

/// The engine, before a connection is made.
#[derive(Clone, Copy, Debug)]
pub struct Postgres;

static DESCRIPTION: Description = Description {
    name: "postgres",
    title: "PostgreSQL",
    summary: "13 to 18, over a Unix socket, TCP or TLS; local:postgres starts one, replicas=N adds replicas; compatible \
              servers (CockroachDB, YugabyteDB, Citus, openGauss, Aurora) as far as they support it, untested",
    schemes: &["postgres", "postgresql"],
    harmless_parameters: server::HARMLESS,
    is_in_process: false,
    dialect: &dialect::DIALECT,
    statement_files: sql::FILES,
    object_forms: Ok(objects::FORMS),
    shares_threads: true,
    pipelines: true,
};

fn opened_all(target: &Target, workspace: &Workspace, kept: Kept) -> Result<Vec<Box<dyn Node>>> {
    let nodes = node::open_all(target, workspace, kept)?;
    Ok(nodes.into_iter().map(|node| Box::new(node) as Box<dyn Node>).collect())
}

impl Engine for Postgres {
    fn about(&self) -> &Description {
        &DESCRIPTION
    }

    fn statistics_script(&self) -> Option<&'static str> {
        Some(include_str!("../statistics/dump.psql"))
    }

    fn open(&self, target: &Target, workspace: &Workspace) -> Result<Box<dyn Node>> {
        Ok(Box::new(node::open(target, workspace)?))
    }

    fn open_all(&self, target: &Target, workspace: &Workspace) -> Result<Vec<Box<dyn Node>>> {
        opened_all(target, workspace, Kept::Primary)
    }

    fn open_cluster(&self, target: &Target, workspace: &Workspace) -> Result<Vec<Box<dyn Node>>> {
        opened_all(target, workspace, Kept::All)
    }

    fn durability(&self) -> Option<&'static Durability> {
        Some(&durability::DURABILITY)
    }

    fn clean_up(&self, directory: &Path) -> Result<Vec<String>> {
        server::clean_up(directory)
    }
}
