//! Pure functions over records: the row of a run, the spec sheet, what the self-checks say, service levels and the
//! search for the highest load that keeps one, and the answer of a calibration.
//!
//! A crate of its own so that the compiler guards the direction, and because there are several consumers: `run` asks
//! for findings, `report` for rows and sheet. It does no I/O, prints nothing and has no clock: the same record gives
//! the same numbers for ever. A figure whose source is missing is absent, never zero. Every threshold stands in one
//! place, [`RULES`], under a version.

mod bound;
mod calibration;
mod checks;
mod cpu;
mod delta;
mod derived;
mod distribution;
mod efficiency;
mod estimate;
#[cfg(test)]
mod fixture;
mod level;
mod queue;
mod row;
mod rules;
mod search;
mod segment;
mod sheet;
mod snia;

pub use bound::{Bound, BoundError, Statistic};
pub use calibration::{Calibration, CurvePoint, MAX_IOPS, MAX_MBPS, calibration};
pub use checks::{Context, findings};
pub use cpu::{CpuShares, CpuUse};
pub use delta::{delta, rate};
pub use derived::Derived;
pub use distribution::{buckets, quantile};
pub use estimate::{Estimate, Method};
pub use level::keeps_bound;
pub use queue::{generator_share, in_flight};
pub use row::{Io, Quantiles, Row, is_void, row};
pub use rules::{RULES, Rules};
pub use search::{Answer, Search, Step};
pub use sheet::{Limit, Line, Point, Sheet, sheet};
pub use snia::{Snia, snia};
