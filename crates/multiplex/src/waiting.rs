//! What a job calls where it would wait.

use std::cell::Cell;
use std::io;
use std::os::fd::BorrowedFd;
use std::ptr::NonNull;
use std::time::Duration;

use record::Nanos;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};

use crate::state::{Backend, Scheduler, Wait};

thread_local! {
    /// The scheduler of the jobs of this thread.
    static CURRENT: Cell<Option<NonNull<Scheduler>>> = const { Cell::new(None) };
}

/// Resets the thread when the jobs have ended.
pub(crate) struct Entered;

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(None);
    }
}

/// The jobs of this thread are those of `scheduler`, which outlives what is returned.
pub(crate) fn enter(scheduler: &Scheduler) -> Entered {
    CURRENT.set(Some(NonNull::from(scheduler)));
    Entered
}

/// The scheduler, if this thread has several jobs.
#[inline]
fn current<'a>() -> Option<&'a Scheduler> {
    // SAFETY: it is set only while `run` has it, and every caller is a job, which ends before.
    CURRENT.get().map(|scheduler| unsafe { scheduler.as_ref() })
}

/// Whether this thread has several jobs, one of which calls this.
#[inline]
pub fn is_shared() -> bool {
    CURRENT.get().is_some()
}

/// Receives at least one byte of `socket` into `into`, none at its end; None where the thread has one job.
#[inline]
pub fn receive(socket: BorrowedFd<'_>, into: &mut [u8]) -> Option<io::Result<usize>> {
    let scheduler = current()?;
    let job = scheduler.running.get();
    if let Backend::Ring(ring) = &mut *scheduler.backend.borrow_mut() {
        if let Err(error) = ring.receive(job, socket, into) {
            return Some(Err(error));
        }
    } else {
        return Some(receive_ready(scheduler, socket, into));
    }
    loop {
        match scheduler.wait(Wait::Kernel) {
            count @ 0.. => return Some(Ok(count as usize)),
            error => {
                let error = io::Error::from_raw_os_error(-error);
                if error.kind() != io::ErrorKind::Interrupted {
                    return Some(Err(error));
                }
                if let Backend::Ring(ring) = &mut *scheduler.backend.borrow_mut()
                    && let Err(error) = ring.receive(job, socket, into)
                {
                    return Some(Err(error));
                }
            }
        }
    }
}

fn receive_ready(scheduler: &Scheduler, socket: BorrowedFd<'_>, into: &mut [u8]) -> io::Result<usize> {
    loop {
        match rustix::net::recv(socket, &mut *into, RecvFlags::DONTWAIT) {
            Ok((_, count)) => return Ok(count),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => wait_ready(scheduler, socket, false)?,
            Err(error) => return Err(error.into()),
        }
    }
}

/// Waits until `socket` has input, or takes output.
fn wait_ready(scheduler: &Scheduler, socket: BorrowedFd<'_>, output: bool) -> io::Result<()> {
    let job = scheduler.running.get();
    match &mut *scheduler.backend.borrow_mut() {
        Backend::Ring(ring) => ring.poll(job, socket, output)?,
        Backend::Epoll(epoll) => epoll.register(job, socket, output)?,
    }
    let result = scheduler.wait(Wait::Kernel);
    if result < 0 { Err(io::Error::from_raw_os_error(-result)) } else { Ok(()) }
}

/// Sends all of `bytes` to `socket`; None where the thread has one job. A statement is told to the kernel together with those
/// of other jobs, and is sent when this returns or soon after; whatever follows on this socket follows it.
#[inline]
pub fn send(socket: BorrowedFd<'_>, bytes: &[u8]) -> Option<io::Result<()>> {
    let scheduler = current()?;
    if let Backend::Ring(ring) = &mut *scheduler.backend.borrow_mut() {
        match ring.send(scheduler.running.get(), socket, bytes) {
            Ok(true) => return Some(Ok(())),
            Ok(false) => {}
            Err(error) => return Some(Err(error)),
        }
    }
    Some(send_now(scheduler, socket, bytes))
}

fn send_now(scheduler: &Scheduler, socket: BorrowedFd<'_>, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::net::send(socket, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => wait_ready(scheduler, socket, true)?,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Has everything sent that was prepared, for a caller that waits for the answer by other means.
///
/// # Errors
/// Where the kernel takes nothing.
pub fn flush() -> io::Result<()> {
    current().map_or(Ok(()), |scheduler| scheduler.backend.borrow_mut().flush())
}

/// Waits until `moment`; false where the thread has one job, which has not waited.
#[inline]
pub fn sleep_until(moment: Nanos) -> bool {
    current().is_some_and(|scheduler| {
        scheduler.wait(Wait::Until(moment));
        true
    })
}

/// Waits for `duration`; on a thread of several jobs the others go on meanwhile.
pub fn sleep(duration: Duration) {
    if !is_shared() {
        return std::thread::sleep(duration);
    }
    let end = clock::now() + Nanos(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX));
    while clock::now() < end {
        sleep_until(end);
    }
}

/// Waits for an event that `block` waits for, which ends at once when it has been; it is called when no job of this thread can
/// go on otherwise. False where the thread has one job, which has not waited.
pub fn wait_together(block: &dyn Fn()) -> bool {
    let Some(scheduler) = current() else { return false };
    // SAFETY: the closure is used until this job is woken, which is before this function returns.
    let block =
        unsafe { std::mem::transmute::<*const dyn Fn(), *const (dyn Fn() + 'static)>(std::ptr::from_ref(block)) };
    scheduler.wait(Wait::Together { block });
    true
}

/// Lets the other jobs of this thread go on, unless this one has waited since it was called last.
#[inline]
pub fn pass() {
    let Some(scheduler) = current() else { return };
    let job = &scheduler.jobs[scheduler.running.get() as usize];
    if !job.has_waited.replace(false) {
        scheduler.wait(Wait::Turn);
        job.has_waited.set(false);
    }
}
