//! Residency of a file in the page cache, and its eviction.

use std::fs::File;
use std::io;
use std::num::NonZeroU64;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::ptr;

use record::Ratio;
use rustix::fs::{Advice, OFlags, SeekFrom};
use rustix::io::Errno;
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// Share of the pages of a range in the page cache, in [0, 1], up to the end of the file. None for an empty range, and
/// if the kernel does not show it: only to the owner of a file, and to users who may write to it. A file in memory
/// (tmpfs) is always cached, except its holes.
///
/// Uses cachestat(2), before Linux 6.5 mincore(2).
pub fn cached_share(file: &File, offset: u64, length: u64) -> Option<Ratio> {
    let pages = Pages::of(offset, offset.saturating_add(length).min(end_of(file).ok()?))?;
    let cached = match cached_pages(file, pages) {
        Err(Errno::NOSYS) => resident_pages(file, pages),
        result => result,
    };
    Some(Ratio((cached.ok()? as f64 / pages.count as f64).min(1.0)))
}

/// Drops a range from the page cache: writes dirty pages and evicts all. Pages that are mapped or only partly in the
/// range stay; [`cached_share`] gives the rest.
///
/// # Errors
///
/// Those of the operating system, including failed writes.
pub fn drop_cache(file: &File, offset: u64, length: u64) -> io::Result<()> {
    // Length 0 means the rest of the file.
    let Some(length) = NonZeroU64::new(length) else { return Ok(()) };
    rustix::fs::fdatasync(file)?;
    Ok(rustix::fs::fadvise(file, offset, Some(length), Advice::DontNeed)?)
}

