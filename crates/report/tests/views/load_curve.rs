//! Latency over rate, the answer of a search, and think time, as a reader sees them.

use dbdyno_report::{SheetOptions, ShortText, Style, plan, results, run_line, short_text};
use model::{RateSearch, Visit};
use record::{
    Arrival, Check, Latency, Nanos, Pace, PlannedRun, Ratio, Reading, Record, Resource, Run, Until, Variation, Verdict,
    name,
};

use crate::drawn::{html, text};
use crate::finding_sample::{backlog, finding, steal};
use crate::sample;

/// A run of T616 at four jobs beside the plain one, which does 3000 steps per second.
fn varied(number: u32, variation: Variation, pace: Pace, milliseconds: u64) -> Run {
    let mut records = sample::record().runs.into_iter();
    let plain = records.find(|run| run.test == "T616" && run.dop.jobs == 4).unwrap();
    let rate = pace.rate().unwrap_or(1_000.0);
    let steps = (rate * plain.window_ns.seconds()) as u64;
    let response = Latency {
        count: steps,
        p50_ns: Nanos(milliseconds * 500_000),
        p90_ns: Some(Nanos(milliseconds * 900_000)),
        p99_ns: Some(Nanos(milliseconds * 1_000_000)),
        p999_ns: Some(Nanos(milliseconds * 1_000_000)),
        max_ns: Nanos(milliseconds * 1_000_000),
        mean_ns: Nanos(milliseconds * 500_000),
        ..Latency::default()
    }
    .printable();
    let mut run = Run { number, variation: Some(variation), pace, response, ..plain };
    (run.totals.steps, run.totals.operations, run.totals.transactions) = (steps, steps, steps);
    run.service.count = steps;
    run
}

/// `record` with `runs` behind its own, planned.
pub fn with_runs(mut record: Record, runs: Vec<Run>) -> Record {
    record.plan.runs.extend(runs.iter().map(|run| PlannedRun {
        kind: run.kind.clone(),
        number: run.number,
        test: run.test.clone(),
        dop: run.dop,
        repeat: 1,
        variation: run.variation,
    }));
    record.runs.extend(runs);
    record
}

/// The sample with these runs behind its own, planned.
fn with(runs: Vec<Run>) -> Record {
    with_runs(sample::record(), runs)
}

fn share(number: u32, share: f64, milliseconds: u64) -> Run {
    let pace = Pace::Poisson { steps_per_second: 2_998.0 * share };
    varied(number, Variation::ShareOfCapacity { share }, pace, milliseconds)
}

fn thinking(number: u32, milliseconds: u64, one_thread_per_core: bool, busy: u64) -> Run {
    let pace = match milliseconds {
        0 => Pace::Unthrottled,
        _ => Pace::ThinkTime { think_ns: Nanos(milliseconds * 1_000_000) },
    };
    let mut run = varied(number, Variation::Paced { pace, one_thread_per_core }, pace, 4);
    if milliseconds == 0 {
        // Four fifths of what the plain run does: the second threads add a quarter.
        run.totals.transactions = 3_000 * 3 * 4 / 5;
    }
    let reading = |at_ns: u64, user: u64, idle: u64| {
        let values = [(name::HOST_CPU_USER_NS, user), (name::HOST_CPU_SYSTEM_NS, 0), (name::HOST_CPU_IDLE_NS, idle)];
        Reading {
            at_ns: Nanos(at_ns),
            values: values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        }
    };
    Run { readings: vec![reading(0, 0, 0), reading(run.window_ns.0, busy, 100 - busy)], ..run }
}

fn shown(record: &Record) -> String {
    text(record, "r.json", Style::default(), 80)
}

/// The part of a page below the head that begins with `title`, its words one space apart.
fn part(page: &str, title: &str) -> String {
    let from_title = page.lines().skip_while(|line| !line.starts_with(title));
    let body = from_title.skip(1).take_while(|line| !line.ends_with('─') || line.starts_with(' '));
    body.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
}

