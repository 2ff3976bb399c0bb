//! The generator on real files: what was asked for, what was counted, what is in the log, what the kernel saw.

mod bench;
mod contents;
mod counts;
mod failures;
mod limits;
mod syncs;