/// Evicts the clean pages of the first `length` bytes of a file, or of all of it, without waiting, and starts writeback of
/// dirty ones.
///
/// # Errors
///
/// Those of the operating system.
pub fn drop_clean(file: &File, length: Option<NonZeroU64>) -> io::Result<()> {
    Ok(rustix::fs::fadvise(file, 0, length, Advice::DontNeed)?)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pages {
    offset: u64,
    count: u64,
}

impl Pages {
    /// The pages of the bytes from `start` to `end`; none for an empty range.
    fn of(start: u64, end: u64) -> Option<Pages> {
        let size = page_size();
        let offset = start - start % size;
        (start < end).then(|| Pages { offset, count: (end - offset).div_ceil(size) })
    }
}

fn page_size() -> u64 {
    rustix::param::page_size() as u64
}

/// The length of a file or device.
fn end_of(file: &File) -> io::Result<u64> {
    let metadata = file.metadata()?;
    if !metadata.file_type().is_block_device() {
        return Ok(metadata.len());
    }
    let position = rustix::fs::tell(file)?;
    let end = rustix::fs::seek(file, SeekFrom::End(0))?;
    rustix::fs::seek(file, SeekFrom::Start(position))?;
    Ok(end)
}

/// `struct cachestat_range` of linux/mman.h.
#[repr(C)]
struct CacheRange {
    offset: u64,
    length: u64,
}

/// `struct cachestat`, in pages.
#[derive(Default)]
#[repr(C)]
struct CacheStat {
    cached: u64,
    dirty: u64,
    in_writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// cachestat(2): the same number on all architectures of Linux except MIPS, where this number is unused.
const SYS_CACHESTAT: libc::c_long = 451;

fn cached_pages(file: &File, pages: Pages) -> Result<u64, Errno> {
    let range = CacheRange { offset: pages.offset, length: pages.count * page_size() };
    let mut stat = CacheStat::default();
    // SAFETY: both structures are laid out as linux/mman.h says and outlive the call, which reads the first one and
    // writes the second one.
    let result = unsafe { libc::syscall(SYS_CACHESTAT, file.as_raw_fd(), &raw const range, &raw mut stat, 0) };
    if result == 0 { Ok(stat.cached) } else { Err(last_error()) }
}

fn last_error() -> Errno {
    Errno::from_io_error(&io::Error::last_os_error()).unwrap_or(Errno::INVAL)
}

/// Bytes per mapping.
const WINDOW_BYTES: u64 = 1 << 30;

/// Maps the file without reading it, and counts the resident pages.
fn resident_pages(file: &File, pages: Pages) -> Result<u64, Errno> {
    // For other users, mincore(2) reports every page as resident.
    if !is_shown_residency(file).unwrap_or(false) {
        return Err(Errno::PERM);
    }
    let window = WINDOW_BYTES / page_size();
    let mut sum = 0;
    let mut done = 0;
    while done < pages.count {
        let count = window.min(pages.count - done);
        sum += resident_in_window(file, Pages { offset: pages.offset + done * page_size(), count })?;
        done += count;
    }
    Ok(sum)
}

fn is_shown_residency(file: &File) -> io::Result<bool> {
    let user = rustix::process::geteuid();
    let writable = rustix::fs::fcntl_getfl(file)?.intersects(OFlags::WRONLY | OFlags::RDWR);
    Ok(writable || user.is_root() || file.metadata()?.uid() == user.as_raw())
}

fn resident_in_window(file: &File, pages: Pages) -> Result<u64, Errno> {
    let length = usize::try_from(pages.count * page_size()).map_err(|_| Errno::OVERFLOW)?;
    let mut states = vec![0u8; usize::try_from(pages.count).map_err(|_| Errno::OVERFLOW)?];
    // SAFETY: the kernel chooses the address; nothing is read through the mapping.
    let mapping = unsafe { mmap(ptr::null_mut(), length, ProtFlags::READ, MapFlags::SHARED, file, pages.offset)? };
    // SAFETY: the mapping is `length` bytes long, and there is one byte of `states` for each of its pages.
    let result = unsafe { libc::mincore(mapping, length, states.as_mut_ptr()) };
    let error = last_error();
    // SAFETY: the mapping belongs to this function, and nothing refers to it.
    unsafe { munmap(mapping, length)? };
    if result != 0 {
        return Err(error);
    }
    Ok(states.iter().filter(|state| **state & 1 == 1).count() as u64)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::FileExt;

    use super::*;

    const MIB: u64 = 1 << 20;

    fn written(directory: &str, bytes: u64) -> File {
        let mut file = tempfile::tempfile_in(directory).expect("a file");
        file.write_all(&vec![7; bytes as usize]).expect("write");
        file
    }

    /// The share by both system calls, which must agree.
    fn share(file: &File, offset: u64, length: u64) -> f64 {
        let pages = Pages::of(offset, offset + length).expect("a range");
        let resident = resident_pages(file, pages).expect("a file of our own");
        assert_eq!(cached_pages(file, pages).unwrap_or(resident), resident);
        resident as f64 / pages.count as f64
    }

    #[test]
    fn written_data_stay_in_the_cache_until_dropped() {
        let file = written("/tmp", 8 * MIB);
        assert_eq!(cached_share(&file, 0, 8 * MIB), Some(Ratio(1.0)));
        assert_eq!(cached_share(&file, 0, 80 * MIB), Some(Ratio(1.0)), "the range ends with the file");
        if rustix::fs::fstatfs(&file).expect("file system").f_type == libc::TMPFS_MAGIC {
            return;
        }
        drop_cache(&file, 0, 4 * MIB).expect("drop");
        assert_eq!(share(&file, 4 * MIB, 4 * MIB), 1.0, "the other half stays");
        assert_eq!(share(&file, 0, 8 * MIB), 0.5);
        drop_cache(&file, 0, 8 * MIB).expect("drop");
        assert_eq!(share(&file, 0, 8 * MIB), 0.0);
        assert_eq!(cached_share(&file, 0, 8 * MIB), Some(Ratio(0.0)));
        file.read_exact_at(&mut [0; 4096], 6 * MIB).expect("read");
        let share = cached_share(&file, 0, 8 * MIB).expect("known").0;
        assert!(share > 0.0 && share < 0.5, "{share}: the page that was read, and read-ahead");
    }

    #[test]
    fn tmpfs_cannot_be_dropped_from_the_cache() {
        if !std::path::Path::new("/dev/shm").is_dir() {
            return;
        }
        let file = written("/dev/shm", MIB);
        drop_cache(&file, 0, MIB).expect("drop");
        assert_eq!(cached_share(&file, 0, MIB), Some(Ratio(1.0)));
    }

    #[test]
    fn an_empty_range_has_no_share() {
        let file = written("/tmp", 4096);
        assert_eq!(cached_share(&file, 0, 0), None);
        assert_eq!(cached_share(&file, 4096, 4096), None, "beyond the end");
        assert_eq!(cached_share(&file, u64::MAX, u64::MAX), None);
        drop_cache(&file, 0, 0).expect("nothing to do");
        assert_eq!(cached_share(&file, 0, 4096), Some(Ratio(1.0)), "nothing was dropped");
    }

    #[test]
    fn pages_hold_every_byte_of_a_range() {
        let size = page_size();
        assert_eq!(Pages::of(0, 1), Some(Pages { offset: 0, count: 1 }));
        assert_eq!(Pages::of(size - 1, size + 1), Some(Pages { offset: 0, count: 2 }));
        assert_eq!(Pages::of(size, 3 * size), Some(Pages { offset: size, count: 2 }));
        assert_eq!(Pages::of(5, 5), None);
    }
}
