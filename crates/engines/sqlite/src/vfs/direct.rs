//! Direct I/O reads of the database file, which bypass the page cache.
//!
//! The wrapped VFS still writes, locks and syncs through its own descriptor. Reads of whole pages use a second one,
//! opened with `O_DIRECT`: before such a read the kernel flushes dirty pages of its range in the page cache, so that it
//! is coherent. One descriptor is used for all connections to a file and stays open as long as the registered VFS:
//! closing any descriptor of a file releases the locks of this process on it (fcntl(2)).
//!
//! The kernel's readahead works only with the page cache. For sequential reads of a connection, this module does it
//! instead. Data read ahead are valid within a transaction and as long as nothing was written: they are discarded when
//! a connection takes a read lock, and when any connection of this process writes.

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::collections::HashMap;
use std::ffi::{CStr, OsStr};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use libsqlite3_sys as ffi;

/// Alignment of offsets, lengths and buffers: a multiple of device blocks and memory pages.
const ALIGNMENT: usize = 4096;
/// Initial and maximum readahead size.
const AHEAD_BYTES_MIN: usize = 128 << 10;
const AHEAD_BYTES_MAX: usize = 1 << 20;
/// Number of sequential reads after which readahead starts.
const IN_ORDER_MIN: u32 = 4;
/// Maximum gap between sequential reads: other pages may be between those of a table.
const GAP_BYTES_MAX: u64 = 64 << 10;

/// The database files of one VFS.
#[derive(Debug, Default)]
pub(crate) struct DirectFiles {
    is_on: AtomicBool,
    /// By device and inode.
    files: Mutex<HashMap<(u64, u64), Arc<DirectFile>>>,
}

impl DirectFiles {
    /// Switches direct reads on or off.
    pub(crate) fn switch(&self, on: bool) {
        self.is_on.store(on, Ordering::Release);
    }

    /// The reader for a connection that is being opened; `None` if the file does not exist yet.
    pub(super) fn file(self: &Arc<DirectFiles>, name: &CStr) -> Option<DirectReader> {
        let path = Path::new(OsStr::from_bytes(name.to_bytes()));
        let metadata = std::fs::metadata(path).ok()?;
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let file = files.entry((metadata.dev(), metadata.ino())).or_insert_with(|| {
            Arc::new(DirectFile { path: path.to_owned(), opened: OnceLock::new(), writes: AtomicU64::new(0) })
        });
        Some(DirectReader {
            files: Arc::clone(self),
            file: Arc::clone(file),
            page: None,
            ahead: None,
            ahead_start: 0,
            ahead_length: 0,
            ahead_writes: 0,
            in_order: 0,
            next: 0,
        })
    }

    /// The reason why the file at `path` does not support direct reads, if so.
    pub(crate) fn refusal(path: &Path) -> Option<String> {
        let invalid = |error: io::Error| format!("the file system does not support O_DIRECT: {error}");
        let file = match open(path) {
            Ok(file) => file,
            Err(error) => return Some(invalid(error)),
        };
        let mut block = Block::new(ALIGNMENT);
        file.read_at(block.bytes_mut(), 0).err().map(invalid)
    }
}

fn open(path: &Path) -> io::Result<File> {
    // The flag is 0o40000 on x86 and differs on other architectures.
    OpenOptions::new().read(true).custom_flags(libc::O_DIRECT | libc::O_CLOEXEC).open(path)
}

/// A database file, shared by its connections.
#[derive(Debug)]
struct DirectFile {
    path: PathBuf,
    /// `None` if it cannot be opened with `O_DIRECT`.
    opened: OnceLock<Option<File>>,
    /// Incremented before and after every write.
    writes: AtomicU64,
}

/// Direct reads of one connection.
#[derive(Debug)]
pub(super) struct DirectReader {
    files: Arc<DirectFiles>,
    file: Arc<DirectFile>,
    /// Buffer for one page.
    page: Option<Block>,
    /// Data read ahead from `ahead_start`; valid while the number of writes is `ahead_writes`.
    ahead: Option<Block>,
    ahead_start: u64,
    ahead_length: usize,
    ahead_writes: u64,
    in_order: u32,
    /// End of the last read.
    next: u64,
}

