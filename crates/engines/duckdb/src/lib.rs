//! DuckDB, embedded: a library that is loaded at run time, one connection per session.
//!
//! Native dependencies: none to build; `libduckdb` 1.2 or newer to run, so that the version in use is measured. Known
//! limits: no procedures; the number of threads is set per node, so sessions with different numbers get the last one;
//! the library does not count I/O.
//!
//! The target is `duckdb`, the file is in the measured directory. Parameters of the target:
//!
//! | parameter | default | |
//! |---|---|---|
//! | `library` | see below | path of `libduckdb.so`, or its name for the search path of the loader |
//! | `memory_limit` | as planned, at least 512 MiB | memory for cached blocks, indexes, sorts and aggregates (`4GiB`) |
//! | `checkpoint_threshold` | `16MiB` | log size at which a commit runs a checkpoint |
//!
//! The library is given by the parameter, or the environment variable `DUCKDB_LIBRARY`, or the directory in
//! `DUCKDB_LIB_DIR`, or it is searched by the loader.

mod bulk;
mod capi;
mod claim;
mod connect;
mod counter;
mod dialect;
mod failure;
mod inventory;
mod node;
mod number;
mod session;
mod setting;
mod sql;
mod state;

use std::path::Path;

use engine::{Description, Engine, Node, Result, Target, Workspace};

/// DuckDB.
pub const DUCKDB: DuckDb = DuckDb;

/// The engine; see the documentation of this crate for the parameters of its target.
#[derive(Clone, Copy, Debug)]
pub struct DuckDb;

static DESCRIPTION: Description = Description {
    name: "duckdb",
    title: "DuckDB",
    summary: "embedded, by the libduckdb of this host, 1.2 or newer, in a file of the measured directory",
    schemes: &["duckdb"],
    harmless_parameters: setting::HARMLESS,
    is_in_process: true,
    dialect: &dialect::DIALECT,
    statement_files: sql::FILES,
    object_forms: Err("has no large objects, and writes and reads a blob as a whole"),
    shares_threads: false,
    pipelines: false,
};

impl Engine for DuckDb {
    fn about(&self) -> &Description {
        &DESCRIPTION
    }

    fn open(&self, target: &Target, workspace: &Workspace) -> Result<Box<dyn Node>> {
        DESCRIPTION.check_embedded(target)?;
        let settings = setting::Settings::parse(target, workspace)?;
        Ok(Box::new(node::DuckDbNode::new(settings, workspace)?))
    }

    fn clean_up(&self, directory: &Path) -> Result<Vec<String>> {
        claim::Files::below(directory).remove_leftover()
    }
}

#[cfg(test)]
mod tests;
