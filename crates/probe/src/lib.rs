//! Probes: tests that need no database. What they measure on the bare machine is the ceiling that the figures of a
//! database on the same machine are compared with.
//!
//! A crate of its own because of its weight: native kernels, and memory in gigabytes. It measures no time and starts
//! no thread but those of the other end of the network probes ([`peer`]) and of local round trips
//! ([`local_round_trips`]), which are measured by themselves: a probe gives one [`Work`](measure::Work) per
//! job, which the loop of `measure` drives like any other. A storage probe is an I/O job instead, a value that the I/O
//! generator ([`storage`]) executes like one of a job file.
//! Each probe is one file; its head says what it answers, what it does not answer, what it costs and what its limits
//! are.
//!
//! Every step of a CPU or memory probe compares its result with that of an independent and simpler calculation, and
//! aborts the run if the two differ: a computation that the compiler has optimised away, or that the machine got
//! wrong, never becomes a figure.

mod block;
mod context;
mod cpu;
mod list;
mod local;
mod memory;
mod network;
pub mod peer;
mod probe;
pub mod storage;

pub use block::commit::CODE as COMMIT;
pub use block::region_bytes;
pub use context::Context;
pub use list::{probe, probes};
pub use local::local_round_trips;
pub use probe::{Form, Probe};
