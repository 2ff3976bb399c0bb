//! Figures by hand.

use record::{
    Activity, LayerLatency, Location, MeasuringPoint, Nanos, OperationClass, Ratio, Record, Run, SampledWait, Trace,
    TracerKind, WaitClass, name,
};

use super::*;
use crate::fixture::{counted, record, run};

const SECOND: u64 = 1_000_000_000;

fn wait(class: WaitClass, event: &str, session_count: u64) -> SampledWait {
    SampledWait { class, event: event.to_owned(), session_count }
}

/// A hundred samples in ten seconds.
fn sampled(run: Run, waits: Vec<SampledWait>) -> Run {
    let activity = Activity {
        period_ns: Nanos(100_000_000),
        sample_count: 100,
        observed_ns: Nanos(10 * SECOND),
        cost_ns: Nanos(SECOND / 10),
        waits,
    };
    Run { activity: Some(activity), ..run }
}

/// Ten seconds of four jobs: 2.5 sessions at work, 12 s waiting for the log, 3 s for locks.
fn busy() -> Run {
    let run = counted(
        run("T716", 4),
        &[
            (name::DATABASE_TIME_NS, 25 * SECOND + SECOND / 10),
            (name::SERVER_CPU_NS, 8 * SECOND),
            (name::COMMIT_COUNT, 10_050),
            (name::BOOKKEEPING_COMMIT_COUNT, 50),
            (name::ROLLBACK_COUNT, 0),
            (name::REDO_WRITE_BYTES, 20_000_000),
            (name::REDO_SYNC_COUNT, 4_000),
            (name::LOGICAL_READ_COUNT, 500_000),
            ("engine_wait_wal_sync_ns", 12 * SECOND),
            ("engine_wait_wal_sync_count", 4_000),
            ("engine_wait_data_write_ns", SECOND),
            ("engine_wait_data_write_count", 100),
            ("engine_checkpoint_count", 1),
            ("engine_checkpoint_block_count", 900),
        ],
    );
    let waits = vec![
        wait(WaitClass::Cpu, "", 60),
        wait(WaitClass::Commit, "wal_sync", 100),
        wait(WaitClass::Application, "Lock:transactionid", 30),
        wait(WaitClass::Idle, "Activity:x", 999),
    ];
    sampled(run, waits)
}

fn placed(run: Run, location: Location) -> (Record, Run) {
    let mut record = record(vec![run.clone()]);
    record.engine.as_mut().unwrap().location = location;
    record.host.cpu.threads = 2;
    (record, run)
}

fn of(run: Run) -> DatabaseActivity {
    let (record, run) = placed(run, Location::UnixSocket);
    database_activity(&record, &run).unwrap()
}

#[test]
fn active_sessions_are_database_time_over_elapsed_time() {
    let found = of(busy());
    let time = found.database_time.unwrap();
    assert_eq!((time.total_ns, time.method), (25e9, ActivityMethod::Timed), "less the cost of sampling");
    let load = found.sessions;
    assert_eq!((load.average, load.sampled), (Some(2.5), Some(1.9)));
    assert_eq!((load.coverage, load.found), (Some(Ratio(0.76)), Some(190)), "19 s of 25 s");
    assert_eq!((load.processors, load.sample_count, load.period_ns), (Some(2), Some(100), Some(Nanos(SECOND / 10))));
}

#[test]
fn events_are_shares_of_database_time_and_the_rest_is_the_remainder() {
    let found = of(busy());
    let lines: Vec<_> = found
        .events
        .iter()
        .map(|line| (&*line.event, line.class, line.total_ns, line.of_database_time.unwrap().0))
        .collect();
    assert_eq!(
        lines,
        [
            ("wal sync", WaitClass::Commit, 12e9, 0.48),
            ("CPU or not instrumented", WaitClass::Cpu, 10e9, 0.4),
            ("Lock:transactionid", WaitClass::Application, 3e9, 0.12),
        ]
    );
    assert_eq!((found.events[0].count, found.events[0].mean_ns), (Some(4_000), Some(3e6)));
    assert_eq!(found.events[0].method, ActivityMethod::Timed);
    assert_eq!(found.events[2].method, ActivityMethod::Sampled { period_ns: Nanos(SECOND / 10) });
    let background: Vec<&str> = found.background.iter().map(|line| &*line.event).collect();
    assert_eq!(background, ["data write"], "the checkpointer is no session of a user");
    let classes: Vec<_> = found.classes.iter().map(|line| (line.class, line.average_sessions.unwrap())).collect();
    assert_eq!(classes, [(WaitClass::Commit, 1.2), (WaitClass::Cpu, 1.0), (WaitClass::Application, 0.3)]);
    assert!((found.events.iter().map(|line| line.of_database_time.unwrap().0).sum::<f64>() - 1.0).abs() < 1e-9);
}

