//! Signatures of file systems, volumes and partition tables in the first and last bytes of a device.
//!
//! A superset of the formats of database hosts, by their documented magic numbers. Unknown formats are not found: no
//! signature does not prove that a device is empty.

/// Bytes at either end of a device that are searched.
pub(super) const EDGE_BYTES: usize = 1 << 20;

/// A format with bytes at a fixed offset from the start.
struct Magic {
    name: &'static str,
    offset: usize,
    bytes: &'static [u8],
}

const fn magic(name: &'static str, offset: usize, bytes: &'static [u8]) -> Magic {
    Magic { name, offset, bytes }
}

const MAGICS: &[Magic] = &[
    magic("an xfs file system", 0, b"XFSB"),
    magic("a btrfs file system", 65_536 + 64, b"_BHRfS_M"),
    magic("an f2fs file system", 1024, &[0x10, 0x20, 0xf5, 0xf2]),
    magic("a reiserfs file system", 65_536 + 52, b"ReIsEr"),
    magic("a jfs file system", 32_768, b"JFS1"),
    magic("a gfs2 file system", 65_536, &[0x01, 0x16, 0x19, 0x70, 0, 0, 0, 1]),
    magic("a VxFS file system", 1024, &[0xf5, 0xfc, 0x01, 0xa5]),
    magic("an OCFS2 file system", 1024, b"OCFSV2"),
    magic("an OCFS2 file system", 2048, b"OCFSV2"),
    magic("an OCFS2 file system", 4096, b"OCFSV2"),
    magic("an OCFS2 file system", 8192, b"OCFSV2"),
    magic("an ISO 9660 file system", 32_769, b"CD001"),
    magic("a squashfs file system", 0, b"hsqs"),
    magic("an NTFS file system", 3, b"NTFS    "),
    magic("an exFAT file system", 3, b"EXFAT   "),
    magic("a FAT file system", 54, b"FAT1"),
    magic("a FAT file system", 82, b"FAT32   "),
    magic("a LUKS encrypted volume", 0, b"LUKS\xba\xbe"),
    magic("a LUKS encrypted volume", 16_384, b"SKUL\xba\xbe"),
    magic("a disk of an ASM disk group", 32, b"ORCLDISK"),
    magic("a Ceph OSD", 0, b"bluestore block device"),
    magic("a VDO volume", 0, b"dmvdo001"),
    magic("a Stratis pool", 512 + 4, b"!Stra0tis"),
    magic("a bcache device", 4096 + 24, &BCACHE),
    magic("a bcachefs file system", 4096 + 24, &BCACHEFS),
    magic("a member of an md RAID", 0, &MD),
    magic("a member of an md RAID", 4096, &MD),
];

const BCACHE: [u8; 16] =
    [0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca, 0x82, 0x65, 0xf5, 0x7f, 0x48, 0xba, 0x6d, 0x81];
const BCACHEFS: [u8; 16] =
    [0xc6, 0x85, 0x73, 0xf6, 0x66, 0xce, 0x90, 0xa9, 0xd9, 0x6a, 0x60, 0xcf, 0x80, 0x3d, 0xf7, 0xef];
/// 0xa92b4efc, little endian.
const MD: [u8; 4] = [0xfc, 0x4e, 0x2b, 0xa9];
/// The end of every boot sector.
const BOOT: [u8; 2] = [0x55, 0xaa];
/// An uberblock of ZFS, 0x00bab10c in 64 bits, in either byte order.
const UBERBLOCKS: [[u8; 8]; 2] = [0x00ba_b10c_u64.to_le_bytes(), 0x00ba_b10c_u64.to_be_bytes()];

/// The formats found in the `first` and `last` bytes of a device of `size_bytes`, sorted and distinct. If the device is
/// smaller than [`EDGE_BYTES`], both are the whole device.
pub(super) fn signatures(first: &[u8], last: &[u8], size_bytes: u64) -> Vec<&'static str> {
    let mut found: Vec<&'static str> =
        MAGICS.iter().filter(|magic| is_at(first, magic.offset, magic.bytes)).map(|magic| magic.name).collect();
    let others: [(&'static str, bool); 8] = [
        ("an ext2, ext3 or ext4 file system", has_ext(first)),
        ("an LVM physical volume", has_lvm(first)),
        ("a member of an md RAID", has_md_at_end(last, size_bytes)),
        ("a swap area", has_swap(first)),
        ("a ZFS pool", has_zfs(first, last, size_bytes)),
        ("a GPT partition table", has_gpt(first, last)),
        ("a DOS partition table", has_dos_table(first)),
        ("the boot sector of a partition table or file system", is_at(first, 510, &BOOT) && !has_dos_table(first)),
    ];
    found.extend(others.into_iter().filter(|(_, found)| *found).map(|(name, _)| name));
    found.sort_unstable();
    found.dedup();
    found
}

