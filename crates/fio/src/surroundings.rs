//! What a job file may ask of the machine: given by the caller, so that reading one touches nothing.

use std::path::Path;

use record::Bytes;

/// Environment, other files, and the three numbers that a value may name.
#[derive(Clone, Copy)]
pub struct Surroundings<'a> {
    /// An environment variable, for `${NAME}`; a missing one expands to nothing.
    pub variable: &'a dyn Fn(&str) -> Option<String>,
    /// The text of an included file. The path was joined to the folder of the file that includes it.
    pub include: &'a dyn Fn(&Path) -> std::io::Result<String>,
    /// What `$pagesize` stands for.
    pub page_bytes: Bytes,
    /// Memory of the machine: `$mb_memory`, and what a region is held against.
    pub memory_bytes: Bytes,
    /// What `$ncpus` stands for.
    pub processors: u32,
}
