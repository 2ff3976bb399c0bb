//! Content of write buffers, and its verification when it is read.
//!
//! A region is divided into units of 4096 bytes (or 512, or one odd block). Each unit starts with a header with its
//! offset and the number of its write; each sector of 512 bytes starts with 8 unique bytes, which defeats
//! deduplication. The rest is random: the bytes of a buffer with a known checksum, either unchanged or, where time does
//! not matter, XORed with a key of the write, so that no data repeat earlier data. Unchanged, stamping costs a few
//! nanoseconds per sector instead of a pass over the block.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::{Amount, Blocks, BufferContent, Bytes, IoJob};

use super::generations::{Age, Held};
use super::permutation::mix;

const SECTOR: usize = 512;
const STAMP: usize = 8;
const HEADER: usize = 56;
/// Minimum unit that holds a header.
const UNIT_MIN: usize = 64;
const MAGIC: u64 = u64::from_le_bytes(*b"dbdyno-1");

/// Result of verifying a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnitState {
    /// The expected content.
    Valid,
    /// Written by dbdyno, but damaged or at the wrong offset.
    Corrupt,
    /// Earlier content: a write of this invocation is missing, or another invocation wrote it.
    Stale,
    /// Not written by dbdyno.
    Foreign,
    /// Written by this invocation, by a write of which it is not known whether it is the last one.
    Unknown,
}

/// The verification unit of the files of `jobs`: 4096 bytes or 512, whichever divides all block sizes and offsets; an
/// odd size where it is the only one. None where no unit fits or the content is not random: it cannot be verified then.
pub fn unit_bytes<'a>(jobs: impl IntoIterator<Item = &'a IoJob>) -> Option<Bytes> {
    let jobs: Vec<&IoJob> = jobs.into_iter().collect();
    let random = |job: &&IoJob| matches!(job.content, BufferContent::Random | BufferContent::Compressible { .. });
    // The content of a trimmed block is undefined.
    if jobs.iter().any(|job| job.mix.trim.0 > 0.0 || (job.mix.write.0 > 0.0 && !random(job))) {
        return None;
    }
    let mut sizes: Vec<u64> = Vec::new();
    for job in &jobs {
        for blocks in [&job.read_blocks, &job.write_blocks] {
            match blocks {
                Blocks::Split(split) => sizes.extend(split.iter().map(|block| block.size_bytes.0)),
                Blocks::Range { min_bytes, .. } => sizes.push(min_bytes.0),
            }
        }
        sizes.extend(job.align_bytes.map(|bytes| bytes.0));
        for amount in [job.offset, job.offset_increment] {
            if let Amount::Bytes(Bytes(bytes @ 1..)) = amount {
                sizes.push(bytes);
            }
        }
        if job.sequence.gap_bytes != 0 {
            sizes.push(job.sequence.gap_bytes.unsigned_abs());
        }
    }
    let odd = sizes.first().copied().filter(|size| sizes.iter().all(|other| other == size));
    let power = [4096, 512].into_iter().find(|unit| sizes.iter().all(|size| size % unit == 0));
    power.or(odd).filter(|unit| *unit >= UNIT_MIN as u64).map(Bytes)
}

/// The random part of a unit of a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body {
    /// Of the original bytes.
    checksum: u32,
    /// The key that they are XORed with now.
    key: u64,
}

/// Stamps blocks for verification.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stamper {
    unit: usize,
    /// The number of the invocation that writes.
    pub writer: u64,
    /// Units of writes before this one are stale.
    number_min: u64,
    /// Whether the random part is XORed with a key of each write.
    keyed: bool,
}

impl Stamper {
    pub(crate) fn new(unit: Bytes, writer: u64) -> Stamper {
        Stamper { unit: unit.0 as usize, writer, number_min: 0, keyed: true }
    }

    /// The same with an unchanged random part: cheap, and repeated with each use of the buffer.
    pub(crate) fn without_keys(self) -> Stamper {
        Stamper { keyed: false, ..self }
    }

    /// The same, with units of writes before `number` as stale.
    pub(crate) fn since(self, number: u64) -> Stamper {
        Stamper { number_min: number, ..self }
    }

    /// Bytes of a unit.
    pub(crate) fn unit(&self) -> usize {
        self.unit
    }

    /// The random parts of `buffer`, one per unit, directly after filling.
    pub(crate) fn bodies(&self, buffer: &[u8]) -> Vec<Body> {
        buffer.chunks(self.unit).map(|unit| Body { checksum: body_checksum(unit, 0), key: 0 }).collect()
    }

    /// Stamps `buffer` as the block at `offset`, each unit with the number of its write, and updates its `bodies`.
    #[inline]
    pub(crate) fn stamp(
        &self,
        buffer: &mut [u8],
        bodies: &mut [Body],
        offset: u64,
        mut number_of: impl FnMut(u64) -> u64,
    ) {
        let mut at = offset;
        for (unit, body) in buffer.chunks_mut(self.unit).zip(bodies) {
            if unit.len() >= UNIT_MIN {
                let number = number_of(at);
                let key = if self.keyed { key_of(at, number, self.writer) } else { 0 };
                if body.key != key {
                    combine(unit, body.key ^ key);
                    body.key = key;
                }
                self.stamp_unit(unit, body, at, number);
            }
            at += self.unit as u64;
        }
    }