fn is_at(bytes: &[u8], offset: usize, expected: &[u8]) -> bool {
    bytes.get(offset..).is_some_and(|rest| rest.starts_with(expected))
}

fn number<const BYTES: usize>(bytes: &[u8], offset: usize) -> Option<u64> {
    let field: [u8; BYTES] = bytes.get(offset..)?.first_chunk().copied()?;
    Some(field.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

/// The magic number has only 16 bits: block size and revision must be valid as well.
fn has_ext(first: &[u8]) -> bool {
    const SUPERBLOCK: usize = 1024;
    let block = number::<4>(first, SUPERBLOCK + 0x18);
    let revision = number::<4>(first, SUPERBLOCK + 0x4c);
    is_at(first, SUPERBLOCK + 0x38, &[0x53, 0xef])
        && block.is_some_and(|log| log <= 6)
        && revision.is_some_and(|revision| revision <= 1)
}

/// The label is in one of the first four sectors.
fn has_lvm(first: &[u8]) -> bool {
    (0..4).any(|sector| is_at(first, sector * 512, b"LABELONE") && is_at(first, sector * 512 + 24, b"LVM2"))
}

/// Superblocks of version 0.90 start at the last but one whole 64 KiB, those of 1.0 at the last but two whole 4 KiB.
fn has_md_at_end(last: &[u8], size_bytes: u64) -> bool {
    let start = size_bytes.saturating_sub(last.len() as u64);
    let old = (size_bytes & !0xffff).checked_sub(0x1_0000);
    let new = size_bytes.checked_sub(8192).map(|offset| offset & !0xfff);
    [old, new].into_iter().flatten().any(|offset| {
        let inside = offset.checked_sub(start).and_then(|inside| usize::try_from(inside).ok());
        // Version 0.90 is in host byte order.
        inside.is_some_and(|inside| is_at(last, inside, &MD) || is_at(last, inside, &[0xa9, 0x2b, 0x4e, 0xfc]))
    })
}

/// The signature ends the first page, for every page size.
fn has_swap(first: &[u8]) -> bool {
    let pages = [4096, 8192, 16_384, 32_768, 65_536];
    pages.iter().any(|page| [b"SWAPSPACE2", b"SWAP-SPACE"].iter().any(|magic| is_at(first, page - 10, *magic)))
}

/// A pool has four labels of 256 KiB, two at either end; uberblocks, one per 1 KiB or more, fill the second half of
/// each. The last two end at the last whole 256 KiB.
fn has_zfs(first: &[u8], last: &[u8], size_bytes: u64) -> bool {
    const LABEL: usize = 256 << 10;
    let in_label = |bytes: &[u8], start: usize| {
        let slots = (start + LABEL / 2..start + LABEL).step_by(1024);
        slots.into_iter().any(|slot| UBERBLOCKS.iter().any(|magic| is_at(bytes, slot, magic)))
    };
    let end_gap = (size_bytes % LABEL as u64) as usize;
    let at_end = [1, 2].into_iter().filter_map(|labels| last.len().checked_sub(end_gap + labels * LABEL));
    [0, LABEL].into_iter().any(|start| in_label(first, start)) || at_end.into_iter().any(|start| in_label(last, start))
}

/// The header is the second block, its copy the last one, for either block size.
fn has_gpt(first: &[u8], last: &[u8]) -> bool {
    const HEADER: &[u8] = b"EFI PART";
    let at_end = |block: usize| last.len().checked_sub(block).is_some_and(|offset| is_at(last, offset, HEADER));
    [512, 4096].into_iter().any(|block| is_at(first, block, HEADER) || at_end(block))
}

/// Four entries of 16 bytes, each with a flag that is 0 or 128; one at least has a type and a length.
fn has_dos_table(first: &[u8]) -> bool {
    let Some(sector) = first.get(..512) else { return false };
    let entries = sector[446..510].chunks_exact(16);
    let is_used = |entry: &[u8]| entry[4] != 0 && number::<4>(entry, 12).is_some_and(|sectors| sectors > 0);
    is_at(sector, 510, &BOOT) && entries.clone().all(|entry| entry[0] & 0x7f == 0) && entries.clone().any(is_used)
}

#[cfg(test)]
mod tests;
