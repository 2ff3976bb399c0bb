//! What the index of the write-ahead log says: how far the log is filled, and how much of that is in the database file.
//!
//! Source: SQLite documentation, "WAL-mode File Format", section "WAL-Index File Format". All numbers have the byte order of
//! the host.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Bytes of the header of a log, and of that of each of its frames.
const LOG_HEADER_BYTES: u64 = 32;
const FRAME_HEADER_BYTES: u64 = 24;

/// The log that an index is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WalIndex {
    page_bytes: u64,
    /// Frames that are committed.
    frames: u64,
    /// Those of them whose pages were copied to the database file.
    backfilled: u64,
}

impl WalIndex {
    /// The index in the file at `path`; None where there is none, or none that is in use.
    pub(crate) fn read(path: &Path) -> Option<WalIndex> {
        let mut header = [0; 100];
        File::open(path).ok()?.read_exact_at(&mut header, 0).ok()?;
        let number = |at: usize| u64::from(u32::from_ne_bytes(header[at..at + 4].try_into().expect("four bytes")));
        let page_bytes = match u16::from_ne_bytes([header[14], header[15]]) {
            1 => 65_536,
            bytes => u64::from(bytes),
        };
        let is_initialized = header[12] == 1;
        (is_initialized && page_bytes > 0).then(|| WalIndex { page_bytes, frames: number(16), backfilled: number(96) })
    }

    /// The length of the log up to its last commit; what follows in the file is of an earlier pass.
    pub(crate) fn length_bytes(self) -> u64 {
        if self.frames == 0 { 0 } else { LOG_HEADER_BYTES + self.frames * self.frame_bytes() }
    }

    /// The part of it whose pages are not in the database file yet.
    pub(crate) fn since_checkpoint_bytes(self) -> u64 {
        self.frames.saturating_sub(self.backfilled) * self.frame_bytes()
    }

    fn frame_bytes(self) -> u64 {
        self.page_bytes + FRAME_HEADER_BYTES
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn the_index_of_a_log_follows_commits_and_checkpoints() {
        let directory = tempfile::tempdir().expect("temporary directory");
        let (database, index) = (directory.path().join("d"), directory.path().join("d-shm"));
        assert_eq!(WalIndex::read(&index), None);
        let connection = Connection::open(&database).expect("open");
        connection
            .execute_batch("pragma page_size = 8192; pragma journal_mode = wal; create table t (i)")
            .expect("wal");
        let first = WalIndex::read(&index).expect("an index");
        assert_eq!((first.page_bytes, first.backfilled), (8192, 0));
        let log_bytes = || std::fs::metadata(directory.path().join("d-wal")).expect("a log").len();
        assert_eq!(first.length_bytes(), log_bytes(), "the log has no earlier pass");
        assert_eq!(first.since_checkpoint_bytes(), first.length_bytes() - LOG_HEADER_BYTES);
        connection.query_row("pragma wal_checkpoint(passive)", [], |_| Ok(())).expect("checkpoint");
        let second = WalIndex::read(&index).expect("an index");
        assert_eq!((second.since_checkpoint_bytes(), second.length_bytes()), (0, first.length_bytes()));
        connection.execute_batch("insert into t values (1)").expect("insert");
        let third = WalIndex::read(&index).expect("an index");
        assert!(third.length_bytes() < log_bytes(), "it begins again, in the same file");
        assert!(third.since_checkpoint_bytes() > 0);
    }
}
