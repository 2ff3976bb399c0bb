//! The plan of an invocation in words.

use model::ControlProbe;
use record::{Dop, Nanos, Plan, PlannedRun, RunKind, Side, Variation};

use crate::figure::{count, duration};
use crate::in_kind;
use crate::layout::paragraph;
use crate::load_beside::{load_text, loads_text};
use crate::words::{degrees, list, pace, pinning, plural, preset, variation, varied};

/// The widest layout of a plan, which has no columns.
const WIDTH_MAX: usize = 80;

/// The duration of a search.
const UNTIL_LENGTH: &str = "not known: 12 to 84 runs for each test at each degree of parallelism, at rates that depend \
                            on earlier runs";

/// `plan` in words, for `width` columns of which 60 to 80 are used: settings, repeats and order, duration, a line for
/// each test with its degrees of parallelism, skipped tests with the reason.
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
        None if ends_by_itself(plan) => "until completion".to_owned(),
        None => format!("about {} plus set-up", duration(expected(plan))),
    };
    fact("duration", length);
    fact("data", format!("{} and {} rows, seed {}", count(plan.small_rows), count(plan.large_rows), plan.seed));
    if let Some(warehouses) = plan.warehouses {
        fact("warehouses", count(warehouses));
    }
    if !plan.test_files.is_empty() {
        fact("test files", list(plan.test_files.iter().cloned()));
    }
    for script in plan.scripts.iter().flat_map(|scripts| &scripts.scripts) {
        fact("script", format!("{}, weight {}", script.name, script.weight));
    }
    if let Some(load) = &plan.in_kind {
        fact("in kind", in_kind::asked(load));
    }
    for load in &plan.loads_beside {
        fact("load beside", load_text(load));
    }
    for (test, dops) in by_test(plan) {
        fact(&format!("  {test}"), format!("at {}{}", degrees(&dops), traced(plan, test)));
    }
    for (test, text) in variations(&plan.runs) {
        fact(&format!("  {test}"), text);
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

/// Repeats and order of the tests, where they are not run once in sequence.
fn order(plan: &Plan) -> Option<String> {
    if plan.paired.is_some() {
        let pairs = plural(plan.repeats.into(), "pair");
        let order = "in an order randomized from the seed, the first side of each randomized too";
        return Some(format!("{pairs} of each test at each degree of parallelism, {order}"));
    }
    (plan.repeats > 1).then(|| {
        let repeats = plan.repeats;
        format!(
            "{repeats} rounds of every test at every degree of parallelism, each in an order randomized from the seed"
        )
    })
}

/// Warm-ups and windows of all runs, on both sides where there are two; a control probe is run once for both.
fn expected(plan: &Plan) -> Nanos {
    let each = plan.warm_up_ns + plan.window_ns;
    let time = |run: &PlannedRun| match (&plan.paired, run.kind.is_probe()) {
        (None, _) => (plan.warm_up_ns + plan.window_of(&run.kind)).0,
        (Some(_), true) => each.min(ControlProbe::WINDOW_NS_MAX + ControlProbe::WARM_UP_NS_MAX).0,
        (Some(_), false) => each.0.saturating_mul(2),
    };
    Nanos(plan.runs.iter().map(time).fold(0, u64::saturating_add))
}

/// Whether the runs, but for probes, have no time limit and end when all data is moved.
pub(crate) fn ends_by_itself(plan: &Plan) -> bool {
    let moves = |kind: &RunKind| kind.is_probe() || !kind.subject().properties().is_timed;
    plan.window_ns >= Plan::OPEN_WINDOW_NS && !plan.runs.is_empty() && plan.runs.iter().all(|run| moves(&run.kind))
}

/// Preset, number and length of the runs, pace and CPU pinning.
pub(crate) fn settings(plan: &Plan) -> String {
    let fewer = plan.one_thread_per_core.then(|| "one hardware thread per core".to_owned());
    let parts = [
        Some(runs(plan)),
        (!ends_by_itself(plan)).then(|| format!("warm-up {}", duration(plan.warm_up_ns))),
        Some(pace(plan.pace)),
        Some(format!("CPU pinning: {}", pinning(plan.placement))),
        fewer,
        (!plan.loads_beside.is_empty()).then(|| format!("beside {}", loads_text(&plan.loads_beside))),
        plan.client_threads.map(|threads| format!("at most {}", plural(threads.into(), "client thread"))),
    ];
    list(parts.into_iter().flatten())
}

/// Preset, number and length of the runs.
pub(crate) fn runs(plan: &Plan) -> String {
    let steps = plan.steps.map(|steps| format!("at most {} per job", plural(steps, "step")));
    let each = duration(plan.window_ns);
    let runs = match &plan.until {
        Some(until) => {
            format!("runs of {each} until the highest rate that meets {} is found", until.level)
        }
        None if ends_by_itself(plan) => format!("{} until completion", plural(plan.runs.len() as u64, "run")),
        None => {
            let probes = plan.probe_window_ns.map(|window| format!(", probes {}", duration(window)));
            format!("{} of {each}{}", plural(plan.runs.len() as u64, "run"), probes.unwrap_or_default())
        }
    };
    list([Some(format!("preset {}", preset(plan.preset))), Some(runs), steps].into_iter().flatten())
}

/// The degrees of parallelism of each test, each once. Tests are in the order of the plan; where that is
/// randomized, in the order of their codes.
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

/// The degrees of parallelism at which `test` has traced repeats.
fn traced(plan: &Plan, test: &str) -> String {
    let of_test = |run: &&PlannedRun| run.test == test && run.variation == Some(Variation::Traced);
    let dops: Vec<Dop> = plan.runs.iter().filter(of_test).map(|run| run.dop).collect();
    if dops.is_empty() { String::new() } else { format!("; traced at {}", degrees(&dops)) }
}

/// Whether a run has another pace, a pipeline, or other hardware threads, than the plain one.
fn is_varied(run: &PlannedRun) -> bool {
    !matches!(run.variation, None | Some(Variation::Traced | Variation::Perturbed { .. }))
}

/// The tests of `runs` that have such variations, in their order, each with its variations: `at 1, 4 jobs: 50 %, 90 %
/// of the rate reached there`.
fn variations(runs: &[PlannedRun]) -> Vec<(&str, String)> {
    let mut tests: Vec<(&str, Vec<&PlannedRun>)> = Vec::new();
    for run in runs.iter().filter(|run| is_varied(run) && run.repeat == 1) {
        match tests.iter_mut().find(|(test, _)| *test == run.test) {
            Some((_, of_test)) => of_test.push(run),
            None => tests.push((&run.test, vec![run])),
        }
    }
    tests.into_iter().map(|(test, runs)| (test, variation_text(&runs))).collect()
}

fn variation_text(runs: &[&PlannedRun]) -> String {
    let dops: Vec<Dop> = runs.iter().map(|run| run.dop).collect();
    let mut shares: Vec<String> = Vec::new();
    let mut paces: Vec<String> = Vec::new();
    for planned in runs.iter().filter_map(|run| run.variation) {
        let (known, words) = match planned {
            Variation::ShareOfCapacity { .. } => (&mut shares, varied(planned)),
            _ => (&mut paces, variation(planned)),
        };
        if !known.contains(&words) {
            known.push(words);
        }
    }
    let of_shares = (!shares.is_empty()).then(|| format!("at {} of the rate reached there", list(shares)));
    let all: Vec<String> = of_shares.into_iter().chain(paces).collect();
    format!("then at {}: {}", degrees(&dops), all.join("; "))
}

#[cfg(test)]
pub(crate) mod tests {
    use record::{Pace, Pairing, Placement, Preset};

    use super::*;

    fn planned(test: &str, jobs: u32, repeat: u32) -> PlannedRun {
        PlannedRun {
            kind: record::RunKind::of_code(test),
            number: 0,
            test: test.to_owned(),
            dop: Dop::jobs(jobs),
            repeat,
            variation: None,
        }
    }

    /// Two tests, twice, in a randomized order.
    pub(crate) fn randomized() -> Plan {
        Plan {
            target: "example".to_owned(),
            directory: "/measured".to_owned(),
            preset: Preset::Quick,
            probe_window_ns: None,
            window_ns: Nanos(2_000_000_000),
            warm_up_ns: Nanos(400_000_000),
            steps: None,
            seed: 42,
            placement: Placement::Kernel,
            pace: Pace::Unthrottled,
            until: None,
            one_thread_per_core: false,
            small_rows: 3_200,
            large_rows: 32_000,
            warehouses: None,
            repeats: 2,
            paired: None,
            runs: vec![planned("T716", 4, 1), planned("T611", 1, 1), planned("T716", 1, 1)]
                .into_iter()
                .chain([planned("T611", 1, 2), planned("T716", 1, 2), planned("T716", 4, 2)])
                .collect(),
            skipped: Vec::new(),
            test_files: Vec::new(),
            scripts: None,
            in_kind: None,
            loads_beside: Vec::new(),
            io: None,
            network: None,
            agents: None,
            agent_hosts: Vec::new(),
            jobs_per_agent: None,
            client_threads: None,
            database_per_agent: false,
        }
    }

    fn line(text: &str, label: &str) -> String {
        let line = text.lines().find(|line| line.trim_start().starts_with(label)).unwrap_or_default();
        line.split_whitespace().skip(label.split_whitespace().count()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_is_repeated_is_listed_once_with_order_and_time() {
        let text = plan(&randomized(), 80);
        assert_eq!((line(&text, "T611"), line(&text, "T716")), ("at 1 job".to_owned(), "at 1, 4 jobs".to_owned()));
        assert!(line(&text, "order").starts_with("2 rounds of every test"), "{text}");
        assert_eq!(line(&text, "duration"), "about 14.4 s plus set-up");
        let once = Plan { repeats: 1, runs: vec![planned("T716", 4, 1), planned("T611", 1, 1)], ..randomized() };
        let text = plan(&once, 80);
        let codes: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix('T')?.get(..3)).collect();
        assert_eq!(codes, ["716", "611"], "as they are carried out");
        assert_eq!(
            (line(&text, "order"), line(&text, "duration")),
            (String::new(), "about 4.80 s plus set-up".to_owned())
        );
    }

    #[test]
    fn traced_repeats_are_named_beside_the_plain_runs() {
        let traced = PlannedRun { variation: Some(Variation::Traced), ..planned("T716", 1, 1) };
        let text = plan(&Plan { runs: [randomized().runs, vec![traced]].concat(), ..randomized() }, 80);
        assert_eq!(line(&text, "T716"), "at 1, 4 jobs; traced at 1 job");
        assert_eq!(
            (line(&text, "T611"), line(&text, "duration")),
            ("at 1 job".to_owned(), "about 16.8 s plus set-up".to_owned())
        );
    }

    #[test]
    fn of_a_pair_both_sides_are_named_and_take_their_time() {
        let pairing =
            Pairing { side: Side::B, other: "r-a".to_owned(), other_target: "another".to_owned(), plan_hash: None };
        let paired = Plan { paired: Some(pairing), ..randomized() };
        let text = plan(&paired, 80);
        assert_eq!((line(&text, "side A"), line(&text, "side B")), ("another".to_owned(), "example".to_owned()));
        assert!(line(&text, "order").starts_with("2 pairs of each test"), "{text}");
        assert_eq!(line(&text, "duration"), "about 28.8 s plus set-up");
        let control_probe = [planned("C11", 2, 1), planned("C11", 2, 2)];
        let runs = [randomized().runs, control_probe.to_vec()].concat();
        let long = Plan { window_ns: Nanos(10_000_000_000), runs, ..paired };
        // Six runs of 10.4 s on each side, and two of 2.4 s at most for both.
        assert_eq!(line(&plan(&long, 80), "duration"), "about 130 s plus set-up");
    }

    fn varied_run(test: &str, jobs: u32, variation: Option<Variation>) -> PlannedRun {
        PlannedRun { variation, ..planned(test, jobs, 1) }
    }

    #[test]
    fn shares_and_paces_are_named_once_for_each_test() {
        let share = |share| Some(Variation::ShareOfCapacity { share });
        let pace = Pace::ThinkTime { think_ns: Nanos(10_000_000) };
        let thinks = |one_thread_per_core| Some(Variation::Paced { pace, one_thread_per_core });
        let runs = [
            varied_run("T611", 1, None),
            varied_run("T611", 1, share(0.5)),
            varied_run("T611", 4, share(0.5)),
            varied_run("T611", 4, share(0.9)),
            varied_run("T616", 4, thinks(false)),
            varied_run("T616", 4, thinks(true)),
            varied_run("T716", 4, Some(Variation::Traced)),
        ];
        let found = variations(&runs);
        let of_611 = "then at 1, 4 jobs: at 50 %, 90 % of the rate reached there".to_owned();
        let of_616 = "then at 4 jobs: think time 10.0 ms; think time 10.0 ms, one thread per core".to_owned();
        assert_eq!(found, [("T611", of_611), ("T616", of_616)]);
    }
}
