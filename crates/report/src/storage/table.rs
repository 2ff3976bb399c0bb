//! The tables of storage runs: throughput as in published reports, latency, CPU cost and block layer I/O.

use model::run_verdict;
use record::{Nanos, Record, Verdict};
use tables::io_stream::{self, StreamRow, bytes_per_second};
use tables::{Row, run};

use super::stream::name;
use crate::document::{Cell, Table, Tone};
use crate::fact::block;
use crate::figure::{megabytes, throughput, time};
use crate::layout::{clean, cut};
use crate::verdict::verdict_cell;
use crate::view::View;
use crate::{RUNS_LISTED_MAX, listed_parts};

/// Characters of the name of a job.
const NAME_MAX: usize = 12;

/// Characters of the names of several jobs.
const NAMES_MAX: usize = 20;

/// What a stream does, and its rates.
fn job_and_rates(record: &Record) -> Vec<&'static str> {
    let (job, rates) = (["job", "profile", "block"], ["operations_per_second", "bytes_per_second"]);
    [&job[..], agents(record), &["clones", "depth"], in_flight(record), &rates].concat()
}

/// Streams of the short text, at most.
const STREAMS_MAX: usize = 12;

/// The columns that identify a stream.
const IDENTITY: [&str; 3] = ["run", "job", "profile"];

/// The streams of the storage runs of `record` as comma-separated values (RFC 4180, UTF-8) with a header line;
/// the unit of a column is in its name: nanoseconds, bytes, per second. An invalid run has no results.
pub fn io_csv(record: &Record) -> String {
    View::of(io_stream::columns()).csv(io_stream::rows(record))
}

/// The columns of streams, and further columns of published reports.
fn view<'a>() -> View<StreamRow<'a>> {
    View::of(io_stream::columns())
        .words("job", ("", "job"), |of| {
            let most = if of.of.0.jobs().nth(1).is_some() { NAMES_MAX } else { NAME_MAX };
            Cell::text(cut(&clean(&name(of.of.0)), most))
        })
        .figure("block", ("", "block"), |of| Cell::text(block(of.of.0)))
        .figure("bytes_per_second", ("", "MB/s"), |of| moved(of, megabytes))
        .figure("throughput", ("", "throughput"), |of| moved(of, throughput))
        .figure("response_ns_p50", ("response", "p50"), |of| response(of, Some(of.of.0.response.p50_ns)))
        .figure("response_ns_p99", ("response", "p99"), |of| response(of, of.of.0.response.p99_ns))
        .figure("response_ns_p999", ("response", "p99.9"), |of| response(of, of.of.0.response.p999_ns))
        .words("verdict", ("", "verdict"), |of| verdict_cell(run_verdict(of.run)))
}

/// Bytes per second; empty for a sync, which moves none, and for an invalid run.
fn moved(of: &StreamRow<'_>, shown: fn(Option<f64>) -> String) -> Cell {
    match bytes_per_second(of).filter(|_| !of.is_invalid()) {
        Some(rate) => Cell::Figure(shown(Some(rate.0)), Some(rate.0)),
        None => Cell::text(String::new()),
    }
}

/// A response time; empty without rate and think time, where it is the service time.
fn response(of: &StreamRow<'_>, span: Option<Nanos>) -> Cell {
    match model::is_paced(of.of.0.pace) && !of.is_invalid() {
        true => Cell::Figure(time(span), span.map(|span| span.0 as f64)),
        false => Cell::text(String::new()),
    }
}

/// What the name of a job, its profile and its block state, or other parts of a view.
const STATED: [&str; 12] = [
    "record",
    "test",
    "title",
    "started_at",
    "report_group",
    "clone",
    "kind",
    "random",
    "pace",
    "invalid",
    "block_bytes_min",
    "block_bytes_max",
];

