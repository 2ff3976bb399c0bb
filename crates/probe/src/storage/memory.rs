//! Memory of the I/Os of one lane: whole pages, so that it may bypass the page cache and be registered once.

use std::io;
use std::ptr::NonNull;

use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

/// A huge page: memory in these needs fewer entries in a request to the device.
const HUGE: usize = 2 << 20;

/// Anonymous pages of their own.
#[derive(Debug)]
pub(crate) struct Memory {
    begin: NonNull<u8>,
    length: usize,
    /// The mapping around it.
    mapped: (NonNull<u8>, usize),
}

// SAFETY: the pages belong to this value alone.
unsafe impl Send for Memory {}

impl Memory {
    /// At least `length` bytes, zeroed, touched here and now by the thread that will use them.
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
        let begin = mapped.align_offset(align);
        // SAFETY: the mapping is longer than `length` by one alignment at least, or begins at one.
        let begin = unsafe { mapped.add(begin) };
        let mut memory = Memory { begin, length, mapped: (mapped, whole) };
        if large {
            // SAFETY: within the mapping. A refusal costs a little speed and nothing else.
            let _ = unsafe { madvise(begin.as_ptr().cast(), length, Advice::LinuxHugepage) };
        }
        memory.slice(0, length).fill(0);
        Ok(memory)
    }

    /// Where it begins, and how long it is.
    pub(crate) fn span(&self) -> (*mut u8, usize) {
        (self.begin.as_ptr(), self.length)
    }

    /// `length` bytes from `at`.
    #[inline]
    pub(crate) fn at(&self, at: usize, length: usize) -> *mut u8 {
        assert!(at.checked_add(length).is_some_and(|end| end <= self.length), "memory of a slot lies in the mapping");
        // SAFETY: within the mapping, as was just asserted.
        unsafe { self.begin.as_ptr().add(at) }
    }

    /// The same, to work on while no I/O is on its way there.
    #[inline]
    pub(crate) fn slice(&mut self, at: usize, length: usize) -> &mut [u8] {
        let begin = self.at(at, length);
        // SAFETY: `begin` is valid for `length` bytes, and `self` is borrowed for as long as the slice lives.
        unsafe { std::slice::from_raw_parts_mut(begin, length) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        let (mapped, whole) = self.mapped;
        // SAFETY: the mapping is ours and nobody holds a part of it: the port is dropped first. Nothing can be done
        // about a refusal.
        let _ = unsafe { munmap(mapped.as_ptr().cast(), whole) };
    }
}
