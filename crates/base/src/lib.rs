//! Quantities as text, processes, control groups, mounts, and the paths of `/proc` and `/sys`.
//!
//! A separate crate because host, engines, tracing, runs and the command line must read these in the same way: one
//! process, one limit, one meaning of `1MB`. It imports none of our crates; numbers have their unit in the name.

mod child;
pub mod data_rate;
pub mod group;
pub mod mount;
pub mod process;
pub mod quantity;
pub mod root;
mod similar;
mod text_file;

pub use child::{die_with_parent, stop_with_parent};
pub use process::{ObjectName, Process};
pub use quantity::Wrong;
pub use root::Root;
pub use similar::similar;
pub use text_file::{read_foreign_text, read_text};
