use record::{Ceiling, HostInventory};

use super::*;
use crate::attribution::{Limiter, TimeClassName};
use crate::fixture::{counted, faster, io_run, record, run, storage};

const SECOND: u64 = 1_000_000_000;

/// `run` with its data on the device of `probe`.
fn on_device_of(probe: &str, run: Run) -> Run {
    Run { ceiling: Some(Ceiling { probe: probe.to_owned(), unit: Unit::Operation }), ..run }
}

fn busy(test: &str, jobs: u32, seconds: u64) -> Run {
    let counters = [
        (name::HOST_CPU_USER_NS, seconds * SECOND),
        (name::HOST_CPU_SYSTEM_NS, 0),
        (name::HOST_CPU_IDLE_NS, (20 - seconds) * SECOND),
    ];
    counted(run(test, jobs), &counters)
}

/// A host with one core of two threads.
fn host(mut record: Record) -> Record {
    record.host = HostInventory::default();
    (record.host.cpu.threads, record.host.cpu.cores, record.host.cpu.smt) = (2, Some(1), Some(true));
    record
}

#[test]
fn the_smt_yield_is_that_of_the_probe() {
    let probe = |jobs, rate: u64| {
        let mut probe = run("C11", jobs);
        (probe.unit, probe.totals.operations) = (Unit::Operation, rate * 10);
        probe
    };
    // Half of the time, which is 80 % of what there is.
    let half = host(record(vec![probe(1, 1_000), probe(2, 1_250), busy("T611", 1, 10)]));
    let found = attribute(&half, &half.runs[2]).unwrap();
    assert!((found.uses[0].used.0 - 0.8).abs() < 1e-9, "{found:?}");
    let unknown = host(record(vec![busy("T611", 1, 10)]));
    let found = attribute(&unknown, &unknown.runs[0]).unwrap();
    assert_eq!(found.uses[0].used, Ratio(0.5), "no probe: as the operating system counts");
    let full = host(record(vec![busy("T611", 2, 19)]));
    assert_eq!(attribute(&full, &full.runs[0]).unwrap().limiter, Limiter::Processors);
}

#[test]
fn the_device_is_held_against_the_best_probe_of_its_kind() {
    let deep = faster(io_run("S22", IoKind::Read, 1), 10);
    let reads = |count: u64| counted(busy("T626", 2, 4), &[(name::DEVICE_READ_COUNT, count)]);
    let held = |count: u64| {
        let test = on_device_of("S21", reads(count));
        let record = record(vec![io_run("S21", IoKind::Read, 1), deep.clone(), test]);
        attribute(&record, &record.runs[2]).unwrap()
    };
    let found = held(95_000);
    assert_eq!(found.limiter, Limiter::Resource(ResourceName::RandomReads));
    let uses: Vec<ResourceName> = found.uses.into_iter().map(|one| one.name).collect();
    assert_eq!(uses, [ResourceName::RandomReads, ResourceName::Processors]);
    assert_eq!(held(30_000).limiter, Limiter::Unexplained);
}

#[test]
fn sequential_probes_are_held_against_bytes_and_commits_against_forced_writes() {
    let mut sequential = io_run("S11", IoKind::Read, 1);
    storage(&mut sequential).streams[0].random = false;
    let commits = io_run("S31", IoKind::Commit, 1);
    let test = counted(busy("T311", 1, 4), &[(name::DEVICE_READ_BYTES, 40_960_000), (name::REDO_SYNC_COUNT, 9_500)]);
    let record = record(vec![sequential, commits, on_device_of("S31", test)]);
    let found = attribute(&record, &record.runs[2]).unwrap();
    assert_eq!(found.limiter, Limiter::Resource(ResourceName::SyncedWrites));
    let bytes = found.uses.iter().find(|one| one.name == ResourceName::SequentialReads).unwrap();
    assert!((bytes.used.0 - 0.5).abs() < 1e-9, "{found:?}");
}

#[test]
fn a_probe_of_another_device_bounds_nothing() {
    let reads = || counted(busy("T626", 2, 4), &[(name::DEVICE_READ_COUNT, 9_500), (name::DEVICE_READ_NS, SECOND)]);
    let uses = |test: Run| {
        let record = record(vec![io_run("S21", IoKind::Read, 1), run("C11", 1), test]);
        let uses = attribute(&record, &record.runs[2]).unwrap().uses;
        uses.into_iter().map(|one| one.name).collect::<Vec<_>>()
    };
    assert_eq!(uses(on_device_of("S21", reads())), [ResourceName::RandomReads, ResourceName::Processors]);
    assert_eq!(uses(on_device_of("C11", reads())), [ResourceName::Processors], "not a storage probe");
    assert_eq!(uses(reads()), [ResourceName::Processors]);
}

#[test]
fn of_an_engine_on_another_host_only_the_client_is_known() {
    let counters =
        [(name::DEVICE_READ_COUNT, 9_500), (name::DEVICE_READ_NS, 4 * SECOND), (name::CLIENT_CPU_NS, 8 * SECOND)];
    let test = on_device_of("S21", counted(busy("T626", 2, 19), &counters));
    let mut record = host(record(vec![io_run("S21", IoKind::Read, 1), test]));
    assert_eq!(attribute(&record, &record.runs[1]).unwrap().limiter, Limiter::Processors);
    record.engine.as_mut().unwrap().location = Location::Remote;
    let found = attribute(&record, &record.runs[1]).unwrap();
    let uses: Vec<ResourceName> = found.uses.into_iter().map(|one| one.name).collect();
    assert_eq!(uses, [ResourceName::ClientThreads { engine: "Engine".to_owned() }]);
    assert_eq!(found.classes.iter().map(|class| class.name).collect::<Vec<_>>(), [TimeClassName::OnProcessor]);
}