    #[inline]
    fn stamp_unit(&self, unit: &mut [u8], body: &Body, offset: u64, number: u64) {
        let fields = [MAGIC, offset, number, self.writer, body.key];
        let seed = mix(offset ^ mix(number ^ self.writer));
        for (index, sector) in unit.chunks_mut(SECTOR).enumerate() {
            if sector.len() >= STAMP {
                sector[..STAMP].copy_from_slice(&sector_stamp(seed, index).to_le_bytes());
            }
        }
        for (bytes, field) in unit[STAMP..].chunks_exact_mut(8).zip(fields) {
            bytes.copy_from_slice(&field.to_le_bytes());
        }
        unit[48..52].copy_from_slice(&body.checksum.to_le_bytes());
        let header = crc32c::crc32c(&unit[STAMP..52]);
        unit[52..HEADER].copy_from_slice(&header.to_le_bytes());
    }

    /// Verifies each unit of `buffer`, read from `offset`, against what it may hold by `held_of`: before and after it was
    /// read; a rest at the end that is too short for a header is skipped.
    pub(crate) fn verify<'a>(
        &'a self,
        buffer: &'a [u8],
        offset: u64,
        mut held_of: impl FnMut(u64) -> (Held, Held) + 'a,
    ) -> impl Iterator<Item = UnitState> + 'a {
        let units = buffer.chunks(self.unit).filter(|unit| unit.len() >= UNIT_MIN);
        units.zip(0..).map(move |(unit, index)| {
            let at = offset + index * self.unit as u64;
            self.verify_unit(unit, at, held_of(at))
        })
    }

    fn verify_unit(&self, unit: &[u8], offset: u64, (before, after): (Held, Held)) -> UnitState {
        match unit_state(unit, offset) {
            (UnitState::Valid, number, writer) if writer != self.writer || number < self.number_min => UnitState::Stale,
            (UnitState::Valid, number, _) => match before.age(number, after) {
                Age::Current => UnitState::Valid,
                Age::Earlier => UnitState::Stale,
                Age::NeverIssued => UnitState::Corrupt,
                Age::Unknown => UnitState::Unknown,
            },
            // Half of a unit may be of a write that was in flight meanwhile.
            (UnitState::Corrupt, ..) if before != Held::UNKNOWN && before.changes_until(after) => UnitState::Unknown,
            (state, ..) => state,
        }
    }
}

/// The state of `unit` by itself, with the numbers of its write and its writer.
fn unit_state(unit: &[u8], offset: u64) -> (UnitState, u64, u64) {
    let word = |at: usize| u64::from_le_bytes(unit[at..at + 8].try_into().expect("eight bytes"));
    let half = |at: usize| u32::from_le_bytes(unit[at..at + 4].try_into().expect("four bytes"));
    if word(8) != MAGIC {
        return (UnitState::Foreign, 0, 0);
    }
    let (number, writer) = (word(24), word(32));
    let seed = mix(offset ^ mix(number ^ writer));
    let stamped = |(index, sector): (usize, &[u8])| {
        sector.len() < STAMP || sector[..STAMP] == sector_stamp(seed, index).to_le_bytes()
    };
    let valid = half(52) == crc32c::crc32c(&unit[STAMP..52])
        && word(16) == offset
        && unit.chunks(SECTOR).enumerate().all(stamped)
        && half(48) == body_checksum(unit, word(40));
    (if valid { UnitState::Valid } else { UnitState::Corrupt }, number, writer)
}

