//! Waiting for what knows nothing of jobs.

use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::waiting::{is_shared, receive};

/// Does `work` on a thread of its own while the other jobs of this thread go on; on a thread with one job, and where there can be
/// no other thread, here. Returns what it panicked with, if it did.
///
/// # Errors
/// The panic of `work`.
pub fn aside<T: Send>(work: impl FnOnce() -> T + Send) -> thread::Result<T> {
    if !is_shared() {
        return catch_unwind(AssertUnwindSafe(work));
    }
    let work = Mutex::new(Some(work));
    let begin = || work.lock().unwrap_or_else(PoisonError::into_inner).take();
    let beside = UnixStream::pair().and_then(|(near, far)| {
        thread::scope(|scope| {
            let body = || {
                // Closed when the work is done, which ends the wait.
                let _far = far;
                begin().map(|work| work())
            };
            let thread = thread::Builder::new().spawn_scoped(scope, body)?;
            // Where it cannot be waited for in turns, it is waited for here.
            let _ = receive(near.as_fd(), &mut [0], None);
            Ok(thread.join())
        })
    });
    match beside {
        Ok(done) => done.map(|done| done.unwrap_or_else(|| unreachable!("only the thread has begun it"))),
        Err(_) => {
            let work = begin().unwrap_or_else(|| unreachable!("no thread has begun it"));
            catch_unwind(AssertUnwindSafe(work))
        }
    }
}
