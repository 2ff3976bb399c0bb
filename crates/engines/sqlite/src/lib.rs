//! SQLite, embedded: the bundled library, one connection per session.
//!
//! Native dependencies: a C compiler at build time. Known limits: one writer at a time; no procedures, no exact decimal
//! type, no parallel query; every session has a page cache of its own.
//!
//! The target is `sqlite`, the file is in the measured directory. Parameters of the target:
//!
//! | parameter | default | |
//! |---|---|---|
//! | `page_size` | `8192` | the block size of the other engines, so that block reads are comparable |
//! | `journal_mode` | `wal` | `wal`, `delete`, `truncate`, `persist` |
//! | `synchronous` | `full` | `off`, `normal`, `full`, `extra`; `full` forces every commit to stable storage |
//! | `cache_size` | as planned | page cache of each session in bytes, with an optional suffix (`64MiB`, `64MB`) |
//! | `mmap_size` | `0` | bytes of the file that are mapped; mapped reads are not counted |
//! | `busy_timeout` | `60s` | timeout of a session for a lock |
//! | `wal_autocheckpoint` | `1000` | pages in the log after which a commit runs a checkpoint; 0 for never |
//! | `temp_store` | `default` | `default`, `file`, `memory`: where sorts spill to |
//!
//! `locking_mode=exclusive` is not supported: it excludes further sessions, and a measurement always has several.

mod bulk;
mod claim;
mod connect;
mod counter;
mod dialect;
mod durability;
mod failure;
mod hook;
mod inventory;
mod node;
mod objects;
mod session;
mod setting;
mod sql;
mod statement;
mod vfs;
mod wal_index;

use std::path::Path;
use std::sync::Arc;

use engine::{Description, Durability, Engine, FileLayer, Node, Result, Target, Workspace};

/// SQLite.
pub const SQLITE: Sqlite = Sqlite;

/// The engine; see the documentation of this crate for the parameters of its target.
#[derive(Clone, Copy, Debug)]
pub struct Sqlite;

static DESCRIPTION: Description = Description {
    name: "sqlite",
    title: "SQLite",
    summary: "embedded, built in, in a file of the measured directory",
    schemes: &["sqlite"],
    harmless_parameters: &setting::KNOWN,
    is_in_process: true,
    dialect: &dialect::DIALECT,
    statement_files: sql::FILES,
    object_forms: Ok(objects::FORMS),
    shares_threads: false,
    pipelines: false,
};

impl Engine for Sqlite {
    fn about(&self) -> &Description {
        &DESCRIPTION
    }

    fn open(&self, target: &Target, workspace: &Workspace) -> Result<Box<dyn Node>> {
        DESCRIPTION.check_embedded(target)?;
        let settings = setting::Settings::parse(target, workspace)?;
        Ok(Box::new(node::SqliteNode::new(settings, workspace, None)?))
    }

    fn durability(&self) -> Option<&'static Durability> {
        Some(&durability::DURABILITY)
    }

    fn open_above(&self, target: &Target, workspace: &Workspace, layer: Arc<dyn FileLayer>) -> Result<Box<dyn Node>> {
        DESCRIPTION.check_embedded(target)?;
        let settings = setting::Settings::parse(target, workspace)?;
        Ok(Box::new(node::SqliteNode::new(settings, workspace, Some(layer))?))
    }

    fn clean_up(&self, directory: &Path) -> Result<Vec<String>> {
        claim::Files::below(directory).remove_leftover()
    }
}

#[cfg(test)]
mod tests;
