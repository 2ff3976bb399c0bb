//! What the layers below an engine say of their latencies: system calls of its processes and requests of its block
//! device, counted in the kernel while a run goes on.
//!
//! A crate of its own because it is heavy: it brings a loader of BPF programs along. The programs themselves are in
//! `bpf/latency.bpf.c`, built once; the object is embedded, so that neither who builds dbdyno nor who uses it needs a
//! compiler for them.
//!
//! Where the kernel does not let itself be traced, that is no error: [`Refused`] says why and how to get it, and makes
//! the trace of a run that was not traced.

mod call;
mod device;
mod layout;
mod object;
mod privilege;
mod refusal;
mod tally;
mod tracer;

pub use refusal::Refused;
pub use tracer::{Scope, Tracer};
