//! What an invocation would do, before it does it.

use record::{Dop, Plan};

use crate::figure::{count, duration};
use crate::layout::paragraph;
use crate::words::{list, pace, placement, plural, preset};

/// Width of the page; a plan has no columns that would gain from more.
const WIDTH: usize = 80;

/// `plan` in words: the settings, a line for each test with its degrees of parallelism, what is skipped and why.
pub fn plan(plan: &Plan) -> String {
    let mut lines = Vec::new();
    let mut fact = |label: &str, text: String| lines.extend(paragraph(label, 12, &text, WIDTH));
    fact("target", plan.target.clone());
    fact("directory", plan.directory.clone());
    fact("runs", settings(plan));
    fact("data", format!("{} and {} rows, seed {}", count(plan.small_rows), count(plan.large_rows), plan.seed));
    if !plan.test_files.is_empty() {
        fact("test files", list(plan.test_files.iter().cloned()));
    }
    for (test, dops) in by_test(plan) {
        fact(&format!("  {test}"), format!("at {}", degrees(&dops)));
    }
    for skipped in &plan.skipped {
        fact(&format!("  {}", skipped.test), format!("skipped: {}", skipped.reason));
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

/// Preset, number and length of the runs, pace and placement.
pub(crate) fn settings(plan: &Plan) -> String {
    let steps = plan.steps.map(|steps| format!("at most {} per job", plural(steps, "step")));
    let parts = [
        Some(format!("preset {}", preset(plan.preset))),
        Some(format!("{} of {}", plural(plan.runs.len() as u64, "run"), duration(plan.window_ns))),
        steps,
        Some(format!("warm-up {}", duration(plan.warm_up_ns))),
        Some(pace(plan.pace)),
        Some(format!("placement {}", placement(plan.placement))),
    ];
    list(parts.into_iter().flatten())
}

/// The degrees of parallelism of each test, in the order of the plan.
fn by_test(plan: &Plan) -> Vec<(&str, Vec<Dop>)> {
    let mut tests: Vec<(&str, Vec<Dop>)> = Vec::new();
    for run in &plan.runs {
        match tests.iter_mut().find(|(test, _)| *test == run.test) {
            Some((_, dops)) => dops.push(run.dop),
            None => tests.push((&run.test, vec![run.dop])),
        }
    }
    tests
}

/// Degrees of parallelism in words: `1, 2, 4 jobs`, `1, 2 threads`. What does not vary is named only where it is
/// more than one.
pub(crate) fn degrees(dops: &[Dop]) -> String {
    let row = |numbers: Vec<u32>| list(numbers.iter().map(u32::to_string));
    let named = |numbers: Vec<u32>, word: &str| match numbers.as_slice() {
        [1] => format!("1 {word}"),
        _ => format!("{} {word}s", row(numbers)),
    };
    let of = |degree: fn(&Dop) -> u32| {
        let mut numbers: Vec<u32> = dops.iter().map(degree).collect();
        numbers.dedup();
        numbers
    };
    let (nodes, jobs, threads) = (of(|dop| dop.nodes), of(|dop| dop.jobs), of(|dop| dop.threads));
    let mut parts = Vec::new();
    if threads == [1] || jobs != [1] {
        parts.push(named(jobs, "job"));
    }
    if threads != [1] {
        parts.push(named(threads, "thread"));
    }
    if nodes != [1] {
        parts.push(named(nodes, "node"));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_name_what_varies() {
        let threads = |threads| Dop { nodes: 1, jobs: 1, threads };
        assert_eq!(degrees(&[Dop::jobs(1)]), "1 job");
        assert_eq!(degrees(&[Dop::jobs(1), Dop::jobs(2), Dop::jobs(4)]), "1, 2, 4 jobs");
        assert_eq!(degrees(&[threads(1), threads(2)]), "1, 2 threads");
        assert_eq!(degrees(&[Dop { nodes: 2, jobs: 8, threads: 4 }]), "8 jobs, 4 threads, 2 nodes");
    }
}
