//! The memory of a lane: a buffer per slot to read into, and several to write from, stamped before each write.

use std::io;

use record::{BufferContent, Bytes, IoJob};

use super::address::Address;
use super::content::{self, Body, Found, Stamper};
use super::memory::Memory;
use super::permutation::mix;

/// So many bytes are written before a buffer is used again: farther apart than a device looks for what repeats.
const REPEAT_BYTES: usize = 2 << 20;
/// What a device addresses.
const SECTOR: Bytes = Bytes(512);

/// All buffers of a lane. The port that uses them is dropped first.
pub(crate) struct Buffers {
    memory: Memory,
    slots: usize,
    /// Bytes between two buffers.
    stride: usize,
    /// Where the buffers for writing begin: those of the first turn of all slots, then those of the second, ...
    write_base: usize,
    /// Buffers for writing of each slot.
    turns: usize,
    /// Which of them each slot uses.
    turn: Vec<usize>,
    /// The random parts of all of them.
    bodies: Vec<Vec<Body>>,
    stamper: Option<Stamper>,
}

impl Buffers {
    /// Buffers of `length_max` bytes for `slots` slots of `job`, filled with what it writes. `unit` is what its files are
    /// cut into, where their content can be recognised; what cannot is made unlike everything else all the same.
    ///
    /// # Errors
    /// Where there is not so much memory.
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
        let stamper = stamped.then(|| Stamper::new(unit.unwrap_or(SECTOR), writer).as_it_is());
        let mut bodies = Vec::with_capacity(writing);
        for number in 0..writing {
            let buffer = memory.slice(write_base + number * stride, stride);
            content::fill(buffer, &job.content, mix(seed ^ number as u64));
            bodies.push(stamper.map(|stamper| stamper.bodies(buffer)).unwrap_or_default());
        }
        Ok(Buffers { memory, slots, stride, write_base, turns, turn: vec![0; slots], bodies, stamper })
    }

    /// Where they are, and how long.
    pub(crate) fn span(&self) -> (*mut u8, usize) {
        self.memory.span()
    }

    /// Where `slot` reads to.
    #[inline]
    pub(crate) fn reading(&self, slot: u32, length: u32) -> *mut u8 {
        self.memory.at(slot as usize * self.stride, length as usize)
    }

    /// Where `slot` writes from.
    #[inline]
    pub(crate) fn writing(&self, slot: u32, length: u32) -> *mut u8 {
        self.memory.at(self.write_base + self.number(slot) * self.stride, length as usize)
    }

    #[inline]
    fn number(&self, slot: u32) -> usize {
        self.turn[slot as usize] * self.slots + slot as usize
    }

    /// Takes the next buffer of `slot` and makes it the block at `address`, from the write `write`.
    #[inline]
    pub(crate) fn stamp(&mut self, slot: u32, address: &Address, write: u64) {
        let Some(stamper) = self.stamper else { return };
        let turn = &mut self.turn[slot as usize];
        *turn = if *turn + 1 == self.turns { 0 } else { *turn + 1 };
        let number = self.number(slot);
        let buffer = self.memory.slice(self.write_base + number * self.stride, address.length as usize);
        stamper.stamp(buffer, &mut self.bodies[number], address.offset, write);
    }

    /// What each unit is of what `slot` read from `address`; nothing where content is not stamped.
    pub(crate) fn look(&mut self, slot: u32, address: &Address) -> Vec<Found> {
        let Some(stamper) = self.stamper else { return Vec::new() };
        let buffer = self.memory.slice(slot as usize * self.stride, address.length as usize);
        stamper.look(buffer, address.offset).collect()
    }
}