/// A line per stream: profile, block, numjobs, iodepth, I/Os per second, throughput in MB/s and MiB/s, and all that the table
/// of latencies has not. A stream of an invalid run has no figures.
pub(super) fn throughputs(record: &Record) -> Table {
    let figures = [&["run"], &job_and_rates(record)[..], &["throughput", "verdict"]].concat();
    let latencies = latency_figures(record);
    let latencies: Vec<&str> = latencies.into_iter().filter(|key| !figures.contains(key)).collect();
    let view = view().except(&[&STATED[..], &latencies].concat()).first(&figures).with_others(IDENTITY.len());
    view.table("io-streams-table", "One line per job and kind of I/O", listed_parts(io_stream::rows(record)), tone)
}

fn tone(of: &StreamRow<'_>) -> Tone {
    Tone::of(run_verdict(of.run))
}

/// How many I/Os were in flight, where that was not as many as could be.
fn in_flight(record: &Record) -> &'static [&'static str] {
    let is_idle = record.runs.iter().any(|run| run_verdict(run) != Verdict::Fail && model::has_idle_slots(run));
    if is_idle { &["in_flight_mean"] } else { &[] }
}

/// The number of agents, where there were some.
fn agents(record: &Record) -> &'static [&'static str] {
    if record.plan.agents.is_some() { &["agents"] } else { &[] }
}

/// A line per stream: what it does, its rates and its service times, and its response times where one has a pace.
pub(crate) fn results(record: &Record) -> Table {
    let streams = || listed_parts(io_stream::rows(record)).take(STREAMS_MAX);
    let keys = |times: &[&'static str]| [&job_and_rates(record)[..], times].concat();
    let view = match streams().any(|of| model::is_paced(of.of.0.pace)) {
        true => {
            view().only(&keys(&["service_ns_p50", "service_ns_p99", "response_ns_p50", "response_ns_p99", "verdict"]))
        }
        false => view().only(&keys(&["service_ns_p50", "service_ns_p99", "service_ns_p999", "verdict"])).ungrouped(),
    };
    view.table("io-results", "", streams(), tone)
}

fn valid(record: &Record) -> impl Iterator<Item = StreamRow<'_>> {
    listed_parts(io_stream::rows(record)).filter(|of| !of.is_invalid())
}

/// Service time and failed I/Os, and response time in an open loop.
fn latency_figures(record: &Record) -> Vec<&'static str> {
    let service = ["service_ns_mean", "service_ns_p50", "service_ns_p99", "service_ns_p999", "service_ns_max"];
    match valid(record).any(|of| model::is_paced(of.of.0.pace)) {
        // Response times replace the mean.
        true => [&service[1..], &["response_ns_p99", "response_ns_p999", "failures"]].concat(),
        false => [&service[..], &["failures"]].concat(),
    }
}

/// A line per stream: its latency. Streams of invalid runs are left out.
pub(super) fn latencies(record: &Record) -> Table {
    let view = view().only(&[&IDENTITY, &latency_figures(record)[..]].concat());
    view.table("io-latencies", "Latency", valid(record), tone)
}

/// The legend of the table of costs.
pub(super) const CEILING: &str = "ceiling: of a thread without I/O; used: by the busiest job; max sched. delay: longest wait of the generator for a processor";

/// A line per run: CPU time per I/O, also with the kernel's threads, the generator's use of its own ceiling (as in the self-check) and its longest
/// stall, and the I/O counted by the block layer. Invalid runs are left out.
pub(super) fn costs(record: &Record) -> Table {
    let figures = [
        "run",
        "cpu_ns_per_io",
        "cpu_with_kernel_ns_per_io",
        "generator_io_per_second_max",
        "generator_used_ratio",
        "scheduling_delay_ns_max",
        "device_reads_per_second",
        "device_writes_per_second",
        "device_read_bytes_per_second",
        "device_write_bytes_per_second",
        "device_flushes_per_second",
    ];
    let runs = run::rows(record).take(RUNS_LISTED_MAX).filter(|of| of.run.storage.is_some() && !of.is_invalid());
    let caption = "CPU cost and block layer I/O";
    View::of(run::columns()).only(&figures).table("io-costs", caption, runs, |_| Tone::Plain)
}
