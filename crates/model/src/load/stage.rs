//! Utilisation of the stages of a load, and its bottleneck.

use record::{Load, LoadForm, LoadStage, LoadStageKind, Nanos, Rate, Ratio, Run};

/// Workers, whose threads share stages: readers also decompress, senders also convert and commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Workers {
    /// Generate, read, decompress.
    Readers,
    /// Parse.
    Parsers,
    /// One session each: convert, send or insert, commit.
    Senders,
}

/// The workers of a stage of a load in `form`. In form as-is, senders parse the few lines that cannot be sent as they
/// are.
pub fn workers(kind: LoadStageKind, form: LoadForm) -> Workers {
    match kind {
        LoadStageKind::Parse if form == LoadForm::AsIs => Workers::Senders,
        LoadStageKind::Generate | LoadStageKind::Read | LoadStageKind::Decompress => Workers::Readers,
        LoadStageKind::Parse => Workers::Parsers,
        LoadStageKind::Convert | LoadStageKind::Send | LoadStageKind::Insert | LoadStageKind::Commit => {
            Workers::Senders
        }
    }
}

/// One stage of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageFigures {
    /// The stage.
    pub kind: LoadStageKind,
    /// Threads of its workers.
    pub threads: u32,
    /// Utilisation: busy time over threads times window.
    pub busy: Ratio,
    /// Utilisation of all stages of these workers together; near 1 they are the bottleneck.
    pub workers_busy: Ratio,
    /// Bytes of flat file per busy second of one thread; absent without bytes.
    pub per_thread: Option<Rate>,
}

/// The stages of `run`, in the order of the pipeline; empty unless it is a load with a window.
pub fn stages(run: &Run) -> Vec<StageFigures> {
    let Some(load) = run.load.as_deref() else { return Vec::new() };
    let all = load.stages.iter();
    all.filter_map(|stage| {
        let busy = busy(stage, run.window_ns)?;
        let workers_busy =
            load.stages.iter().filter(|other| workers(other.kind, load.form) == workers(stage.kind, load.form));
        let workers_busy = workers_busy.filter_map(|other| share(other, run.window_ns)).sum();
        Some(StageFigures {
            kind: stage.kind,
            threads: stage.threads,
            busy: Ratio(busy),
            workers_busy: Ratio(workers_busy),
            per_thread: per_second(stage),
        })
    })
    .collect()
}

/// The bottleneck: the busiest stage of the busiest workers. None unless it is a load.
pub fn slowest(run: &Run) -> Option<StageFigures> {
    let order = |one: &StageFigures, other: &StageFigures| {
        let by_workers = one.workers_busy.0.total_cmp(&other.workers_busy.0);
        by_workers.then(one.busy.0.total_cmp(&other.busy.0))
    };
    stages(run).into_iter().max_by(order)
}

/// Time per byte of the readers of `load`, nanoseconds of one thread, with that of the device. None where nothing was
/// read.
pub(super) fn reading_ns_per_byte(load: &Load) -> Option<f64> {
    let (readers, bytes) = readers(load);
    (bytes > 0).then(|| readers.map(work_ns).sum::<f64>() / bytes as f64)
}

/// The stages of the readers of `load`, and their bytes.
fn readers(load: &Load) -> (impl Iterator<Item = &LoadStage>, u64) {
    let readers = || load.stages.iter().filter(|stage| workers(stage.kind, load.form) == Workers::Readers);
    (readers(), readers().map(|stage| stage.bytes.0).max().unwrap_or(0))
}

/// CPU time of input per byte, nanoseconds, without waits for the device.
pub(super) fn input_cpu_ns_per_byte(load: &Load) -> f64 {
    let (readers, bytes) = readers(load);
    readers.filter_map(cpu_ns).sum::<f64>() / bytes.max(1) as f64
}

/// CPU time of a stage: as counted, or the busy time of stages that do not wait.
pub(crate) fn cpu_ns(stage: &LoadStage) -> Option<f64> {
    let works = matches!(stage.kind, LoadStageKind::Generate | LoadStageKind::Decompress | LoadStageKind::Parse);
    let counted = stage.cpu_ns.map(|Nanos(spent)| spent as f64);
    counted.or_else(|| works.then_some(stage.busy_ns.0 as f64))
}

/// The time of a stage: busy time for reads, CPU time otherwise, since busy time includes preemption.
fn work_ns(stage: &LoadStage) -> f64 {
    match stage.kind {
        LoadStageKind::Read => stage.busy_ns.0 as f64,
        _ => cpu_ns(stage).unwrap_or(stage.busy_ns.0 as f64),
    }
}

fn busy(stage: &LoadStage, window: Nanos) -> Option<f64> {
    (stage.threads > 0).then(|| share(stage, window)).flatten()
}

fn share(stage: &LoadStage, window: Nanos) -> Option<f64> {
    let time = f64::from(stage.threads) * window.0 as f64;
    (time > 0.0).then(|| stage.busy_ns.0 as f64 / time)
}

fn per_second(stage: &LoadStage) -> Option<Rate> {
    (stage.busy_ns.0 > 0 && stage.bytes.0 > 0).then(|| Rate(stage.bytes.0 as f64 / stage.busy_ns.seconds()))
}
