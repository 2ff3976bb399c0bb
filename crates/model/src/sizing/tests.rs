//! Loads of several instances and sources, held against small records.

use record::load_profile::{Amount, DoubtKind, Instance, Interval, LoadQuantity, Scope, Source, SourceMoment, Zone};
use record::{Bytes, LoadInKind, LoadLevel, LoadProfile, Nanos, Record, Run, StepInKind, Totals, Unit};

use super::*;
use crate::fixture::{latency, reading, record, run};

fn source(form: &str, scope: Scope, id: Option<&str>) -> Source {
    Source {
        form: form.to_owned(),
        scope,
        engine: (scope == Scope::Database).then(|| "x".to_owned()),
        version: None,
        database_id: id.map(str::to_owned),
        database_name: None,
        zone: Zone::OffsetMinutes(0),
        files: 1,
        instances_expected: None,
        size_bytes: None,
        growth_bytes_per_day: None,
        watching_seconds_per_second: None,
    }
}

fn interval(instance: u32, start: i64, seconds: f64, amounts: &[(LoadQuantity, f64)]) -> Interval {
    let amounts = amounts.iter().map(|(quantity, average)| (*quantity, Amount { average: *average, max: None }));
    Interval { source: 0, instance, started_at_ms: SourceMoment(start * 1_000), seconds, amounts: amounts.collect() }
}

/// A database of which each instance has done so many commits per second in hours one after the other.
fn hourly(commits: &[&[f64]]) -> LoadProfile {
    let intervals = commits.iter().enumerate().flat_map(|(instance, hours)| {
        let of = move |(hour, rate): (usize, &f64)| {
            interval(instance as u32, hour as i64 * 3_600, 3_600.0, &[(LoadQuantity::CommitsPerSecond, *rate)])
        };
        hours.iter().enumerate().map(of)
    });
    let instance = |number: usize| Instance { number: number as u32 + 1, ..Instance::default() };
    LoadProfile {
        sources: vec![source("awr", Scope::Database, Some("7"))],
        instances: (0..commits.len()).map(instance).collect(),
        intervals: intervals.collect(),
        ..LoadProfile::default()
    }
}

fn commits(profile: &LoadProfile) -> Level {
    history(profile).level(Demand::Commits).expect("commits are told")
}

#[test]
fn instances_are_summed_interval_by_interval_and_not_their_peaks() {
    let level = commits(&hourly(&[&[10.0, 50.0, 20.0], &[40.0, 5.0, 20.0]]));
    assert_eq!((level.max, level.mean, level.peak_at), (55.0, 145.0 / 3.0, Some(SourceMoment(3_600_000))));
    assert_eq!((level.p95, level.p99), (None, None), "of three intervals");
}

#[test]
fn hours_in_which_an_instance_is_missing_are_left_out_and_said() {
    let profile = hourly(&[&[10.0, 50.0, 90.0], &[40.0, 5.0]]);
    assert_eq!(commits(&profile).max, 55.0);
    let doubts = history(&profile).doubts;
    assert!(doubts.iter().any(|doubt| doubt.kind == DoubtKind::Incomplete { seconds: 3_600.0 }), "{doubts:?}");
}

#[test]
fn clocks_that_differ_by_seconds_make_no_peak() {
    let mut profile = hourly(&[&[10.0, 100.0], &[100.0, 10.0]]);
    for interval in profile.intervals.iter_mut().filter(|interval| interval.instance == 1) {
        interval.started_at_ms.0 += 7_000;
    }
    assert_eq!(commits(&profile).max, 110.0, "not the 200 of seven seconds");
}

#[test]
fn quantiles_are_those_of_the_time() {
    let rates: Vec<f64> = (1..=200).map(f64::from).collect();
    let level = commits(&hourly(&[&rates]));
    assert_eq!((level.p95, level.p99, level.max), (Some(190.0), Some(198.0), 200.0));
    let level = commits(&hourly(&[&rates[..20]]));
    assert_eq!((level.p95, level.p99), (Some(19.0), None));
}