#[test]
fn one_job_on_an_idle_machine_is_too_few() {
    let record = record(vec![busy("T611", 1, 5)]);
    let found = attribute(&record, &record.runs[0]).unwrap();
    assert!(matches!(found.limiter, Limiter::TooFewClients { knee, .. } if (knee - 4.0).abs() < 1e-9), "{found:?}");
    let mut open = busy("T611", 1, 5);
    open.pace = Pace::Rate { steps_per_second: 1_000.0 };
    let record = self::record(vec![open]);
    assert_eq!(attribute(&record, &record.runs[0]).unwrap().limiter, Limiter::Offered);
    let mut late = busy("T611", 1, 20);
    late.pace = Pace::Rate { steps_per_second: 1_100.0 };
    let record = self::record(vec![late]);
    assert_eq!(
        attribute(&record, &record.runs[0]).unwrap().limiter,
        Limiter::Processors,
        "the target was not achieved"
    );
}

#[test]
fn response_time_is_accounted_for_as_far_as_it_is_known() {
    // 20 000 operations of a millisecond each.
    let waits = counted(busy("T716", 2, 6), &[(name::DEVICE_FLUSH_NS, 12 * SECOND), (name::SERVER_CPU_NS, 4 * SECOND)]);
    let record = record(vec![waits]);
    let found = attribute(&record, &record.runs[0]).unwrap();
    let shares: Vec<(TimeClassName, f64)> = found.classes.iter().map(|class| (class.name, class.share.0)).collect();
    assert_eq!(shares, [(TimeClassName::DeviceFlushes, 0.6), (TimeClassName::OnProcessor, 0.2)]);
    assert!(matches!(found.limiter, Limiter::Serialised(class) if class.share == Ratio(0.6)));
}

#[test]
fn the_client_may_be_the_limit() {
    let mut record = host(record(vec![counted(busy("T611", 1, 10), &[(name::CLIENT_CPU_NS, 9_500_000_000)])]));
    let found = attribute(&record, &record.runs[0]).unwrap();
    assert_eq!(found.limiter, Limiter::Resource(ResourceName::ClientThreads { engine: "Engine".to_owned() }));
    record.engine.as_mut().unwrap().location = Location::InProcess;
    let found = attribute(&record, &record.runs[0]).unwrap();
    assert!(found.uses.iter().all(|one| one.name == ResourceName::Processors));
}

#[test]
fn a_single_busy_thread_is_a_limit_of_its_own() {
    let counters = [(name::CLIENT_CPU_NS, 3 * SECOND), (name::SERVER_CPU_NS, 6_500_000_000)];
    let alone = record(vec![counted(busy("T132", 1, 10), &counters)]);
    let found = attribute(&alone, &alone.runs[0]).unwrap();
    assert_eq!(found.limiter, Limiter::OneThread { used: Ratio(0.95) });
    let two = record(vec![counted(busy("T132", 2, 10), &counters)]);
    assert!(!matches!(attribute(&two, &two.runs[0]).unwrap().limiter, Limiter::OneThread { .. }));
    let unknown = record(vec![counted(busy("T132", 1, 10), &counters[..1])]);
    let found = attribute(&unknown, &unknown.runs[0]).unwrap();
    assert!(matches!(found.limiter, Limiter::TooFewClients { .. }), "the engine's part is not known: {found:?}");
    let mut short = counted(busy("T132", 1, 10), &counters);
    short.window_ns.0 = 100_000_000;
    let short = record(vec![short]);
    assert!(!matches!(attribute(&short, &short.runs[0]).unwrap().limiter, Limiter::OneThread { .. }));
}

#[test]
fn foreign_load_does_not_explain_lock_waits() {
    let waits = |own: u64| {
        let waiting = counted(busy("T716", 2, 20), &[("example_wait_lock_ns", 15 * SECOND)]);
        let of_both = [(name::CLIENT_CPU_NS, SECOND), (name::SERVER_CPU_NS, own * SECOND)];
        let record = record(vec![counted(waiting, &of_both)]);
        attribute(&record, &record.runs[0]).unwrap().limiter
    };
    assert!(matches!(waits(4), Limiter::Serialised(class) if class.share == Ratio(0.75)));
    assert_eq!(waits(17), Limiter::Processors, "the load is our own");
}

#[test]
fn invalid_runs_and_runs_without_counters_have_no_attribution() {
    let bare = record(vec![run("T611", 1)]);
    assert_eq!(attribute(&bare, &bare.runs[0]), None);
    let mut broken = busy("T611", 1, 20);
    broken.outcome = record::Outcome::Failed { message: "gone".to_owned() };
    let broken = record(vec![broken, io_run("S21", IoKind::Read, 1)]);
    assert_eq!((attribute(&broken, &broken.runs[0]), attribute(&broken, &broken.runs[1])), (None, None));
    let mut still = busy("T611", 1, 2);
    still.totals.operations = 0;
    let still = record(vec![still]);
    assert_eq!(attribute(&still, &still.runs[0]), None);
}
