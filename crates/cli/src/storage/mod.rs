//! Storage alone, as the command line asks for it: what `io` and `calibrate` have in common.

pub mod job;
pub mod measurement;
pub mod permission;
pub mod place;
pub mod request;
