//! An archive: many records and published systems in one list, with the figures by which one is found and chosen.

mod entry;
mod filter;

pub use entry::{ARCHIVE_TESTS, ArchiveEntry, ArchiveFigure, ArchiveOrigin, archive_entry, archive_entry_of_system};
pub use filter::{ArchiveFilter, Shown, choices};
