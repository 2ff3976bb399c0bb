//! Events and rings of `perf_event_open`. The code of this crate that is not safe stands here.

use std::io;
use std::mem::size_of;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

/// `struct perf_event_attr` of Linux 4.4 (PERF_ATTR_SIZE_VER5): what is beyond is not needed.
#[repr(C)]
#[derive(Default)]
struct Attributes {
    kind: u32,
    size: u32,
    config: u64,
    period: u64,
    sample: u64,
    read: u64,
    flags: u64,
    watermark: u32,
    breakpoint: u32,
    config_1: u64,
    config_2: u64,
    branches: u64,
    registers_user: u64,
    stack_user: u32,
    clock: i32,
    registers_interrupt: u64,
    auxiliary_watermark: u32,
    stack_max: u16,
    reserved: u16,
}

const TRACEPOINT: u32 = 2;
/// Not counting before it is told to.
const DISABLED: u64 = 1;
/// Records of losses bear their time, too.
const STAMPED: u64 = 1 << 18;
/// By a clock that is named.
const OWN_CLOCK: u64 = 1 << 25;
/// What a sample has: time, processor, the bytes of the tracepoint.
const TIME_CPU_RAW: u64 = 1 << 2 | 1 << 7 | 1 << 10;

const ENABLE: libc::c_ulong = 0x2400;
const DISABLE: libc::c_ulong = 0x2401;
const SET_OUTPUT: libc::c_ulong = 0x2405;
/// `_IOW('$', 6, char *)`.
const SET_FILTER: libc::c_ulong = 0x4008_2406;

/// Where the words of a ring lie in its first page (`struct perf_event_mmap_page`).
const HEAD_AT: usize = 1_024;
const TAIL_AT: usize = 1_032;

/// A tracepoint on one processor.
#[derive(Debug)]
pub(super) struct CpuEvent {
    file: OwnedFd,
}

impl CpuEvent {
    /// Opens tracepoint `id` on `cpu`; it counts nothing yet.
    pub(super) fn open(id: u64, cpu: u32) -> io::Result<CpuEvent> {
        let attributes = Attributes {
            kind: TRACEPOINT,
            size: size_of::<Attributes>() as u32,
            config: id,
            // Every event.
            period: 1,
            sample: TIME_CPU_RAW,
            flags: DISABLED | STAMPED | OWN_CLOCK,
            clock: libc::CLOCK_MONOTONIC,
            ..Attributes::default()
        };
        let close_on_exec = 8_u64;
        // SAFETY: the attributes are as long as they say and live until the call returns; the other arguments are numbers.
        let opened =
            unsafe { libc::syscall(libc::SYS_perf_event_open, ptr::from_ref(&attributes), -1, cpu, -1, close_on_exec) };
        let file = i32::try_from(opened).ok().filter(|file| *file >= 0).ok_or_else(io::Error::last_os_error)?;
        // SAFETY: the kernel has just opened it for us, and nobody else knows of it.
        let file = unsafe { OwnedFd::from_raw_fd(file) };
        Ok(CpuEvent { file })
    }

    /// Lets only those events through for which `condition` holds.
    pub(super) fn filter(&self, condition: &std::ffi::CStr) -> io::Result<()> {
        self.control(SET_FILTER, condition.as_ptr() as libc::c_ulong)
    }

    /// Writes into the ring of `other`, of the same processor.
    pub(super) fn write_to(&self, other: &CpuEvent) -> io::Result<()> {
        self.control(SET_OUTPUT, other.file.as_raw_fd() as libc::c_ulong)
    }

    /// Counts from now on, or no more.
    pub(super) fn switch(&self, on: bool) -> io::Result<()> {
        self.control(if on { ENABLE } else { DISABLE }, 0)
    }

    fn control(&self, request: libc::c_ulong, argument: libc::c_ulong) -> io::Result<()> {
        // SAFETY: the requests of this module take a number or, SET_FILTER, a string that lives until the call returns.
        match unsafe { libc::ioctl(self.file.as_raw_fd(), request as _, argument) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Events so far, whether they were handed over or not.
    pub(super) fn count_so_far(&self) -> Option<u64> {
        let mut word = [0_u8; 8];
        let read = rustix::io::read(&self.file, &mut word).ok()?;
        (read == word.len()).then(|| u64::from_ne_bytes(word))
    }
}

/// The ring into which the events of one processor are written.
#[derive(Debug)]
pub(super) struct Ring {
    base: NonNull<u8>,
    page_bytes: usize,
    data_bytes: usize,
}

// SAFETY: the memory is this value's alone, and whoever has the value may be any thread.
unsafe impl Send for Ring {}

impl Ring {
    /// A ring of `data_bytes`, a power of two of pages, for `event`.
    pub(super) fn of(event: &CpuEvent, data_bytes: usize) -> io::Result<Ring> {
        let page_bytes = rustix::param::page_size();
        let length = page_bytes + data_bytes;
        let (access, sharing) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED);
        // SAFETY: the kernel chooses the place, so that nothing that is there is replaced.
        let base = unsafe { mmap(ptr::null_mut(), length, access, sharing, &event.file, 0) }?;
        let base = NonNull::new(base.cast()).ok_or_else(|| io::Error::other("a ring lies nowhere"))?;
        Ok(Ring { base, page_bytes, data_bytes })
    }

    fn word(&self, at: usize) -> &AtomicU64 {
        // SAFETY: the word is in the first page, which is mapped while this lives, and lies at a multiple of its size; the
        // kernel writes it as a whole.
        unsafe { self.base.add(at).cast::<AtomicU64>().as_ref() }
    }

    /// Appends what the kernel has written since the last time, and gives its place back to it.
    pub(super) fn take(&mut self, into: &mut Vec<u8>) {
        let head = self.word(HEAD_AT).load(Ordering::Acquire);
        let tail = self.word(TAIL_AT).load(Ordering::Relaxed);
        let length = usize::try_from(head.wrapping_sub(tail)).unwrap_or(usize::MAX).min(self.data_bytes);
        let begin = (tail as usize) & (self.data_bytes - 1);
        let first = length.min(self.data_bytes - begin);
        for (from, length) in [(begin, first), (0, length - first)] {
            // SAFETY: the bytes lie in the pages behind the first one, which are mapped while this lives; the kernel writes
            // none of those between tail and head before the tail is moved.
            into.extend_from_slice(unsafe {
                std::slice::from_raw_parts(self.base.add(self.page_bytes + from).as_ptr(), length)
            });
        }
        self.word(TAIL_AT).store(head, Ordering::Release);
    }
}

impl Drop for Ring {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this place and this length, and nobody refers to it any more. What cannot be unmapped
        // stays until the process ends.
        let _ = unsafe { munmap(self.base.as_ptr().cast(), self.page_bytes + self.data_bytes) };
    }
}