#[test]
fn rates_stand_beside_the_capacity_that_they_are_shares_of() {
    let record = with(vec![share(40, 0.9, 80), share(41, 0.5, 4)]);
    let page = shown(&record);
    let rates = part(&page, "Latency over rate");
    assert!(rates.starts_with("T616 at J4 2.998 k steps/s in a closed loop (100 %)"), "{rates}");
    assert!(rates.contains("41 50 % 1.499 k 1.499 k"), "{rates}");
    let places = ["41 50 %", "40 90 %", "100 % none"].map(|words| rates.find(words).unwrap());
    assert!(places.is_sorted(), "from the lowest rate to the highest, then the plain run: {rates}");
    assert!(rates.contains("2.00 ms 4.00 ms") && rates.contains("40.0 ms 80.0 ms"), "{rates}");
    assert!(page.contains("J4 50 %"), "the table of runs tells it from the plain one: {page}");
    assert!(run_line(&record.runs[record.runs.len() - 1]).contains(" 50 % of cap"));
    let drawn = html(&record, &SheetOptions::default());
    assert!(drawn.contains("id=\"load-1\"") || drawn.contains("load-1"), "a chart");
    assert!(drawn.contains("response p99") && drawn.contains("service p99"));
}

#[test]
fn with_a_pace_every_view_shows_response_times_by_name() {
    let mut record = sample::record();
    let of_test = record.runs.iter_mut().filter(|run| run.test == "T616");
    for run in of_test {
        let paced = varied(run.number, Variation::Traced, Pace::Rate { steps_per_second: 2_998.0 }, 80);
        (run.pace, run.response) = (paced.pace, paced.response);
    }
    let is_paced = |run: &&Run| run.test == "T616" && !model::is_invalid(run);
    let line = run_line(record.runs.iter().find(is_paced).unwrap());
    assert!(line.contains("response p99 80.0 ms") && line.chars().count() <= 80, "{line}");
    let sentences = results(&record);
    assert!(sentences.iter().any(|found| found.contains("T616") && found.contains("response time p99 80.0 ms")));
    let shown = ShortText { path: "r.jsonl", page: None, only_sheet: true, beside: None };
    let short = short_text(&record, &shown, Style::default(), 80);
    assert!(
        short.contains("response p99 80,000 µs") && short.contains("response: response time, from the intended start"),
        "{short}"
    );
    let details = text(&record, "r.jsonl", Style::default(), 80);
    assert!(details.contains("response time (from the intended start): p50 40.0 ms, p99 80.0 ms"), "{details}");
    let page = html(&record, &SheetOptions::default());
    assert!(page.contains("response p99 80,000 µs"), "card");
    assert!(page.contains("response time (from the intended start): p50 40.0 ms, p99 80.0 ms"), "sheet");
}

#[test]
fn the_sheet_holds_plain_runs_only() {
    let sheet = |record: &Record| {
        let shown = shown(record);
        let (_, sheet) = shown.split("\nResult class ").next().unwrap().split_once("\nSpec sheet ─").unwrap();
        sheet.to_owned()
    };
    let with_rates = sheet(&with(vec![share(40, 0.5, 4)]));
    let without = sheet(&sample::record());
    assert_eq!(with_rates, without);
    assert!(
        !shown(&sample::record()).contains("Latency over rate") && !shown(&sample::record()).contains("Think time")
    );
}

/// The record of a whole search on a platform whose limit is `limit` steps per second.
fn whole_search(limit: f64) -> Record {
    let mut record = with(Vec::new());
    record.plan.until = Some(Until { level: "p99=5ms".to_owned(), arrival: Arrival::Poisson, tolerance: Ratio(0.1) });
    let mut search = RateSearch::new(2_998.0, 0.1, record.plan.seed);
    while let Some((rate, _)) = search.next() {
        let kept = rate <= limit;
        let pace = Pace::Poisson { steps_per_second: rate };
        let number = 40 + search.visits().len() as u32;
        let variation = Variation::Paced { pace, one_thread_per_core: false };
        let mut run = varied(number, variation, pace, if kept { 4 } else { 40 });
        let verdict = if kept { Verdict::Pass } else { Verdict::Warn };
        run.findings = vec![finding(Check::Bound, verdict)];
        search.record(Visit { rate, kept: Some(kept), is_disturbed: false });
        record.runs.push(run);
    }
    record
}