impl DirectReader {
    /// Reads `to.len()` bytes at `offset`; false if the wrapped VFS has to read: for partial pages, reads beyond the
    /// end, and after any error.
    pub(super) fn read(&mut self, to: &mut [u8], offset: i64) -> bool {
        let Ok(offset) = u64::try_from(offset) else { return false };
        let is_aligned = |value: u64| value.is_multiple_of(ALIGNMENT as u64);
        if !self.files.is_on.load(Ordering::Acquire) || !is_aligned(offset) || !is_aligned(to.len() as u64) {
            return false;
        }
        let file = Arc::clone(&self.file);
        let Some(opened) = file.opened.get_or_init(|| open(&file.path).ok()) else { return false };
        self.track_order(offset, to.len());
        self.copy_from_ahead(to, offset) || self.read_ahead(opened, to, offset) || self.read_page(opened, to, offset)
    }

    fn track_order(&mut self, offset: u64, length: usize) {
        let follows = offset >= self.next && offset - self.next <= GAP_BYTES_MAX;
        self.in_order = if follows { self.in_order.saturating_add(1) } else { 0 };
        self.next = offset + length as u64;
    }

    fn copy_from_ahead(&mut self, to: &mut [u8], offset: u64) -> bool {
        let Some(start) = offset.checked_sub(self.ahead_start).and_then(|start| usize::try_from(start).ok()) else {
            return false;
        };
        let is_valid = self.ahead_writes == self.file.writes.load(Ordering::Acquire);
        let Some(ahead) = self.ahead.as_ref().filter(|_| is_valid && start + to.len() <= self.ahead_length) else {
            return false;
        };
        to.copy_from_slice(&ahead.bytes()[start..start + to.len()]);
        true
    }

    fn read_ahead(&mut self, opened: &File, to: &mut [u8], offset: u64) -> bool {
        if self.in_order < IN_ORDER_MIN {
            return false;
        }
        let grown = self.ahead_length.saturating_mul(2).clamp(AHEAD_BYTES_MIN, AHEAD_BYTES_MAX);
        let ahead = self.ahead.get_or_insert_with(|| Block::new(AHEAD_BYTES_MAX));
        self.ahead_writes = self.file.writes.load(Ordering::Acquire);
        self.ahead_start = offset;
        // Short at the end of the file only.
        self.ahead_length = opened.read_at(&mut ahead.bytes_mut()[..grown], offset).unwrap_or(0);
        self.copy_from_ahead(to, offset)
    }

    fn read_page(&mut self, opened: &File, to: &mut [u8], offset: u64) -> bool {
        if (to.as_ptr() as usize).is_multiple_of(ALIGNMENT) {
            return opened.read_at(to, offset).is_ok_and(|read| read == to.len());
        }
        if self.page.as_ref().is_none_or(|page| page.bytes().len() < to.len()) {
            self.page = Some(Block::new(to.len()));
        }
        let Some(page) = &mut self.page else { return false };
        let page = &mut page.bytes_mut()[..to.len()];
        let is_whole = opened.read_at(page, offset).is_ok_and(|read| read == to.len());
        if is_whole {
            to.copy_from_slice(page);
        }
        is_whole
    }

    /// Start of a transaction: discards data read ahead in an earlier one.
    pub(super) fn start(&mut self) {
        self.ahead_length = 0;
    }

    /// Calls `write`, which changes the file.
    pub(super) fn writing<T>(&self, write: impl FnOnce() -> T) -> T {
        self.file.writes.fetch_add(1, Ordering::AcqRel);
        let result = write();
        self.file.writes.fetch_add(1, Ordering::AcqRel);
        result
    }
}

/// Whether a requested lock is a read lock.
pub(super) fn is_read_lock(level: i32) -> bool {
    level == ffi::SQLITE_LOCK_SHARED
}

/// The same for a lock of the WAL index.
pub(super) fn is_wal_read_lock(flags: i32) -> bool {
    flags & ffi::SQLITE_SHM_LOCK != 0 && flags & ffi::SQLITE_SHM_SHARED != 0
}

/// Memory aligned to [`ALIGNMENT`].
#[derive(Debug)]
struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the memory is owned by the value alone.
unsafe impl Send for Block {}

