//! The spec sheet and its parts.

use dbdyno_report::{ShortText, Style, plan, run_line, short_text};
use record::{
    Latency, LocalRoundTrip, LocalRoundTrips, LocalTransport, Location, Nanos, Outcome, Placement, Plan, Preset,
    Record, RoundTripWaiting, Run, Second, Status, SteadyVerdict, Verdict,
};

use crate::drawn::text;
use crate::finding_sample::steady;
use crate::sample;

const PLACE: &str = "dbdyno-20260131-120000-db1.jsonl";

fn plain(record: &Record, width: usize) -> String {
    text(record, PLACE, Style::default(), width)
}

#[test]
fn the_sheet_at_80_columns() {
    insta::assert_snapshot!(plain(&sample::record(), 80));
}

#[test]
fn the_sheet_at_120_columns() {
    insta::assert_snapshot!(plain(&sample::record(), 120));
}

#[test]
fn the_sheet_of_probes_alone_that_was_aborted() {
    let mut record = sample::record();
    record.runs.retain(|run| run.test == "C11");
    record.engine = None;
    record.data_sets.clear();
    record.tool.optimised = false;
    (record.status, record.ended_at, record.reason) = (Status::Interrupted, None, Some("by Ctrl-C".to_owned()));
    insta::assert_snapshot!(plain(&record, 80));
}

#[test]
fn half_an_hour_has_its_worst_minute_and_less_is_too_short_to_see_credits() {
    const TOO_SHORT: &str = "are too short to see credits of disks and processors";
    let mut record = sample::record();
    assert!(plain(&record, 120).contains(TOO_SHORT));
    let smoke = Record { plan: Plan { preset: Preset::Smoke, ..record.plan.clone() }, ..record.clone() };
    assert!(!plain(&smoke, 120).contains(TOO_SHORT));
    // Credits for 20 minutes at ten times the rate that lasts.
    let second = |at: u64| Second { operations: if at < 1_200 { 3_000 } else { 300 }, ..Second::default() };
    record.runs.retain(|run| run.test == "T611");
    let run = &mut record.runs[0];
    (run.window_ns, run.seconds) = (Nanos(1_800 * Nanos::SECOND.0), (0..1_800).map(second).collect());
    let sheet = plain(&record, 120);
    assert!(sheet.contains("Rates by minute") && !sheet.contains(TOO_SHORT), "{sheet}");
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
    let row = ["3.000", "k", "3.000", "k", "300.0", "21"];
    assert!(sheet.lines().any(|line| words(line).windows(6).any(|six| six == row)), "{sheet}");
}

#[test]
fn a_record_without_runs_says_so() {
    let record = Record { runs: Vec::new(), status: Status::Running, ..sample::record() };
    let sheet = plain(&record, 80);
    assert!(sheet.contains("no run is finished\n"), "{sheet}");
    assert!(sheet.contains("unfinished after 0 of 39 runs"), "{sheet}");
    assert!(sheet.contains("dbdyno run --target local:example --resume \\\n"), "{sheet}");
    assert!(!sheet.contains("RUNS"), "{sheet}");
}

#[test]
fn a_page_is_never_narrower_than_60_columns_nor_wider_than_asked() {
    let record = sample::record();
    assert_eq!(plain(&record, 20), plain(&record, 60));
    for width in [60, 72, 80, 81, 97, 120, 4000] {
        let sheet = plain(&record, width);
        // A command is for copying and never broken.
        let lines = sheet.lines().filter(|line| !line.contains("  dbdyno report "));
        let longest = lines.map(|line| line.chars().count()).max().unwrap();
        assert!(longest <= width && longest > width.min(78) - 8, "{longest} columns of {width}");
    }
}

#[test]
fn on_a_narrow_page_no_figure_is_lost() {
    let record = sample::record();
    let figures = |width| {
        let sheet = plain(&record, width);
        let words: Vec<String> = sheet.split_whitespace().map(str::to_owned).collect();
        let mut figures: Vec<String> =
            words.into_iter().filter(|word| word.contains('.') && word.parse::<f64>().is_ok()).collect();
        figures.sort();
        figures
    };
    assert_eq!(figures(60), figures(80));
}

#[test]
fn colour_is_there_only_where_it_is_wanted_and_changes_no_letter() {
    let record = sample::record();
    assert!(!plain(&record, 80).contains('\u{1b}'));
    let coloured = text(&record, PLACE, Style { colour: true, ascii: false }, 80);
    let (bold, yellow, red) = ("\u{1b}[1m", "\u{1b}[33m", "\u{1b}[31m");
    assert!(coloured.contains(bold) && coloured.contains(yellow) && coloured.contains(red));
    let mut stripped = String::new();
    for piece in coloured.split('\u{1b}') {
        stripped.push_str(if stripped.is_empty() && coloured.starts_with(piece) {
            piece
        } else {
            piece.split_once('m').map_or(piece, |(_, rest)| rest)
        });
    }
    assert_eq!(stripped, plain(&record, 80));
}

