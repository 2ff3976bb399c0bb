//! Findings of every kind, as the checks make them.

use record::evidence::*;
use record::{
    Bytes, Check, DataReads, Evidence, FailureKind, Finding, Nanos, Rate, Ratio, SteadyClass, SteadyRate, SteadyReason,
    SteadyUncertainty, SteadyVerdict, Verdict,
};

/// A finding of `check` with this verdict, about nothing in particular.
pub fn finding(check: Check, verdict: Verdict) -> Finding {
    let found = all().into_iter().find(|finding| finding.check() == check);
    Finding { verdict, ..found.expect("a finding of every check") }
}

/// A finding whose sentence is `text`.
pub fn worded(verdict: Verdict, text: &str) -> Finding {
    Finding::new(verdict, Evidence::Answers(Answers::Wrong { message: text.to_owned() }))
}

/// Steal of so many thousandths of the processors.
pub fn steal(verdict: Verdict, thousandths: f64) -> Finding {
    let steal = Steal {
        share: Ratio(thousandths / 1e3),
        limit: Ratio(0.005),
        stolen_ns: Nanos(200_000_000),
        judged_ns_min: Nanos(30_000_000),
        worst_interval: None,
    };
    Finding::new(verdict, Evidence::Steal(Some(steal)))
}

/// Steps of an open loop that were not started.
#[allow(dead_code, reason = "the tests of the page need none")]
pub fn backlog(verdict: Verdict, count: u64) -> Finding {
    let backlog = Backlog::NotStarted { job: None, count, share: Ratio(0.02), limit: Ratio(0.01) };
    Finding::new(verdict, Evidence::Backlog(backlog))
}

/// A verdict on steadiness over 300 s, of which `cut_seconds` are cut.
pub fn steady(verdict: Verdict, word: SteadyVerdict, cut_seconds: u64) -> Finding {
    let counted = word.is_steady().then_some(SteadyRate {
        first_second: cut_seconds + 1,
        last_second: 300,
        rate: Rate(81_234.0),
        window_rate: None,
    });
    let reason = match word {
        SteadyVerdict::Drifting => drifting(),
        _ => steady_reason(cut_seconds, SteadyClass::Warmup, None),
    };
    Finding::new(verdict, Evidence::Steady(Steady::Window { verdict: word, reason, counted }))
}

fn steady_reason(cut_seconds: u64, class: SteadyClass, checkpoints: Option<u64>) -> SteadyReason {
    SteadyReason::Steady { cut_seconds, class, drift_max: Ratio(0.012), seconds: 300 - cut_seconds, checkpoints }
}

fn drifting() -> SteadyReason {
    let (drift, drift_min, margin) = (Ratio(0.12), Ratio(0.08), Ratio(0.02));
    SteadyReason::Drifting { rises: false, drift, drift_min, seconds: 300, margin }
}

/// Every sentence that is made, in the order of the checks.
pub fn all() -> Vec<Finding> {
    let groups = [
        answers(),
        little(),
        shares(),
        others(),
        memory(),
        durable(),
        rates(),
        windows(),
        checkpoints(),
        warehouses(),
        loads_beside(),
        storage(),
        flushes(),
        steadies(),
        levels(),
    ];
    let mut all = groups.concat();
    all.sort_by_key(Finding::check);
    all
}

fn of<T>(evidence: fn(T) -> Evidence, found: impl IntoIterator<Item = (Verdict, T)>) -> Vec<Finding> {
    found.into_iter().map(|(verdict, found)| Finding::new(verdict, evidence(found))).collect()
}

use Verdict::{Fail, Pass, Unknown, Warn};

