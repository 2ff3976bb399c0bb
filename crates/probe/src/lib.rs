//! Probes: tests that need no database. What they measure on the bare machine is the ceiling that a database on the
//! same machine is held against.
//!
//! A crate of its own because it pulls weight that others must not pay: native kernels, and memory in gigabytes. It
//! measures no time and starts no thread: a probe gives one [`Work`](measure::Work) per job, and the loop of
//! `measure` drives it like any other. A probe of storage is a job of I/O instead, a value that the generator
//! ([`storage`]) carries out like one of a job file. Each probe is one file; its head says what it answers, what it
//! does not answer, what it costs and what its limits are.
//!
//! Every step of a probe of processor or memory compares what it computed with what an independent and simpler
//! calculation says it must be, and breaks the run where the two differ: a result that the compiler had optimised away,
//! or that the machine had got wrong, never becomes a figure.

mod block;
mod context;
mod cpu;
mod memory;
mod probe;
pub mod storage;

pub use block::commit::CODE as COMMIT;
pub use block::region_bytes;
pub use context::Context;
pub use probe::{Form, Probe, probe, probes};
