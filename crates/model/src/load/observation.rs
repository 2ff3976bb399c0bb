//! What a run of a load tells about loads that were not measured.

use record::{Load, LoadStageKind, Record, Run, name};

use super::stage::{Workers, input_cpu_ns_per_byte, reading_ns_per_byte, slowest, workers};
use crate::cpu::{cpu_shares, host_cpu_ns};
use crate::delta::delta;
use crate::row::{is_invalid, row};
use crate::rules::RULES;

/// What compresses a source that is not compressed.
const UNCOMPRESSED: &str = "none";

/// What stands for it where lines are generated and nothing is read.
pub(super) const GENERATED: &str = "generated";

/// One load that is a result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observation<'a> {
    pub(crate) run: &'a Run,
    pub(crate) load: &'a Load,
    /// Sessions.
    pub(crate) jobs: f64,
    /// Bytes of flat file per second.
    pub(crate) rate: f64,
    /// What brings the lines: `generated`, or the compression of the source.
    pub(crate) input: &'a str,
    /// Processor time on this host for a byte, of bringing it, nanoseconds.
    pub(crate) input_cpu_ns: f64,
    /// The same of everything else, of dbdyno and of the engine where it is on this host; absent where it is not counted.
    pub(crate) other_cpu_ns: Option<f64>,
    /// Time of one reading thread for a byte, nanoseconds; absent where nothing was read.
    pub(crate) reading_ns: Option<f64>,
    /// Threads that read.
    pub(crate) readers: u32,
    /// Whether all others waited for the readers.
    pub(crate) is_read_bound: bool,
    /// Share of the host's processors that dbdyno and the engine used.
    pub(crate) used: Option<f64>,
    /// Share of them that nobody used.
    pub(crate) idle: Option<f64>,
}

impl Observation<'_> {
    /// Whether there was no processor left for more.
    pub(crate) fn is_processor_bound(&self) -> bool {
        self.idle.is_some_and(|idle| 1.0 - idle >= RULES.attribution_use_min)
    }

    /// Whether neither readers nor processors held its sessions up.
    pub(crate) fn is_session_bound(&self) -> bool {
        !self.is_read_bound && !self.is_processor_bound()
    }
}

/// The loads of `record` that are results, in the order in which they were carried out. One that was gone on with is none
/// of them: its stages read what was there already, too.
pub(crate) fn observations(record: &Record) -> Vec<Observation<'_>> {
    record
        .runs
        .iter()
        .filter(|run| run.variation.is_none() && !is_invalid(run) && !run.load.as_deref().is_some_and(Load::is_rest))
        .filter_map(observation)
        .collect()
}

/// What the lines of the loads of `record` came from, each once and in alphabetical order: `generated`, or the compression
/// of the source.
pub fn inputs(record: &Record) -> Vec<String> {
    let mut inputs: Vec<String> = observations(record).iter().map(|seen| seen.input.to_owned()).collect();
    inputs.sort_unstable();
    inputs.dedup();
    inputs
}

/// Whether all runs of `record` loaded lines that were there: nothing in it was drawn from its seed.
pub fn are_lines_found(record: &Record) -> bool {
    let is_found = |run: &Run| run.load.as_deref().is_some_and(|load| input_word(load) != GENERATED);
    !record.runs.is_empty() && record.runs.iter().all(is_found)
}

/// What brings the lines of `load`.
pub(crate) fn input_word(load: &Load) -> &str {
    match load.stages.iter().any(|stage| stage.kind == LoadStageKind::Generate) {
        true => GENERATED,
        false if load.compression.is_empty() => UNCOMPRESSED,
        false => &load.compression,
    }
}

fn observation(run: &Run) -> Option<Observation<'_>> {
    let load = run.load.as_deref()?;
    let row = row(run);
    let rate = row.bytes_per_second.map(|rate| rate.0).filter(|rate| *rate > 0.0)?;
    let loaded = run.totals.bytes.map(|bytes| bytes.0 as f64)?;
    let input_cpu_ns = input_cpu_ns_per_byte(load);
    let spent = delta(run, name::CLIENT_CPU_NS)
        .map(|client| client.saturating_add(delta(run, name::SERVER_CPU_NS).unwrap_or(0)));
    let shares = cpu_shares(run);
    let used = host_cpu_ns(run).zip(spent).map(|(all, spent)| spent as f64 / all);
    let readers = load
        .stages
        .iter()
        .filter(|stage| workers(stage.kind, load.form) == Workers::Readers)
        .map(|stage| stage.threads);
    Some(Observation {
        run,
        load,
        jobs: f64::from(run.dop.jobs.max(1)),
        rate,
        input: input_word(load),
        input_cpu_ns,
        other_cpu_ns: spent.map(|spent| (spent as f64 / loaded - input_cpu_ns).max(0.0)),
        reading_ns: reading_ns_per_byte(load).filter(|time| *time > 0.0),
        readers: readers.max().unwrap_or(0),
        is_read_bound: slowest(run).is_some_and(|stage| workers(stage.kind, load.form) == Workers::Readers),
        used,
        idle: shares.map(|shares| (1.0 - shares.busy().0 - shares.steal.0).max(0.0)),
    })
}