fn answers() -> Vec<Finding> {
    let count = |files, bytes| FileCount { files, size_bytes: Bytes(bytes) };
    let written = count(3, 24_576);
    of(
        Evidence::Answers,
        [
            (Pass, Answers::Right),
            (Unknown, Answers::NotGiven),
            (Fail, Answers::Wrong { message: "T611 gave 3 rows where 4 are right".to_owned() }),
            (Pass, Answers::RowsPerOperation),
            (Pass, Answers::Loaded { compared: vec!["rows".to_owned(), "sum of amounts".to_owned()] }),
            (
                Fail,
                Answers::LoadDiffers {
                    what: "rows".to_owned(),
                    found: Some("9".to_owned()),
                    expected: "10".to_owned(),
                },
            ),
            (Fail, Answers::LoadDiffers { what: "rows".to_owned(), found: None, expected: "10".to_owned() }),
            (Unknown, Answers::NotQueried),
            (Pass, Answers::Scanned { sums_known: true }),
            (Pass, Answers::Scanned { sums_known: false }),
            (Pass, Answers::FilesWritten { written, counted: None }),
            (Pass, Answers::FilesWritten { written, counted: Some(written) }),
            (Fail, Answers::FilesWritten { written, counted: Some(count(2, 16_384)) }),
            (Pass, Answers::FilesRead { compared: written }),
            (
                Fail,
                Answers::FilesDiffer {
                    differing_files: 1,
                    files: 3,
                    stream: 2,
                    read_crc32c: 0xab,
                    written_crc32c: 0xdead_beef,
                },
            ),
            (Fail, Answers::MisplacedRequests { requests: 4 }),
        ],
    )
}

fn little() -> Vec<Finding> {
    let differ = |job: Option<&str>, counted| LittlesLaw::CountsDiffer {
        job: job.map(str::to_owned),
        counted,
        value: 9_999,
        expected: 10_000,
    };
    let counted = [
        CountedTwice::Steps,
        CountedTwice::Failures,
        CountedTwice::Operations,
        CountedTwice::Rows,
        CountedTwice::ServiceTimes,
        CountedTwice::ResponseTimes,
        CountedTwice::Streams,
    ];
    let of_job = [CountedTwice::Operations, CountedTwice::ServiceTimes, CountedTwice::ResponseTimes];
    let closed = |jobs, in_flight, explanation| LittlesLaw::ClosedLoop {
        jobs,
        in_flight,
        gap: (jobs - in_flight) / jobs,
        limit: Ratio(0.01),
        explanation,
    };
    let queue =
        |in_flight, limit| LittlesLaw::Queue { job: "nvme".to_owned(), in_flight, slots: 16, limit: Ratio(limit) };
    let laws = [
        (Unknown, LittlesLaw::NothingDone),
        (Fail, LittlesLaw::SumsDiffer { difference: Ratio(0.0125), limit: Ratio(0.002) }),
        (Pass, LittlesLaw::OpenLoop { busy: 1.234, jobs: 2 }),
        (Fail, LittlesLaw::OpenLoop { busy: 2.5, jobs: 2 }),
        (Pass, closed(2.0, 1.999, None)),
        (Pass, closed(1.5, 1.5, None)),
        (Unknown, closed(2.0, 1.5, Some(GapExplanation::FailedSteps { count: 7 }))),
        (Unknown, closed(2.0, 1.5, Some(GapExplanation::JobsEndedSeparately))),
        (Warn, closed(2.0, 1.94, None)),
        (Fail, closed(2.0, 2.5, None)),
        (Pass, queue(15.9, 0.05)),
        (Warn, queue(12.0, 0.05)),
        (Fail, queue(17.6, 0.01)),
    ];
    let laws = laws.into_iter().chain(counted.map(|counted| (Fail, differ(None, counted))));
    of(Evidence::LittlesLaw, laws.chain(of_job.map(|counted| (Fail, differ(Some("nvme"), counted)))))
}

