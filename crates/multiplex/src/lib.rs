//! Several jobs on one thread, each of which is written as if it had a thread of its own.
//!
//! [`run`] gives each job a stack of its own. Where a job would wait, it says so ([`receive`], [`send`], [`sleep_until`],
//! [`wait_together`], [`pass`]), its stack is left as it is, and the thread goes on with another job. Code that is called by a
//! job and waits otherwise keeps the whole thread waiting, unless it is done [`aside`]; before it waits for an answer it calls
//! [`flush`]. On a thread without such jobs these functions do nothing and say so, so that the same code runs on a thread of its
//! own; [`sleep`] sleeps there as a thread does.
//!
//! Bytes are sent and received by io_uring: what several jobs send and wait for is told to the kernel in one system call.
//! Where the kernel gives no ring, `epoll` tells which sockets have input.
//!
//! Whatever goes wrong is told to the job that it concerns: a statement that could not be sent and an answer that does not come
//! in time shut its connection down, which ends what it waits for. Where the kernel takes nothing any more, all connections are
//! shut down, and each job ends with that error.

mod aside;
mod epoll;
#[cfg(test)]
mod fault;
mod found;
mod kernel;
mod ring;
mod scheduler;
mod state;
mod timers;
mod waiting;

pub use aside::aside;
pub use scheduler::{Shared, run};
pub use waiting::{closing, flush, is_shared, pass, receive, send, sleep, sleep_until, wait_together};
