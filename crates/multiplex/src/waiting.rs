//! What a job calls where it would wait.

use std::cell::Cell;
use std::io;
use std::os::fd::{BorrowedFd, RawFd};
use std::ptr::NonNull;
use std::time::Duration;

use record::Nanos;
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags};

use crate::state::{Backend, Failure, Scheduler, Wait, kernel_error, shut_down};

thread_local! {
    /// The scheduler of the jobs of this thread.
    static CURRENT: Cell<Option<NonNull<Scheduler>>> = const { Cell::new(None) };
}

/// Sets what this thread had before.
pub(crate) struct Entered(Option<NonNull<Scheduler>>);

impl Drop for Entered {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// The jobs of this thread are those of `scheduler`, which outlives what is returned.
pub(crate) fn enter(scheduler: &Scheduler) -> Entered {
    Entered(CURRENT.replace(Some(NonNull::from(scheduler))))
}

/// No job of this thread runs: what is called meanwhile waits as on a thread of its own.
pub(crate) fn leave() -> Entered {
    Entered(CURRENT.replace(None))
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

/// Receives at least one byte of `socket` into `into`, none at its end; None where the thread has one job. If nothing comes within
/// `timeout`, or a statement could not be sent before, the connection is shut down.
///
/// # Errors
/// `TimedOut`, why a statement was not sent, else as the kernel says.
#[inline]
pub fn receive(socket: BorrowedFd<'_>, into: &mut [u8], timeout: Option<Duration>) -> Option<io::Result<usize>> {
    let scheduler = current()?;
    let until = timeout.map(|timeout| clock::now() + Nanos::from(timeout));
    let failure = scheduler.job().failure_on(socket);
    if failure.is_some() {
        // No answer comes any more, but for what was said before.
        shut_down(socket);
    }
    let received = receive_from(scheduler, socket, into, until);
    if matches!(received, Ok(1..)) {
        return Some(received);
    }
    // What was known before it waited, or has come to be known meanwhile, tells more than the end of the stream.
    let failure = scheduler.job().failure_on(socket).filter(|failure| !failure.is_end());
    Some(failure.map_or(received, |failure| Err(failure.error())))
}

#[inline]
fn receive_from(
    scheduler: &Scheduler,
    socket: BorrowedFd<'_>,
    into: &mut [u8],
    until: Option<Nanos>,
) -> io::Result<usize> {
    let job = scheduler.running.get();
    loop {
        let is_asked = match &mut *scheduler.backend.borrow_mut() {
            Backend::Ring(ring) => ring.receive(job, socket, into).map(|()| true).map_err(refused)?,
            Backend::Epoll(_) => false,
            Backend::Refused(code) => return Err(Failure::Refused(*code).error()),
        };
        if !is_asked {
            return receive_ready(scheduler, socket, into, until);
        }
        match scheduler.wait_on(socket, until) {
            count @ 0.. => {
                if let Backend::Ring(ring) = &mut *scheduler.backend.borrow_mut() {
                    ring.answered(job);
                }
                return Ok(count as usize);
            }
            code if -code == Errno::INTR.raw_os_error() => {}
            code => return Err(kernel_error("nothing could be received", -code)),
        }
    }
}

fn receive_ready(
    scheduler: &Scheduler,
    socket: BorrowedFd<'_>,
    into: &mut [u8],
    until: Option<Nanos>,
) -> io::Result<usize> {
    loop {
        match rustix::net::recv(socket, &mut *into, RecvFlags::DONTWAIT) {
            Ok((_, count)) => return Ok(count),
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => wait_ready(scheduler, socket, false, until)?,
            Err(error) => return Err(error.into()),
        }
    }
}

/// Waits until `socket` has input, or takes output.
fn wait_ready(scheduler: &Scheduler, socket: BorrowedFd<'_>, output: bool, until: Option<Nanos>) -> io::Result<()> {
    let job = scheduler.running.get();
    match &mut *scheduler.backend.borrow_mut() {
        Backend::Ring(ring) => ring.poll(job, socket, output).map_err(refused)?,
        Backend::Epoll(epoll) => epoll.register(job, socket, output)?,
        Backend::Refused(code) => return Err(Failure::Refused(*code).error()),
    }
    match scheduler.wait_on(socket, until) {
        0.. => Ok(()),
        code => Err(kernel_error("nothing could be waited for", -code)),
    }
}

/// The error of a job whose request the kernel took not: its number alone would say of a job that it waited.
fn refused(error: io::Error) -> io::Error {
    Failure::refused(&error).error()
}

/// Sends all of `bytes` to `socket`; None where the thread has one job. A statement is told to the kernel together with those
/// of other jobs, and is sent when this returns or soon after; whatever follows on this socket follows it. Where it could not be
/// sent, the next call on this socket says so. Where this fails, as where the socket has no room for all within `timeout`, it is shut
/// down: a part may have been sent, and no answer comes.
///
/// # Errors
/// `TimedOut`, else as the kernel says, also of what was sent before.
#[inline]
pub fn send(socket: BorrowedFd<'_>, bytes: &[u8], timeout: Option<Duration>) -> Option<io::Result<()>> {
    let scheduler = current()?;
    if let Some(failure) = scheduler.job().failure_on(socket) {
        return Some(Err(failure.error()));
    }
    if let Backend::Ring(ring) = &mut *scheduler.backend.borrow_mut() {
        match ring.send(scheduler.running.get(), socket, bytes) {
            Ok(true) => return Some(Ok(())),
            Ok(false) => {}
            Err(error) => {
                shut_down(socket);
                return Some(Err(refused(error)));
            }
        }
    }
    let until = timeout.map(|timeout| clock::now() + Nanos::from(timeout));
    let sent = send_now(scheduler, socket, bytes, until);
    if sent.is_err() {
        shut_down(socket);
    }
    // What has come to be known while it waited tells more than that nothing is sent any more.
    let failure = scheduler.job().failure_on(socket).filter(|failure| sent.is_err() && !failure.is_end());
    Some(failure.map_or(sent, |failure| Err(failure.error())))
}

fn send_now(scheduler: &Scheduler, socket: BorrowedFd<'_>, mut bytes: &[u8], until: Option<Nanos>) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::net::send(socket, bytes, SendFlags::NOSIGNAL | SendFlags::DONTWAIT) {
            Ok(count) => bytes = &bytes[count..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => wait_ready(scheduler, socket, true, until)?,
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
    current().map_or(Ok(()), |scheduler| scheduler.backend.borrow_mut().flush().map_err(refused))
}

/// `socket` is about to be closed: nothing that was prepared is sent to another one that gets its number, and no error of it is
/// one of that.
pub fn closing(socket: RawFd) {
    let Some(scheduler) = current() else { return };
    // Where it fails nothing is told to the kernel any more.
    let _ = scheduler.backend.borrow_mut().flush();
    for job in &scheduler.jobs {
        if job.failure.get().is_some_and(|(failed, _)| failed == socket) {
            job.failure.set(None);
        }
    }
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
    let end = clock::now() + Nanos::from(duration);
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
    let job = scheduler.job();
    if !job.has_waited.replace(false) {
        scheduler.wait(Wait::Turn);
        job.has_waited.set(false);
    }
}
