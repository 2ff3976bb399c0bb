//! What `io` and `calibrate` share.

pub mod job;
pub mod location;
pub mod request;
