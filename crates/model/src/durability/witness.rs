//! The witness: what was attempted and acknowledged, in a file that the fault does not reach.
//!
//! A header, then records of 40 bytes, little-endian. The checksum of each record covers the checksum before it, so that a record
//! that is missing, doubled, moved or of another log is found; the last record says that the log is whole. A log of faults that
//! somebody else makes is gone on with after such a record, once for each load and once for each look at what is left.
//!
//! | bytes | record |
//! |---|---|
//! | 0 | kind |
//! | 1 | object: row, table created, renamed, emptied, dropped |
//! | 2 to 3 | zero |
//! | 4 to 7 | client; of a server its uptime in seconds, of a finding which one |
//! | 8 to 15 | number of the commit of the client; of a load its seed, of a server the mark of its start, of a finding its value |
//! | 16 to 23 | number of the last change that the storage had seen; of a server the mark of the start of its host |
//! | 24 to 31 | monotonic clock, nanoseconds; of a server the clock of this host, nanoseconds since 1970 |
//! | 32 to 35 | number of the record, counted from 0 |
//! | 36 to 39 | CRC-32C |

/// The first bytes of a witness, with the version of its format.
const MAGIC: &[u8; 8] = b"dbdynoW1";

/// Bytes of a record.
pub const RECORD_BYTES: usize = 40;

/// Bytes of the text of a header, at most.
const TEXT_BYTES_MAX: usize = 1 << 16;

/// What a record says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WitnessKind {
    /// A commit is begun.
    Attempt,
    /// The engine has acknowledged it.
    Acknowledged,
    /// It has no answer.
    Unknown,
    /// It was rolled back before it was committed.
    RolledBack,
    /// The fault.
    Fault,
    /// The last record, or the last one before the log was gone on with.
    End,
    /// A load begins.
    Begin,
    /// What the server says of its start.
    Server,
    /// What was found afterwards: one figure.
    Finding,
}

impl WitnessKind {
    const ALL: [WitnessKind; 9] = [
        WitnessKind::Attempt,
        WitnessKind::Acknowledged,
        WitnessKind::Unknown,
        WitnessKind::RolledBack,
        WitnessKind::Fault,
        WitnessKind::End,
        WitnessKind::Begin,
        WitnessKind::Server,
        WitnessKind::Finding,
    ];

    fn code(self) -> u8 {
        WitnessKind::ALL.iter().zip(1..).find(|(kind, _)| **kind == self).map_or(0, |(_, code)| code)
    }
}

/// What is committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WitnessObject {
    /// A row.
    Row,
    /// A table that is created.
    Table,
    /// The same table, by a new name.
    Renamed,
    /// The same table, without its rows.
    Emptied,
    /// The same table, no more.
    Dropped,
}

impl WitnessObject {
    const ALL: [WitnessObject; 5] = [
        WitnessObject::Row,
        WitnessObject::Table,
        WitnessObject::Renamed,
        WitnessObject::Emptied,
        WitnessObject::Dropped,
    ];

    fn code(self) -> u8 {
        WitnessObject::ALL.iter().zip(0..).find(|(object, _)| **object == self).map_or(0, |(_, code)| code)
    }
}

/// A record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WitnessRecord {
    /// What it says.
    pub kind: WitnessKind,
    /// Of what.
    pub object: WitnessObject,
    /// The client.
    pub client: u32,
    /// Number of the commit of the client.
    pub number: u64,
    /// Number of the last change that the storage had seen; 0 where that is not known.
    pub device_seq: u64,
    /// Monotonic clock, nanoseconds.
    pub mono_ns: u64,
}

/// Writes a witness: each call returns the bytes that are appended.
#[derive(Clone, Debug)]
pub struct WitnessWriter {
    index: u32,
    checksum: u32,
}

