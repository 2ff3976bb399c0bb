//! The I/O generator on real files: what was requested, counted, logged, and seen by the kernel.

mod bench;
mod contents;
mod counts;
mod failures;
mod limits;
mod losses;
mod syncs;