#[test]
fn a_gap_is_no_interval_of_zero() {
    let mut profile = hourly(&[&[10.0, 20.0]]);
    profile.intervals[1].started_at_ms.0 += 86_400_000;
    let level = commits(&profile);
    assert_eq!((level.mean, level.seconds), (15.0, 7_200.0));
}

#[test]
fn files_of_one_database_are_one_history_and_twice_the_same_is_once() {
    let one = hourly(&[&[10.0, 20.0]]);
    let mut next = hourly(&[&[30.0]]);
    next.intervals[0].started_at_ms.0 += 7_200_000;
    let profile = merged(vec![next, one.clone(), one.clone()]);
    assert_eq!((profile.instances.len(), profile.intervals.len()), (1, 3));
    let level = commits(&profile);
    assert_eq!((level.max, level.mean), (30.0, 20.0));
    assert!(profile.doubts.iter().any(|doubt| doubt.kind == DoubtKind::Overlap && doubt.count == 2));
}

#[test]
fn sources_without_a_name_are_two_instances_where_they_did_different_things_at_once() {
    let mut one = hourly(&[&[10.0, 20.0]]);
    one.sources[0].database_id = None;
    let mut other = one.clone();
    assert_eq!(merged(vec![one.clone(), other.clone()]).instances.len(), 1, "the same file twice");
    other.intervals.iter_mut().for_each(|interval| {
        interval.amounts.values_mut().for_each(|amount| amount.average += 1.0);
    });
    let both = merged(vec![one, other]);
    assert_eq!((both.instances.len(), commits(&both).max), (2, 41.0));
}

#[test]
fn what_reaches_the_device_is_told_by_the_host_and_counted_once() {
    let database = LoadProfile {
        intervals: vec![interval(0, 0, 3_600.0, &[(LoadQuantity::PhysicalReadsPerSecond, 9_000.0)])],
        ..hourly(&[&[1.0]])
    };
    let host = LoadProfile {
        sources: vec![source("sar", Scope::Host, None)],
        intervals: vec![interval(
            0,
            0,
            3_600.0,
            &[(LoadQuantity::PhysicalReadsPerSecond, 2_000.0), (LoadQuantity::HostBusyShare, 0.5)],
        )],
        instances: vec![Instance { number: 1, hardware_threads: Some(16), ..Instance::default() }],
        ..LoadProfile::default()
    };
    let found = history(&merged(vec![database, host]));
    assert_eq!(found.level(Demand::RandomReads).map(|level| level.max), Some(2_000.0));
    assert_eq!(found.level(Demand::Processors).map(|level| level.max), Some(8.0));
    assert_eq!(found.level(Demand::Sessions), None, "absent, not zero");
}

#[test]
fn requests_in_order_are_none_of_the_random_ones() {
    let amounts = [
        (LoadQuantity::PhysicalReadsPerSecond, 900.0),
        (LoadQuantity::SequentialReadsPerSecond, 300.0),
        (LoadQuantity::PhysicalWritesPerSecond, 200.0),
    ];
    let profile = LoadProfile { intervals: vec![interval(0, 0, 60.0, &amounts)], ..hourly(&[&[1.0]]) };
    let found = history(&profile);
    let max = |demand| found.level(demand).map(|level| level.max);
    assert_eq!((max(Demand::RandomReads), max(Demand::RandomRequests)), (Some(600.0), Some(800.0)));
    assert_eq!(found.write_share, Some(0.25));
}

#[test]
fn hours_of_the_day_are_those_of_the_source() {
    let mut profile = hourly(&[&[10.0, 20.0]]);
    profile.sources[0].zone = Zone::OffsetMinutes(120);
    let found = history(&profile);
    let hours = &found.hours.iter().find(|(demand, _)| *demand == Demand::Commits).unwrap().1;
    assert_eq!(
        (hours[2].map(|hour| hour.mean), hours[3].map(|hour| hour.max), hours[0]),
        (Some(10.0), Some(20.0), None)
    );
    let mut long = hourly(&[&[10.0]]);
    long.intervals[0].seconds = 72.0 * 3_600.0;
    let found = history(&long);
    assert!(found.hours[0].1.iter().all(|hour| hour.is_some_and(|hour| hour.mean == 10.0)));
    assert!(matches!(found.doubts[0].kind, DoubtKind::LongInterval { seconds: 259_200.0, .. }), "{:?}", found.doubts);
}

