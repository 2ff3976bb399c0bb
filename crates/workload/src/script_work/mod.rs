//! Scripts as a test: its steps, what its types of transactions do, and the tables of the built-in scripts.

mod closed;
mod initialize;
mod queries;
mod script_log;
mod test_of_scripts;
mod types;
mod work;

pub use initialize::SCALE_MAX;
pub use script_log::{LogFormat, ScriptLog};
pub use test_of_scripts::SCRIPTS_CODE;
pub use types::TransactionTypes;

pub(crate) use initialize::initialize;
pub(crate) use work::ScriptWork;
