//! What a load within a given time needs, the sentence that explains it, and what a record says of loads that were not
//! measured.

mod amount;
mod page;
mod prediction;
mod prediction_page;
mod remark;
mod row;
mod sentence;
mod text;

use model::load_plan::{Needs, Plan, needs};

pub use amount::ByteSteps;
pub use page::load_plan_html;
pub use prediction::{AskedLoad, LoadPredictionView, load_prediction_text};
pub use prediction_page::load_prediction_html;
pub use text::load_plan_text;

/// A plan and what it comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadPlanView {
    plan: Plan,
    needs: Needs,
    steps: ByteSteps,
    remarks: Vec<String>,
}

impl LoadPlanView {
    /// The view of `plan`, in whose words volumes and rates go in `steps`; `remarks` is what has to be known beside it.
    pub fn new(plan: Plan, steps: ByteSteps, remarks: Vec<String>) -> LoadPlanView {
        LoadPlanView { needs: needs(&plan), plan, steps, remarks }
    }
}
