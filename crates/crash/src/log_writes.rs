//! The log of a disk in the format of dm-log-writes, which `replay-log` of xfstests reads: any state between two flushes can be
//! made of it on a device.
//!
//! Little-endian, in sectors: a superblock (magic, version, number of entries, bytes of a sector), then entries (first sector, number
//! of sectors, flags, bytes of what follows in the same sector), each in a sector of its own and followed by its data. A flush is an
//! entry without data, a mark one with a text in its own sector. As described in `drivers/md/dm-log-writes.c` of Linux.

use std::io::{self, Read, Write};

use crate::change::Change;
use crate::data::Data;

const MAGIC: u64 = 0x6a_7366_7773_6872;
const VERSION: u64 = 1;
const SECTOR_BYTES: usize = 512;

/// Flags of an entry.
const FLUSH: u64 = 1;
const DISCARD: u64 = 1 << 2;
const MARK: u64 = 1 << 3;

/// Sectors of what a disk held before.
const BASE_SECTORS: usize = 256;

/// The mark after what a disk held before the log began.
pub const START_MARK: &str = "start";

/// Writes what `base` holds, the mark [`START_MARK`], and the writes and flushes of `changes` of the file `object`.
///
/// # Errors
/// Where it cannot be written, and where a change is none of a disk: writes of whole sectors, and syncs.
pub(crate) fn export<'a>(
    base: &Data,
    object: u64,
    changes: impl Iterator<Item = &'a Change>,
    to: &mut (impl Write + io::Seek),
) -> io::Result<u64> {
    let mut count = 0;
    write_super(to, 0)?;
    let part = BASE_SECTORS * SECTOR_BYTES;
    for offset in (0..base.size()).step_by(part) {
        let data = base.read(offset, part);
        if data.iter().any(|byte| *byte != 0) {
            write_entry(to, offset, &data)?;
            count += 1;
        }
    }
    for (flags, text) in [(FLUSH, ""), (MARK, START_MARK)] {
        write_header(to, 0, 0, flags, text)?;
        count += 1;
    }
    for change in changes {
        match change {
            Change::Write { object: of, offset, data } if *of == object => write_entry(to, *offset, data)?,
            Change::Sync { object: of } if *of == object => write_header(to, 0, 0, FLUSH, "")?,
            _ => return Err(io::Error::new(io::ErrorKind::InvalidInput, "the volume is no disk")),
        }
        count += 1;
    }
    to.rewind()?;
    write_super(to, count)?;
    Ok(count)
}

fn write_super(to: &mut impl Write, count: u64) -> io::Result<()> {
    let mut sector = [0; SECTOR_BYTES];
    for (at, number) in [MAGIC, VERSION, count, SECTOR_BYTES as u64].into_iter().enumerate() {
        sector[8 * at..8 * at + 8].copy_from_slice(&number.to_le_bytes());
    }
    to.write_all(&sector)
}

fn write_entry(to: &mut impl Write, offset: u64, data: &[u8]) -> io::Result<()> {
    let sector = SECTOR_BYTES as u64;
    if !offset.is_multiple_of(sector) || !data.len().is_multiple_of(SECTOR_BYTES) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "a write is not one of whole sectors"));
    }
    write_header(to, offset / sector, data.len() as u64 / sector, 0, "")?;
    to.write_all(data)
}

fn write_header(to: &mut impl Write, first: u64, count: u64, flags: u64, text: &str) -> io::Result<()> {
    let mut sector = [0; SECTOR_BYTES];
    for (at, number) in [first, count, flags, text.len() as u64].into_iter().enumerate() {
        sector[8 * at..8 * at + 8].copy_from_slice(&number.to_le_bytes());
    }
    sector[32..32 + text.len()].copy_from_slice(text.as_bytes());
    to.write_all(&sector)
}

