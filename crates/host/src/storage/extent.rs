//! Written parts of a file: holes and unwritten extents are read without device I/O.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileTypeExt;

use record::Bytes;
use rustix::fs::SeekFrom;
use rustix::io::Errno;
use rustix::ioctl::{Opcode, Updater, ioctl, opcode};

/// Extents of a range of a file. Written, unwritten and hole add up to the range; the others are parts of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extents {
    /// Written bytes, on the device or in writeback.
    pub written_bytes: Bytes,
    /// Allocated bytes that were never written: reads return zeros without device I/O. Counted as holes if the file
    /// system reports holes only (tmpfs).
    pub unwritten_bytes: Bytes,
    /// Bytes that are not allocated, including those beyond the end of the file: reads return zeros without device I/O.
    pub hole_bytes: Bytes,
    /// Allocated bytes shared with other files (reflinks, snapshots): the first write copies them.
    pub shared_bytes: Bytes,
    /// Bytes that the file system compresses or encrypts.
    pub encoded_bytes: Bytes,
    /// Bytes stored within metadata (very small files).
    pub inline_bytes: Bytes,
    /// Number of extents.
    pub count: u64,
}

/// The extents of `length` bytes of `file` from `offset`. Data with delayed allocation are written first. None for a
/// device, and if the file system does not report extents.
///
/// Uses `FS_IOC_FIEMAP` (Documentation/filesystems/fiemap.rst), otherwise `SEEK_HOLE`: its result without holes is used
/// for tmpfs only, as file systems without support report no holes for every file.
///
/// # Errors
///
/// Those of the operating system, except the ones for missing support.
pub fn extents(file: &File, offset: u64, length: u64) -> io::Result<Option<Extents>> {
    if file.metadata()?.file_type().is_block_device() {
        return Ok(None);
    }
    let range = Range { start: offset, end: offset.saturating_add(length) };
    match mapped(file, range) {
        Err(Errno::NOTTY | Errno::OPNOTSUPP | Errno::NOSYS | Errno::INVAL) => sought(file, range),
        result => Ok(Some(result?)),
    }
}

/// A range of a file, bytes.
#[derive(Clone, Copy, Debug)]
struct Range {
    start: u64,
    end: u64,
}

impl Range {
    /// Bytes of the overlap with another range.
    fn overlap(self, start: u64, end: u64) -> u64 {
        end.min(self.end).saturating_sub(start.max(self.start))
    }
}

/// Extents per call.
const BATCH: usize = 128;

/// `struct fiemap`, without its extents.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
struct Head {
    start: u64,
    length: u64,
    flags: u32,
    mapped_extents: u32,
    extent_count: u32,
    reserved: u32,
}

/// `struct fiemap_extent` of linux/fiemap.h.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
struct Extent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved_64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

/// `struct fiemap` with its extents.
#[repr(C)]
struct Request {
    head: Head,
    extents: [Extent; BATCH],
}

/// `FS_IOC_FIEMAP` of linux/fs.h.
const FIEMAP: Opcode = opcode::read_write::<Head>(b'f', 11);
/// `FIEMAP_FLAG_SYNC`: data with delayed allocation are written first.
const SYNC: u32 = 1;
/// Flags of an extent, `FIEMAP_EXTENT_*` of linux/fiemap.h.
const LAST: u32 = 0x1;
const ENCODED: u32 = 0x8;
const INLINE: u32 = 0x200;
const UNWRITTEN: u32 = 0x800;
const SHARED: u32 = 0x2000;