#[test]
fn an_idle_source_is_doubted() {
    let idle = |commits: f64| history(&hourly(&[&[commits, commits / 2.0]])).doubts;
    assert!(idle(0.5).iter().any(|doubt| matches!(doubt.kind, DoubtKind::Idle { .. })));
    assert!(!idle(50.0).iter().any(|doubt| matches!(doubt.kind, DoubtKind::Idle { .. })));
}

/// A run of T311 with so many commits per second at a time of so many microseconds.
fn committing(jobs: u32, per_second: u64, micros: u64) -> Run {
    let count = per_second * 10;
    let totals = Totals { steps: count, operations: count, transactions: count, ..Totals::default() };
    Run { unit: Unit::Transaction, totals, service: latency(count, micros * 1_000), ..run("T311", jobs) }
}

fn measured() -> Record {
    let mut reads = run("S22", 4);
    (reads.unit, reads.totals.operations) = (Unit::Block, 100_000);
    let mut writes = run("S23", 4);
    (writes.unit, writes.totals.operations) = (Unit::Block, 50_000);
    let mut logged = run("T322", 1);
    logged.readings = vec![reading(0, &[("redo_write_bytes", 0)]), reading(10, &[("redo_write_bytes", 90_000_000)])];
    let mut record = record(vec![
        committing(1, 500, 1_900),
        committing(4, 2_000, 1_950),
        committing(8, 3_000, 2_000),
        logged,
        reads,
        writes,
    ]);
    record.host.memory.total_bytes = Bytes(64 << 30);
    record
}

fn platform(record: &Record) -> Platform {
    Platform {
        name: "new".to_owned(),
        ceilings: recorded_ceilings(record),
        curves: recorded_curves(record),
        ..Platform::default()
    }
}

#[test]
fn the_first_to_be_full_is_that_with_the_largest_share() {
    let amounts = [
        (LoadQuantity::PhysicalReadsPerSecond, 4_100.0),
        (LoadQuantity::PhysicalWritesPerSecond, 500.0),
        (LoadQuantity::CommitsPerSecond, 360.0),
        (LoadQuantity::LogBytesPerSecond, 1e6),
    ];
    let profile = LoadProfile { intervals: vec![interval(0, 0, 3_600.0, &amounts)], ..hourly(&[&[1.0]]) };
    let sizing = size(&history(&profile), platform(&measured()), Growth::NONE);
    let share = |demand| sizing.resources.iter().find(|one| one.demand == demand).map(|one| one.share);
    assert_eq!(share(Demand::RandomReads), Some(0.41));
    assert_eq!(share(Demand::Commits), Some(0.12));
    assert!((share(Demand::LogBytes).unwrap() - 1.0 / 9.0).abs() < 1e-9);
    // 4,100 of 10,000 and 500 of 5,000 take turns on the device.
    let first = sizing.first().expect("one is the fullest");
    assert_eq!(first.demand, Demand::RandomRequests);
    assert!((first.share - 0.51).abs() < 1e-9, "{}", first.share);
    assert!((sizing.multiple.unwrap() - 1.0 / 0.51).abs() < 1e-9);
    let outlook = sizing.outlooks.iter().find(|one| one.demand == Demand::Commits && one.multiple > 1.5).unwrap();
    let point = outlook.point.expect("within what was measured");
    assert_eq!(
        (point.jobs, point.p99),
        (4, Some(Nanos(3_705_000))),
        "706 commits per second: the next that was measured"
    );
    let unknown: Vec<Demand> = sizing.unsized_resources.iter().map(|one| one.demand).collect();
    assert!(unknown.contains(&Demand::Processors) && !unknown.contains(&Demand::Commits));
}

