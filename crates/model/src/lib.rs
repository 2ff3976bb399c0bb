//! Pure functions over records: the row of a run, the spec sheet, and what the self-checks say.
//!
//! A crate of its own so that the compiler guards the direction, and because there are several consumers: `run` asks
//! for findings, `report` for rows and sheet. It does no I/O, prints nothing and has no clock: the same record gives
//! the same numbers for ever. A figure whose source is missing is absent, never zero. Every threshold stands in one
//! place, [`RULES`], under a version.

mod checks;
mod cpu;
mod delta;
mod derived;
#[cfg(test)]
mod fixture;
mod row;
mod rules;
mod sheet;

pub use checks::{Context, findings};
pub use cpu::{CpuShares, CpuUse};
pub use delta::{delta, rate};
pub use derived::Derived;
pub use row::{Io, Quantiles, Row, is_void, row};
pub use rules::{RULES, Rules};
pub use sheet::{Limit, Line, Point, Sheet, sheet};
