//! The result table: one row for each run, with its results and what is known of its platform.

use std::collections::HashMap;

use model::{CpuUse, row, steadiness};
use record::{Latency, Nanos, NodeEventKind, Pace, Rate, Record, Run, Variation, Verdict};

use super::platform::{PLATFORM, outcome, slots};
use super::{Subject, word};
use crate::error::Result;
use crate::table::{Column, Kind, Table, Taker, Value};

/// Name, kind and how it is filled.
pub(super) type Cell = (&'static str, Kind, for<'a> fn(&Subject<'a>) -> Value<'a>);

pub(crate) const TABLE: Table = Table { name: "runs", columns, rows };

/// What was run, and what was counted: filled in every row.
const IDENTITY: &[Cell] = &[
    ("record", Kind::Text, |of| Value::from(&of.record.id)),
    ("run", Kind::Count, |of| of.run.number.into()),
    ("repeat", Kind::Count, |of| of.repeat.into()),
    ("test", Kind::Text, |of| Value::from(&of.run.test)),
    ("title", Kind::Text, |of| Value::from(&of.run.title)),
    ("layer", Kind::Text, |of| of.run.layer.word().into()),
    ("unit", Kind::Text, |of| word(of.run.unit)),
    ("sweep", Kind::Text, |of| word(of.run.sweep)),
    ("nodes", Kind::Count, |of| of.run.dop.nodes.into()),
    ("jobs", Kind::Count, |of| of.run.dop.jobs.into()),
    ("threads", Kind::Count, |of| of.run.dop.threads.into()),
    ("variation", Kind::Text, |of| varied(of.run.variation)),
    ("in_flight", Kind::Count, |of| slots(of).into()),
    ("steps_per_second_asked", Kind::Number, |of| asked(of.run.pace).into()),
    ("begun_at", Kind::Text, |of| Value::from(&of.run.begun_at.0)),
    ("outcome", Kind::Text, |of| outcome(of).0.into()),
    ("message", Kind::Text, |of| outcome(of).1.into()),
    ("verdict", Kind::Text, |of| word(of.row.verdict)),
    ("void", Kind::Truth, |of| (of.row.verdict == Verdict::Fail).into()),
    ("data_bytes", Kind::Count, |of| of.run.data_bytes.map(|bytes| bytes.0).into()),
    ("window_ns", Kind::Count, |of| of.run.window_ns.0.into()),
    ("steps", Kind::Count, |of| of.run.totals.steps.into()),
    ("operations", Kind::Count, |of| of.run.totals.operations.into()),
    ("rows", Kind::Count, |of| of.run.totals.rows.into()),
    ("transactions", Kind::Count, |of| of.run.totals.transactions.into()),
    ("bytes", Kind::Count, |of| of.run.totals.bytes.map(|bytes| bytes.0).into()),
    ("failures", Kind::Count, |of| {
        of.run.totals.failures.values().fold(0, |sum: u64, n| sum.saturating_add(*n)).into()
    }),
    ("unfinished", Kind::Count, |of| of.run.totals.unfinished.into()),
    ("data_reads", Kind::Text, |of| of.run.data_reads.as_ref().map(|reads| reads.word()).into()),
    ("nodes_lost", Kind::Count, |of| nodes(of.run, NodeEventKind::Lost)),
    ("nodes_gone", Kind::Count, |of| nodes(of.run, NodeEventKind::Gone)),
];

/// The result: empty in the row of a void run, so that nobody takes it for one.
const RESULT: &[Cell] = &[
    ("operations_per_second", Kind::Number, |of| rate(of.row.operations_per_second)),
    ("rows_per_second", Kind::Number, |of| rate(of.row.rows_per_second)),
    ("transactions_per_second", Kind::Number, |of| rate(of.row.transactions_per_second)),
    ("bytes_per_second", Kind::Number, |of| rate(of.row.bytes_per_second)),
    ("steadiness", Kind::Text, |of| of.steadiness.as_ref().map(|said| said.verdict.word()).into()),
    ("counted_from_second", Kind::Count, |of| of.steadiness.as_ref().map(|said| said.counted.start).into()),
    ("counted_seconds", Kind::Count, |of| of.steadiness.as_ref().map(|said| said.counted.len()).into()),
    ("host_cpu_ratio", Kind::Number, |of| of.row.cpu.map(|cpu| cpu.busy().0).into()),
    ("host_cpu_user_ratio", Kind::Number, |of| of.row.cpu.map(|cpu| cpu.user.0).into()),
    ("host_cpu_system_ratio", Kind::Number, |of| of.row.cpu.map(|cpu| cpu.system.0).into()),
    ("host_cpu_iowait_ratio", Kind::Number, |of| of.row.cpu.map(|cpu| cpu.iowait.0).into()),
    ("host_cpu_steal_ratio", Kind::Number, |of| of.row.cpu.map(|cpu| cpu.steal.0).into()),
    ("client_cpus", Kind::Number, |of| cores(of.row.client_cpu)),
    ("server_cpus", Kind::Number, |of| cores(of.row.server_cpu)),
    ("foreign_cpus", Kind::Number, |of| cores(of.row.foreign_cpu)),
    ("engine_reads_per_second", Kind::Number, |of| rate(of.row.engine_io.reads_per_second)),
    ("engine_writes_per_second", Kind::Number, |of| rate(of.row.engine_io.writes_per_second)),
    ("engine_read_bytes_per_second", Kind::Number, |of| rate(of.row.engine_io.read_bytes_per_second)),
    ("engine_write_bytes_per_second", Kind::Number, |of| rate(of.row.engine_io.write_bytes_per_second)),
    ("device_reads_per_second", Kind::Number, |of| rate(of.row.device_io.reads_per_second)),
    ("device_writes_per_second", Kind::Number, |of| rate(of.row.device_io.writes_per_second)),
    ("device_read_bytes_per_second", Kind::Number, |of| rate(of.row.device_io.read_bytes_per_second)),
    ("device_write_bytes_per_second", Kind::Number, |of| rate(of.row.device_io.write_bytes_per_second)),
    ("device_flushes_per_second", Kind::Number, |of| rate(of.row.flushes_per_second)),
    ("redo_bytes_per_second", Kind::Number, |of| rate(of.row.redo_bytes_per_second)),
    ("redo_syncs_per_second", Kind::Number, |of| rate(of.row.redo_syncs_per_second)),
    ("logical_reads_per_second", Kind::Number, |of| rate(of.row.logical_reads_per_second)),
    ("service_ns_mean", Kind::Count, |of| time(&of.run.service, |latency| latency.mean_ns)),
    ("service_ns_p50", Kind::Count, |of| time(&of.run.service, |latency| latency.p50_ns)),
    ("service_ns_p90", Kind::Count, |of| of.run.service.p90_ns.map(|time| time.0).into()),
    ("service_ns_p99", Kind::Count, |of| of.run.service.p99_ns.map(|time| time.0).into()),
    ("service_ns_p999", Kind::Count, |of| of.run.service.p999_ns.map(|time| time.0).into()),
    ("service_ns_max", Kind::Count, |of| time(&of.run.service, |latency| latency.max_ns)),
    ("response_ns_mean", Kind::Count, |of| time(&of.run.response, |latency| latency.mean_ns)),
    ("response_ns_p50", Kind::Count, |of| time(&of.run.response, |latency| latency.p50_ns)),
    ("response_ns_p90", Kind::Count, |of| of.run.response.p90_ns.map(|time| time.0).into()),
    ("response_ns_p99", Kind::Count, |of| of.run.response.p99_ns.map(|time| time.0).into()),
    ("response_ns_p999", Kind::Count, |of| of.run.response.p999_ns.map(|time| time.0).into()),
    ("response_ns_max", Kind::Count, |of| time(&of.run.response, |latency| latency.max_ns)),
];

fn columns() -> Vec<Column> {
    IDENTITY.iter().chain(RESULT).chain(PLATFORM).map(|(name, kind, _)| (*name, *kind)).collect()
}

fn rows(record: &Record, take: Taker<'_>) -> Result<()> {
    let repeats: HashMap<u32, u32> = record.plan.runs.iter().map(|planned| (planned.number, planned.repeat)).collect();
    for run in &record.runs {
        let row = row(run);
        let void = row.verdict == Verdict::Fail;
        let steadiness = (!void).then(|| steadiness(run));
        let of = Subject { record, run, repeat: repeats.get(&run.number).copied(), row, steadiness };
        let result = RESULT.iter().map(|(_, _, fill)| if void { Value::Empty } else { fill(&of) });
        let cells = IDENTITY.iter().map(|(_, _, fill)| fill(&of));
        let row: Vec<Value<'_>> = cells.chain(result).chain(PLATFORM.iter().map(|(_, _, fill)| fill(&of))).collect();
        take(&row)?;
    }
    Ok(())
}

fn rate(rate: Option<Rate>) -> Value<'static> {
    rate.map(|rate| rate.0).into()
}