#[test]
fn a_search_tells_its_interval_how_it_was_made_and_what_confirms_it() {
    let record = whole_search(1_000.0);
    let page = shown(&record);
    let answer = part(&page, "Highest rate within the service level");
    for words in [
        "steps/s most runs meet p99=5ms, and near it about half of them; 95 % interval for a repeat",
        "within the requested 10 % on both sides",
        "logistic regression on the logarithm of the rate, profile likelihood",
        "p99=5ms is missed at 10 % above",
        "3 of 3 runs miss it (p99 40.0 ms)",
        " runs at a target rate",
    ] {
        assert!(answer.contains(words), "{words}: {answer}");
    }
    assert!(html(&record, &SheetOptions::default()).contains("is missed at 10 % above"));
}

#[test]
fn a_search_of_few_runs_tells_what_was_tried() {
    let runs = [(100.0, true), (200.0, false), (200.0, false), (150.0, true), (150.0, true)];
    let runs = runs.into_iter().zip(40..).map(|((rate, kept), number)| {
        let pace = Pace::Poisson { steps_per_second: rate };
        let variation = Variation::Paced { pace, one_thread_per_core: false };
        let mut run = varied(number, variation, pace, if kept { 4 } else { 40 });
        let verdict = if kept { Verdict::Pass } else { Verdict::Warn };
        run.findings = vec![finding(Check::Bound, verdict)];
        run
    });
    let record = search(runs.collect(), "p99=5ms");
    let page = shown(&record);
    let answer = part(&page, "Highest rate within the service level");
    for words in [
        "150.0 steps/s meet p99=5ms, 200.0 miss it, near",
        "not confirmed; 95 % interval for a repeat from at most 100.0",
        "response time, 5 runs at a target rate",
        "in 5 of them fewer than ten values were expected beyond p99",
        "199.9 20.0 ms - missed",
    ] {
        assert!(answer.contains(words), "{words}: {answer}");
    }
    assert!(!answer.contains("varied during"), "its runs agree: {answer}");
    let planned = plan(&record.plan, 80);
    assert!(planned.contains("not known") && planned.contains("p99=5ms"), "{planned}");
}

#[test]
fn think_time_shows_what_of_the_processors_is_used_and_what_half_busy_hides() {
    let runs = vec![thinking(40, 20, false, 50), thinking(41, 0, true, 50), thinking(42, 20, true, 25)];
    let mut record = with(runs);
    let threads = f64::from(record.host.cpu.threads);
    let page = shown(&record);
    let think = part(&page, "Think time");
    assert!(think.starts_with("T616 at J4 OLTP select"), "{think}");
    assert!(think.contains(&format!("40 20.0 ms all 2.00 ms 4.00 ms 1.000 k {:.2} (50 %)", threads / 2.0)), "{think}");
    assert!(think.contains("42 20.0 ms one per core"), "{think}");
    assert!(
        think.contains("1.25 times the rate of one per core: at 50 % busy, with cores filled first, 80 %"),
        "{think}"
    );
    let drawn = html(&record, &SheetOptions::default());
    assert!(drawn.contains("one per core") && drawn.contains("capacity used"));
    record.runs.retain(|run| !matches!(run.variation, Some(Variation::Paced { one_thread_per_core: true, .. })));
    assert!(!shown(&record).contains("times the rate of one per core"));
}

#[test]
fn a_rate_that_is_not_kept_is_an_answer_and_spoils_nothing() {
    let invalid = |page: &str| part(page, "Result class").contains("are invalid");
    let mut record = with(vec![Run { findings: vec![backlog(Verdict::Fail, 12)], ..share(40, 0.9, 80) }]);
    record.runs.retain(|run| !["T441", "T721"].contains(&run.test.as_str()));
    let page = shown(&record);
    assert!(!invalid(&page) && !part(&page, "Warnings ").contains("not started"), "{page}");
    let rates = part(&page, "Latency over rate");
    assert!(rates.contains("40 90 % 2.698 k 2.698 k rate missed"), "{page}");
    assert!(rates.contains("run 40, 90 % of capacity: 12 steps not started"), "below the table: {page}");
    record.runs.last_mut().unwrap().findings = vec![steal(Verdict::Fail, 40.0)];
    assert!(invalid(&shown(&record)));
    assert!(part(&shown(&record), "Latency over rate").contains("40 90 % 2.698 k 2.698 k invalid"));
}

