//! Costs of the stages of a plan, measured by the loads of a record.

use record::{LoadForm, LoadModel, LoadStageKind, Rate, Record, name};

use super::stage::{RateSource, Stage, StageCost, StageRate, WrittenSource};
use crate::delta::{delta, share};
use crate::load::{Observation, cpu_ns, observations};
use crate::statistics::Interval;

/// The costs measured by loads of one form into one kind of table.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasuredPlan {
    /// Stages with rates per core: of the fastest load, with the range of all loads.
    pub stages: Vec<StageCost>,
    /// Write amplification; absent without a source.
    pub written_per_byte: Option<(f64, WrittenSource)>,
    /// Bytes of log per byte of flat file.
    pub log_per_byte: Option<f64>,
    /// Compression ratio of input in the requested compression; absent where there is none.
    pub input_ratio: Option<f64>,
    /// The number of the fastest load.
    pub fastest: u32,
    /// Its bytes of flat file per second.
    pub rate: Rate,
    /// The numbers of all loads considered.
    pub runs: Vec<u32>,
}

/// The costs measured by the loads of `record` of this form and kind of table; those of decompressing `compression`
/// come from loads of any form and kind. None without such a load.
pub fn measured_plan(
    record: &Record,
    model: LoadModel,
    form: LoadForm,
    compression: Option<&str>,
) -> Option<MeasuredPlan> {
    let all = observations(record);
    let is_wanted = |seen: &&Observation<'_>| seen.load.model == model && seen.load.form == form;
    let seen: Vec<&Observation<'_>> = all.iter().filter(is_wanted).collect();
    let fastest = *seen.iter().max_by(|one, other| one.rate.total_cmp(&other.rate))?;
    let compressed: Vec<&Observation<'_>> =
        all.iter().filter(|seen| compression.is_some_and(|name| seen.input == name)).collect();
    let mut stages = Vec::new();
    let decompress = |seen: &Observation<'_>| spent(seen, LoadStageKind::Decompress);
    stages.extend(rate(Stage::Decompress, &compressed, compressed.first().copied(), decompress));
    match form {
        LoadForm::Typed => {
            stages.extend(rate(Stage::Parse, &seen, Some(fastest), |seen| spent(seen, LoadStageKind::Parse)));
        }
        LoadForm::AsIs => stages.push(StageCost::Skipped(Stage::Parse)),
    }
    // CPU time does not separate conversion from sending, nor, in an embedded engine, from insertion.
    let rest = match (inserts_here(fastest), form) {
        (true, _) => Stage::Insert,
        (false, LoadForm::Typed) => Stage::Convert,
        (false, LoadForm::AsIs) => Stage::Send,
    };
    stages.extend((rest != Stage::Convert).then_some(StageCost::Skipped(Stage::Convert)));
    stages.extend(rate(rest, &seen, Some(fastest), rest_of_client));
    if rest != Stage::Insert {
        stages.extend(rate(Stage::Insert, &seen, Some(fastest), |seen| per_byte(seen, name::SERVER_CPU_NS)));
    }
    let ratio = compressed.iter().find_map(|seen| share(seen.load.flat_bytes.0 as f64, seen.load.input_bytes.0 as f64));
    Some(MeasuredPlan {
        stages,
        written_per_byte: written(fastest),
        log_per_byte: per_byte(fastest, name::REDO_WRITE_BYTES),
        input_ratio: ratio,
        fastest: fastest.run.number,
        rate: Rate(fastest.rate),
        runs: seen.iter().map(|seen| seen.run.number).collect(),
    })
}

/// The rate of one core in `stage`, where `spent` is the nanoseconds per byte: of `reference`, with the range of all.
fn rate(
    stage: Stage,
    seen: &[&Observation<'_>],
    reference: Option<&Observation<'_>>,
    spent: impl Fn(&Observation<'_>) -> Option<f64>,
) -> Option<StageCost> {
    let per_second = |seen: &Observation<'_>| spent(seen).filter(|spent| *spent > 0.0).map(|spent| 1e9 / spent);
    let estimate = per_second(reference?)?;
    let rates = seen.iter().filter_map(|seen| per_second(seen));
    let (low, high) = rates.fold((estimate, estimate), |(low, high), rate| (low.min(rate), high.max(rate)));
    let rate = Interval { estimate, low, high };
    Some(StageCost::Rate(StageRate { stage, rate, worker_cores: 1.0, times: 1, source: RateSource::Measured }))
}

/// CPU time of a stage per byte, nanoseconds.
fn spent(seen: &Observation<'_>, kind: LoadStageKind) -> Option<f64> {
    let stage = seen.load.stages.iter().find(|stage| stage.kind == kind)?;
    share(cpu_ns(stage)?, stage.bytes.0 as f64)
}

/// CPU time of dbdyno per byte without input and parsing, nanoseconds.
fn rest_of_client(seen: &Observation<'_>) -> Option<f64> {
    let other = [LoadStageKind::Generate, LoadStageKind::Read, LoadStageKind::Decompress, LoadStageKind::Parse];
    let stages = seen.load.stages.iter().filter(|stage| other.contains(&stage.kind));
    // Not all bytes go through each stage.
    let other = share(stages.filter_map(cpu_ns).sum(), seen.run.totals.bytes?.0 as f64)?;
    Some((per_byte(seen, name::CLIENT_CPU_NS)? - other).max(0.0))
}

fn per_byte(seen: &Observation<'_>, counter: &str) -> Option<f64> {
    share(delta(seen.run, counter)? as f64, seen.run.totals.bytes?.0 as f64)
}

fn inserts_here(seen: &Observation<'_>) -> bool {
    seen.load.stages.iter().any(|stage| stage.kind == LoadStageKind::Insert)
}

/// Write amplification: writes of the block layer within the run, or log, table and indexes where these are more, since
/// an engine writes some of them later.
fn written(seen: &Observation<'_>) -> Option<(f64, WrittenSource)> {
    let flat = seen.run.totals.bytes?.0 as f64;
    let device = per_byte(seen, name::DEVICE_WRITE_BYTES).map(|written| (written, WrittenSource::Device));
    let stored = seen.load.table_bytes.filter(|_| seen.load.resumed_rows == 0);
    let stored = stored.map(|table| table.0.saturating_add(seen.load.index_bytes.map_or(0, |index| index.0)));
    let stored = stored.and_then(|stored| share(stored as f64, flat)).zip(per_byte(seen, name::REDO_WRITE_BYTES));
    let stored = stored.map(|(stored, log)| (stored + log, WrittenSource::LogAndTable));
    [device, stored].into_iter().flatten().max_by(|one, other| one.0.total_cmp(&other.0))
}