fn shares() -> Vec<Finding> {
    let counted = |ours, surplus: i64| CommitCount::Counted {
        ours,
        surplus,
        difference: Ratio(surplus.unsigned_abs() as f64 / ours as f64),
        limit: Ratio(0.005),
    };
    let processors = |share: Option<f64>, of_storage, of_both: Option<f64>, polls, is_coarse| ClientShare::Processors {
        share: share.map(Ratio),
        of_storage,
        of_both: of_both.map(Ratio),
        limit: Ratio(0.6),
        polls,
        is_coarse,
    };
    let per_step = |share: Option<f64>, with_interpreter| ClientShare::PerStep {
        share: share.map(Ratio),
        with_interpreter,
        limit: Ratio(0.05),
    };
    let commits = of(
        Evidence::CommitCount,
        [
            (Unknown, CommitCount::NotCounted),
            (Unknown, CommitCount::NotRead { message: "the connection is closed".to_owned() }),
            (Pass, counted(23, 0)),
            (Pass, counted(1, 3)),
            (Pass, counted(10_000, 50)),
            (Warn, counted(10_000, 500)),
            (Fail, counted(750, -375)),
        ],
    );
    let client = of(
        Evidence::ClientShare,
        [
            (Unknown, processors(None, false, None, false, false)),
            (Warn, processors(Some(0.61), false, Some(0.4), false, false)),
            (Unknown, processors(Some(0.59), false, None, false, true)),
            (Pass, processors(Some(0.5), true, None, false, false)),
            (Pass, processors(Some(1.0), true, None, true, false)),
            (Unknown, per_step(None, true)),
            (Pass, per_step(Some(0.0002), true)),
            (Warn, per_step(Some(0.06), false)),
        ],
    );
    [commits, client].concat()
}

fn others() -> Vec<Finding> {
    let steal = |thousandths: f64, stolen_ms: u64, worst: Option<f64>| {
        Some(Steal {
            share: Ratio(thousandths / 1e3),
            limit: Ratio(0.005),
            stolen_ns: Nanos(stolen_ms * 1_000_000),
            judged_ns_min: Nanos(30_000_000),
            worst_interval: worst.map(Ratio),
        })
    };
    let cpu = |programs: &[(&str, f64)], unseen_processors, needs_all, may_be_engine| {
        let program =
            |(name, processors): &(&str, f64)| ProgramCpu { name: (*name).to_owned(), processors: *processors };
        Some(Box::new(ForeignCpuShare {
            share: Ratio(0.35),
            limit: Ratio(0.1),
            needs_all,
            processors: 2.0,
            programs: programs.iter().map(program).collect(),
            unseen_processors,
            may_be_engine,
        }))
    };
    let io = |programs: &[(&str, f64)], unseen: Option<f64>| {
        let program =
            |(name, rate): &(&str, f64)| ProgramIo { name: (*name).to_owned(), bytes_per_second: Rate(*rate) };
        Some(Box::new(ForeignIoShare {
            share: Ratio(0.99),
            limit: Ratio(0.2),
            programs: programs.iter().map(program).collect(),
            unseen_bytes_per_second: unseen.map(Rate),
        }))
    };
    let sessions = OtherSessions { commits: 10_000, share: Ratio(1.0), engine: "postgres".to_owned() };
    [
        of(
            Evidence::Steal,
            [
                (Unknown, None),
                (Pass, steal(0.0, 0, None)),
                (Unknown, steal(10.0, 20, None)),
                (Warn, steal(12.0, 240, None)),
                (Fail, steal(30.0, 600, Some(0.15))),
            ],
        ),
        of(
            Evidence::ForeignCpu,
            [
                (Unknown, None),
                (Pass, cpu(&[], 0.0, true, false)),
                (Fail, cpu(&[("cc", 0.5), ("ld", 0.2)], 0.0, true, false)),
                (Warn, cpu(&[], 0.7, false, true)),
            ],
        ),
        of(
            Evidence::ForeignIo,
            [
                (Unknown, None),
                (Pass, io(&[], None)),
                (Fail, io(&[("dd", 840e6)], None)),
                (Warn, io(&[("dd", 840e6)], Some(1e6))),
            ],
        ),
        of(Evidence::OtherSessions, [(Warn, sessions)]),
    ]
    .concat()
}

