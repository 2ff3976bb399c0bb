//! Which runs of a record are shown.

use std::collections::HashMap;

use record::{Record, Run};

use super::has_activity;
use crate::sheet::sheet;

/// The runs that are selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActivityChoice {
    /// The run with the best rate of each test.
    Best,
    /// The run of this number.
    Number(u32),
    /// All runs of this test.
    Test(String),
}

impl ActivityChoice {
    /// Parses the number of a run, or the code of a test.
    pub fn parse(text: &str) -> ActivityChoice {
        match text.parse() {
            Ok(number) => ActivityChoice::Number(number),
            Err(_) => ActivityChoice::Test(text.to_owned()),
        }
    }
}

/// The runs of `record` that `choice` selects and that have activity: in the order of the spec sheet, or in the order
/// of execution.
pub fn activity_runs<'a>(record: &'a Record, choice: &ActivityChoice) -> Vec<&'a Run> {
    let runs = || record.runs.iter().filter(|run| has_activity(run));
    match choice {
        ActivityChoice::Number(number) => runs().filter(|run| run.number == *number).collect(),
        ActivityChoice::Test(code) => runs().filter(|run| run.test.eq_ignore_ascii_case(code)).collect(),
        ActivityChoice::Best => {
            let by_number: HashMap<u32, &Run> = runs().map(|run| (run.number, run)).collect();
            let best = |run: u32, test: &str| by_number.get(&run).copied().filter(|found| found.test == test);
            let lines = sheet(record).lines;
            lines.iter().filter_map(|line| best(line.best.as_ref()?.run, &line.test)).collect()
        }
    }
}
