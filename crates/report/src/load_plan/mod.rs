//! The resources that a load within a given time requires, with an explanation, and predictions of loads from a record.

mod amount;
mod document;
mod prediction;
mod sentence;

use model::load_plan::{Needs, Plan, needs};

pub use amount::ByteUnits;
pub use document::load_plan;
pub use prediction::{LoadPredictionView, RequestedLoad, load_prediction};

/// A plan and its requirements.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadPlanView {
    plan: Plan,
    needs: Needs,
    units: ByteUnits,
    remarks: Vec<String>,
}

impl LoadPlanView {
    /// The view of `plan` with volumes and rates in units of `units`; `remarks` are its caveats.
    pub fn new(plan: Plan, units: ByteUnits, remarks: Vec<String>) -> LoadPlanView {
        LoadPlanView { needs: needs(&plan), plan, units, remarks }
    }
}