#[test]
fn a_device_without_other_letters_gets_ascii() {
    let sheet = text(&sample::record(), PLACE, Style { colour: false, ascii: true }, 80);
    assert!(sheet.is_ascii());
    assert!(sheet.contains(" us"));
}

#[test]
fn an_invalid_run_has_no_figures_and_is_never_the_best() {
    let record = sample::record();
    let sheet = plain(&record, 80);
    // T721 at four jobs would be the fastest: 250 a second.
    let run = record.runs.iter().find(|run| run.test == "T721" && run.dop.jobs == 4).unwrap();
    let begin = format!("{} T721", run.number);
    let single_spaced = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = sheet.lines().map(single_spaced).filter(|line| line.starts_with(&begin)).collect();
    assert_eq!(lines, [format!("{begin} J4 tx invalid")]);
    let entry = sheet.lines().find(|line| line.ends_with(" T721")).unwrap();
    assert!(entry.contains("179.9"), "{entry}");
}

#[test]
fn the_time_of_a_fibonacci_number_that_was_not_run_is_an_estimate() {
    let mut record = sample::record();
    assert!(plain(&record, 80).contains("ESTIMATE"));
    for run in &mut record.runs {
        run.parameters.insert("n".to_owned(), 39);
    }
    assert!(plain(&record, 80).contains("n = 39 in 41.0 s"));
    assert!(!plain(&record, 80).contains("ESTIMATE"));
}

#[test]
fn a_run_in_one_line() {
    let mut record = sample::record();
    record.runs[0].outcome = Outcome::Failed {
        message: "the process was killed\nby the kernel, which was out of memory and said so at length".to_owned(),
    };
    let lines: Vec<String> = record.runs.iter().map(run_line).collect();
    assert!(lines.iter().all(|line| line.chars().count() <= 80));
    insta::assert_snapshot!(lines.join("\n"));
}

/// The sample with `count` runs of T611 at one job, each a hundredth faster than the one before.
fn repeated(count: u64) -> Record {
    let mut record = sample::record();
    let run = record.runs.iter().find(|run| run.test == "T611").unwrap().clone();
    record.runs.retain(|run| run.test != "T611");
    for repeat in 0..count {
        let mut run = Run { number: 1000 + repeat as u32, ..run.clone() };
        run.totals.operations += run.totals.operations / 100 * repeat;
        record.runs.push(run);
    }
    record
}

#[test]
fn repeats_have_an_interval_from_six_on() {
    let words = |count| plain(&repeated(count), 80).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words(6).contains("6 repeats, 95 % interval 29.98 k to 31.48 k"), "{}", words(6));
    assert!(words(3).contains("3 repeats; an interval needs 6"), "{}", words(3));
    assert!(!words(1).contains("repeats;") && words(1).contains("one run per test: repeatability unknown"));
    assert!(words(6).contains("tests without a note on repeats: one run"));
}

#[test]
fn whether_a_long_run_was_steady_is_said() {
    let mut record = sample::record();
    assert!(!plain(&record, 80).contains("\nSteadiness "), "no run is long enough");
    let expected = [
        steady(Verdict::Pass, SteadyVerdict::Steady, 0),
        steady(Verdict::Pass, SteadyVerdict::WarmupCut, 120),
        steady(Verdict::Warn, SteadyVerdict::Drifting, 0),
    ];
    record.runs.iter_mut().zip(expected).for_each(|(run, finding)| run.findings.push(finding));
    let sheet = plain(&record, 80);
    let section = sheet.split("\nSteadiness ─").nth(1).unwrap().trim_start_matches('─').split("──").next().unwrap();
    let section = section.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(section.contains("Of 3 runs that are long enough: 1 STEADY, 1 WARMUP-CUT, 1 DRIFTING"), "{section}");
    assert!(section.contains("C11; J2; WARMUP-CUT; second 121 to 300;"), "{section}");
    assert!(section.contains("C11; J4; DRIFTING; "), "{section}");
    assert!(section.contains("; the rate falls by 12 %"), "{section}");
    assert!(!section.contains("C11; J1"), "a steady run is only counted\n{section}");
    let line = run_line(&record.runs[1]);
    assert!(line.ends_with("WARMUP-CUT") && line.chars().count() <= 80, "{line}");
}

/// The sample with the single jobs of `tests` a tenth as fast.
fn slow_alone(tests: &[&str]) -> Record {
    let mut record = sample::record();
    record.plan.placement = Placement::Kernel;
    let alone = |run: &&mut Run| tests.contains(&&*run.test) && run.dop.jobs == 1;
    record.runs.iter_mut().filter(alone).for_each(|run| run.totals.operations /= 10);
    record
}