impl WitnessWriter {
    /// A new witness with `text` in its header (seed, settings, versions), and its first bytes.
    pub fn new(text: &str) -> (WitnessWriter, Vec<u8>) {
        let end = (0..=text.len().min(TEXT_BYTES_MAX)).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        let text = &text.as_bytes()[..end];
        let mut bytes = MAGIC.to_vec();
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text);
        let checksum = crc32c::crc32c(&bytes);
        bytes.extend(checksum.to_le_bytes());
        (WitnessWriter { index: 0, checksum }, bytes)
    }

    /// The bytes of the next record.
    pub fn record(&mut self, record: &WitnessRecord) -> [u8; RECORD_BYTES] {
        let mut bytes = [0; RECORD_BYTES];
        bytes[0] = record.kind.code();
        bytes[1] = record.object.code();
        bytes[4..8].copy_from_slice(&record.client.to_le_bytes());
        bytes[8..16].copy_from_slice(&record.number.to_le_bytes());
        bytes[16..24].copy_from_slice(&record.device_seq.to_le_bytes());
        bytes[24..32].copy_from_slice(&record.mono_ns.to_le_bytes());
        bytes[32..36].copy_from_slice(&self.index.to_le_bytes());
        self.checksum = crc32c::crc32c_append(self.checksum, &bytes[..36]);
        bytes[36..].copy_from_slice(&self.checksum.to_le_bytes());
        self.index = self.index.wrapping_add(1);
        bytes
    }
}

/// A witness that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The text of its header.
    pub text: String,
    /// Its records, without the last one.
    pub records: Vec<WitnessRecord>,
}

/// Why a witness is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WitnessDamage {
    /// The header is not one, or is damaged.
    Header,
    /// The record with this number is damaged, or is not that which follows the one before.
    Record {
        /// Its number, counted from 0.
        index: u64,
    },
    /// A record with this number is incomplete.
    Incomplete {
        /// Its number, counted from 0.
        index: u64,
    },
    /// The last record is not there: the log ends too early.
    NoEnd,
    /// There is more after the last record.
    BeyondEnd,
}

/// A witness that was gone on with: its parts, each of which was ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WitnessParts {
    /// The text of its header.
    pub text: String,
    /// The records of each part, without the last one.
    pub parts: Vec<Vec<WitnessRecord>>,
}

/// Reads a witness.
///
/// # Errors
/// Where one byte of it is not as it was written.
pub fn read_witness(bytes: &[u8]) -> Result<Witness, WitnessDamage> {
    let (WitnessParts { text, parts }, _) = read_until(bytes, 1)?;
    if parts.is_empty() {
        return Err(WitnessDamage::NoEnd);
    }
    Ok(Witness { text, records: parts.into_iter().flatten().collect() })
}

/// Reads a witness that is gone on with, and what writes its next record.
///
/// # Errors
/// Where one byte of it is not as it was written. One that was cut after the end of an earlier part is whole, and is what it was
/// then.
pub fn read_witness_parts(bytes: &[u8]) -> Result<(WitnessParts, WitnessWriter), WitnessDamage> {
    read_until(bytes, usize::MAX)
}

/// Reads a witness of at most so many parts.
fn read_until(bytes: &[u8], parts_max: usize) -> Result<(WitnessParts, WitnessWriter), WitnessDamage> {
    let header = |from: usize, to: usize| bytes.get(from..to).ok_or(WitnessDamage::Header);
    let length = u32::from_le_bytes(array(header(8, 12)?)) as usize;
    if header(0, 8)? != MAGIC || length > TEXT_BYTES_MAX {
        return Err(WitnessDamage::Header);
    }
    let checksum = u32::from_le_bytes(array(header(12 + length, 16 + length)?));
    if crc32c::crc32c(header(0, 12 + length)?) != checksum {
        return Err(WitnessDamage::Header);
    }
    let text = String::from_utf8(header(12, 12 + length)?.to_vec()).map_err(|_| WitnessDamage::Header)?;
    let mut writer = WitnessWriter { index: 0, checksum };
    let (mut parts, mut records) = (Vec::new(), Vec::new());
    for (chunk, index) in bytes[16 + length..].chunks(RECORD_BYTES).zip(0u64..) {
        if parts.len() >= parts_max {
            return Err(WitnessDamage::BeyondEnd);
        }
        if chunk.len() < RECORD_BYTES {
            return Err(WitnessDamage::Incomplete { index });
        }
        let record = parsed(chunk).ok_or(WitnessDamage::Record { index })?;
        if writer.record(&record)[..] != *chunk {
            return Err(WitnessDamage::Record { index });
        }
        match record.kind {
            WitnessKind::End => parts.push(std::mem::take(&mut records)),
            _ => records.push(record),
        }
    }
    match records.is_empty() {
        true => Ok((WitnessParts { text, parts }, writer)),
        false => Err(WitnessDamage::NoEnd),
    }
}

