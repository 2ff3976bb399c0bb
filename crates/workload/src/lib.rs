//! Tests that need an engine: the catalogue, the interpreter of test files, and their data.
//!
//! A separate crate so that the compiler enforces the direction of imports: it knows engines only by their traits;
//! engine-specific statements are in the folder of the engine. It measures nothing and prints nothing: it provides
//! [`measure::Work`] for the loop.

mod bind;
pub mod blocks;
mod bulk;
mod cache_filling;
mod catalogue;
mod check;
mod condition;
pub mod data;
pub mod data_set;
mod decision;
mod fill_threads;
mod in_kind;
mod job;
pub mod load;
mod logon;
mod orders;
mod overlap;
mod pause;
pub mod script;
mod script_work;
mod sessions;
mod sql;
mod sql_work;
pub mod streams;
mod test;
mod test_context;

pub use cache_filling::fill_caches;
pub use catalogue::{catalogue, catalogue_crc32c};
pub use condition::broken_condition;
pub use data::{DataTable, ROW_BYTES, Sizes};
pub use decision::knows_answers;
pub use in_kind::{IN_KIND_CODE, in_kind_text};
pub use job::{Job, jobs, make_tables, missing_bytes, open_jobs, set_up, tear_down};
pub use orders::schema_bytes;
pub use overlap::common_tables;
pub use script_work::{LogFormat, SCALE_MAX, SCRIPTS_CODE, ScriptLog, TransactionTypes};
pub use test::{Test, TestError, commits_counted};
pub use test_context::TestContext;