#[test]
fn nothing_is_told_beyond_what_was_measured() {
    let curve = &recorded_curves(&measured())[0];
    assert_eq!((curve.at(3_000.0).map(|point| point.jobs), curve.at(3_001.0)), (Some(8), None));
    let profile = hourly(&[&[4_500.0]]);
    let sizing = size(&history(&profile), platform(&measured()), Growth::NONE);
    assert_eq!((sizing.first().unwrap().share, sizing.outlooks[0].point), (1.5, None));
}

#[test]
fn growth_fills_the_platform_in_a_known_year() {
    let growth = Growth { per_year: 0.5, years: 2.0 };
    let sizing = size(&history(&hourly(&[&[1_000.0]])), platform(&measured()), growth);
    let first = sizing.first().unwrap();
    assert!((first.share - 0.75).abs() < 1e-9 && (first.multiple.unwrap() - 3.0).abs() < 1e-9);
    assert!((sizing.years.unwrap() - 3f64.ln() / 1.5f64.ln()).abs() < 1e-9);
    assert_eq!(Growth::NONE.years_until(2.0), None);
}

#[test]
fn processors_are_held_against_each_other_by_two_sheets_or_not_at_all() {
    let sheet = |name: &str, threads: f64, rates: &[(&str, f64)]| ProcessorSheet {
        name: name.to_owned(),
        model: None,
        threads,
        is_published: false,
        rates: rates.iter().map(|(code, rate)| ((*code).to_owned(), *rate)).collect(),
    };
    let old = sheet("old", 16.0, &[("C11", 100.0), ("T611", 160.0), ("T421", 16.0)]);
    let new = sheet("new", 32.0, &[("C11", 900.0), ("T611", 640.0), ("T421", 48.0)]);
    let ratio = processor_ratio(&old, &new).unwrap();
    assert_eq!((ratio.threads_low, ratio.threads_high), (48.0, 64.0), "by the tests of the engine");
    assert_eq!(processor_ratio(&old, &sheet("other", 8.0, &[("M11", 1.0)])), None);
    let amounts = [(LoadQuantity::DatabaseProcessorSecondsPerSecond, 12.0)];
    let profile = LoadProfile { intervals: vec![interval(0, 0, 60.0, &amounts)], ..hourly(&[&[1.0]]) };
    let on = Platform { processors: Some(ratio), ..platform(&measured()) };
    let sizing = size(&history(&profile), on, Growth::NONE);
    assert_eq!(sizing.first().map(|one| (one.demand, one.share)), Some((Demand::Processors, 0.25)));
}

/// The roles of a load of one hour with `amounts`, each step with its rate, jobs and what is asked.
fn roles(amounts: &[(LoadQuantity, f64)], times: f64) -> LoadInKind {
    let mut profile = hourly(&[&[1.0]]);
    profile.intervals = vec![interval(0, 0, 3_600.0, amounts)];
    in_kind(&history(&profile), LoadLevel::Peak, times, Bytes(200)).expect("roles")
}

fn steps(load: &LoadInKind) -> Vec<(StepInKind, f64)> {
    load.roles.iter().map(|role| (role.step, role.steps_per_second)).collect()
}