/// The extents by `FS_IOC_FIEMAP`, in batches.
fn mapped(file: &File, range: Range) -> Result<Extents, Errno> {
    let mut sum = Sum::new(range);
    let mut next = range.start;
    while next < range.end {
        let head = Head {
            start: next,
            length: range.end - next,
            flags: if next == range.start { SYNC } else { 0 },
            extent_count: BATCH as u32,
            ..Head::default()
        };
        let mut request = Request { head, extents: [Extent::default(); BATCH] };
        // SAFETY: the kernel reads the head and writes the head and at most `extent_count` extents behind it, for
        // which there is room; both are laid out as linux/fiemap.h says, and any bits are valid in them.
        unsafe { ioctl(file, Updater::<FIEMAP, Request>::new(&mut request))? };
        let found = &request.extents[..(request.head.mapped_extents as usize).min(BATCH)];
        found.iter().for_each(|extent| sum.add(extent));
        let Some(last) = found.last() else { break };
        let end = last.logical.saturating_add(last.length);
        // No progress would loop forever.
        if last.flags & LAST != 0 || end <= next {
            break;
        }
        next = end;
    }
    Ok(sum.extents())
}

/// Sum of the extents of a range.
struct Sum {
    range: Range,
    sum: Extents,
}

impl Sum {
    fn new(range: Range) -> Sum {
        Sum { range, sum: Extents::default() }
    }

    fn add(&mut self, extent: &Extent) {
        let bytes = self.range.overlap(extent.logical, extent.logical.saturating_add(extent.length));
        if bytes == 0 {
            return;
        }
        let has = |flag: u32| extent.flags & flag != 0;
        let sum = &mut self.sum;
        sum.count += 1;
        add(if has(UNWRITTEN) { &mut sum.unwritten_bytes } else { &mut sum.written_bytes }, bytes);
        for (flag, part) in
            [(SHARED, &mut sum.shared_bytes), (ENCODED, &mut sum.encoded_bytes), (INLINE, &mut sum.inline_bytes)]
        {
            add(part, if has(flag) { bytes } else { 0 });
        }
    }

    /// The sum, with the rest as holes.
    fn extents(self) -> Extents {
        let length = self.range.end - self.range.start;
        let known = self.sum.written_bytes.0.saturating_add(self.sum.unwritten_bytes.0);
        Extents { hole_bytes: Bytes(length.saturating_sub(known)), ..self.sum }
    }
}

fn add(bytes: &mut Bytes, more: u64) {
    bytes.0 = bytes.0.saturating_add(more);
}

/// The extents by `SEEK_DATA` and `SEEK_HOLE`; none if there are no holes and the file system may lack support.
fn sought(file: &File, range: Range) -> io::Result<Option<Extents>> {
    let position = rustix::fs::tell(file)?;
    let result = data_and_holes(file, range);
    rustix::fs::seek(file, SeekFrom::Start(position))?;
    let in_memory = rustix::fs::fstatfs(file)?.f_type == libc::TMPFS_MAGIC;
    let length = file.metadata()?.len();
    let is_supported = |found: &Extents| in_memory || found.written_bytes.0 < range.overlap(0, length);
    match result {
        Err(Errno::INVAL | Errno::OPNOTSUPP) => Ok(None),
        result => Ok(Some(result?).filter(is_supported)),
    }
}

