//! What is loaded, into what, and how.

use std::sync::atomic::AtomicBool;

use flat::{Compression, Layout};
use record::{Bytes, LoadForm};

use super::input::Input;
use super::progress::Before;
use super::rejects::Rejects;
use super::table::LoadTable;

/// One load.
#[derive(Clone, Copy)]
pub struct Loading<'a> {
    /// Into which table.
    pub table: &'a LoadTable,
    /// What its lines are.
    pub layout: &'a Layout,
    /// From where.
    pub input: &'a Input,
    /// How the source is compressed; absent for what its first bytes say.
    pub compression: Option<Compression>,
    /// How rows reach the engine.
    pub form: LoadForm,
    /// Size of a batch, in bytes of flat file: at most this, unless one line is longer.
    pub batch: Bytes,
    /// Sessions that load, at least 1.
    pub jobs: u32,
    /// What is loaded already.
    pub before: &'a Before,
    /// Where lines go that cannot be loaded.
    pub rejects: &'a Rejects,
    /// Breaks off when it is up.
    pub stop: &'a AtomicBool,
}
