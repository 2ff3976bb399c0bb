//! What an invocation would do, before it does it.

use model::ControlProbe;
use record::{Dop, Nanos, Plan, PlannedRun, RunKind, Side, Variation};

use crate::figure::{count, duration};
use crate::layout::paragraph;
use crate::load_curve::variations;
use crate::words::{list, pace, placement, plural, preset};

/// The widest page: a plan has no columns that would gain from more.
const WIDTH_MAX: usize = 80;

/// How long a search takes.
const UNTIL_LENGTH: &str = "not known: one to seven dozen runs for each test at each degree of parallelism, at rates \
                            that the runs before them decide";

/// `plan` in words, for `width` columns of which 60 to 80 are used: the settings, how often and in which order, how long it
/// takes, a line for each test with its degrees of parallelism, what is skipped and why.
pub fn plan(plan: &Plan, width: usize) -> String {
    let width = crate::page_width(width).min(WIDTH_MAX);
    let mut lines = Vec::new();
    let mut fact = |label: &str, text: String| lines.extend(paragraph(label, 12, &text, width));
    for (label, target) in targets(plan) {
        fact(label, target.clone());
    }
    fact("directory", plan.directory.clone());
    fact("runs", settings(plan));
    if let Some(order) = order(plan) {
        fact("order", order);
    }
    let length = match &plan.until {
        Some(_) => UNTIL_LENGTH.to_owned(),
        None if ends_by_itself(plan) => "as long as it takes".to_owned(),
        None => format!("about {} and set-up", duration(expected(plan))),
    };
    fact("duration", length);
    fact("data", format!("{} and {} rows, seed {}", count(plan.small_rows), count(plan.large_rows), plan.seed));
    if !plan.test_files.is_empty() {
        fact("test files", list(plan.test_files.iter().cloned()));
    }
    for (test, dops) in by_test(plan) {
        fact(&format!("  {test}"), format!("at {}{}", degrees(&dops), traced(plan, test)));
    }
    for (test, said) in variations(&plan.runs) {
        fact(&format!("  {test}"), said);
    }
    for skipped in &plan.skipped {
        fact(&format!("  {}", skipped.test), format!("skipped: {}", skipped.reason));
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

/// The target, or those of both sides, under their labels.
fn targets(plan: &Plan) -> Vec<(&'static str, &String)> {
    let Some(pairing) = &plan.paired else { return vec![("target", &plan.target)] };
    match pairing.side {
        Side::A => vec![("side A", &plan.target), ("side B", &pairing.other_target)],
        Side::B => vec![("side A", &pairing.other_target), ("side B", &plan.target)],
    }
}

/// How often and in which order the tests are run, where that is not once and one after the other.
fn order(plan: &Plan) -> Option<String> {
    if plan.paired.is_some() {
        let pairs = plural(plan.repeats.into(), "pair");
        let lot = "in an order by lot from the seed, and by lot which side is first";
        return Some(format!("{pairs} of each test at each degree of parallelism, {lot}"));
    }
    (plan.repeats > 1).then(|| {
        let repeats = plan.repeats;
        format!("{repeats} rounds of every test at every degree of parallelism, each in an order by lot from the seed")
    })
}

/// Warm-ups and windows of all runs, on both sides where there are two; of the machine itself both have the same run.
fn expected(plan: &Plan) -> Nanos {
    let each = plan.warm_up_ns + plan.window_ns;
    let time = |run: &PlannedRun| match (&plan.paired, run.kind.is_probe()) {
        (None, _) => each.0,
        (Some(_), true) => each.min(ControlProbe::WINDOW_NS_MAX + ControlProbe::WARM_UP_NS_MAX).0,
        (Some(_), false) => each.0.saturating_mul(2),
    };
    Nanos(plan.runs.iter().map(time).fold(0, u64::saturating_add))
}

/// Whether the runs are loads or streams, which end with what there is to move, or belong to them, and no time was set
/// for them.
pub(crate) fn ends_by_itself(plan: &Plan) -> bool {
    let moves = |kind: &RunKind| {
        matches!(kind, RunKind::Load { .. } | RunKind::Scan(_) | RunKind::Streams { .. } | RunKind::Probe)
    };
    plan.window_ns >= Plan::OPEN_WINDOW_NS && !plan.runs.is_empty() && plan.runs.iter().all(|run| moves(&run.kind))
}

/// Preset, number and length of the runs, pace and placement.
pub(crate) fn settings(plan: &Plan) -> String {
    let steps = plan.steps.map(|steps| format!("at most {} per job", plural(steps, "step")));
    let each = duration(plan.window_ns);
    let runs = match &plan.until {
        Some(until) => {
            format!("as many runs of {each} as it takes to find the highest rate that keeps {}", until.level)
        }
        None if ends_by_itself(plan) => format!("{} to the end", plural(plan.runs.len() as u64, "run")),
        None => format!("{} of {each}", plural(plan.runs.len() as u64, "run")),
    };
    let fewer = plan.one_thread_per_core.then(|| "one hardware thread per core".to_owned());
    let parts = [
        Some(format!("preset {}", preset(plan.preset))),
        Some(runs),
        steps,
        (!ends_by_itself(plan)).then(|| format!("warm-up {}", duration(plan.warm_up_ns))),
        Some(pace(plan.pace)),
        Some(format!("placement {}", placement(plan.placement))),
        fewer,
    ];
    list(parts.into_iter().flatten())
}

/// The degrees of parallelism of each test, each once. Tests are in the order of the plan; where that was drawn by lot,
/// which says nothing, in that of their codes.
fn by_test(plan: &Plan) -> Vec<(&str, Vec<Dop>)> {
    let mut tests: Vec<(&str, Vec<Dop>)> = Vec::new();
    for run in plan.runs.iter().filter(|run| run.repeat == 1 && run.variation.is_none()) {
        match tests.iter_mut().find(|(test, _)| *test == run.test) {
            Some((_, dops)) => dops.push(run.dop),
            None => tests.push((&run.test, vec![run.dop])),
        }
    }
    if plan.repeats > 1 {
        tests.sort_unstable();
    }
    tests
}

/// That runs of `test` are repeated while the kernel is traced, and at which degrees of parallelism.
fn traced(plan: &Plan, test: &str) -> String {
    let of_test = |run: &&PlannedRun| run.test == test && run.variation == Some(Variation::Traced);
    let dops: Vec<Dop> = plan.runs.iter().filter(of_test).map(|run| run.dop).collect();
    if dops.is_empty() { String::new() } else { format!("; traced at {}", degrees(&dops)) }
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
        numbers.sort_unstable();
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
pub(crate) mod tests {
    use record::{Pace, Pairing, Placement, Preset};

    use super::*;

    #[test]
    fn degrees_name_what_varies() {
        let threads = |threads| Dop { nodes: 1, jobs: 1, threads };
        assert_eq!(degrees(&[Dop::jobs(1)]), "1 job");
        assert_eq!(degrees(&[Dop::jobs(1), Dop::jobs(2), Dop::jobs(4)]), "1, 2, 4 jobs");
        assert_eq!(degrees(&[threads(1), threads(2)]), "1, 2 threads");
        assert_eq!(degrees(&[Dop { nodes: 2, jobs: 8, threads: 4 }]), "8 jobs, 4 threads, 2 nodes");
    }

    fn planned(test: &str, jobs: u32, repeat: u32) -> PlannedRun {
        PlannedRun {
            kind: if test.starts_with('P') { record::RunKind::Probe } else { record::RunKind::Test },
            number: 0,
            test: test.to_owned(),
            dop: Dop::jobs(jobs),
            repeat,
            variation: None,
        }
    }

    /// Two tests, twice, in an order by lot.
    pub(crate) fn drawn() -> Plan {
        Plan {
            target: "example".to_owned(),
            directory: "/measured".to_owned(),
            preset: Preset::Quick,
            window_ns: Nanos(2_000_000_000),
            warm_up_ns: Nanos(400_000_000),
            steps: None,
            seed: 42,
            placement: Placement::Kernel,
            pace: Pace::AsFastAsPossible,
            until: None,
            one_thread_per_core: false,
            small_rows: 3_200,
            large_rows: 32_000,
            repeats: 2,
            paired: None,
            runs: vec![planned("T716", 4, 1), planned("T611", 1, 1), planned("T716", 1, 1)]
                .into_iter()
                .chain([planned("T611", 1, 2), planned("T716", 1, 2), planned("T716", 4, 2)])
                .collect(),
            skipped: Vec::new(),
            test_files: Vec::new(),
            io: None,
        }
    }

    fn line(text: &str, label: &str) -> String {
        let line = text.lines().find(|line| line.trim_start().starts_with(label)).unwrap_or_default();
        line.split_whitespace().skip(label.split_whitespace().count()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_repeated_is_listed_once_with_order_and_time() {
        let text = plan(&drawn(), 80);
        assert_eq!((line(&text, "T611"), line(&text, "T716")), ("at 1 job".to_owned(), "at 1, 4 jobs".to_owned()));
        assert!(line(&text, "order").starts_with("2 rounds of every test"), "{text}");
        assert_eq!(line(&text, "duration"), "about 14.4 s and set-up");
        let once = Plan { repeats: 1, runs: vec![planned("T716", 4, 1), planned("T611", 1, 1)], ..drawn() };
        let text = plan(&once, 80);
        let codes: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix('T')?.get(..3)).collect();
        assert_eq!(codes, ["716", "611"], "as they are carried out");
        assert_eq!(
            (line(&text, "order"), line(&text, "duration")),
            (String::new(), "about 4.80 s and set-up".to_owned())
        );
    }

    #[test]
    fn traced_repeats_are_named_beside_the_plain_runs() {
        let traced = PlannedRun { variation: Some(Variation::Traced), ..planned("T716", 1, 1) };
        let text = plan(&Plan { runs: [drawn().runs, vec![traced]].concat(), ..drawn() }, 80);
        assert_eq!(line(&text, "T716"), "at 1, 4 jobs; traced at 1 job");
        assert_eq!(
            (line(&text, "T611"), line(&text, "duration")),
            ("at 1 job".to_owned(), "about 16.8 s and set-up".to_owned())
        );
    }

    #[test]
    fn of_a_pair_both_sides_are_named_and_take_their_time() {
        let pairing =
            Pairing { side: Side::B, other: "r-a".to_owned(), other_target: "another".to_owned(), plan_hash: None };
        let paired = Plan { paired: Some(pairing), ..drawn() };
        let text = plan(&paired, 80);
        assert_eq!((line(&text, "side A"), line(&text, "side B")), ("another".to_owned(), "example".to_owned()));
        assert!(line(&text, "order").starts_with("2 pairs of each test"), "{text}");
        assert_eq!(line(&text, "duration"), "about 28.8 s and set-up");
        let control_probe = [planned("P111", 2, 1), planned("P111", 2, 2)];
        let runs = [drawn().runs, control_probe.to_vec()].concat();
        let long = Plan { window_ns: Nanos(10_000_000_000), runs, ..paired };
        // Six runs of 10.4 s on each side, and two of 2.4 s at most for both.
        assert_eq!(line(&plan(&long, 80), "duration"), "about 130 s and set-up");
    }
}
