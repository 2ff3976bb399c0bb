//! Clock, histogram, pacer, and the one measuring loop of all tests.
//!
//! A separate crate so that the compiler enforces the direction: it does no I/O, prints nothing, and knows neither
//! engines nor tests. Steadiness is decided elsewhere, from the tallies.

pub mod calibrate;
pub mod clock;
mod counts;
mod drive;
mod histogram;
mod pacer;
mod seed;
mod slices;
mod tally;
mod work;
mod workers;

/// For what a job does beside its steps and waits for otherwise: the other jobs of its thread go on meanwhile.
pub use multiplex::{aside, sleep};

pub use counts::LATENCY_NS_MAX;
pub use drive::{Ended, drive, drive_queue};
pub use histogram::Histogram;
pub use pacer::{Burst, Pacer, StepStart, Stop};
pub use seed::{Purpose, RunSeed};
pub use tally::Tally;
pub use work::{Broken, Done, NextOperation, Queue, Work};
pub use workers::{JobSettings, Observer, Outcome, SharedThreads, Worker, run_jobs, run_workers};