#[test]
fn samples_are_compared_with_the_times_of_the_engine() {
    let found = of(busy());
    let [calibration] = &found.calibrations[..] else { panic!("{:?}", found.calibrations) };
    assert_eq!((&*calibration.event, calibration.timed_ns, calibration.sampled_ns), ("wal sync", 12e9, 10e9));
    assert_eq!(calibration.factor, Some(1.2));
}

#[test]
fn figures_are_per_second_and_per_transaction() {
    let found = of(busy());
    assert_eq!(found.transactions, Some(10_000), "without those of the bookkeeping");
    let line = |name: &str| found.profile.iter().find(|line| line.name == name).unwrap();
    assert_eq!((line("DB time").per_second, line("DB time").per_transaction), (Some(2.5e9), Some(2.5e6)));
    assert_eq!((line("DB CPU").per_second, line("Redo size").per_transaction), (Some(0.8e9), Some(2_000.0)));
    assert_eq!((line("Logical reads").per_second, line("Commits").per_second), (Some(50_000.0), Some(1_000.0)));
    let missing = line("Physical read");
    assert_eq!((missing.total, missing.per_second), (None, None));
    assert_eq!(missing.reason, Some(NoSource::NotCounted), "a line without a source has a reason");
    let log = &found.log;
    assert_eq!((log.bytes_per_sync, log.commits_per_sync), (Some(5_000.0), Some(2.5)));
    assert_eq!(found.checkpoints, Some(Checkpoints { count: 1, blocks: Some(900) }));
}

#[test]
fn without_a_counter_database_time_is_sampled() {
    let waits = vec![wait(WaitClass::Cpu, "", 60), wait(WaitClass::Application, "row_lock_wait", 40)];
    let found = of(sampled(run("T716", 4), waits));
    let time = found.database_time.unwrap();
    assert_eq!((time.total_ns, found.sessions.average, found.sessions.coverage), (10e9, Some(1.0), None));
    let lines: Vec<_> = found.events.iter().map(|line| (&*line.event, line.total_ns)).collect();
    assert_eq!(lines, [("CPU or not instrumented", 6e9), ("row lock wait", 4e9)]);
    assert!(found.not_known.iter().any(|it| it.what == "database time by the engine"));
}

#[test]
fn of_an_engine_in_this_process_its_calls_are_database_time() {
    let timed = [
        ("engine_wait_log_sync_ns", 4 * SECOND),
        ("engine_wait_log_sync_count", 400),
        (name::CLIENT_CPU_NS, 3 * SECOND),
    ];
    let (record, run) = placed(counted(run("T716", 1), &timed), Location::InProcess);
    let found = database_activity(&record, &run).unwrap();
    // 10 000 calls of a millisecond.
    let time = found.database_time.unwrap();
    assert_eq!((time.total_ns, time.method), (10e9, ActivityMethod::Called));
    let lines: Vec<_> = found.events.iter().map(|line| (&*line.event, line.total_ns, line.mean_ns)).collect();
    assert_eq!(lines, [("CPU or not instrumented", 6e9, None), ("log sync", 4e9, Some(1e7))]);
    assert_eq!(found.profile[1].per_second, Some(0.3e9), "its processor time is that of dbdyno");
}