/// A run of a search at this rate; its steps fall short of it where `done` is less.
fn searched(number: u32, rate: f64, done: f64, found: (Check, Verdict)) -> Run {
    let pace = Pace::Poisson { steps_per_second: rate };
    let mut run = varied(number, Variation::Paced { pace, one_thread_per_core: false }, pace, 4);
    run.totals.steps = (done * run.window_ns.seconds()) as u64;
    run.findings = vec![finding(Check::Bound, Verdict::Pass), finding(found.0, found.1)];
    run
}

fn search(runs: Vec<Run>, level: &str) -> Record {
    let mut record = with(runs);
    record.plan.until = Some(Until { level: level.to_owned(), arrival: Arrival::Poisson, tolerance: Ratio(0.05) });
    record
}

#[test]
fn a_search_whose_runs_contradict_each_other_says_so() {
    let (kept, missed) = ((Check::Steal, Verdict::Pass), (Check::Backlog, Verdict::Warn));
    let runs = [(100.0, kept), (200.0, kept), (200.0, kept), (400.0, kept), (400.0, missed), (400.0, missed)];
    let text_of = runs.into_iter().zip(40..).map(|((rate, text_of), number)| searched(number, rate, rate, text_of));
    let answer = part(&shown(&search(text_of.collect(), "p99=5ms")), "Highest rate");
    let words = "met once and missed twice at 400.0/s: the capacity of the platform, or the random arrivals, varied \
                 during the search";
    assert!(answer.contains(words), "{answer}");
}

#[test]
fn a_missed_rate_is_not_a_missed_level() {
    let behind = searched(40, 400.0, 300.0, (Check::Backlog, Verdict::Warn));
    let mut left = searched(41, 800.0, 800.0, (Check::Backlog, Verdict::Fail));
    left.totals.unfinished = 7;
    let few = varied(42, behind.variation.unwrap(), behind.pace, 4);
    // Too few steps for a p99.
    let missed = finding(Check::Bound, Verdict::Warn);
    let response = Latency { count: 20, ..few.response.clone() }.printable();
    let few = Run { response, findings: vec![missed], ..few };
    let page = shown(&search(vec![behind, left, few], "p99=3ms"));
    let answer = part(&page, "Highest rate");
    assert!(page.lines().any(|line| line.ends_with("rate missed: 299.8 of 400.0")), "on one line: {page}");
    for words in ["rate missed: 299.8 of 400.0", "rate missed: 7 not started", "2.00 ms - missed"] {
        assert!(answer.contains(words), "{words}: {answer}");
    }
}