#[test]
fn each_quantity_of_a_load_is_a_role_with_its_rate() {
    use LoadQuantity::*;
    let load = roles(
        &[
            (PhysicalReadsPerSecond, 1_000.0),
            (SequentialReadsPerSecond, 100.0),
            (PhysicalReadBytesPerSecond, 900.0 * 8_192.0 + 2e6),
            (LogicalReadsPerSecond, 9_000.0),
            (PhysicalWritesPerSecond, 500.0),
            (CommitsPerSecond, 200.0),
            (LogBytesPerSecond, 84_000.0),
            (Sessions, 30.0),
        ],
        1.0,
    );
    let rows = 5_243;
    let commit = StepInKind::Commit { rows: 1, row_bytes: Bytes(300), changed_rows: 1.5 };
    let cached = 9_000.0 - 3.0 * (900.0 + 200.0 * 2.5) - 2e6 / 8_192.0;
    let [read, scan, hit, write] = &steps(&load)[..] else { panic!("{load:?}") };
    assert_eq!((*read, write), ((StepInKind::RandomRead, 900.0), &(commit, 200.0)));
    assert_eq!(scan.0, StepInKind::Scan { rows });
    assert!((scan.1 - 2e6 / (f64::from(rows) * 200.0)).abs() < 1e-9, "{scan:?}");
    assert_eq!(hit.0, StepInKind::CachedRead { rows: 1 });
    assert!((hit.1 - cached / 3.0).abs() < 1e-6, "{hit:?} {cached}");
    let log = load.asked(LogBytesPerSecond);
    assert_eq!((load.sessions, load.sessions_told, log), (30, Some(30.0), Some(84_000.0)));
    assert_eq!(load.roles.iter().map(|role| role.jobs).sum::<u32>(), 30);
    assert!(load.roles.iter().all(|role| role.jobs > 0), "{load:?}");
}

#[test]
fn a_multiple_of_a_load_asks_more_often_and_not_more_at_a_time() {
    use LoadQuantity::*;
    let amounts = [(PhysicalReadsPerSecond, 100.0), (CommitsPerSecond, 10.0), (LogBytesPerSecond, 5_000.0)];
    let (one, two) = (roles(&amounts, 1.0), roles(&amounts, 2.0));
    let twice: Vec<(StepInKind, f64)> = steps(&one).into_iter().map(|(step, rate)| (step, rate * 2.0)).collect();
    assert_eq!(steps(&two), twice);
}

#[test]
fn a_load_without_commits_writes_by_its_requests_or_by_its_log() {
    use LoadQuantity::*;
    let writes = steps(&roles(&[(PhysicalWritesPerSecond, 50.0)], 1.0));
    assert!(matches!(writes[..], [(StepInKind::Commit { rows: 1, changed_rows: 1.0, .. }, 50.0)]), "{writes:?}");
    let log = steps(&roles(&[(LogBytesPerSecond, 22_000.0)], 1.0));
    assert!(matches!(log[..], [(StepInKind::Commit { changed_rows: 0.0, .. }, 100.0)]), "{log:?}");
}

#[test]
fn large_transactions_are_bounded_and_what_is_left_of_them_is_said() {
    use LoadQuantity::*;
    let load = roles(
        &[
            (CommitsPerSecond, 1.0),
            (LogBytesPerSecond, 10e6),
            (PhysicalWritesPerSecond, 500.0),
            (LogWritesPerSecond, 1.0),
        ],
        1.0,
    );
    let StepInKind::Commit { rows, row_bytes, changed_rows } = load.roles[0].step else { panic!("{load:?}") };
    assert_eq!((rows, row_bytes, changed_rows), (64, Bytes(1_800), 16.0));
    let left = |quantity| load.left_out.iter().find(|left| left.quantity == quantity).and_then(|left| left.per_second);
    assert_eq!((left(PhysicalWritesPerSecond), left(LogBytesPerSecond)), (Some(483.0), Some(10e6 - 64.0 * 1_920.0)));
}

#[test]
fn many_reads_of_the_cache_are_asked_many_at_a_time() {
    let load = roles(&[(LoadQuantity::LogicalReadsPerSecond, 960_000.0)], 1.0);
    assert_eq!(steps(&load), [(StepInKind::CachedRead { rows: 320 }, 1_000.0)]);
}

#[test]
fn processor_time_is_a_role_with_sessions_enough_for_it_and_no_more_than_there_are() {
    use LoadQuantity::*;
    let of = |seconds| {
        let amounts = [(DatabaseProcessorSecondsPerSecond, seconds), (PhysicalReadsPerSecond, 10.0), (Sessions, 2.0)];
        let load = roles(&amounts, 1.0);
        let computing = load.roles.iter().find(|role| matches!(role.step, StepInKind::Compute { .. })).expect("a role");
        (load.sessions, computing.jobs, load.roles.iter().map(|role| role.jobs).sum::<u32>(), computing.clone())
    };
    let (sessions, jobs, all, computing) = of(3.0);
    assert_eq!((sessions, jobs, all), (6, 5, 6));
    let StepInKind::Compute { rows } = computing.step else { panic!("{computing:?}") };
    assert!((computing.steps_per_second * f64::from(rows).powi(2) * 1e-7 - 3.0).abs() < 1e-9, "{computing:?}");
    let (sessions, jobs, all, _) = of(1e12);
    assert_eq!((sessions, jobs, all), (SESSIONS_IN_KIND_MAX, SESSIONS_IN_KIND_MAX - 1, SESSIONS_IN_KIND_MAX));
}

