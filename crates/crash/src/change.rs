//! Changes to files, in their order.

use std::sync::Arc;

/// A change. Objects are files and directories by number, so that a renamed file stays the one that it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Bytes of a file.
    Write {
        /// The file.
        object: u64,
        /// Position of the first byte.
        offset: u64,
        /// The bytes.
        data: Arc<[u8]>,
    },
    /// The size of a file; new bytes are zero.
    Truncate {
        /// The file.
        object: u64,
        /// Its new size in bytes.
        size: u64,
    },
    /// A new file.
    CreateFile {
        /// Its directory.
        parent: u64,
        /// Its name.
        name: Vec<u8>,
        /// Its number.
        object: u64,
    },
    /// A new directory.
    CreateDirectory {
        /// Its parent.
        parent: u64,
        /// Its name.
        name: Vec<u8>,
        /// Its number.
        object: u64,
    },
    /// A new symbolic link.
    CreateLink {
        /// Its directory.
        parent: u64,
        /// Its name.
        name: Vec<u8>,
        /// Its number.
        object: u64,
        /// Where it points to.
        target: Vec<u8>,
    },
    /// One more name of a file.
    Name {
        /// The directory.
        parent: u64,
        /// The name.
        name: Vec<u8>,
        /// The file.
        object: u64,
    },
    /// A name that is gone.
    Remove {
        /// The directory.
        parent: u64,
        /// The name.
        name: Vec<u8>,
    },
    /// A name that another takes the place of.
    Rename {
        /// The directory.
        parent: u64,
        /// The name.
        name: Vec<u8>,
        /// The directory of the new name.
        new_parent: u64,
        /// The new name; what had it is gone.
        new_name: Vec<u8>,
    },
    /// Permissions and owner.
    Owner {
        /// The object.
        object: u64,
        /// Permission bits.
        mode: u32,
        /// User.
        uid: u32,
        /// Group.
        gid: u32,
    },
    /// A sync that was answered: what was done to the object before is on stable storage.
    Sync {
        /// The object.
        object: u64,
    },
}

impl Change {
    /// Whether it changes names, sizes or owners: what file systems keep in a journal, in order.
    pub fn is_of_names(&self) -> bool {
        !matches!(self, Change::Write { .. } | Change::Sync { .. })
    }
}

/// A change with its place in the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its number, counted from 1 without gaps.
    pub seq: u64,
    /// The change.
    pub change: Change,
}

/// Changes in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Log {
    entries: Vec<Entry>,
    data_bytes: u64,
}

impl Log {
    /// Appends a change; returns its number.
    pub fn append(&mut self, change: Change) -> u64 {
        let seq = self.last() + 1;
        if let Change::Write { data, .. } = &change {
            self.data_bytes += data.len() as u64;
        }
        self.entries.push(Entry { seq, change });
        seq
    }

    /// The number of the last change; 0 where there is none.
    pub fn last(&self) -> u64 {
        self.entries.len() as u64
    }

    /// The changes up to number `at`.
    pub fn until(&self, at: u64) -> &[Entry] {
        let count = usize::try_from(at).unwrap_or(usize::MAX).min(self.entries.len());
        &self.entries[..count]
    }

    /// The number of the last change before the first sync after number `at`; of the last of all where none follows.
    pub fn before_sync(&self, at: u64) -> u64 {
        let from = self.until(at).len();
        let sync = self.entries[from..].iter().find(|entry| matches!(entry.change, Change::Sync { .. }));
        sync.map_or_else(|| self.last(), |entry| entry.seq - 1)
    }

    /// Bytes that its writes hold in memory.
    pub fn data_bytes(&self) -> u64 {
        self.data_bytes
    }
}