fn parsed(bytes: &[u8]) -> Option<WitnessRecord> {
    let kind =
        WitnessKind::ALL.iter().zip(1u8..).find(|(_, code)| Some(code) == bytes.first()).map(|(kind, _)| *kind)?;
    let object = *WitnessObject::ALL.get(usize::from(*bytes.get(1)?))?;
    let number = |from: usize| Some(u64::from_le_bytes(array(bytes.get(from..from + 8)?)));
    Some(WitnessRecord {
        kind,
        object,
        client: u32::from_le_bytes(array(bytes.get(4..8)?)),
        number: number(8)?,
        device_seq: number(16)?,
        mono_ns: number(24)?,
    })
}

/// The first bytes of `bytes`; zeros where there are fewer.
fn array<const SIZE: usize>(bytes: &[u8]) -> [u8; SIZE] {
    let mut array = [0; SIZE];
    array.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    array
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record(kind: WitnessKind, client: u32, number: u64) -> WitnessRecord {
        let object = WitnessObject::Row;
        WitnessRecord { kind, object, client, number, device_seq: 3 * number, mono_ns: 1_000 * number }
    }

    fn sample() -> Vec<WitnessRecord> {
        (1..=6u64)
            .flat_map(|number| [WitnessKind::Attempt, WitnessKind::Acknowledged].map(|kind| record(kind, 1, number)))
            .collect()
    }

    fn written(text: &str, records: &[WitnessRecord]) -> (usize, Vec<u8>) {
        let (mut writer, mut bytes) = WitnessWriter::new(text);
        let header = bytes.len();
        let end = record(WitnessKind::End, 0, records.len() as u64);
        records.iter().chain([&end]).for_each(|record| bytes.extend(writer.record(record)));
        (header, bytes)
    }

    #[test]
    fn what_is_written_is_read() {
        let (_, bytes) = written("seed 7", &sample());
        assert_eq!(read_witness(&bytes), Ok(Witness { text: "seed 7".to_owned(), records: sample() }));
    }

    #[test]
    fn eight_kinds_of_damage_are_found_each_time() {
        let (header, good) = written("seed 7", &sample());
        let records = 2 * 6 + 1;
        let at = |index: usize| header + index * RECORD_BYTES;
        let (_, other) = written("seed 8", &sample());
        for index in 0..records - 2 {
            let mut flipped = good.clone();
            flipped[at(index) + 9] ^= 0x10;
            assert_eq!(read_witness(&flipped), Err(WitnessDamage::Record { index: index as u64 }), "one bit");

            let cut = &good[..at(index) + 17];
            assert_eq!(read_witness(cut), Err(WitnessDamage::Incomplete { index: index as u64 }), "cut in a record");

            assert_eq!(read_witness(&good[..at(index)]), Err(WitnessDamage::NoEnd), "cut between records");

            let without = [&good[..at(index)], &good[at(index + 1)..]].concat();
            assert_eq!(read_witness(&without), Err(WitnessDamage::Record { index: index as u64 }), "one is missing");

            let twice = [&good[..at(index + 1)], &good[at(index)..]].concat();
            assert_eq!(read_witness(&twice), Err(WitnessDamage::Record { index: index as u64 + 1 }), "one is doubled");

            let swapped = [
                &good[..at(index)],
                &good[at(index + 1)..at(index + 2)],
                &good[at(index)..at(index + 1)],
                &good[at(index + 2)..],
            ]
            .concat();
            assert!(matches!(read_witness(&swapped), Err(WitnessDamage::Record { .. })), "two are exchanged");

            let spliced = [&good[..at(index)], &other[at(index)..]].concat();
            assert_eq!(read_witness(&spliced), Err(WitnessDamage::Record { index: index as u64 }), "of another log");
        }
        assert_eq!(read_witness(&[&good[..], &good[at(0)..at(1)]].concat()), Err(WitnessDamage::BeyondEnd));
        for byte in 0..header {
            let mut flipped = good.clone();
            flipped[byte] ^= 0x01;
            assert!(read_witness(&flipped).is_err(), "byte {byte} of the header");
        }
    }

    #[test]
    fn the_same_damage_is_found_in_every_part_of_one_that_was_gone_on_with() {
        let (mut writer, mut good) = WitnessWriter::new("seed 7");
        let header = good.len();
        let part = |number: u64| {
            let acknowledged = [WitnessKind::Attempt, WitnessKind::Acknowledged].map(|kind| record(kind, 1, number));
            [&acknowledged[..], &[record(WitnessKind::End, 0, 2)]].concat()
        };
        for number in 1..=3 {
            // Each time it is read before it is gone on with.
            part(number).iter().for_each(|record| good.extend(writer.record(record)));
            let (read, next) = read_witness_parts(&good).expect("whole");
            assert_eq!((read.parts.len() as u64, read.parts[0].len()), (number, 2));
            writer = next;
        }
        let at = |index: usize| header + index * RECORD_BYTES;
        let read = |bytes: &[u8]| read_witness_parts(bytes).map(|(read, _)| read.parts.len());
        assert_eq!((read(&good), read_witness(&good)), (Ok(3), Err(WitnessDamage::BeyondEnd)));
        for index in 0..9 {
            let damaged = |bytes: Vec<u8>, what: &str| assert!(read(&bytes).is_err(), "{what}, record {index}");
            let mut flipped = good.clone();
            flipped[at(index) + 20] ^= 1;
            damaged(flipped, "one bit");
            damaged(good[..at(index) + 17].to_vec(), "cut in a record");
            let whole = index / 3;
            match index % 3 {
                0 => assert_eq!(read(&good[..at(index)]), Ok(whole), "as it was then"),
                _ => damaged(good[..at(index)].to_vec(), "cut between records"),
            }
            if index < 8 {
                damaged([&good[..at(index)], &good[at(index + 1)..]].concat(), "one is missing");
                let [one, other] = [index, index + 1].map(|index| &good[at(index)..at(index + 1)]);
                damaged([&good[..at(index)], other, one, &good[at(index + 2)..]].concat(), "two are exchanged");
            }
            damaged([&good[..at(index + 1)], &good[at(index)..]].concat(), "one is doubled");
            let (mut other, mut spliced) = WitnessWriter::new("seed 8");
            (1..=3).flat_map(part).for_each(|record| spliced.extend(other.record(&record)));
            damaged([&good[..at(index)], &spliced[at(index)..]].concat(), "of another log");
        }
        for part in 0..3 {
            let without = [&good[..at(3 * part)], &good[at(3 * part + 3)..]].concat();
            assert_eq!(read(&without).is_ok(), part == 2, "part {part} is missing");
        }
        assert!(read(&[&good[..], &good[at(0)..at(3)]].concat()).is_err(), "a part is repeated");
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_strange(bytes in proptest::collection::vec(any::<u8>(), 0..300), head: bool) {
            let magic: &[u8] = if head { MAGIC } else { b"" };
            prop_assert!(read_witness(&[magic, &bytes].concat()).is_err());
            prop_assert!(read_witness_parts(&[magic, &bytes].concat()).is_err());
        }
    }
}