fn data_and_holes(file: &File, range: Range) -> Result<Extents, Errno> {
    let mut sum = Sum::new(range);
    let mut next = range.start;
    while next < range.end {
        let start = match rustix::fs::seek(file, SeekFrom::Data(next)) {
            // No more data.
            Err(Errno::NXIO) => break,
            result => result?,
        };
        let end = rustix::fs::seek(file, SeekFrom::Hole(start))?;
        if end <= next {
            break;
        }
        sum.add(&Extent { logical: start, length: end - start, ..Extent::default() });
        next = end;
    }
    Ok(sum.extents())
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::FileExt;
    use std::path::Path;

    use proptest::prelude::*;
    use rustix::fs::{FallocateFlags, fallocate};

    use super::*;

    const MIB: u64 = 1 << 20;

    /// An unnamed file, if the directory exists.
    fn file_in(directory: &str) -> Option<File> {
        Path::new(directory).is_dir().then(|| tempfile::tempfile_in(directory).expect("a file"))
    }

    /// Files on disk and on tmpfs.
    fn files() -> Vec<File> {
        ["/tmp", "/var/tmp", "/dev/shm"].iter().filter_map(|directory| file_in(directory)).collect()
    }

    #[test]
    fn a_sparse_file_is_a_hole() {
        for file in files() {
            file.set_len(8 * MIB).expect("length");
            let Some(found) = extents(&file, 0, 8 * MIB).expect("extents") else { continue };
            assert_eq!(found, Extents { hole_bytes: Bytes(8 * MIB), ..Extents::default() });
            file.write_all_at(&[7; 65_536], 4 * MIB).expect("write");
            let found = extents(&file, 0, 8 * MIB).expect("extents").expect("supported");
            assert_eq!((found.written_bytes, found.hole_bytes), (Bytes(65_536), Bytes(8 * MIB - 65_536)));
            let found = extents(&file, 4 * MIB + 4096, MIB).expect("extents").expect("supported");
            assert_eq!(found.written_bytes, Bytes(61_440), "of the range only");
            assert_eq!(extents(&file, 9 * MIB, MIB).expect("extents").expect("supported").hole_bytes, Bytes(MIB));
        }
    }

    #[test]
    fn reserved_space_is_not_written() {
        for file in files() {
            if fallocate(&file, FallocateFlags::empty(), 0, 8 * MIB).is_err() {
                continue;
            }
            let Some(found) = extents(&file, 0, 8 * MIB).expect("extents") else { continue };
            assert_eq!(found.written_bytes, Bytes(0));
            assert_eq!(found.unwritten_bytes.0 + found.hole_bytes.0, 8 * MIB);
            file.write_all_at(&[7; MIB as usize], MIB).expect("write");
            let found = extents(&file, 0, 8 * MIB).expect("extents").expect("supported");
            assert_eq!(found.written_bytes, Bytes(MIB), "including delayed allocation");
        }
    }

    #[test]
    fn a_written_file_is_written() {
        for mut file in files() {
            file.write_all(&vec![7; 3 * MIB as usize + 5]).expect("write");
            let Some(found) = extents(&file, 0, 3 * MIB).expect("extents") else { continue };
            let nothing = (Bytes(0), Bytes(0), Bytes(0));
            assert_eq!((found.written_bytes, found.count > 0), (Bytes(3 * MIB), true));
            assert_eq!((found.unwritten_bytes, found.hole_bytes, found.shared_bytes), nothing);
            assert_eq!(rustix::fs::tell(&file).expect("position"), 3 * MIB + 5, "where it was");
        }
    }

    #[test]
    fn more_extents_than_one_batch_are_all_added_up() {
        const BLOCKS: u64 = 3 * BATCH as u64 + 1;
        for file in files() {
            for block in 0..BLOCKS {
                file.write_all_at(&[7; 4096], block * 16_384).expect("write");
            }
            let Some(found) = extents(&file, 0, BLOCKS * 16_384).expect("extents") else { continue };
            assert_eq!(found.written_bytes, Bytes(BLOCKS * 4096));
            assert_eq!(found.hole_bytes, Bytes(BLOCKS * (16_384 - 4096)));
        }
    }

    #[test]
    fn files_without_support_have_no_extents() {
        let pipe = std::io::pipe().expect("pipe").0;
        let pipe = File::from(std::os::fd::OwnedFd::from(pipe));
        assert!(!matches!(extents(&pipe, 0, MIB), Ok(Some(_))));
        let proc = File::open("/proc/self/stat").expect("file");
        assert!(!matches!(extents(&proc, 0, MIB), Ok(Some(_))));
    }

    proptest! {
        #[test]
        fn extents_of_any_kind_add_up_to_the_range(
            extents in prop::collection::vec((0u64..64, 1u64..8, any::<u32>()), 0..20),
            start in 0u64..32, length in 0u64..64,
        ) {
            let mut sum = Sum::new(Range { start, end: start + length });
            let mut next = 0;
            for (gap, length, flags) in extents {
                sum.add(&Extent { logical: next + gap, length, flags, ..Extent::default() });
                next += gap + length;
            }
            let found = sum.extents();
            prop_assert_eq!(found.written_bytes.0 + found.unwritten_bytes.0 + found.hole_bytes.0, length);
            prop_assert!(found.shared_bytes.0 <= length && found.inline_bytes.0 <= length);
        }
    }
}
