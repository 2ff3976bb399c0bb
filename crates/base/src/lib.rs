//! What several crates need of the system below them and of what people write: quantities as text, processes, control
//! groups, and the places where both are found.
//!
//! A crate of its own because the host, engines, tracing, runs and the command line read the same things, and each of
//! them must find the same: one process, one limit, one meaning of `1MB`. It knows nothing of ours, not even the
//! vocabulary: numbers have their unit in the name.

pub mod data_rate;
pub mod group;
pub mod mount;
pub mod process;
pub mod quantity;
pub mod root;

pub use process::{Maker, Process};
pub use quantity::Wrong;
pub use root::Root;
