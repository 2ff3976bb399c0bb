//! The variations of a plan in words: one line for each test.

use record::{Dop, PlannedRun, Variation};

use crate::plan::degrees;
use crate::words::{list, variation, varied};

/// Whether a run of the plan belongs here: it has another pace, or other hardware threads, than the plain one.
fn is_varied(run: &PlannedRun) -> bool {
    matches!(run.variation, Some(Variation::Paced { .. } | Variation::ShareOfCapacity { .. }))
}

/// The tests of `runs` that have such variations, in their order, each with what is varied: `at 1, 4 jobs: 50 %, 90 % of
/// the rate reached there`.
pub(crate) fn variations(runs: &[PlannedRun]) -> Vec<(&str, String)> {
    let mut tests: Vec<(&str, Vec<&PlannedRun>)> = Vec::new();
    for run in runs.iter().filter(|run| is_varied(run) && run.repeat == 1) {
        match tests.iter_mut().find(|(test, _)| *test == run.test) {
            Some((_, of_test)) => of_test.push(run),
            None => tests.push((&run.test, vec![run])),
        }
    }
    tests.into_iter().map(|(test, runs)| (test, said(&runs))).collect()
}

fn said(runs: &[&PlannedRun]) -> String {
    let dops: Vec<Dop> = runs.iter().map(|run| run.dop).collect();
    let mut shares: Vec<String> = Vec::new();
    let mut paces: Vec<String> = Vec::new();
    for planned in runs.iter().filter_map(|run| run.variation) {
        let (words, said) = match planned {
            Variation::ShareOfCapacity { .. } => (&mut shares, varied(planned)),
            _ => (&mut paces, variation(planned)),
        };
        if !words.contains(&said) {
            words.push(said);
        }
    }
    let of_shares = (!shares.is_empty()).then(|| format!("at {} of the rate reached there", list(shares)));
    let all: Vec<String> = of_shares.into_iter().chain(paces).collect();
    format!("then at {}: {}", degrees(&dops), all.join("; "))
}

#[cfg(test)]
mod tests {
    use record::{Nanos, Pace};

    use super::*;

    fn run(test: &str, jobs: u32, variation: Option<Variation>) -> PlannedRun {
        PlannedRun {
            kind: record::RunKind::Test,
            number: 1,
            test: test.to_owned(),
            dop: Dop::jobs(jobs),
            repeat: 1,
            variation,
        }
    }

    #[test]
    fn shares_and_paces_are_named_once_for_each_test() {
        let share = |share| Some(Variation::ShareOfCapacity { share });
        let pace = Pace::ThinkTime { think_ns: Nanos(10_000_000) };
        let thinks = |one_thread_per_core| Some(Variation::Paced { pace, one_thread_per_core });
        let runs = [
            run("T611", 1, None),
            run("T611", 1, share(0.5)),
            run("T611", 4, share(0.5)),
            run("T611", 4, share(0.9)),
            run("T616", 4, thinks(false)),
            run("T616", 4, thinks(true)),
            run("T716", 4, Some(Variation::Traced)),
        ];
        let found = variations(&runs);
        let of_611 = "then at 1, 4 jobs: at 50 %, 90 % of the rate reached there".to_owned();
        let of_616 = "then at 4 jobs: think time 10.0 ms; think time 10.0 ms, one thread per core".to_owned();
        assert_eq!(found, [("T611", of_611), ("T616", of_616)]);
    }
}
