//! Loads of flat files: figures of a run, its slowest stage, predictions of loads that were not measured; and scans of
//! loaded tables.
//!
//! Rates are uncompressed bytes of flat file per second of the window, and costs are per byte of flat file, unless
//! stated otherwise, so that loads of different sizes are comparable.

mod figures;
#[cfg(test)]
pub(crate) mod fixture;
mod observation;
mod prediction;
mod scan;
mod session;
mod stage;
#[cfg(test)]
mod tests;

pub use crate::load_input::are_lines_found;
pub use figures::{BytesPerByte, LoadFigures, figures, table_against_plain};
pub use observation::inputs;
pub use prediction::{Binding, Composed, InputCost, LoadCheck, Prediction, Refusal, Target, check, measured, predict};
pub use scan::{ProbeRates, ScanCeiling, ScanFigures, cold_finding, scan_figures};
pub use stage::{StageFigures, Workers, slowest, stages, workers};

pub(crate) use observation::{Observation, observations};
pub(crate) use stage::cpu_ns;