#[inline]
fn sector_stamp(seed: u64, index: usize) -> u64 {
    seed.wrapping_add((index as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// The key of a write.
#[inline]
fn key_of(offset: u64, number: u64, writer: u64) -> u64 {
    mix(number ^ mix(writer ^ offset))
}

/// XORs every eight bytes of `bytes` with `key`; a rest at the end is unchanged.
#[inline]
fn combine(bytes: &mut [u8], key: u64) {
    for word in bytes.chunks_exact_mut(8) {
        let combined = u64::from_ne_bytes((&*word).try_into().expect("eight bytes")) ^ key;
        word.copy_from_slice(&combined.to_ne_bytes());
    }
}

/// Checksum of the bytes that a stamp does not replace, before they were XORed with `key`.
fn body_checksum(unit: &[u8], key: u64) -> u32 {
    let mut sector = [0; SECTOR];
    unit.chunks(SECTOR).enumerate().fold(0, |checksum, (index, bytes)| {
        let plain = &mut sector[..bytes.len()];
        plain.copy_from_slice(bytes);
        combine(plain, key);
        let start = if index == 0 { HEADER } else { STAMP };
        crc32c::crc32c_append(checksum, plain.get(start..).unwrap_or_default())
    })
}

/// Fills `buffer` with `content`, including the parts that a stamp replaces.
pub(crate) fn fill(buffer: &mut [u8], content: &BufferContent, seed: u64) {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    match content {
        BufferContent::Random | BufferContent::Repeated { .. } => random.fill_bytes(buffer),
        BufferContent::Zero => buffer.fill(0),
        BufferContent::Pattern(pattern) if pattern.is_empty() => buffer.fill(0),
        BufferContent::Pattern(pattern) => {
            buffer.iter_mut().zip(pattern.iter().cycle()).for_each(|(byte, value)| *byte = *value);
        }
        BufferContent::Compressible { share, chunk_bytes } => {
            for chunk in buffer.chunks_mut((chunk_bytes.0 as usize).max(1)) {
                let zeros = (chunk.len() as f64 * share.0.clamp(0.0, 1.0)) as usize;
                let (rest, tail) = chunk.split_at_mut(chunk.len() - zeros);
                random.fill_bytes(rest);
                tail.fill(0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The states of the units of `buffer`, of which any write may be the last.
    fn states(stamper: &Stamper, buffer: &[u8], offset: u64) -> Vec<UnitState> {
        let unknown = stamper.verify(buffer, offset, |_| (Held::UNKNOWN, Held::UNKNOWN));
        unknown.map(|state| if state == UnitState::Unknown { UnitState::Valid } else { state }).collect()
    }

    fn block(stamper: &Stamper, bytes: usize, offset: u64, number: u64) -> Vec<u8> {
        let mut buffer = vec![0; bytes];
        fill(&mut buffer, &BufferContent::Random, 5);
        let mut bodies = stamper.bodies(&buffer);
        stamper.stamp(&mut buffer, &mut bodies, offset, |_| number);
        buffer
    }

    proptest! {
        #[test]
        fn written_data_is_verified_and_one_flipped_bit_is_found(
            unit in prop::sample::select(vec![512u64, 2_300, 4_096]),
            units in 1usize..5,
            offset in 0u64..1 << 40,
            number in any::<u64>(),
            flip in any::<prop::sample::Index>(),
        ) {
            let stamper = Stamper::new(Bytes(unit), 77);
            let mut buffer = block(&stamper, unit as usize * units, offset, number);
            prop_assert!(states(&stamper, &buffer, offset).iter().all(|found| *found == UnitState::Valid));
            prop_assert!(states(&stamper, &buffer, offset + 512).iter().all(|found| *found == UnitState::Corrupt), "elsewhere");
            let bit = flip.index(buffer.len() * 8);
            buffer[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(states(&stamper, &buffer, offset).iter().any(|found| *found != UnitState::Valid), "bit {}", bit);
        }
    }

    #[test]
    fn what_should_have_been_written_again_is_stale() {
        let stamper = Stamper::new(Bytes(4096), 1);
        let laid_out = block(&stamper, 4096, 0, 0);
        assert!(states(&stamper, &laid_out, 0).iter().all(|found| *found == UnitState::Valid));
        let rewritten = stamper.since(1);
        assert!(states(&rewritten, &laid_out, 0).iter().all(|found| *found == UnitState::Stale), "the write was lost");
        let other = Stamper::new(Bytes(4096), 2);
        assert!(states(&other, &laid_out, 0).iter().all(|found| *found == UnitState::Stale), "another invocation's");
    }

    #[test]
    fn what_somebody_else_wrote_is_foreign() {
        let stamper = Stamper::new(Bytes(4096), 1);
        assert!(states(&stamper, &[0; 8192], 0).iter().all(|found| *found == UnitState::Foreign));
    }

    #[test]
    fn what_is_written_again_repeats_nothing_that_was_written_before() {
        let stamper = Stamper::new(Bytes(4096), 1);
        let mut buffer = vec![0; 4096];
        fill(&mut buffer, &BufferContent::Random, 5);
        let mut bodies = stamper.bodies(&buffer);
        let mut words = std::collections::BTreeSet::new();
        for number in 0..100 {
            stamper.stamp(&mut buffer, &mut bodies, number * 4096, |_| number);
            assert!(states(&stamper, &buffer, number * 4096).iter().all(|found| *found == UnitState::Valid));
            words.extend(buffer.chunks(8).map(<[u8]>::to_vec));
        }
        assert!(words.len() > 100 * 512 - 300, "but for the words of the headers: {}", words.len());
    }

    #[test]
    fn no_two_sectors_are_alike() {
        let stamper = Stamper::new(Bytes(4096), 1);
        let mut sectors = std::collections::BTreeSet::new();
        for number in 0..10 {
            for offset in 0..10 {
                let buffer = block(&stamper, 8192, offset * 8192, number);
                sectors.extend(buffer.chunks(SECTOR).map(<[u8]>::to_vec));
            }
        }
        assert_eq!(sectors.len(), 10 * 10 * 16);
    }
}