fn memory() -> Vec<Finding> {
    let throttling = |share| Throttling { share: Ratio(share), limit: Ratio(0.05) };
    let swapping = |pages| Some(Swapping { pages, pages_per_second_max: 100.0 });
    let reads = |share: Option<f64>, data_reads| PageCache::EngineReads { device_share: share.map(Ratio), data_reads };
    let files = |cached: Option<f64>| PageCache::Files { cached: cached.map(Ratio), limit: Ratio(0.5) };
    let cold = |cached: Option<f64>, share: Option<f64>| PageCache::Cold {
        cached: cached.map(Ratio),
        limit: Ratio(0.05),
        device_share: share.map(Ratio),
    };
    let through = DataReads::PageCache { reason: "the server is not ours".to_owned() };
    let misses = |deviation, per_row, thirds: Option<[f64; 2]>| CacheMisses {
        deviation,
        per_row,
        per_row_min: 0.75,
        per_row_first_third: thirds.map(|thirds| thirds[0]),
        per_row_last_third: thirds.map(|thirds| thirds[1]),
    };
    let missed = |share| CacheFill::Missed { share: Ratio(share), limit: Ratio(0.01) };
    let inside = |fill: Option<f64>| CacheFill::Inside { fill: fill.map(Ratio) };
    let outside = |multiple| CacheFill::Outside { multiple, multiple_min: 2.0 };
    [
        of(Evidence::Throttling, [(Pass, throttling(0.0)), (Warn, throttling(0.01)), (Warn, throttling(0.3))]),
        of(Evidence::Swapping, [(Unknown, None), (Pass, swapping(0)), (Warn, swapping(1)), (Fail, swapping(1_001))]),
        of(
            Evidence::PageCache,
            [
                (Unknown, reads(None, None)),
                (Pass, reads(Some(1.0), Some(DataReads::Direct))),
                (Unknown, reads(Some(0.4), Some(DataReads::Direct))),
                (Warn, reads(Some(0.4), Some(DataReads::Dropped))),
                (Warn, reads(Some(0.03), Some(through))),
                (Warn, reads(Some(0.03), None)),
                (Unknown, files(None)),
                (Pass, files(Some(0.01))),
                (Fail, files(Some(0.51))),
                (Unknown, cold(None, None)),
                (Fail, cold(Some(0.06), None)),
                (Pass, cold(Some(0.0), None)),
                (Pass, cold(Some(0.0), Some(1.0))),
                (Warn, cold(Some(0.01), Some(0.8))),
            ],
        ),
        of(
            Evidence::CacheMisses,
            [
                (Pass, misses(None, 0.78, None)),
                (Pass, misses(None, 0.78, Some([0.79, 0.77]))),
                (Warn, misses(Some(CacheDeviation::Warmed), 0.16, None)),
                (Warn, misses(Some(CacheDeviation::Cold), 1.3, Some([1.7, 0.9]))),
            ],
        ),
        of(
            Evidence::CacheFit,
            [
                (Pass, missed(0.0009)),
                (Warn, missed(0.05)),
                (Unknown, inside(None)),
                (Pass, inside(Some(0.5))),
                (Unknown, inside(Some(0.9))),
                (Warn, inside(Some(1.5))),
                (Unknown, outside(None)),
                (Pass, outside(Some(4.0))),
                (Warn, outside(Some(1.2))),
            ],
        ),
    ]
    .concat()
}

fn durable() -> Vec<Finding> {
    let settings = || "synchronous_commit=off".to_owned();
    let counted = |flushes, counted_by| Durable::Counted { flushes, counted_by, commits: 10_000, jobs: 2 };
    of(
        Evidence::Durability,
        [
            (Unknown, Durable::NotKnown { settings: settings() }),
            (Warn, Durable::DoesNotWait { settings: settings() }),
            (Unknown, Durable::Remote),
            (Pass, Durable::WriteThrough),
            (Unknown, Durable::NotCounted),
            (Pass, counted(9_000, FlushCounter::Device)),
            (Pass, counted(8_000, FlushCounter::Engine)),
            (Unknown, counted(0, FlushCounter::Device)),
            (Warn, counted(0, FlushCounter::Device)),
            (Warn, counted(1, FlushCounter::Device)),
        ],
    )
}