#[test]
fn the_line_of_a_run_at_a_share_has_all_of_the_share_beside_every_verdict() {
    for verdict in [Verdict::Pass, Verdict::Unknown, Verdict::Warn] {
        let line = run_line(&Run { findings: vec![steal(verdict, 12.0)], ..share(40, 0.2, 80) });
        assert!(line.contains(" 20 % of capacity ") && line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn no_verdict_is_a_warning_that_is_not_shown() {
    let mut record = with(vec![Run { findings: Vec::new(), ..share(40, 0.9, 80) }]);
    let warned = |record: &Record| {
        let page = shown(record);
        assert!(!part(&page, "Warnings ").contains("not started"), "{page}");
        let is_warned = |line: &&str| line.ends_with(" warning");
        page.lines().filter(|line| line.trim_start().starts_with("40 ")).filter(is_warned).count()
    };
    assert_eq!(warned(&record), 0);
    record.runs.last_mut().unwrap().findings = vec![backlog(Verdict::Warn, 12)];
    assert_eq!(warned(&record), 0);
    let rates = part(&shown(&record), "Latency over rate");
    assert!(
        rates.contains("rate missed") && rates.contains("run 40, 90 % of capacity: 12 steps not started"),
        "{rates}"
    );
    record.runs.last_mut().unwrap().findings.push(steal(Verdict::Warn, 12.0));
    assert_eq!(warned(&record), 1, "in the table of runs");
    assert!(part(&shown(&record), "Latency over rate").contains("warning, missed"));
}

#[test]
fn findings_of_a_perturbed_run_are_below_its_test_and_those_of_a_traced_repeat_are_warnings() {
    let late = backlog(Verdict::Warn, 12);
    let of = |variation| {
        let run = varied(40, variation, Pace::Poisson { steps_per_second: 2_398.0 }, 4);
        shown(&with(vec![Run { findings: vec![late.clone()], ..run }]))
    };
    let perturbed = of(Variation::Perturbed { resource: Resource::ArrivalRate, share: 0.8 });
    let limits = part(&perturbed, "Limits and ceilings");
    assert!(limits.contains("run 40, 80 % of arrival rate: 12 steps not started"), "{perturbed}");
    assert!(perturbed.contains("J4 80 % rate"), "told from a share of the capacity: {perturbed}");
    assert!(!part(&perturbed, "Warnings ").contains("not started"), "{perturbed}");
    assert!(part(&of(Variation::Traced), "Warnings ").contains("not started"), "it was not made to find that out");
}

#[test]
fn of_a_sweep_of_think_times_three_charts_are_drawn_with_a_line_for_each_use_of_threads() {
    let both = vec![thinking(40, 20, false, 50), thinking(41, 0, true, 50), thinking(42, 20, true, 25)];
    let lines = |record: &Record, chart: &str| {
        let page = html(record, &SheetOptions::default());
        let data = page.split_once(&format!("data-file=\"{chart}\"")).unwrap_or_else(|| panic!("no {chart}")).1;
        let data = data.split_once("<pre tabindex=\"0\">").unwrap().1.split_once("</pre>").unwrap().0;
        data.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let record = with(both.clone());
    let rates = lines(&record, "think-rate-1");
    assert_eq!(rates[0], "series,think time [ns],value,low,high,measure,note");
    let drawn = rates[1..].iter().map(|line| line.split(',').collect::<Vec<_>>());
    let drawn = drawn.map(|cells| (cells[0].to_owned(), cells[1].to_owned(), cells[2].parse::<f64>().unwrap().round()));
    let expected = |threads: &str, think: &str, rate: f64| (threads.to_owned(), think.to_owned(), rate);
    let (all, one) = ("all hardware threads", "one thread per core");
    assert_eq!(
        drawn.collect::<Vec<_>>(),
        [
            expected(all, "0", 2_998.0),
            expected(all, "20000000", 1_000.0),
            expected(one, "0", 2_398.0),
            expected(one, "20000000", 1_000.0)
        ]
    );
    assert!(rates[2].ends_with(",transactions per second,run 40"), "{rates:?}");
    let response = lines(&record, "think-response-1");
    assert!(
        response.iter().any(|line| line.contains("mean, one thread per core&quot;,20000000,2000000,")),
        "{response:?}"
    );
    let used = lines(&record, "think-processors-1");
    assert!(used.iter().any(|line| line.starts_with("all hardware threads,20000000,")), "{used:?}");
    let one = with(both[..1].to_vec());
    assert!(lines(&one, "think-rate-1").iter().all(|line| !line.starts_with("one thread per core")));
}

#[test]
fn of_repeats_the_median_is_drawn() {
    let repeat = |number: u32, transactions: u64| {
        let mut run = thinking(number, 20, false, 50);
        run.totals.transactions = transactions;
        run
    };
    let record = with(vec![repeat(40, 3_000), repeat(41, 9_000), repeat(42, 6_000)]);
    let page = html(&record, &SheetOptions::default());
    let line =
        page.lines().find(|line| line.contains("all hardware threads,20000000,") && line.contains("transactions"));
    assert!(line.is_some_and(|line| line.contains("run 42, the median of 3")), "{line:?}");
}

#[test]
fn what_was_asked_of_a_share_of_the_capacity_is_in_the_lines_for_a_spreadsheet() {
    let record = with(vec![share(40, 0.5, 4)]);
    let table = dbdyno_report::csv(&record);
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let heads = reader.headers().unwrap().clone();
    let cells = ["variation", "variation_ratio", "target_steps_per_second"].map(|name| {
        let column = heads.iter().position(|head| head == name).unwrap();
        move |line: &csv::StringRecord| line[column].to_owned()
    });
    let mut lines = reader.records().map(Result::unwrap);
    assert!(
        lines.any(|line| cells.each_ref().map(|cell| cell(&line)) == ["share_of_capacity", "0.5", "1499"]),
        "{table}"
    );
}
