//! DuckDB, inside this process: a library that is found at run time, one connection per session.
//!
//! Native needs: none to build; `libduckdb` 1.2 or newer to run, any version, so that the one that is in use is the
//! one that is measured. Known limits: no procedures; the number of threads is a matter of the node, so sessions that
//! ask for different numbers get the last one; of I/O the library counts nothing.
//!
//! The target is `duckdb`, the file lies in the measured directory. Parameters of the target:
//!
//! | parameter | default | |
//! |---|---|---|
//! | `library` | see below | path of `libduckdb.so`, or its name for the search path of the loader |
//! | `memory_limit` | as planned, at least 512 MiB | what cached blocks, indexes, sorts and aggregates share (`4GiB`) |
//! | `checkpoint_threshold` | `16MiB` | size of the log that makes a commit write it into the database |
//!
//! The library is the parameter, or the environment variable `DUCKDB_LIBRARY`, or in the directory that
//! `DUCKDB_LIB_DIR` names, as the builds of other programs have it, or where the loader finds it.

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

use std::path::Path;

use engine::{Dialect, Engine, Error, Kind, Node, ObjectForm, Result, StatementFile, Target, Workspace};

/// DuckDB.
pub const DUCKDB: DuckDb = DuckDb;

/// The engine; see the head of this crate for the parameters of its target.
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
        "in this process, by libduckdb 1.2 or newer as it is on this machine, in a file of the measured directory"
    }

    fn schemes(&self) -> &'static [&'static str] {
        &["duckdb"]
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
            return Err(error.hint("give the target duckdb, and with --dir the directory that the file is to lie in"));
        }
        let settings = setting::Settings::parse(target, workspace)?;
        Ok(Box::new(node::DuckDbNode::new(settings, workspace)?))
    }

    fn clean_up(&self, directory: &Path) -> Result<Vec<String>> {
        claim::Files::below(directory).remove_orphan()
    }
}

#[cfg(test)]
mod tests;
