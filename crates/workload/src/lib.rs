//! The tests that need an engine: the catalogue, the one interpreter of test files, the data that they work on.
//!
//! A crate of its own so that the compiler guards the direction: it knows engines by their traits and never by name;
//! what an engine must say differently lies in the engine's own folder. It measures nothing and prints nothing: it
//! gives [`measure::Work`] to the loop.

mod bind;
pub mod blocks;
mod bulk;
mod catalogue;
mod check;
pub mod data;
pub mod data_set;
mod job;
pub mod load;
mod sql;
mod sql_work;
mod stage;
pub mod streams;
mod test;

pub use catalogue::catalogue;
pub use data::{DataTable, ROW_BYTES, Sizes};
pub use job::Job;
pub use stage::{Stage, jobs, jobs_drawing, set_up, tear_down};
pub use test::{Test, TestError, commits_counted};
