//! How busy the stages of a load were, and which of them set its pace.

use record::{Load, LoadForm, LoadStage, LoadStageKind, Nanos, Rate, Ratio, Run};

/// Threads that stages share: who reads also decompresses, who sends also converts and commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Workers {
    /// They bring the lines: generate, read, decompress.
    Readers,
    /// They parse.
    Parsers,
    /// Each has a session: convert, send or insert, commit.
    Senders,
}

/// The workers that works on a stage of a load in `form`. Of lines that are sent as they are, only those are parsed that cannot
/// be, by who sends them.
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
    /// Which one.
    pub kind: LoadStageKind,
    /// Threads that worked on it, among other stages of the same workers.
    pub threads: u32,
    /// Share of the time of these threads: busy over threads times window.
    pub busy: Ratio,
    /// Share of it of all stages of the workers: near 1, nobody waits for anything but this workers.
    pub workers_busy: Ratio,
    /// Bytes of flat file per second at work of one thread; absent where nothing went through.
    pub per_thread: Option<Rate>,
}

/// The stages of `run`, in the order of the way; empty of a run that is no load, and of an empty window.
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

/// The stage that sets the pace: the busiest one of the workers that waits least for the others. None of a run that is no
/// load.
pub fn slowest(run: &Run) -> Option<StageFigures> {
    let order = |one: &StageFigures, other: &StageFigures| {
        let by_workers = one.workers_busy.0.total_cmp(&other.workers_busy.0);
        by_workers.then(one.busy.0.total_cmp(&other.busy.0))
    };
    stages(run).into_iter().max_by(order)
}

/// Time that the readers of `load` need for a byte, nanoseconds of one thread: that of the device included. None where
/// nothing was read.
pub(super) fn reading_ns_per_byte(load: &Load) -> Option<f64> {
    let (readers, bytes) = readers(load);
    (bytes > 0).then(|| readers.map(work_ns).sum::<f64>() / bytes as f64)
}

/// The stages of the readers of `load`, and how many bytes went through them: not each of them is compressed.
fn readers(load: &Load) -> (impl Iterator<Item = &LoadStage>, u64) {
    let readers = || load.stages.iter().filter(|stage| workers(stage.kind, load.form) == Workers::Readers);
    (readers(), readers().map(|stage| stage.bytes.0).max().unwrap_or(0))
}

/// Processor time that bringing a byte of lines took, nanoseconds; waiting for a device is none.
pub(super) fn input_cpu_ns_per_byte(load: &Load) -> f64 {
    let (readers, bytes) = readers(load);
    readers.filter_map(cpu_ns).sum::<f64>() / bytes.max(1) as f64
}

/// Processor time of a stage: as it was counted, or the time at work where that is work and no waiting.
pub(crate) fn cpu_ns(stage: &LoadStage) -> Option<f64> {
    let works = matches!(stage.kind, LoadStageKind::Generate | LoadStageKind::Decompress | LoadStageKind::Parse);
    let counted = stage.cpu_ns.map(|Nanos(spent)| spent as f64);
    counted.or_else(|| works.then_some(stage.busy_ns.0 as f64))
}

/// What a stage takes of its thread: processor time where it is nothing else, since a thread at work may have been kept
/// from its processor by others.
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