fn rates() -> Vec<Finding> {
    let levels = RateLevels { lower: Rate(1_000.0), lower_seconds: 6, upper: Rate(3_000.0), upper_seconds: 4 };
    let kinds = [
        FailureKind::Deadlock,
        FailureKind::Serialization,
        FailureKind::LockTimeout,
        FailureKind::Constraint,
        FailureKind::Cancelled,
        FailureKind::Other,
    ];
    let failures = |first| {
        let kinds = kinds.into_iter().zip(1..).collect();
        Some(Box::new(Failures { share: Ratio(0.02), limit: Ratio(0.1), kinds, first }))
    };
    let message = "No space left on device (os error 28)".to_owned();
    let job = || Some("nvme".to_owned());
    let not_started = |job| Backlog::NotStarted { job, count: 12, share: Ratio(0.02), limit: Ratio(0.01) };
    let slower = |job| Backlog::Slower { job, done: Rate(900.0), due: Rate(1_000.0) };
    let fall = StepDown { job: "nvme".to_owned(), before: Rate(5_000.0), after: Rate(3_000.0), at_second: 15 };
    [
        of(Evidence::RateLevels, [(Pass, None), (Warn, Some(levels))]),
        of(
            Evidence::Failures,
            [
                (Pass, None),
                (Warn, failures(None)),
                (Fail, failures(Some(FirstFailure { job: "nvme".to_owned(), message }))),
            ],
        ),
        of(
            Evidence::Backlog,
            [
                (Pass, Backlog::Kept { job: None }),
                (Pass, Backlog::Kept { job: job() }),
                (Fail, not_started(None)),
                (Warn, not_started(job())),
                (Warn, slower(None)),
                (Warn, slower(job())),
            ],
        ),
        of(Evidence::StepDown, [(Pass, None), (Warn, Some(fall))]),
    ]
    .concat()
}

fn windows() -> Vec<Finding> {
    let (late_bytes, committed_bytes) = (Bytes(10_000_000), Bytes(100_000_000));
    of(
        Evidence::WindowLength,
        [
            (Pass, WindowLength::Enough { window_ns: Nanos(100_000_000_000) }),
            (Unknown, WindowLength::Short { window_ns_min: Nanos(30_000_000_000) }),
            (Warn, WindowLength::FewSteps { steps: 1, steps_min: 20 }),
            (Warn, WindowLength::CommittedLater { late_bytes, committed_bytes }),
        ],
    )
}

fn checkpoints() -> Vec<Finding> {
    let of_window = |seen, is_counted, refusal: Option<&str>| SeenCheckpoints {
        seen,
        wanted: 3,
        is_counted,
        refusal: refusal.map(str::to_owned),
    };
    of(
        Evidence::Checkpoints,
        [
            (Pass, of_window(3, true, None)),
            (Warn, of_window(1, false, None)),
            (Unknown, of_window(0, false, Some("this engine makes no checkpoint on request"))),
        ],
    )
}

fn warehouses() -> Vec<Finding> {
    let of_jobs = |jobs| Warehouses { warehouses: 10, jobs, per_job_min: 5 };
    of(Evidence::Warehouses, [(Pass, of_jobs(2)), (Warn, of_jobs(4))])
}

fn loads_beside() -> Vec<Finding> {
    let of_steps = |steps, failed, cancelled| LoadBesideSteps {
        test: "H100".to_owned(),
        steps,
        failed,
        cancelled,
        limit: Ratio(0.1),
    };
    let found =
        [(Pass, of_steps(40, 1, 1)), (Warn, of_steps(40, 5, 0)), (Warn, of_steps(0, 0, 2)), (Fail, of_steps(3, 3, 0))];
    of(Evidence::LoadBeside, found)
}

