//! A platform in production, held to its promise: small bursts of the benchmark's own operations, their history, and
//! what others read.
//!
//! A crate of its own because it pulls weight that a measurement does not need: a database for the history and an HTTP
//! server. What an event is worth and when somebody is told is decided by `model::promise`; schedule and starts are
//! pure and are told the time.

mod alert;
mod budget;
mod clock;
mod cluster;
mod control;
mod cost;
mod database;
mod endpoint;
mod history;
mod load;
mod metrics;
mod occupancy;
mod outlets;
mod probe;
mod prober;
mod push;
mod schedule;
mod slo;
mod starts;
mod storage;
mod table;
mod trouble;
mod visible;
mod watch;
mod watched;
mod written;

pub use alert::{AlertCommand, AlertMessage};
pub use budget::Budget;
pub use cost::Cost;
pub use database::{Opened, open_database};
pub use history::{HISTORY_ID, History, RAW_DAYS, Recalled};
pub use load::{LoadCost, LoadSettings, watch_load};
pub use outlets::{Listener, Outlets, Told};
pub use prober::Prober;
pub use push::{Collector, collector};
pub use slo::{Slo, slo};
pub use storage::open_storage;
pub use watch::{Settings, watch_all};
pub use watched::Watched;
pub use written::{dashboard, inhibition, openslo, rules, sloth, unit};
