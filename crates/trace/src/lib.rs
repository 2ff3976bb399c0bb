//! Latencies below an engine: system calls of its processes and requests of its block device, traced during a run.
//!
//! A crate of its own because of its weight: it has a loader of BPF programs. The programs are in `bpf/latency.bpf.c`,
//! built once; the object is embedded, so that neither building nor using dbdyno needs a compiler for them.
//!
//! If BPF programs are not available, events of the block layer are read from tracefs ([`record::TracerKind`] lists the
//! tracers). [`Tracer::start`] uses the best available tracer, and reports the ones that it skipped.
//!
//! A kernel that does not permit tracing is not an error: [`Refused`] has the reason and a hint, and makes the trace of
//! an untraced run.

mod bpf;
mod call;
mod collector;
mod counting;
mod device;
mod event;
mod format;
#[doc(hidden)]
pub mod fuzz;
mod layout;
mod object;
mod pairing;
mod privilege;
mod refusal;
mod request;
mod ring;
mod tally;
mod tracefs;
mod tracer;

pub use refusal::Refused;
pub use tracer::{Scope, Tracer};

/// Removes what a killed process of dbdyno left in the kernel; returns a message for each. These are only instances of
/// tracefs: BPF programs are unloaded with the process.
pub fn clean_up() -> Vec<String> {
    tracefs::remove_left()
}
