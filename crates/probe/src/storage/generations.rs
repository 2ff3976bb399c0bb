//! Which writes the units of a file may hold: what tells a write that was lost from one that was never made.
//!
//! The header of a unit says by which write it was made: a generation, counted per unit from 0, the layout. Of each unit
//! this map knows the last generation that was issued and the oldest one that it may still hold. A write that ended while
//! no other write to the unit was in flight leaves exactly itself; of writes that overlap, any may be the last one. So the
//! oldest generation that may be there is the first one of the group of overlapping writes to which the last one that
//! succeeded belongs. A failed write leaves the old content or its own.
//!
//! A unit takes 8 bytes, allocated where it is written first: 0.2 % of what is written in units of 4 KiB. Beyond the
//! memory that the map may take, and where a unit was written too often at the same time, its generation is unknown:
//! such a unit is neither verified nor wrong.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use record::Bytes;

/// Units whose entries are allocated together.
const CHUNK: usize = 4096;

/// The generations of the units of one file, shared by all lanes and all phases of an invocation.
#[derive(Debug)]
pub struct Generations {
    unit: u64,
    /// Entries of [`CHUNK`] units each, from the first write to one of them on; none inside where there was no memory.
    chunks: Vec<OnceLock<Option<Box<[AtomicU64]>>>>,
    /// Memory that may still be allocated, bytes.
    room: AtomicU64,
}

/// What a unit may hold at a moment: 32 bits for the last generation that was issued, 12 for how many generations before
/// it the current group of overlapping writes began, 12 for how many before it the oldest one is that the unit may hold
/// (all ones: unknown), 8 for the writes in flight (all ones: no longer counted).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Held(u64);

/// How a generation that was read stands to what the unit may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Age {
    /// It may be there.
    Current,
    /// A later write has succeeded.
    Earlier,
    /// It was never issued.
    NeverIssued,
    /// What may be there is not known.
    Unknown,
}

impl Generations {
    /// The map of a file of `size`, written in units of `unit`, whose entries take up to `room`.
    pub fn new(size: Bytes, unit: Bytes, room: Bytes) -> Generations {
        let chunks = size.0.div_ceil(unit.0.max(1)).div_ceil(CHUNK as u64);
        let table = chunks.saturating_mul(size_of::<OnceLock<Option<Box<[AtomicU64]>>>>() as u64);
        // Without room for the table all generations are unknown.
        let chunks = if table <= room.0 { (0..chunks).map(|_| OnceLock::new()).collect() } else { Vec::new() };
        Generations { unit: unit.0.max(1), chunks, room: AtomicU64::new(room.0.saturating_sub(table)) }
    }

    /// Bytes of a unit.
    pub(crate) fn unit(&self) -> u64 {
        self.unit
    }

    /// A write of the unit at `offset` begins: its generation.
    #[inline]
    pub(crate) fn begin(&self, offset: u64) -> u64 {
        let Some(entry) = self.entry(offset, true) else { return 1 };
        let mut issued = 0;
        let next = |held: u64| {
            let begun = Held(held).begun();
            issued = begun.last();
            Some(begun.0)
        };
        let _ = entry.fetch_update(Ordering::AcqRel, Ordering::Acquire, next);
        u64::from(issued)
    }

    /// A write of the unit at `offset` ended, and changed it if it `succeeded`.
    #[inline]
    pub(crate) fn end(&self, offset: u64, succeeded: bool) {
        if let Some(entry) = self.entry(offset, false) {
            let _ = entry.fetch_update(Ordering::AcqRel, Ordering::Acquire, |held| Some(Held(held).ended(succeeded).0));
        }
    }

    /// What the unit at `offset` may hold now.
    #[inline]
    pub(crate) fn held(&self, offset: u64) -> Held {
        let Some((chunk, index)) = self.place(offset) else { return Held::UNKNOWN };
        match self.chunks[chunk].get() {
            None => Held::LAID_OUT,
            Some(None) => Held::UNKNOWN,
            Some(Some(entries)) => Held(entries[index].load(Ordering::Acquire)),
        }
    }

    fn place(&self, offset: u64) -> Option<(usize, usize)> {
        if !offset.is_multiple_of(self.unit) {
            return None;
        }
        let index = (offset / self.unit) as usize;
        (index / CHUNK < self.chunks.len()).then_some((index / CHUNK, index % CHUNK))
    }

    #[inline]
    fn entry(&self, offset: u64, is_writing: bool) -> Option<&AtomicU64> {
        let (chunk, index) = self.place(offset)?;
        let chunk = &self.chunks[chunk];
        let entries = if is_writing { Some(chunk.get_or_init(|| self.allocate())) } else { chunk.get() };
        entries?.as_ref().map(|entries| &entries[index])
    }

    #[cold]
    fn allocate(&self) -> Option<Box<[AtomicU64]>> {
        let bytes = (CHUNK * size_of::<AtomicU64>()) as u64;
        self.room.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(bytes)).ok()?;
        Some((0..CHUNK).map(|_| AtomicU64::new(Held::LAID_OUT.0)).collect())
    }
}

impl Held {
    /// No write was issued.
    const LAID_OUT: Held = Held(0);
    const BACK_MAX: u64 = 0xfff;
    const FLYING_MAX: u64 = 0xff;
    pub(crate) const UNKNOWN: Held = Held(Held::BACK_MAX << 44);

