//! Storage runs: the tables of published reports, details, and the answers of searches.

mod calibration;
mod demand;
mod document;
mod fact;
mod job;
mod plan;
mod stream;
mod table;
mod until;

pub use plan::io_plan_text;
pub use table::io_csv;

pub(crate) use calibration::figures as calibration_figures;
pub(crate) use document::{calibrated, details, job_file, search, streams};
pub(crate) use fact::loop_text;
pub(crate) use stream::{runs, threads};
pub(crate) use table::results;
pub(crate) use until::answer as search_answer;
