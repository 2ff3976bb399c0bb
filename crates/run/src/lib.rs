//! Plan, prepare, warm up, measure, record.
//!
//! A crate of its own so that the compiler guards the direction: it knows engines only by their traits, prints
//! nothing (it tells a [`Listener`]), and derives nothing from readings (that is `model`'s).

mod beginning;
mod blocks;
mod caches;
mod ceiling;
mod data;
mod data_reads;
mod device;
mod directory;
mod error;
mod execution;
mod instrument;
mod interrupt;
mod invocation;
mod io;
mod listener;
mod load;
mod lookout;
mod loss;
mod measurement;
mod meter;
mod nodes;
mod opening;
mod order;
mod overdue;
mod pacing;
mod pair;
mod placing;
mod plan;
mod premises;
mod proof;
mod published;
mod recorder;
mod request;
mod resumption;
mod sampler;
mod streams;
mod timing;
mod tracing;

pub use blocks::{BlocksRequest, measure_blocks};
pub use directory::{Cleaned, MeasuredDirectory};
pub use error::{Error, Fault, Result};
pub use interrupt::Interrupt;
pub use invocation::{Measured, Workplace, dry_run, measure, resume};
pub use io::{Goal, IoRequest, Permission, calibration_phases, is_foreign, measure_io, survey_io};
pub use listener::{Event, Listener};
pub use load::{LoadPlan, LoadRequest, PlannedLoad, PlannedScan, ScanRequest, dry_run_load, measure_load};
pub use opening::cache_bytes;
pub use pair::{Contender, MeasuredPair, PairRequest, PairWorkplace, dry_run_pair, pair};
pub use plan::{repeats, window, windows};
pub use request::{Request, Selection};
pub use streams::{StreamsRequest, measure_streams};
pub use tracing::{Tracing, clean_up_tracing};