    fn of(last: u32, first_back: u64, oldest_back: u64, flying: u64) -> Held {
        Held(u64::from(last) | first_back << 32 | oldest_back << 44 | flying << 56)
    }

    /// The last generation that was issued.
    fn last(self) -> u32 {
        self.0 as u32
    }

    fn first_back(self) -> u64 {
        self.0 >> 32 & Held::BACK_MAX
    }

    fn oldest_back(self) -> u64 {
        self.0 >> 44 & Held::BACK_MAX
    }

    fn flying(self) -> u64 {
        self.0 >> 56
    }

    fn begun(self) -> Held {
        let further = |back: u64| (back + 1).min(Held::BACK_MAX);
        let first_back = if self.flying() == 0 { 0 } else { further(self.first_back()) };
        let flying = (self.flying() + 1).min(Held::FLYING_MAX);
        Held::of(self.last().wrapping_add(1), first_back, further(self.oldest_back()), flying)
    }

    fn ended(self, succeeded: bool) -> Held {
        let flying = if self.flying() == Held::FLYING_MAX { Held::FLYING_MAX } else { self.flying().saturating_sub(1) };
        let oldest_back = if succeeded { self.first_back() } else { self.oldest_back() };
        Held::of(self.last(), self.first_back(), oldest_back, flying)
    }

    fn is_unknown(self) -> bool {
        self.oldest_back() == Held::BACK_MAX
    }

    /// Whether a write of this invocation has succeeded, so that it must be there.
    pub(crate) fn is_written(self) -> bool {
        !self.is_unknown() && u64::from(self.last()) > self.oldest_back()
    }

    /// Whether a write may have been in flight between this moment and that of `later`.
    pub(crate) fn changes_until(self, later: Held) -> bool {
        self.flying() > 0 || self.last() != later.last() || self.is_unknown()
    }

    /// The age of `generation`, read between this moment and that of `later`.
    pub(crate) fn age(self, generation: u64, later: Held) -> Age {
        if self.is_unknown() {
            return Age::Unknown;
        }
        let oldest = u64::from(self.last()).saturating_sub(self.oldest_back());
        match generation {
            _ if generation < oldest => Age::Earlier,
            _ if generation > u64::from(later.last()) => Age::NeverIssued,
            _ => Age::Current,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: u64 = 4096;

    fn generations(room: u64) -> Generations {
        Generations::new(Bytes(UNIT * 3 * CHUNK as u64), Bytes(UNIT), Bytes(room))
    }

    fn age(map: &Generations, generation: u64) -> Age {
        let held = map.held(0);
        held.age(generation, held)
    }

    #[test]
    fn a_write_that_ended_alone_leaves_itself() {
        let map = generations(1 << 20);
        assert_eq!((age(&map, 0), age(&map, 1)), (Age::Current, Age::NeverIssued));
        assert!(!map.held(0).is_written());
        for generation in 1..10_000 {
            assert_eq!(map.begin(0), generation);
            assert_eq!((age(&map, generation - 1), age(&map, generation)), (Age::Current, Age::Current), "in flight");
            map.end(0, true);
            assert_eq!((age(&map, generation - 1), age(&map, generation)), (Age::Earlier, Age::Current));
            assert!(map.held(0).is_written());
        }
        assert!(!map.held(UNIT).is_written(), "its neighbour");
    }

    #[test]
    fn of_overlapping_writes_any_may_be_the_last() {
        let map = generations(1 << 20);
        let write = |ends: &[bool]| {
            let first = (0..ends.len()).map(|_| map.begin(0)).min().unwrap();
            ends.iter().for_each(|end| map.end(0, *end));
            first
        };
        write(&[true]);
        let first = write(&[true, true, true]);
        assert_eq!(age(&map, first - 1), Age::Earlier);
        assert!((first..first + 3).all(|generation| age(&map, generation) == Age::Current));
        let failed = write(&[false]);
        assert!(
            (first..=failed).all(|generation| age(&map, generation) == Age::Current),
            "a failed write changes nothing"
        );
        let after = write(&[true]);
        assert_eq!((age(&map, failed), age(&map, after)), (Age::Earlier, Age::Current));
    }

    #[test]
    fn what_is_not_known_is_said_to_be_unknown() {
        let without = generations(0);
        without.begin(0);
        without.end(0, true);
        assert_eq!(age(&without, 1), Age::Unknown);
        let one_chunk = generations(1_000 + (CHUNK * 8) as u64);
        let far = UNIT * CHUNK as u64;
        for offset in [0, far] {
            assert_eq!(one_chunk.begin(offset), 1);
            one_chunk.end(offset, true);
        }
        assert_eq!(age(&one_chunk, 1), Age::Current);
        assert_eq!(one_chunk.held(far).age(1, one_chunk.held(far)), Age::Unknown);
        assert_eq!(one_chunk.held(2 * far).age(0, one_chunk.held(2 * far)), Age::Current, "never written");
        assert_eq!(one_chunk.held(512).age(0, one_chunk.held(512)), Age::Unknown, "no unit begins there");
        assert_eq!(one_chunk.held(100 * far), Held::UNKNOWN, "beyond the end");
        let busy = generations(1 << 20);
        assert_eq!((0..300).map(|_| busy.begin(0)).max(), Some(300));
        (0..300).for_each(|_| busy.end(0, true));
        (0..5_000).for_each(|_| {
            busy.begin(0);
            busy.end(0, true);
        });
        assert_eq!(age(&busy, 1), Age::Unknown, "too many at once to count");
    }
}