fn storage() -> Vec<Finding> {
    let content = |verified, corrupt, stale, unverified| Content { verified, corrupt, stale, unverified };
    let path = || "/data/file".to_owned();
    let no_device = |file_system: Option<&str>| DeviceIo::NoDevice {
        path: path(),
        file_system: file_system.map(str::to_owned),
        memory_device: None,
    };
    let counted = |direction, share: Option<f64>, is_forced| DeviceIo::Counted {
        direction,
        share: share.map(Ratio),
        limit: Ratio(0.9),
        is_forced,
        is_counted_by_mount: false,
        loop_file: None,
    };
    let by_mount = |share| DeviceIo::Counted {
        direction: IoDirection::Read,
        share: Some(Ratio(share)),
        limit: Ratio(0.9),
        is_forced: false,
        is_counted_by_mount: true,
        loop_file: None,
    };
    let in_memory = DeviceIo::NoDevice { path: path(), file_system: None, memory_device: Some("ram0".to_owned()) };
    let through_file = DeviceIo::Counted {
        direction: IoDirection::Read,
        share: Some(Ratio(0.0)),
        limit: Ratio(0.9),
        is_forced: false,
        is_counted_by_mount: false,
        loop_file: Some(record::LoopFile {
            device: "loop0".to_owned(),
            path: "/srv/disk.img".to_owned(),
            file_system: Some("ext4".to_owned()),
            is_direct: false,
        }),
    };
    let some = |are_holes, are_read| Unwritten::Some {
        path: path(),
        share: Ratio(0.2),
        are_holes,
        are_read,
        limit: Ratio(0.01),
    };
    let (read, write, trim) = (IoDirection::Read, IoDirection::Write, IoDirection::Trim);
    let stall = |most_ms: u64, is_open_loop| {
        let (scheduling_delay_ns_max, limit_ns) = (Nanos(most_ms * 1_000_000), Nanos(20_000_000));
        Some(Stall { scheduling_delay_ns_max, limit_ns, is_open_loop })
    };
    let bound = |share| {
        let (job, ceiling, limit) = ("nvme".to_owned(), Rate(2_000.0), Ratio(0.7));
        Some(Box::new(GeneratorBound { job, share: Ratio(share), ceiling, limit }))
    };
    [
        of(
            Evidence::DeviceIo,
            [
                (Fail, no_device(None)),
                (Fail, no_device(Some("tmpfs"))),
                (Fail, in_memory),
                (Fail, through_file),
                (Unknown, DeviceIo::SeveralDevices),
                (Unknown, counted(read, None, false)),
                (Pass, counted(read, Some(1.0), false)),
                (Fail, counted(read, Some(0.03), false)),
                (Unknown, counted(write, None, false)),
                (Fail, counted(write, Some(0.5), true)),
                (Fail, counted(write, Some(0.05), false)),
                (Warn, counted(write, Some(0.5), false)),
                (Unknown, counted(trim, None, false)),
                (Fail, counted(trim, Some(0.0), false)),
                (Pass, by_mount(1.0)),
                (Fail, by_mount(0.03)),
            ],
        ),
        of(
            Evidence::Unwritten,
            [
                (Pass, Unwritten::None),
                (Unknown, Unwritten::DeviceNotKnown { path: "/dev/nvme1n1".to_owned() }),
                (Unknown, Unwritten::FileNotKnown { path: path() }),
                (Fail, some(true, true)),
                (Warn, some(false, true)),
                (Warn, some(true, false)),
            ],
        ),
        of(
            Evidence::Compressible,
            [
                (Pass, Compressible::None),
                (Unknown, Compressible::NotKnown { path: path() }),
                (Warn, Compressible::Compresses { path: path(), size: Ratio(0.42) }),
                (Warn, Compressible::Repeats { path: path(), share: Ratio(0.5) }),
            ],
        ),
        of(
            Evidence::Stall,
            [(Unknown, None), (Pass, stall(3, true)), (Warn, stall(2_000, true)), (Warn, stall(2_000, false))],
        ),
        of(Evidence::GeneratorBound, [(Unknown, None), (Pass, bound(0.5)), (Warn, bound(0.8)), (Unknown, bound(1.25))]),
        of(
            Evidence::Content,
            [
                (Pass, content(100, 0, 0, 0)),
                (Pass, content(100, 0, 0, 1)),
                (Unknown, content(1, 0, 0, 100)),
                (Fail, content(100, 1, 0, 0)),
                (Fail, content(0, 0, 16, 0)),
                (Fail, content(100, 2, 3, 4)),
            ],
        ),
    ]
    .concat()
}

