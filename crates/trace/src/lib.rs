//! What the layers below an engine say of their latencies: system calls of its processes and requests of its block
//! device, counted in the kernel while a run goes on.
//!
//! A crate of its own because it is heavy: it brings a loader of BPF programs along. The programs themselves are in
//! `bpf/latency.bpf.c`, built once; the object is embedded, so that neither who builds dbdyno nor who uses it needs a
//! compiler for them.
//!
//! Where the kernel does not take programs, it may hand the events of the block layer over one by one: the lower rung of
//! a ladder ([`record::Rung`]). [`Tracer::start`] takes the best one that is to be had, and says which others it passed.
//!
//! Where the kernel does not let itself be traced, that is no error: [`Refused`] says why and how to get it, and makes
//! the trace of a run that was not traced.

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

/// Removes what a process of dbdyno that was killed left in the kernel; says what it was. Only the kernel's own tracer
/// keeps anything: programs and rings go with the process.
pub fn clean_up() -> Vec<String> {
    tracefs::remove_left()
}
