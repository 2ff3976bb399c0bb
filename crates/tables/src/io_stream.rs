//! The I/O of storage runs: one row for each stream of each run.

use record::{IoJob, IoKind, IoStream, Pace, Rate, Record, Run};

use crate::column::{Column, Kind, Part, identity, invalid, latency, parts};
use crate::value::Value;

/// A stream, with its job; absent where the plan does not have it.
pub type StreamRow<'a> = Part<'a, (&'a IoStream, Option<&'a IoJob>)>;

/// The streams of `record`, in the order of the runs.
pub fn rows(record: &Record) -> impl Iterator<Item = StreamRow<'_>> {
    parts(record, move |run| {
        let streams = run.storage.iter().flat_map(|storage| &storage.streams);
        streams.map(move |stream| (stream, job(record, run, stream)))
    })
}

/// The job of a stream, or the first of its jobs: the one with its name in the phase of the run, or else in any phase.
pub fn job<'a>(record: &'a Record, run: &Run, stream: &IoStream) -> Option<&'a IoJob> {
    let phases = &record.plan.io.as_ref()?.phases;
    let own = phases.iter().filter(|phase| phase.name == run.test);
    own.chain(phases).flat_map(|phase| &phase.jobs).find(|job| stream.is_of(&job.name))
}

/// The I/O pattern of a stream: `randread`, `write`, `fdatasync`, `commit`.
pub fn profile(of: &StreamRow<'_>) -> &'static str {
    let (stream, job) = of.of;
    pattern(stream, job)
}

/// The same of a stream whose job is not known, maybe.
pub fn pattern(stream: &IoStream, job: Option<&IoJob>) -> &'static str {
    match (stream.kind, stream.random) {
        (IoKind::Read, true) => "randread",
        (IoKind::Read, false) => "read",
        (IoKind::Write, true) => "randwrite",
        (IoKind::Write, false) => "write",
        (IoKind::Trim, true) => "randtrim",
        (IoKind::Trim, false) => "trim",
        (IoKind::Commit, _) => "commit",
        (IoKind::Sync, _) => match job.and_then(|job| job.sync_every) {
            Some(sync) if sync.data_only => "fdatasync",
            Some(_) => "fsync",
            None => "sync",
        },
    }
}

/// I/Os per second over the window of the stream.
pub fn operations_per_second(of: &StreamRow<'_>) -> Option<Rate> {
    per_second(of.of.0, of.of.0.operations)
}

/// Bytes per second over the window of the stream; absent of a sync, which transfers none.
pub fn bytes_per_second(of: &StreamRow<'_>) -> Option<Rate> {
    per_second(of.of.0, of.of.0.bytes.0).filter(|_| of.of.0.kind != IoKind::Sync)
}

fn per_second(stream: &IoStream, count: u64) -> Option<Rate> {
    (stream.window_ns.0 > 0).then(|| Rate(count as f64 / stream.window_ns.seconds()))
}

/// The agents that carried it out; absent where none did.
fn agents(run: &Run) -> Option<u64> {
    Some(run.agents.len() as u64).filter(|count| *count > 0)
}

/// Its pace.
fn pace(pace: Pace) -> &'static str {
    match pace {
        Pace::Unthrottled => "unthrottled",
        Pace::Rate { .. } => "rate",
        Pace::Poisson { .. } => "poisson",
        Pace::ThinkTime { .. } => "think_time",
    }
}

type Figure<'a> = Column<StreamRow<'a>>;

/// The workload, then the results.
pub fn columns<'a>() -> Vec<Column<StreamRow<'a>>> {
    let mut columns = identity();
    columns.extend([
        Figure::fact("title", Kind::Text, |of| (&of.run.title).into()),
        Figure::fact("started_at", Kind::Text, |of| (&of.run.started_at.0).into()),
        Figure::fact("verdict", Kind::Text, |of| Value::word(model::row(of.run).verdict)),
        Figure::fact("job", Kind::Text, |of| (&of.of.0.job).into()),
        Figure::fact("report_group", Kind::Count, |of| of.of.0.report_group.into()),
        Figure::fact("clone", Kind::Count, |of| of.of.0.clone.into()),
        Figure::fact("kind", Kind::Text, |of| Value::word(of.of.0.kind)),
        Figure::fact("profile", Kind::Text, |of| profile(of).into()),
        Figure::fact("agents", Kind::Count, |of| agents(of.run).into()).head("#H"),
        Figure::fact("clones", Kind::Count, |of| of.of.0.clones.into()).head("#J"),
        Figure::fact("depth", Kind::Count, |of| of.of.0.depth.into()).head("queue\ndepth"),
        Figure::fact("slots", Kind::Count, |of| of.of.0.slots.into()),
        Figure::fact("in_flight_mean", Kind::Number, |of| of.of.0.in_flight_mean.into()).head("in\nflight"),
        Figure::fact("duty_cycle_ratio", Kind::Ratio, |of| of.of.0.duty_cycle.into()).head("duty\ncycle"),
        Figure::fact("block_bytes_min", Kind::Memory, |of| of.of.0.block_bytes_min.into()).head("smallest\nblock"),
        Figure::fact("block_bytes_max", Kind::Memory, |of| of.of.0.block_bytes_max.into()).head("largest\nblock"),
        Figure::fact("random", Kind::Flag, |of| of.of.0.random.into()),
        Figure::fact("direct", Kind::Flag, |of| of.of.0.direct.into()),
        Figure::fact("pace", Kind::Text, |of| pace(of.of.0.pace).into()),
        Figure::fact("target_per_second", Kind::PerSecond, |of| of.of.0.pace.rate().into()).head("target\nIOPS"),
        Figure::fact("bound", Kind::Text, |of| {
            of.run.storage.as_ref().and_then(|storage| storage.bound.as_ref()).into()
        }),
        Figure::fact("window_ns", Kind::Nanoseconds, |of| of.of.0.window_ns.into()).head("time"),
        Figure::fact("operations", Kind::Count, |of| of.of.0.operations.into()),
        Figure::fact("bytes", Kind::Bytes, |of| of.of.0.bytes.into()),
        Figure::fact("short", Kind::Count, |of| of.of.0.short.into()),
        Figure::fact("failures", Kind::Count, |of| of.of.0.failures.into()).head("failed"),
        Figure::fact("unfinished", Kind::Count, |of| of.of.0.unfinished.into()),
        Figure::fact("verified", Kind::Count, |of| of.of.0.verified.into()),
        Figure::fact("corrupt", Kind::Count, |of| of.of.0.corrupt.into()),
        Figure::fact("stale", Kind::Count, |of| of.of.0.stale.into()),
        Figure::fact("unverified", Kind::Count, |of| of.of.0.unverified.into()),
        invalid(),
        Figure::result("operations_per_second", Kind::Iops, |of| operations_per_second(of).into()).head("IOPS"),
        Figure::result("bytes_per_second", Kind::BytesPerSecond, |of| bytes_per_second(of).into()).head("MB/s"),
    ]);
    columns.extend(latency!(Figure, "service", |of| &of.of.0.service));
    columns.extend(latency!(Figure, "response", |of| &of.of.0.response));
    columns
}