fn flushes() -> Vec<Finding> {
    let syncs = |flushes, sharing, fastest: Option<u64>| Flush::Syncs {
        syncs: 10_000,
        flushes,
        sharing,
        slots: 1,
        fastest_ns: fastest.map(Nanos),
    };
    let commit = |log_syncs, flushes| Flush::CommitTime {
        transaction_ns: Nanos(371_000),
        probe_ns: Nanos(2_163_000),
        commits: 10_000,
        log_syncs,
        flushes,
    };
    of(
        Evidence::Flush,
        [
            (Unknown, Flush::SeveralDevices),
            (Pass, Flush::WriteThrough),
            (Unknown, Flush::AtServer { syncs: 200, commits: Some(200) }),
            (Unknown, syncs(None, FlushSharing::NotCounted, None)),
            (Unknown, syncs(Some(0), FlushSharing::NeedNotKnown, None)),
            (Warn, syncs(Some(0), FlushSharing::PastCache, None)),
            (Fail, syncs(Some(0), FlushSharing::NotForced, None)),
            (Warn, syncs(Some(4_000), FlushSharing::TooFew, None)),
            (Pass, syncs(Some(10_000), FlushSharing::Enough, None)),
            (Warn, syncs(Some(10_000), FlushSharing::Enough, Some(12_300))),
            (Pass, commit(None, None)),
            (Warn, commit(None, None)),
            (Unknown, commit(Some(10_000), Some(10_012))),
        ],
    )
}

fn steadies() -> Vec<Finding> {
    let window = |verdict, reason, counted| Steady::Window { verdict, reason, counted };
    let counted = |window_rate: Option<f64>| {
        let (first_second, last_second) = (121, 300);
        Some(SteadyRate { first_second, last_second, rate: Rate(81_234.0), window_rate: window_rate.map(Rate) })
    };
    let doubts = vec![
        SteadyUncertainty::WideDrift { drift_max: Ratio(0.2), limit: Ratio(0.1) },
        SteadyUncertainty::FewCycles { period_seconds: 120, seconds: 300, cycles_min: 3 },
        SteadyUncertainty::FewCheckpoints { checkpoints: 3, cut_seconds: 0, of_seconds: 300, checkpoints_min: 4 },
        SteadyUncertainty::FewCheckpoints { checkpoints: 1, cut_seconds: 20, of_seconds: 300, checkpoints_min: 4 },
        SteadyUncertainty::FewIndependentSeconds {
            seconds: 100,
            independent_seconds: 12.4,
            independent_seconds_min: 20.0,
        },
    ];
    let rule =
        |range| Some(SniaRule { range: Ratio(range), range_max: Ratio(0.2), rise: Ratio(0.04), rise_max: Ratio(0.1) });
    let rounds = |rounds, rule| Steady::Rounds { rounds, rounds_needed: 5, rule };
    let is_steady = |cut, class, checkpoints| steady_reason(cut, class, checkpoints);
    of(
        Evidence::Steady,
        [
            (Pass, window(SteadyVerdict::Steady, is_steady(0, SteadyClass::Flat, Some(0)), counted(None))),
            (Pass, window(SteadyVerdict::Steady, is_steady(40, SteadyClass::Flat, None), counted(None))),
            (Warn, window(SteadyVerdict::WarmupCut, is_steady(120, SteadyClass::Warmup, None), counted(Some(4_686.0)))),
            (Pass, window(SteadyVerdict::Slowdown, is_steady(120, SteadyClass::Slowdown, Some(7)), counted(None))),
            (Warn, window(SteadyVerdict::Drifting, drifting(), None)),
            (
                Warn,
                window(
                    SteadyVerdict::NotSteady,
                    SteadyReason::LastLevelShort { from_second: 220, to_second: 300 },
                    None,
                ),
            ),
            (
                Unknown,
                window(SteadyVerdict::Inconclusive, SteadyReason::NothingDone { seconds: 60, of_seconds: 60 }, None),
            ),
            (Unknown, window(SteadyVerdict::Inconclusive, SteadyReason::Inconclusive { doubts }, None)),
            (Unknown, window(SteadyVerdict::TooShort, SteadyReason::TooShort { seconds: 1, seconds_min: 60 }, None)),
            (Pass, rounds(6, rule(0.06))),
            (Warn, rounds(6, rule(0.3))),
            (Warn, rounds(1, None)),
        ],
    )
}

