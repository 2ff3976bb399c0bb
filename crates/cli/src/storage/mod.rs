//! What `io` and `calibrate` share.

pub mod job;
pub mod location;
pub mod origin;
pub mod request;