#[test]
fn waits_of_more_than_database_time_leave_no_rest() {
    let mut run = busy();
    let last = run.readings.len() - 1;
    run.readings[last].values.insert("engine_wait_wal_sync_ns".to_owned(), 1_000 + 40 * SECOND);
    let found = of(run);
    assert!(found.events.iter().all(|line| line.method != ActivityMethod::Rest));
    assert!(found.not_known.iter().any(|it| it.reason == NoSource::WaitsExceedDatabaseTime));
    assert_eq!(found.events[0].of_database_time, Some(Ratio(1.6)));
}

#[test]
fn histograms_of_a_traced_repeat_are_shown_with_its_plain_run() {
    let latency = crate::distribution::tests::stored(&[1_500, 70_000, 70_000]);
    let seen = LayerLatency {
        point: MeasuringPoint::SystemCall,
        class: OperationClass::Sync,
        name: "fdatasync".to_owned(),
        bytes: None,
        latency,
    };
    let trace = Trace {
        tracer: TracerKind::Bpf,
        unavailable: Vec::new(),
        missing: Vec::new(),
        lost_count: 0,
        latencies: vec![seen],
    };
    let repeat = Run { variation: Some(Variation::Traced), trace: Some(Box::new(trace)), ..run("T716", 4) };
    let record = record(vec![run("T716", 4), run("T716", 2), repeat]);
    let subjects = |index: usize| -> Vec<(HistogramSubject, u64)> {
        let found = database_activity(&record, &record.runs[index]).unwrap().histograms;
        found.into_iter().map(|histogram| (histogram.subject, histogram.count)).collect()
    };
    let traced =
        |run| HistogramSubject::Traced { run, point: MeasuringPoint::SystemCall, name: "fdatasync".to_owned() };
    assert_eq!(subjects(0), [(traced(Some(3)), 3)]);
    assert_eq!(subjects(1), [], "another degree of parallelism");
    assert_eq!(subjects(2), [(traced(None), 3)]);
}

#[test]
fn a_wait_timed_in_too_coarse_units_is_replaced_by_samples() {
    let timed = |time, count| [("engine_row_lock_wait_time_ns", time), ("engine_row_lock_wait_count", count)];
    let run_of = |time: u64, count: u64| {
        let mut run = counted(run("T716", 8), &timed(time, count));
        // The counter stands at whole milliseconds.
        run.readings.iter_mut().for_each(|reading| {
            let value = reading.values.get_mut("engine_row_lock_wait_time_ns").unwrap();
            *value -= 1_000;
        });
        sampled(run, vec![wait(WaitClass::Cpu, "", 100), wait(WaitClass::Application, "row_lock_wait", 600)])
    };
    // 20 000 waits of a quarter of a millisecond, by the counter.
    let short = of(run_of(5 * SECOND, 20_000));
    let line = short.events.iter().find(|line| line.event == "row lock wait").unwrap();
    assert_eq!((line.total_ns, line.method), (60e9, ActivityMethod::Sampled { period_ns: Nanos(SECOND / 10) }));
    assert_eq!((line.count, line.mean_ns), (Some(20_000), Some(3e6)), "the count is that of the engine");
    let coarse = NoSource::CoarseClock { event: "row lock wait".to_owned(), is_sampled: true };
    assert!(short.not_known.iter().any(|it| it.reason == coarse));
    assert_eq!(short.calibrations[0].factor, Some(5.0 / 60.0), "the two stand side by side");
    let long = of(run_of(5 * SECOND, 50));
    let line = long.events.iter().find(|line| line.event == "row lock wait").unwrap();
    assert_eq!((line.total_ns, line.method), (5e9, ActivityMethod::Timed), "a tenth of a second each");
}

#[test]
fn a_mean_time_is_one_of_the_requests_that_were_timed() {
    let reads = |changes: bool, time: u64| {
        let deltas = [(name::PHYSICAL_READ_COUNT, 1_000), ("engine_wait_data_read_ns", time)];
        let found = of(Run { changes, ..counted(run("T626", 1), &deltas) });
        let line = found.io.iter().find(|line| line.kind == "data read").unwrap();
        (line.count, line.mean_ns, found.not_known.iter().any(|it| it.what == "the mean time of I/O"))
    };
    assert_eq!(reads(false, SECOND), (Some(1_000), Some(1e6), false));
    assert_eq!(reads(true, SECOND), (Some(1_000), None, true), "blocks by which files grow may be among them");
    assert_eq!(reads(true, 0), (Some(1_000), None, true), "never 0 ns");
}

