//! Oracle Database.
//!
//! A crate of its own so that its weight (the driver, a second library for encryption) is paid only where it is used.
//! The driver is Oracle's own, in Rust, blocking, and needs no client library, neither to build nor to run. It is a
//! beta: its version is pinned, and nothing of it is seen outside of this crate.
//!
//! Native needs: none. Known limits: not yet run against a server. The statements are those of the documentation, and
//! each is read by an independent parser of the language among the tests; sessions and the schema are tested through the
//! driver with a double of a server. The driver keeps and copies what it needs for
//! each statement, so that dbdyno's share of the processor is larger here than with sessions of its own; a statement
//! that changes rows outside a transaction takes a second round trip for its commit; a server that insists on encrypting
//! without TLS is not reached. The processes of the server are out of sight. Views that need a licence of their own
//! (of the workload repository and of session history) are not read.

mod activity;
mod connect;
mod counter;
mod dialect;
mod failure;
#[doc(hidden)]
pub mod fuzz;
mod inventory;
mod node;
mod schema;
mod script;
mod session;
mod sql;
#[cfg(test)]
mod tests;

use engine::{Description, Engine, Error, Kind, Node, Result, Target, Workspace};

/// Oracle Database 12.1 and later.
pub const ORACLE: OracleEngine = OracleEngine;

/// Oracle Database, before a connection is made.
#[derive(Clone, Copy, Debug)]
pub struct OracleEngine;

static DESCRIPTION: Description = Description {
    name: "oracle",
    title: "Oracle Database",
    summary: "12.1 and later, over TCP or TLS, without a client library; not yet run against a server",
    schemes: &["oracle"],
    harmless_parameters: &[],
    is_in_process: false,
    dialect: &dialect::DIALECT,
    statement_files: sql::FILES,
    object_forms: Err("has large objects, which dbdyno does not write yet"),
    shares_threads: false,
    pipelines: false,
};

impl Engine for OracleEngine {
    fn about(&self) -> &Description {
        &DESCRIPTION
    }

    fn open(&self, target: &Target, workspace: &Workspace) -> Result<Box<dyn Node>> {
        if target.local {
            let error = Error::new(Kind::Usage, "dbdyno starts no Oracle server of its own");
            return Err(error.hint("start one and name it: oracle://user@host:1521/service"));
        }
        Ok(Box::new(node::open(target, workspace)?))
    }
}
