//! Loads of flat files: what a run came to, which of its stages was the slowest, and what a load that was not measured
//! would reach; and scans of what was loaded.
//!
//! A rate is bytes of flat file per second of the window, uncompressed, unless it says otherwise; what something cost is
//! told per byte of flat file that went in, so that loads of different sizes stand beside each other.

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

pub use figures::{BytesPerByte, LoadFigures, figures, table_against_plain};
pub use observation::{are_lines_found, inputs};
pub use prediction::{Binding, Composed, InputCost, LoadCheck, Prediction, Refusal, Target, check, measured, predict};
pub use scan::{ProbeRates, ScanCeiling, ScanFigures, cold_finding, scan_figures};
pub use stage::{StageFigures, Workers, slowest, stages, workers};

pub(crate) use observation::{Observation, input_word, observations};
pub(crate) use stage::cpu_ns;