#[test]
fn every_figure_of_the_views_is_exported() {
    let found = of(busy());
    let figures = activity_figures(&found);
    let one = |section: &str, name: &str, figure: &str| {
        let is_it = |it: &&ActivityFigure| {
            (it.section.word(), &it.name, it.figure) == (section, &FigureName::Name(name.to_owned()), figure)
        };
        let all: Vec<&ActivityFigure> = figures.iter().filter(is_it).collect();
        let [one] = all[..] else { panic!("{section} {name} {figure}: {all:?}") };
        one
    };
    let time = one("load_profile", "DB time", "total");
    assert_eq!((time.value, time.per_second, time.per_transaction), (Some(25e9), Some(2.5e9), Some(2.5e6)));
    assert_eq!((time.method, time.unit.word()), (Some("timed"), "ns"));
    let wait = one("event", "wal sync", "time");
    assert_eq!((wait.class, wait.share, wait.per_second), (Some("commit"), Some(Ratio(0.48)), Some(1.2e9)));
    assert_eq!(one("event", "wal sync", "waits").value, Some(4_000.0));
    assert_eq!(one("event", "CPU or not instrumented", "time").method, Some("rest"));
    assert_eq!(one("other_wait", "data write", "mean time").value, Some(1e7));
    assert_eq!(one("wait_class", "commit", "average sessions").value, Some(1.2));
    assert_eq!(one("sample", "wal sync", "timed over sampled").value, Some(1.2));
    assert_eq!(one("log", "log", "bytes").per_transaction, Some(2_000.0));
    assert_eq!(one("checkpoint", "checkpoints", "blocks").value, Some(900.0));
    assert_eq!(one("sessions", "samples", "coverage of database time").value, Some(0.76));
    let missing = one("load_profile", "Physical read", "total");
    assert!(missing.value.is_none() && missing.reason.is_some(), "{missing:?}");
    assert!(figures.iter().all(|it| it.value.is_some() || it.reason.is_some()), "each figure has a value or a reason");
}

#[test]
fn figures_without_a_source_are_absent() {
    let found = of(run("T611", 1));
    assert_eq!((found.database_time, found.sessions.average, found.sessions.sampled), (None, None, None));
    assert!(found.events.is_empty() && found.classes.is_empty() && found.calibrations.is_empty());
    assert!(found.profile.iter().all(|line| line.total != Some(0.0)));
    for what in ["timed events", "sampled sessions", "database time by the engine", "checkpoints"] {
        assert!(found.not_known.iter().any(|it| it.what == what), "{what}");
    }
    let mut never = sampled(run("T611", 1), Vec::new());
    never.activity.as_mut().unwrap().sample_count = 0;
    let found = of(never);
    assert_eq!((found.sessions.sampled, found.sessions.sample_count), (None, Some(0)));
}

#[test]
fn runs_without_an_engine_have_no_activity_and_others_are_chosen() {
    let probe = run("C11", 1);
    let (record, _) = placed(probe.clone(), Location::UnixSocket);
    assert_eq!(database_activity(&record, &probe), None);
    let record = crate::fixture::record(vec![probe, run("T611", 1), run("T611", 2), run("T716", 1)]);
    let numbers = |choice: &str| -> Vec<u32> {
        activity_runs(&record, &ActivityChoice::parse(choice)).iter().map(|run| run.number).collect()
    };
    assert_eq!(numbers("t611"), [2, 3]);
    assert_eq!(numbers("4"), [4]);
    assert_eq!((numbers("1").len(), numbers("99").len(), numbers("T999").len()), (0, 0, 0));
    let best: Vec<u32> = activity_runs(&record, &ActivityChoice::Best).iter().map(|run| run.number).collect();
    assert_eq!(best, [3, 4]);
}