#[test]
fn a_leap_is_laid_to_client_and_server_only_where_there_are_both() {
    let expected = |record: &Record, test: &str| {
        let words = plain(record, 4000).split_whitespace().collect::<Vec<_>>().join(" ");
        let expected =
            words.split(" warning; ").find(|doubt| doubt.starts_with(test) && doubt.contains("the rate of one"));
        expected.unwrap().to_owned()
    };
    let mut record = slow_alone(&["C11", "T611"]);
    record.engine.as_mut().unwrap().location = Location::UnixSocket;
    let apart = "the kernel may have put client and server on different processors, see --placement paired";
    assert!(expected(&record, "T611").contains(apart), "{}", expected(&record, "T611"));
    let alone = "the rate of one: something else slowed the single job down; repeat";
    assert!(expected(&record, "C11").contains(alone), "{}", expected(&record, "C11"));
    record.engine.as_mut().unwrap().location = Location::InProcess;
    assert!(expected(&record, "T611").contains(alone), "{}", expected(&record, "T611"));
    record.engine.as_mut().unwrap().sessions_share_file_lock = true;
    let of_file =
        "share the lock of the file, which a single one takes and releases in each transaction, and several rarely";
    assert!(expected(&record, "T611").contains(of_file), "{}", expected(&record, "T611"));
    assert!(expected(&record, "C11").contains(alone), "a probe has no file: {}", expected(&record, "C11"));
}

/// The short text in one line.
fn short(record: &Record) -> String {
    let shown = ShortText { path: PLACE, page: None, only_sheet: false, beside: None };
    short_text(record, &shown, Style::default(), 200).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The sample with a tenth of the rate of the single job of T611, whose steps are a round trip to a server on this host, and
/// the round trips between two threads of it.
fn woken(idle_share: f64) -> Record {
    let mut record = slow_alone(&["T611"]);
    record.engine.as_mut().unwrap().location = Location::UnixSocket;
    let single = record.runs.iter_mut().find(|run| run.test == "T611" && run.dop.jobs == 1).unwrap();
    let step_ns = single.service.p50_ns.0;
    let trips = single.service.count;
    let last = single.readings.len() - 1;
    for (reading, count) in [(0, 0), (last, trips)] {
        single.readings[reading].values.insert(record::name::CLIENT_ROUND_TRIP_COUNT.to_owned(), count);
    }
    let case = |waiting, share: f64| LocalRoundTrip {
        transport: LocalTransport::UnixSocket,
        waiting,
        cpus: vec![0, 1],
        latency: Latency { count: 1_000, p50_ns: Nanos((step_ns as f64 * share) as u64), ..Latency::default() },
    };
    let cases = vec![case(RoundTripWaiting::Idle, idle_share), case(RoundTripWaiting::Busy, 0.05)];
    record.local_round_trips = Some(LocalRoundTrips { processors: 8, cases });
    record
}

#[test]
fn a_gain_of_wake_ups_is_said_and_is_no_warning() {
    let record = woken(0.95);
    let all = plain(&record, 4000).split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [&all, &short(&record)] {
        let told = "T611 J1: wake-ups of idle processors, ";
        assert!(text.contains(told) || text.contains("T611 J1 wake-ups of idle processors, "), "{text}");
        assert!(text.contains("times that without wake-ups, which busy processors do not need (to measure one without them: --placement paired)"), "{text}");
        assert!(!text.contains("gain beyond the added jobs") && !text.contains("times the rate of one: "), "{text}");
    }
    assert!(all.contains("wake-ups median of a round trip between two threads: Unix socket "), "{all}");
    let old = Record { local_round_trips: None, ..woken(0.95) };
    assert!(short(&old).contains("a gain beyond the added jobs: T611"), "{}", short(&old));
    let little = woken(0.2);
    assert!(short(&little).contains("a gain beyond the added jobs: T611"), "{}", short(&little));
}

#[test]
fn a_share_above_the_ceiling_has_a_word_beside_it() {
    let mut record = sample::record();
    let words = |record: &Record| plain(record, 80).split_whitespace().collect::<Vec<_>>().join(" ");
    let no_bound = "above 100 %: C11 is not an upper bound of the test in this record";
    assert!(!words(&record).contains(no_bound));
    record.runs.iter_mut().filter(|run| run.test == "T131").for_each(|run| run.totals.operations *= 60);
    assert!(words(&record).contains(no_bound), "{}", words(&record));
}

#[test]
fn a_plan_in_words() {
    insta::assert_snapshot!(plan(&sample::record().plan, 120));
}

#[test]
fn a_name_that_a_shell_would_take_apart_is_quoted() {
    let sheet = text(&sample::record(), "/my records/it's.json", Style::default(), 80);
    assert!(sheet.contains(r"dbdyno report '/my records/it'\''s.json' --format csv"), "{sheet}");
}

#[test]
fn a_connection_over_tcp_says_whether_it_was_encrypted() {
    let words = |location, encryption: Option<&str>| {
        let mut record = sample::record();
        let engine = record.engine.as_mut().unwrap();
        (engine.location, engine.encryption) = (location, encryption.map(str::to_owned));
        plain(&record, 200).split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert!(words(Location::Remote, None).contains("remote, not encrypted"));
    assert!(words(Location::LocalTcp, Some("TLS 1.3")).contains("local over TCP, TLS 1.3"));
    assert!(!words(Location::UnixSocket, None).contains("encrypted"), "it leaves no host");
}