fn levels() -> Vec<Finding> {
    let level = |value: Option<u64>, confirms| Bound::Level {
        level: "p99=2ms".to_owned(),
        statistic: "p99".to_owned(),
        value_ns: value.map(Nanos),
        confirms,
    };
    let search = |of_storage, rate, ending| {
        Bound::Search(Box::new(SearchAnswer { level: "p99=2ms".to_owned(), of_storage, rate, ending }))
    };
    let rate = |low_is_outermost| {
        let (estimate, low, high) = (Rate(249.3), Rate(218.1), Rate(257.7));
        Some(RateInterval { estimate, low, low_is_outermost, high, high_is_outermost: false })
    };
    let starts = |spread: u64| AgentStarts {
        agents: 3,
        spread_ns: Nanos(spread),
        clock_error_ns: Nanos(1_400_000),
        limit_ns: Nanos(100_000_000),
    };
    let unseen = |nanos: u64| UnseenAnswers {
        unseen_ns: Nanos(nanos),
        share: Ratio(nanos as f64 / 320_000.0),
        limit: Ratio(0.01),
    };
    let slow = |share| SlowAgent { share: Ratio(share), limit: Ratio(0.9) };
    let rates = |common: Option<f64>| AgentRates {
        own_windows: Rate(12_000.0),
        common_seconds: common.map(Rate),
        gap: common.map(|common| Ratio(1.0 - common / 12_000.0)),
        limit: Ratio(0.01),
        first_done_ns: Nanos(10_000_012_000),
        last_done_ns: Nanos(10_400_000_000),
    };
    let node = |name: &str, loss| LostNode { node: 3, name: name.to_owned(), loss };
    let loss = |standstill_seconds: Option<u64>| {
        let (before, after) = (Some(Rate(300.0)), standstill_seconds.map(|_| Rate(133.3)));
        Some(Loss { at_ns: Nanos(2_300_000_000), jobs: 2, before, after, standstill_seconds })
    };
    [
        of(
            Evidence::Bound,
            [
                (Unknown, Bound::Invalid { level: "soon".to_owned() }),
                (Unknown, level(None, None)),
                (Pass, level(Some(812_000), None)),
                (Warn, level(Some(2_500_000), None)),
                (Pass, level(Some(812_000), Some(Confirmation::AtLimit))),
                (Warn, level(Some(2_500_000), Some(Confirmation::AboveLimit))),
                (Pass, search(false, rate(false), SearchEnding::Confirmed)),
                (Unknown, search(true, rate(true), SearchEnding::NotConfirmed)),
                (Unknown, search(false, None, SearchEnding::OneSided)),
            ],
        ),
        of(
            Evidence::NodeLoss,
            [
                (Pass, NodeLoss::None { nodes: 3 }),
                (
                    Warn,
                    NodeLoss::Lost {
                        nodes: vec![node("h3:5432", loss(Some(1))), node("", loss(None)), node("h3:5432", None)],
                    },
                ),
            ],
        ),
        of(Evidence::AgentStarts, [(Pass, starts(12_000)), (Warn, starts(98_700_000))]),
        of(Evidence::UnseenAnswers, [(Pass, unseen(2_300)), (Warn, unseen(23_000))]),
        of(Evidence::SlowAgent, [(Pass, slow(0.97)), (Warn, slow(0.79))]),
        of(Evidence::AgentRates, [(Pass, rates(Some(11_990.0))), (Warn, rates(Some(9_000.0))), (Unknown, rates(None))]),
    ]
    .concat()
}
