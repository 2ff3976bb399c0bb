//! What the figures of a plan do not say by themselves.

use model::load_plan::{Cores, RateSource, StageCost};

use super::LoadPlanView;

/// What was said beside the plan, and on what its figures rest.
pub(super) fn known(view: &LoadPlanView) -> Vec<String> {
    let plan = &view.plan;
    let mut known = view.remarks.clone();
    let rates = plan.stages.iter().filter_map(|cost| match cost {
        StageCost::Rate(rate) => Some(rate),
        StageCost::Skipped(_) => None,
    });
    if rates.clone().any(|rate| rate.source == RateSource::NotMeasured) {
        known.push(
            "rates that were NOT MEASURED are commonly published spans, of which the lower end is planned with: a load of \
             your own data on your own machine replaces them (dbdyno load, then --from RECORD)"
                .to_owned(),
        );
    }
    if plan.utilisation.0 == 1.0 && rates.clone().next().is_some() {
        known.push(
            "processors are planned to be busy all the time; --target-utilisation 0.7 leaves them room".to_owned(),
        );
    }
    if rates.clone().any(|rate| rate.stage.is_after_the_load()) {
        known.push("what comes after the load is taken to use all processors of the server".to_owned());
    }
    if are_open(plan.cores) {
        known.push("how many processors there are was not said (--cores)".to_owned());
    }
    known
}

/// Whether `cores` leave it open how many there are.
fn are_open(cores: Cores) -> bool {
    matches!(cores, Cores::Shared(None) | Cores::Apart { client: None, .. } | Cores::Apart { server: None, .. })
}
