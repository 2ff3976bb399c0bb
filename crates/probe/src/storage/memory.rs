//! I/O memory of one lane: page-aligned, for direct I/O and registration with io_uring.

use std::io;
use std::ptr::NonNull;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

/// Size of a huge page: with these, a request needs fewer scatter-gather entries.
const HUGE: usize = 2 << 20;

/// An anonymous mapping.
#[derive(Debug)]
pub(crate) struct Memory {
    start: NonNull<u8>,
    length: usize,
    /// The whole mapping, with the alignment.
    mapped: (NonNull<u8>, usize),
    /// Whether it stays mapped for as long as the process lives.
    is_kept: bool,
}

// SAFETY: the pages belong to this value alone.
unsafe impl Send for Memory {}

impl Memory {
    /// At least `length` zeroed bytes, touched by the calling thread, which is the one that uses them.
    pub(crate) fn new(length: usize) -> io::Result<Memory> {
        let large = length >= HUGE / 2;
        let align = if large { HUGE } else { 4096 };
        let length = length.max(1).next_multiple_of(align);
        let whole = if large { length + HUGE } else { length };
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: a new mapping at an address of the kernel's choice.
        let mapped = unsafe { mmap_anonymous(std::ptr::null_mut(), whole, protection, MapFlags::PRIVATE) }?;
        let mapped: NonNull<u8> =
            NonNull::new(mapped.cast()).ok_or_else(|| io::Error::other("no memory was mapped"))?;
        let start = mapped.align_offset(align);
        // SAFETY: the mapping is longer than `length` by one alignment at least, or starts at one.
        let start = unsafe { mapped.add(start) };
        let mut memory = Memory { start, length, mapped: (mapped, whole), is_kept: false };
        if large {
            // SAFETY: within the mapping. A failure only costs a little speed.
            let _ = unsafe { madvise(start.as_ptr().cast(), length, Advice::LinuxHugepage) };
        }
        memory.slice(0, length).fill(0);
        Ok(memory)
    }

    /// It stays mapped when this value is dropped: the kernel may still read and write it.
    pub(crate) fn keep(&mut self) {
        self.is_kept = true;
    }

    /// Address and length.
    pub(crate) fn span(&self) -> (*mut u8, usize) {
        (self.start.as_ptr(), self.length)
    }

    /// `length` bytes from `at`.
    #[inline]
    pub(crate) fn at(&self, at: usize, length: usize) -> *mut u8 {
        assert!(at.checked_add(length).is_some_and(|end| end <= self.length), "the memory of a slot is in the mapping");
        // SAFETY: within the mapping, as was just asserted.
        unsafe { self.start.as_ptr().add(at) }
    }

    /// The same as a slice, while no I/O to it is in flight.
    #[inline]
    pub(crate) fn slice(&mut self, at: usize, length: usize) -> &mut [u8] {
        let start = self.at(at, length);
        // SAFETY: `start` is valid for `length` bytes, and `self` is borrowed for as long as the slice lives.
        unsafe { std::slice::from_raw_parts_mut(start, length) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.is_kept {
            return;
        }
        let (mapped, whole) = self.mapped;
        // SAFETY: this value owns the mapping and nothing refers to it: the I/O engine is dropped first. A failure
        // cannot be handled.
        let _ = unsafe { munmap(mapped.as_ptr().cast(), whole) };
    }
}
