//! Bulk load of flat files: one invocation, a run for each model, form and degree of parallelism; and scans of what was
//! loaded.

mod closing;
mod invocation;
mod loaded;
mod measurement;
mod plan;
mod request;
mod scan_plan;
mod scanning;
mod space;
mod telling;

pub use invocation::{dry_run_load, measure_load};
pub use plan::{LoadPlan, PlannedLoad};
pub use request::{LoadRequest, ScanRequest};
pub use scan_plan::PlannedScan;
