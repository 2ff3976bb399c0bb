//! Paces beside that of plain runs: sweeps of rates and think times, shares of the capacity, the search for the
//! highest rate that keeps a service level, and runs that leave hardware threads alone.

mod capacity;
mod draw;
mod search;
mod sweep;
mod threads;
mod window;

pub(crate) use capacity::{Capacities, is_known, pace};
pub(crate) use draw::run_seed;
pub(crate) use search::{answered, is_paced, level, say_purpose, search_rate, stage};
pub(crate) use sweep::{arranged, searched};
pub(crate) use threads::Threads;
pub(crate) use window::{check, lengthened, needed, window};
