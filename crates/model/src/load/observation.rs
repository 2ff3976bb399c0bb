//! Loads as observations for predictions.

use record::{Load, Record, Run, name};

use super::stage::{Workers, input_cpu_ns_per_byte, reading_ns_per_byte, slowest, workers};
use crate::cpu::{cpu_shares, host_cpu_ns};
use crate::delta::delta;
use crate::load_input::input_word;
use crate::row::row;
use crate::rules::RULES;
use crate::verdict::is_invalid;

/// One valid load.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Observation<'a> {
    pub(crate) run: &'a Run,
    pub(crate) load: &'a Load,
    /// Sessions.
    pub(crate) jobs: f64,
    /// Bytes of flat file per second.
    pub(crate) rate: f64,
    /// The input: `generated`, or the compression of the source.
    pub(crate) input: &'a str,
    /// CPU time of input per byte on this host, nanoseconds.
    pub(crate) input_cpu_ns: f64,
    /// Other CPU time per byte of dbdyno and of a local engine, nanoseconds; absent where not counted.
    pub(crate) other_cpu_ns: Option<f64>,
    /// Time per byte of one reading thread, nanoseconds; absent where nothing was read.
    pub(crate) reading_ns: Option<f64>,
    /// Reading threads.
    pub(crate) readers: u32,
    /// Whether the readers are the bottleneck.
    pub(crate) is_read_bound: bool,
    /// CPU utilisation by dbdyno and the engine, in [0, 1].
    pub(crate) used: Option<f64>,
    /// Idle share of the processors.
    pub(crate) idle: Option<f64>,
}

impl Observation<'_> {
    /// Whether the processors are the bottleneck.
    pub(crate) fn is_processor_bound(&self) -> bool {
        self.idle.is_some_and(|idle| 1.0 - idle >= RULES.attribution_use_min)
    }

    /// Whether neither readers nor processors are the bottleneck.
    pub(crate) fn is_session_bound(&self) -> bool {
        !self.is_read_bound && !self.is_processor_bound()
    }
}

/// The valid loads of `record`, in the order of execution, without resumed ones, whose stages also read skipped lines.
pub(crate) fn observations(record: &Record) -> Vec<Observation<'_>> {
    record
        .runs
        .iter()
        .filter(|run| run.variation.is_none() && !is_invalid(run) && !run.load.as_deref().is_some_and(Load::is_resumed))
        .filter_map(observation)
        .collect()
}

/// The inputs of the loads of `record`, each once and in alphabetical order: `generated`, or the compression of the
/// source.
pub fn inputs(record: &Record) -> Vec<String> {
    let mut inputs: Vec<String> = observations(record).iter().map(|seen| seen.input.to_owned()).collect();
    inputs.sort_unstable();
    inputs.dedup();
    inputs
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
