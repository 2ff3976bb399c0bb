//! The buffers of a lane: one per slot for reads, and several for writes, stamped before each write.

use std::io;

use record::{BufferContent, Bytes, IoJob};

use super::address::Address;
use super::content::{self, Body, Stamper, UnitState};
use super::generations::Held;
use super::memory::Memory;
use super::permutation::mix;

/// Bytes that are written before a buffer is used again: more than the deduplication window of a device.
const REPEAT_BYTES: usize = 2 << 20;
/// The addressable unit of a device.
const SECTOR: Bytes = Bytes(512);

/// All buffers of a lane. The I/O engine that uses them is dropped first.
pub(crate) struct Buffers {
    memory: Memory,
    slots: usize,
    /// Distance of two buffers, bytes.
    stride: usize,
    /// Start of the write buffers: the first one of each slot, then the second one of each slot, ...
    write_base: usize,
    /// Write buffers per slot.
    turns: usize,
    /// The current write buffer of each slot.
    turn: Vec<usize>,
    /// The random parts of all write buffers.
    bodies: Vec<Vec<Body>>,
    stamper: Option<Stamper>,
}

/// The seed of the content of buffer `number` of a lane with this seed of addresses.
pub(crate) fn content_seed(seed: u64, number: u64) -> u64 {
    mix(mix(!seed) ^ number)
}

impl Buffers {
    /// They stay where they are when this is dropped: I/O may still be in flight.
    pub(crate) fn keep(&mut self) {
        self.memory.keep();
    }

    /// Buffers of `length_max` bytes for `slots` slots of `job`, filled with its write data. `unit` is the verification
    /// unit of its files; without one, the sectors are still made unique.
    pub(crate) fn new(
        job: &IoJob,
        slots: usize,
        length_max: usize,
        unit: Option<Bytes>,
        (writer, seed): (u64, u64),
    ) -> io::Result<Buffers> {
        let stride = length_max.next_multiple_of(4096);
        let turns = (REPEAT_BYTES / (slots * stride)).max(1);
        let write_base = if job.mix.read.0 > 0.0 { slots * stride } else { 0 };
        let writing = if job.mix.write.0 > 0.0 { turns * slots } else { 0 };
        let mut memory = Memory::new(write_base + writing * stride)?;
        let stamped = !matches!(job.content, BufferContent::Zero | BufferContent::Pattern(_));
        let stamper = stamped.then(|| Stamper::new(unit.unwrap_or(SECTOR), writer).without_keys());
        let mut bodies = Vec::with_capacity(writing);
        for number in 0..writing {
            let buffer = memory.slice(write_base + number * stride, stride);
            content::fill(buffer, &job.content, content_seed(seed, number as u64));
            bodies.push(stamper.map(|stamper| stamper.bodies(buffer)).unwrap_or_default());
        }
        Ok(Buffers { memory, slots, stride, write_base, turns, turn: vec![0; slots], bodies, stamper })
    }

    /// Address and length of all buffers.
    pub(crate) fn span(&self) -> (*mut u8, usize) {
        self.memory.span()
    }

    /// Read buffer of `slot`.
    #[inline]
    pub(crate) fn reading(&self, slot: u32, length: u32) -> *mut u8 {
        self.memory.at(slot as usize * self.stride, length as usize)
    }

    /// Current write buffer of `slot`.
    #[inline]
    pub(crate) fn writing(&self, slot: u32, length: u32) -> *mut u8 {
        self.memory.at(self.write_base + self.number(slot) * self.stride, length as usize)
    }

    #[inline]
    fn number(&self, slot: u32) -> usize {
        self.turn[slot as usize] * self.slots + slot as usize
    }

    /// Switches `slot` to its next write buffer and stamps it as the block at `address`, each unit with the number of its
    /// write.
    #[inline]
    pub(crate) fn stamp(&mut self, slot: u32, address: &Address, number_of: impl FnMut(u64) -> u64) {
        let Some(stamper) = self.stamper else { return };
        let turn = &mut self.turn[slot as usize];
        *turn = if *turn + 1 == self.turns { 0 } else { *turn + 1 };
        let number = self.number(slot);
        let buffer = self.memory.slice(self.write_base + number * self.stride, address.length as usize);
        stamper.stamp(buffer, &mut self.bodies[number], address.offset, number_of);
    }

    /// Verifies the units that `slot` read from `address` against what each may hold; nothing where content is not
    /// stamped.
    pub(crate) fn verify(
        &mut self,
        slot: u32,
        address: &Address,
        held_of: impl FnMut(u64) -> (Held, Held),
    ) -> Vec<UnitState> {
        let Some(stamper) = self.stamper else { return Vec::new() };
        let buffer = self.memory.slice(slot as usize * self.stride, address.length as usize);
        stamper.verify(buffer, address.offset, held_of).collect()
    }
}
