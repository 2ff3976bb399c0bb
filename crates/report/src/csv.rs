//! One line per run, for a spreadsheet or a statistics program: the columns of the published reports, in plain units.

use model::{CpuUse, Quantiles, Row};
use record::{Nanos, NodeEventKind, Outcome, Rate, Record, Run, Verdict};

use crate::words::{unit, variation, verdict};

/// How a column is filled.
type Cell = fn(&Run, &Row) -> Option<String>;

/// What was run, and whether it is a result: filled in every line, but for what plain runs do not have.
const IDENTITY: &[(&str, Cell)] = &[
    ("run", |run, _| Some(run.number.to_string())),
    ("test", |run, _| Some(run.test.clone())),
    ("title", |run, _| Some(run.title.clone())),
    ("layer", |run, _| Some(run.layer.word().to_owned())),
    ("unit", |run, _| Some(unit(run.unit).to_owned())),
    ("nodes", |run, _| Some(run.dop.nodes.to_string())),
    ("jobs", |run, _| Some(run.dop.jobs.to_string())),
    ("threads", |run, _| Some(run.dop.threads.to_string())),
    ("variation", |run, _| run.variation.map(variation)),
    ("steps_per_second_asked", |run, _| run.pace.rate().map(|rate| rate.to_string())),
    ("begun_at", |run, _| Some(run.begun_at.0.clone())),
    ("outcome", |run, _| Some(if run.outcome == Outcome::Done { "done" } else { "failed" }.to_owned())),
    ("verdict", |_, row| Some(verdict(row.verdict).to_owned())),
    ("data_reads", |run, _| run.data_reads.as_ref().map(|reads| reads.word().to_owned())),
    ("window_ns", |run, _| Some(run.window_ns.0.to_string())),
    ("steps", |run, _| Some(run.totals.steps.to_string())),
    ("failures", |run, _| Some(run.totals.failures.values().map(|count| u128::from(*count)).sum::<u128>().to_string())),
    ("unfinished", |run, _| Some(run.totals.unfinished.to_string())),
    ("nodes_lost", |run, _| Some(nodes(run, NodeEventKind::Lost))),
    ("nodes_gone", |run, _| Some(nodes(run, NodeEventKind::Gone))),
];

/// The result: empty where it is not known, and in the whole line of a void run, so that nobody draws it by mistake.
/// Rates are per second of the window, shares lie in [0, 1], processors are counted in whole ones.
const RESULT: &[(&str, Cell)] = &[
    ("rows_per_second", |_, row| rate(row.rows_per_second)),
    ("operations_per_second", |_, row| rate(row.operations_per_second)),
    ("transactions_per_second", |_, row| rate(row.transactions_per_second)),
    ("bytes_per_second", |_, row| rate(row.bytes_per_second)),
    ("host_cpu_ratio", |_, row| row.cpu.map(|cpu| cpu.busy().0.to_string())),
    ("host_cpu_user_ratio", |_, row| row.cpu.map(|cpu| cpu.user.0.to_string())),
    ("host_cpu_system_ratio", |_, row| row.cpu.map(|cpu| cpu.system.0.to_string())),
    ("host_cpu_iowait_ratio", |_, row| row.cpu.map(|cpu| cpu.iowait.0.to_string())),
    ("host_cpu_steal_ratio", |_, row| row.cpu.map(|cpu| cpu.steal.0.to_string())),
    ("client_cpus", |_, row| cores(row.client_cpu)),
    ("server_cpus", |_, row| cores(row.server_cpu)),
    ("foreign_cpus", |_, row| cores(row.foreign_cpu)),
    ("engine_reads_per_second", |_, row| rate(row.engine_io.reads_per_second)),
    ("engine_writes_per_second", |_, row| rate(row.engine_io.writes_per_second)),
    ("engine_io_per_second", |_, row| rate(row.engine_io.total_per_second())),
    ("engine_read_bytes_per_second", |_, row| rate(row.engine_io.read_bytes_per_second)),
    ("engine_write_bytes_per_second", |_, row| rate(row.engine_io.write_bytes_per_second)),
    ("engine_io_bytes_per_second", |_, row| rate(row.engine_io.total_bytes_per_second())),
    ("device_reads_per_second", |_, row| rate(row.device_io.reads_per_second)),
    ("device_writes_per_second", |_, row| rate(row.device_io.writes_per_second)),
    ("device_io_per_second", |_, row| rate(row.device_io.total_per_second())),
    ("device_read_bytes_per_second", |_, row| rate(row.device_io.read_bytes_per_second)),
    ("device_write_bytes_per_second", |_, row| rate(row.device_io.write_bytes_per_second)),
    ("device_io_bytes_per_second", |_, row| rate(row.device_io.total_bytes_per_second())),
    ("device_flushes_per_second", |_, row| rate(row.flushes_per_second)),
    ("redo_bytes_per_second", |_, row| rate(row.redo_bytes_per_second)),
    ("redo_syncs_per_second", |_, row| rate(row.redo_syncs_per_second)),
    ("logical_reads_per_second", |_, row| rate(row.logical_reads_per_second)),
    ("service_ns_p50", |_, row| time(row.service, |quantiles| Some(quantiles.p50_ns))),
    ("service_ns_p99", |_, row| time(row.service, |quantiles| quantiles.p99_ns)),
    ("response_ns_p50", |_, row| time(row.response, |quantiles| Some(quantiles.p50_ns))),
    ("response_ns_p99", |_, row| time(row.response, |quantiles| quantiles.p99_ns)),
];

/// The runs of `record` as comma-separated values (RFC 4180, UTF-8) under one line of heads; the unit of a column is
/// in its name: nanoseconds, bytes, per second.
pub fn csv(record: &Record) -> String {
    let mut text = String::new();
    line(&mut text, ["record"].into_iter().chain(IDENTITY.iter().chain(RESULT).map(|(name, _)| *name)));
    for run in &record.runs {
        let row = model::row(run);
        let void = row.verdict == Verdict::Fail;
        let identity = IDENTITY.iter().map(|(_, cell)| cell(run, &row));
        let result = RESULT.iter().map(|(_, cell)| if void { None } else { cell(run, &row) });
        let cells: Vec<String> = identity.chain(result).map(Option::unwrap_or_default).collect();
        line(&mut text, [record.id.as_str()].into_iter().chain(cells.iter().map(String::as_str)));
    }
    text
}

/// Appends one line. Fields are quoted where they must be.
pub(crate) fn line<'a>(text: &mut String, fields: impl Iterator<Item = &'a str>) {
    for (index, field) in fields.enumerate() {
        if index > 0 {
            text.push(',');
        }
        if field.contains([',', '"', '\n', '\r']) {
            text.push('"');
            text.push_str(&field.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(field);
        }
    }
    text.push('\n');
}

/// To how many nodes `kind` happened: in the run, or before it.
fn nodes(run: &Run, kind: NodeEventKind) -> String {
    run.events.iter().filter(|event| event.kind == kind).count().to_string()
}

fn rate(rate: Option<Rate>) -> Option<String> {
    rate.map(|Rate(rate)| rate.to_string())
}

fn cores(cpu: Option<CpuUse>) -> Option<String> {
    cpu.map(|cpu| cpu.cores.to_string())
}

fn time(quantiles: Option<Quantiles>, of: fn(Quantiles) -> Option<Nanos>) -> Option<String> {
    quantiles.and_then(of).map(|time| time.0.to_string())
}