#[test]
fn a_level_needs_its_intervals_and_a_load_something_to_ask() {
    let of = |profile: &LoadProfile, level| in_kind(&history(profile), level, 1.0, Bytes(200));
    let few = hourly(&[&[1.0, 2.0, 3.0]]);
    assert_eq!(of(&few, LoadLevel::P95), Err(NotInKind::TooFewIntervals { intervals: 3, least: 20 }));
    let rates: Vec<f64> = (1..=200).map(f64::from).collect();
    let many = hourly(&[&rates]);
    let rate = |level| of(&many, level).unwrap().roles[0].steps_per_second;
    assert_eq!([LoadLevel::P95, LoadLevel::P99, LoadLevel::Max].map(rate), [190.0, 198.0, 200.0]);
    let mut idle = hourly(&[&[1.0]]);
    idle.intervals = vec![interval(0, 0, 3_600.0, &[(LoadQuantity::ActiveSessions, 3.0)])];
    assert_eq!(of(&idle, LoadLevel::Peak), Err(NotInKind::NothingToAsk));
}

/// A platform that has so much of each resource and nothing else.
fn having(ceilings: &[(Demand, f64)]) -> Platform {
    let ceiling = |(demand, available): &(Demand, f64)| Ceiling {
        demand: *demand,
        available: *available,
        source: CeilingSource::Inventory,
    };
    Platform { ceilings: ceilings.iter().map(ceiling).collect(), ..Platform::default() }
}

#[test]
fn each_resource_is_named_where_it_is_the_first_to_be_full() {
    use LoadQuantity::*;
    let amounts = [
        (PhysicalReadsPerSecond, 1_000.0),
        (PhysicalReadBytesPerSecond, 8_192_000.0),
        (CommitsPerSecond, 200.0),
        (LogBytesPerSecond, 400_000.0),
        (Sessions, 40.0),
        (DatabaseProcessorSecondsPerSecond, 2.0),
    ];
    let mut profile = LoadProfile { intervals: vec![interval(0, 0, 3_600.0, &amounts)], ..hourly(&[&[1.0]]) };
    profile.instances[0].shared_memory_bytes = Some(Bytes(8 << 30));
    let asked = [
        (Demand::Processors, 2.0),
        (Demand::RandomReads, 1_000.0),
        (Demand::LogBytes, 400_000.0),
        (Demand::Commits, 200.0),
        (Demand::Memory, (8u64 << 30) as f64),
        (Demand::Sessions, 40.0),
        (Demand::ReadBytes, 8_192_000.0),
    ];
    for (narrow, _) in asked {
        // There is ten times as much of everything as the load asks, and 1.6 times of one.
        let times = |demand| if demand == narrow { 1.6 } else { 10.0 };
        let ceilings: Vec<(Demand, f64)> =
            asked.iter().map(|(demand, rate)| (*demand, rate * times(*demand))).collect();
        let sizing = size(&history(&profile), having(&ceilings), Growth::NONE);
        let first = sizing.first().expect("one is the fullest");
        assert_eq!(first.demand, narrow);
        assert!((first.share - 1.0 / 1.6).abs() < 1e-9, "{narrow:?} {}", first.share);
        // Memory is a setting: what grows is full where the next one is.
        let multiple = if narrow.grows() { 1.6 } else { 10.0 };
        assert!((sizing.multiple.unwrap() - multiple).abs() < 1e-9, "{narrow:?} {:?}", sizing.multiple);
    }
}