/// Makes the disk of `size_bytes` of the first `count` entries of a log.
///
/// # Errors
/// Where it cannot be read, or is no such log.
pub fn replay_log_writes(log: &mut impl Read, count: u64, size_bytes: u64) -> io::Result<Data> {
    let refused = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    let head = read_sector(log)?;
    if number(&head, 0) != MAGIC || number(&head, 1) != VERSION || number(&head, 3) as u32 != SECTOR_BYTES as u32 {
        return Err(refused("it has no superblock of dm-log-writes with sectors of 512 bytes"));
    }
    let mut disk = Data::zeros(size_bytes);
    for _ in 0..count.min(number(&head, 2)) {
        let entry = read_sector(log)?;
        let (first, sectors, flags) = (number(&entry, 0), number(&entry, 1), number(&entry, 2));
        if flags & (DISCARD | MARK) != 0 || sectors == 0 {
            continue;
        }
        let offset = first.checked_mul(SECTOR_BYTES as u64);
        let end = sectors.checked_add(first).and_then(|end| end.checked_mul(SECTOR_BYTES as u64));
        let offset = offset.filter(|_| end.is_some_and(|end| end <= size_bytes));
        let mut offset = offset.ok_or_else(|| refused("a write is beyond the end of the disk"))?;
        for _ in 0..sectors {
            disk.write(offset, &read_sector(log)?);
            offset += SECTOR_BYTES as u64;
        }
    }
    Ok(disk)
}

fn read_sector(log: &mut impl Read) -> io::Result<[u8; SECTOR_BYTES]> {
    let mut sector = [0; SECTOR_BYTES];
    log.read_exact(&mut sector)?;
    Ok(sector)
}

fn number(sector: &[u8; SECTOR_BYTES], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&sector[8 * at..8 * at + 8]);
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn write(sector: u64, byte: u8) -> Change {
        Change::Write { object: 2, offset: sector * 512, data: vec![byte; 512].into() }
    }

    fn exported(base: &Data, changes: &[Change]) -> (u64, Vec<u8>) {
        let mut to = Cursor::new(Vec::new());
        let count = export(base, 2, changes.iter(), &mut to).expect("exported");
        (count, to.into_inner())
    }

    #[test]
    fn the_bytes_are_those_of_the_kernel() {
        let (count, bytes) = exported(&Data::zeros(4096), &[write(3, 7), Change::Sync { object: 2 }]);
        assert_eq!((count, bytes.len()), (4, 512 * 6));
        let numbers = |sector: usize| -> Vec<u64> {
            bytes[512 * sector..512 * sector + 32]
                .chunks(8)
                .map(|one| u64::from_le_bytes(one.try_into().expect("8")))
                .collect()
        };
        // Of the superblock the last field has 32 bits, with zeros after it.
        assert_eq!(bytes[..8], *b"rhswfsj\0");
        assert_eq!(numbers(0)[1..], [1, 4, 512]);
        assert_eq!((numbers(1), numbers(2)), (vec![0, 0, 1, 0], vec![0, 0, 8, 5]));
        assert_eq!(bytes[2 * 512 + 32..2 * 512 + 37], *b"start");
        assert_eq!((numbers(3), bytes[4 * 512]), (vec![3, 1, 0, 0], 7));
        assert_eq!(numbers(5), [0, 0, 1, 0]);
    }

    #[test]
    fn a_replay_up_to_an_entry_is_the_disk_at_that_moment() {
        let mut disk = Data::zeros(1 << 20);
        disk.write(200_000, b"before");
        let changes = [write(3, 7), write(4, 8), Change::Sync { object: 2 }, write(3, 9)];
        let (count, bytes) = exported(&disk, &changes);
        let start = count - changes.len() as u64;
        assert_eq!(replay_log_writes(&mut bytes.as_slice(), start, 1 << 20).expect("replayed"), disk);
        for (entry, change) in (start + 1..).zip(&changes) {
            if let Change::Write { offset, data, .. } = change {
                disk.write(*offset, data);
            }
            assert_eq!(replay_log_writes(&mut bytes.as_slice(), entry, 1 << 20).expect("replayed"), disk);
        }
        let refused = replay_log_writes(&mut bytes.as_slice(), count, 1024);
        assert!(refused.is_err() && replay_log_writes(&mut &bytes[1..], 1, 1 << 20).is_err());
        assert!(replay_log_writes(&mut &bytes[..bytes.len() - 1], count, 1 << 20).is_err());
    }
}
