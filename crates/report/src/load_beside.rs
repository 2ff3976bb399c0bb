//! Loads beside the jobs of runs, in words and as options.

use record::{LoadBeside, Plan};

use crate::figure::number;
use crate::layout::clean;
use crate::words::{list, plural};

/// `load` in words: `H100, 1 job`.
pub(crate) fn load_text(load: &LoadBeside) -> String {
    let rate = load.rate.map(|rate| format!("{} steps/s", number(rate)));
    list([Some(clean(&load.test)), Some(plural(load.jobs.into(), "job")), rate].into_iter().flatten())
}

/// All `loads` in words.
pub(crate) fn loads_text(loads: &[LoadBeside]) -> String {
    loads.iter().map(load_text).collect::<Vec<_>>().join("; ")
}

/// The options that ask for the loads of `plan`, with their values.
pub(crate) fn load_beside_options(plan: &Plan) -> impl Iterator<Item = (&'static str, String)> {
    plan.loads_beside.iter().map(|load| {
        let name = load.test_file.as_ref().unwrap_or(&load.test);
        let rate = load.rate.map(|rate| format!(",rate={rate}")).unwrap_or_default();
        ("load-beside", format!("{name}:jobs={}{rate}", load.jobs))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_its_test_its_jobs_and_its_rate() {
        let load = |rate| LoadBeside { test: "H100".to_owned(), test_file: None, jobs: 2, rate };
        assert_eq!(load_text(&load(None)), "H100, 2 jobs");
        assert_eq!(loads_text(&[load(None), load(Some(0.5))]), "H100, 2 jobs; H100, 2 jobs, 0.5000 steps/s");
    }
}