fn cores(cpu: Option<CpuUse>) -> Value<'static> {
    cpu.map(|cpu| cpu.cores).into()
}

fn time(latency: &Latency, of: fn(&Latency) -> Nanos) -> Value<'static> {
    (latency.count > 0).then(|| of(latency).0).into()
}

/// To how many nodes `kind` happened: in the run, or before it.
fn nodes(run: &Run, kind: NodeEventKind) -> Value<'static> {
    run.events.iter().filter(|event| event.kind == kind).count().into()
}

/// In what the run differs from the plain one of its test; empty where it is the plain one.
fn varied(variation: Option<Variation>) -> Value<'static> {
    match variation {
        None => Value::Empty,
        Some(Variation::Paced { .. }) => "paced".into(),
        Some(Variation::ShareOfCapacity { .. }) => "share_of_capacity".into(),
        Some(Variation::Traced) => "traced".into(),
        Some(Variation::Perturbed { .. }) => "perturbed".into(),
    }
}

/// Steps that were due each second, of all jobs; none of a closed loop.
fn asked(pace: Pace) -> Option<f64> {
    match pace {
        Pace::Rate { steps_per_second } | Pace::Poisson { steps_per_second } => Some(steps_per_second),
        Pace::AsFastAsPossible | Pace::ThinkTime { .. } => None,
    }
}
