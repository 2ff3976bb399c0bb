//! Sizing: what the production load of a [`LoadProfile`](record::LoadProfile) needs of a platform that was measured.
//!
//! [`merged`] makes one profile of several, [`history`] its rates over time, [`size`] holds their peaks against what a platform
//! showed. Nothing is extrapolated: a rate above what was measured has no response time, and a resource that was not
//! measured has no share.
//!
//! Assumptions: resources are held against their ceilings one by one, each at its own peak; their peaks may lie in
//! different intervals, so that the load fits at least as well as that says. Requests of the old platform are those of the new one:
//! a larger buffer cache reads less, another engine other blocks. A share of a ceiling is no response time; see
//! [`Outlook`].

mod ceiling;
mod curve;
mod demand;
mod growth;
mod history;
mod in_kind;
mod merge;
mod planned;
mod processor;
mod quantile;
mod sized;
#[cfg(test)]
mod tests;
mod timeline;
mod watched;

pub use ceiling::{Ceiling, CeilingSource, published_ceilings, recorded_ceilings};
pub use curve::{LoadPoint, ResponseCurve, recorded_curves};
pub use demand::{Demand, Level};
pub use growth::Growth;
pub use history::{Hour, LoadHistory, QuantityFigures, history};
pub use in_kind::{NotInKind, SESSIONS_IN_KIND_MAX, expected_times, in_kind};
pub use merge::merged;
pub use planned::{planned_ceilings, required_of};
pub use processor::{ProcessorRatio, ProcessorSheet, processor_ratio, processor_sheet, published_sheet};
pub use sized::{Outlook, Platform, ResourceShare, Sizing, Unsized, UnsizedReason, size};
pub use watched::{CommitSource, Counted, commit_source, decreased, watched_database, watched_host};
