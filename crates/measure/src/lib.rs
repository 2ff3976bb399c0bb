//! Clock, histogram, pacer, stop, and the one loop that every test runs in.
//!
//! A crate of its own so that the compiler guards the direction: it does no I/O, prints nothing, and knows neither
//! engines nor tests. Whether a run was steady is decided elsewhere, from what is tallied here.

pub mod calibrate;
pub mod clock;
mod counts;
mod drive;
mod histogram;
mod pacer;
mod queue;
mod slices;
mod stop;
mod tally;
mod work;
mod workers;

pub use counts::LATENCY_NS_MAX;
pub use drive::drive;
pub use histogram::Histogram;
pub use pacer::{Burst, Pacer, Turn};
pub use queue::{Begun, Ended, Queue, drive_queue};
pub use stop::Stop;
pub use tally::Tally;
pub use work::{Broken, Done, Work};
pub use workers::{Course, Member, Outcome, Watch, run_jobs, run_workers};
