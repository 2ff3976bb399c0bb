//! A platform in production, held to its promise: small bursts of the benchmark's own operations, their history, and
//! what others read.
//!
//! A crate of its own because it pulls weight that a measurement does not need: a database for the history and an HTTP
//! server. What an event is worth and when somebody is told is decided by `model::promise`; schedule and starts are
//! pure and are told the time.

mod alert;
mod budget;
mod clock;
mod control;
mod cost;
mod endpoint;
mod history;
mod load;
mod metrics;
mod outlets;
mod probe;
mod prober;
mod schedule;
mod slo;
mod starts;
mod table;
mod trouble;
mod watch;
mod written;

pub use alert::{AlertCommand, AlertMessage};
pub use budget::Budget;
pub use cost::Cost;
pub use history::{History, RAW_DAYS, Recalled};
pub use load::{LoadCost, LoadSettings, watch_load};
pub use outlets::{Listener, Outlets, Told};
pub use prober::{Prober, open};
pub use slo::{Slo, slo};
pub use watch::{Settings, Watched, watch_all};
pub use written::{dashboard, openslo, rules, unit};
