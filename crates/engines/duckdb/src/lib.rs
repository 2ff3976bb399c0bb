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

use engine::{Dialect, Engine, Error, Kind, Node, ObjectForm, Result, StatementFile, Target, Workspace};

/// DuckDB.
pub const DUCKDB: DuckDb = DuckDb;

/// The engine; see the documentation of this crate for the parameters of its target.
#[derive(Clone, Copy, Debug)]
pub struct DuckDb;

impl Engine for DuckDb {
    fn name(&self) -> &'static str {
        "duckdb"
    }

    fn title(&self) -> &'static str {
        "DuckDB"
    }

    fn summary(&self) -> &'static str {
        "embedded, by the libduckdb of this host, 1.2 or newer, in a file of the measured directory"
    }

    fn schemes(&self) -> &'static [&'static str] {
        &["duckdb"]
    }

    fn harmless_parameters(&self) -> &'static [&'static str] {
        setting::HARMLESS
    }

    fn is_in_process(&self) -> bool {
        true
    }

    fn dialect(&self) -> &'static Dialect {
        &dialect::DIALECT
    }

    fn statement_files(&self) -> &'static [StatementFile] {
        sql::FILES
    }

    fn object_forms(&self) -> std::result::Result<&'static [ObjectForm], &'static str> {
        Err("has no large objects, and writes and reads a blob as a whole")
    }

    fn open(&self, target: &Target, workspace: &Workspace) -> Result<Box<dyn Node>> {
        if target.user.is_some()
            || target.password.is_some()
            || !target.addresses.is_empty()
            || target.database.is_some()
        {
            let error =
                Error::new(Kind::Usage, format!("DuckDB has no server and no login, but the target is {target}"));
            return Err(error.hint("give the target duckdb, and the directory of the file with --dir"));
        }
        let settings = setting::Settings::parse(target, workspace)?;
        Ok(Box::new(node::DuckDbNode::new(settings, workspace)?))
    }

    fn clean_up(&self, directory: &Path) -> Result<Vec<String>> {
        claim::Files::below(directory).remove_leftover()
    }
}

#[cfg(test)]
mod tests;