impl Block {
    fn new(length: usize) -> Block {
        let Ok(layout) = Layout::from_size_align(length.max(ALIGNMENT), ALIGNMENT) else {
            unreachable!("at most some megabytes")
        };
        // SAFETY: the layout has a size above zero.
        let start = unsafe { alloc(layout) };
        let Some(start) = NonNull::new(start) else { handle_alloc_error(layout) };
        // SAFETY: so many bytes were just allocated; all of them are initialised here.
        unsafe { start.as_ptr().write_bytes(0, layout.size()) };
        Block { start, layout }
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: so many bytes are allocated and were written.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.layout.size()) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as for `bytes`, and nobody else refers to them.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.layout.size()) }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;

    use super::*;

    /// A file of `pages` pages, each full of its number.
    fn file(directory: &Path, pages: u8) -> PathBuf {
        let path = directory.join("database");
        let bytes: Vec<u8> = (0..pages).flat_map(|page| vec![page; ALIGNMENT]).collect();
        std::fs::write(&path, bytes).expect("a file");
        path
    }

    fn reader(path: &Path) -> DirectReader {
        let files = Arc::new(DirectFiles::default());
        files.switch(true);
        let name = CString::new(path.as_os_str().as_bytes()).expect("a name");
        files.file(&name).expect("a file")
    }

    fn page(reader: &mut DirectReader, number: u64) -> Option<u8> {
        let mut bytes = vec![0xff; ALIGNMENT];
        let is_read = reader.read(&mut bytes, (number * ALIGNMENT as u64) as i64);
        is_read.then(|| {
            assert!(bytes.iter().all(|byte| *byte == bytes[0]), "one page");
            bytes[0]
        })
    }

    /// A directory whose file system supports O_DIRECT.
    fn directory() -> tempfile::TempDir {
        tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("a directory")
    }

    #[test]
    fn only_whole_pages_are_read_directly_in_any_order() {
        let directory = directory();
        let path = file(directory.path(), 200);
        assert_eq!(DirectFiles::refusal(&path), None);
        let mut reader = reader(&path);
        for number in [7, 3, 150, 4, 5, 6, 8, 9, 10, 11, 60, 12, 199, 0] {
            assert_eq!(page(&mut reader, number), Some(number as u8));
        }
        for number in 0..200 {
            assert_eq!(page(&mut reader, number), Some(number as u8), "in order");
        }
        assert!(reader.ahead_length > 0, "and ahead");
        assert_eq!(page(&mut reader, 200), None, "beyond the end");
        let mut head = [0; 16];
        assert!(!reader.read(&mut head, 24), "no whole page");
        assert!(!reader.read(&mut [0; ALIGNMENT], -4_096));
        reader.files.switch(false);
        assert_eq!(page(&mut reader, 7), None, "switched off");
    }

    #[test]
    fn writes_invalidate_data_read_ahead() {
        let directory = directory();
        let path = file(directory.path(), 200);
        let mut reader = reader(&path);
        (0..20).for_each(|number| assert_eq!(page(&mut reader, number), Some(number as u8)));
        let writer = OpenOptions::new().write(true).open(&path).expect("a writer");
        let write = |value: u8| writer.write_all_at(&[value; ALIGNMENT], 20 * ALIGNMENT as u64).expect("write");
        assert!(reader.ahead_start + reader.ahead_length as u64 > 21 * ALIGNMENT as u64, "20 was read ahead");
        reader.writing(|| write(0xaa));
        assert_eq!(page(&mut reader, 20), Some(0xaa));
        // Writes of another process are not counted, but happen only between two transactions.
        write(0xbb);
        reader.start();
        reader.next = 20 * ALIGNMENT as u64;
        assert_eq!(page(&mut reader, 20), Some(0xbb));
    }

    #[test]
    fn a_file_of_another_inode_is_another_file() {
        let directory = directory();
        let path = file(directory.path(), 2);
        let files = Arc::new(DirectFiles::default());
        files.switch(true);
        let name = CString::new(path.as_os_str().as_bytes()).expect("a name");
        let mut old = files.file(&name).expect("a file");
        assert_eq!(page(&mut old, 1), Some(1));
        std::fs::rename(&path, directory.path().join("old")).expect("rename");
        std::fs::write(&path, vec![9; 2 * ALIGNMENT]).expect("a new one");
        let mut new = files.file(&name).expect("a file");
        assert_eq!((page(&mut old, 1), page(&mut new, 1)), (Some(1), Some(9)));
    }
}
