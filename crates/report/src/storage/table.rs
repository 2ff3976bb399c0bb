//! The tables of storage runs: throughput as published reports have it, latency, and what it cost on which layer.

use model::{delta, generator_share, is_void, row};
use record::{Nanos, Record, Run, Storage, Verdict, name};

use super::stream::{Line, lines, of_storage, operations, verdict};
use crate::figure::{
    UNKNOWN, count, duration, megabytes, number, percent_digits, short, three_digits, throughput, time,
};
use crate::layout::{Align, Head, Span, Table, clean, cut};
use crate::listed;
use crate::style::Ink;
use crate::words::mark;

/// Letters of the name of a job.
const NAME_MAX: usize = 12;

const THROUGHPUT: [Head; 10] = [
    (&["run"], Align::Right),
    (&["job"], Align::Left),
    (&["profile"], Align::Left),
    (&["block"], Align::Right),
    (&["#J"], Align::Right),
    (&["queue", "depth"], Align::Right),
    (&["IOPS"], Align::Right),
    (&["MB/s"], Align::Right),
    (&["throughput"], Align::Right),
    (&[""], Align::Left),
];

/// A line per stream: profile, block, jobs, queue depth, I/Os per second, throughput in both units of the field.
/// A stream of a void run has no figures.
pub(crate) fn throughputs(record: &Record) -> Table {
    let mut table = Table::new(&THROUGHPUT, &[]);
    for line in lines(listed(record), record) {
        let stream = line.stream;
        let mut cells = identity(&line);
        cells.extend([line.block(), stream.clones.to_string(), stream.depth.to_string()]);
        cells.extend(match line.void {
            true => [(); 3].map(|()| String::new()),
            false => {
                let bytes = line.bytes_per_second();
                let per_second = line.per_second().map_or_else(|| UNKNOWN.to_owned(), iops);
                let empty_for_sync = |text: String| if bytes.is_some() { text } else { String::new() };
                [per_second, empty_for_sync(megabytes(bytes)), empty_for_sync(throughput(bytes))]
            }
        });
        let verdict = verdict(line.run);
        cells.push(mark(verdict).to_owned());
        table.push(cells, ink(verdict));
    }
    table
}

/// I/Os per second as published reports have them: whole up to six digits.
fn iops(per_second: f64) -> String {
    if per_second < 99.95 {
        return three_digits(per_second);
    }
    if per_second < 999_999.5 { format!("{per_second:.0}") } else { number(per_second) }
}

const LATENCY: [Head; 9] = [
    (&["run"], Align::Right),
    (&["job"], Align::Left),
    (&["profile"], Align::Left),
    (&["mean"], Align::Right),
    (&["p50"], Align::Right),
    (&["p99"], Align::Right),
    (&["p99.9"], Align::Right),
    (&["max"], Align::Right),
    (&["failed"], Align::Right),
];

const RESPONSE: [Head; 2] = [(&["p99"], Align::Right), (&["p99.9"], Align::Right)];

/// A line per stream: service time, I/Os that failed, and response time where I/O was due at times of its own.
/// Streams of void runs are left out.
pub(crate) fn latencies(record: &Record) -> Table {
    let valid: Vec<Line<'_>> = lines(listed(record), record).into_iter().filter(|line| !line.void).collect();
    let open = valid.iter().any(Line::is_open);
    let mut heads = LATENCY.to_vec();
    let mut spans = vec![Span { first: 3, columns: 5, title: "service time" }];
    if open {
        // The mean makes room: response times say more.
        heads.remove(3);
        heads.splice(7..7, RESPONSE);
        spans = vec![
            Span { first: 3, columns: 4, title: "service time" },
            Span { first: 7, columns: 2, title: "response time" },
        ];
    }
    let mut table = Table::new(&heads, &spans);
    for line in &valid {
        let stream = line.stream;
        let service = &stream.service;
        let any = |span: Nanos| Some(span).filter(|_| service.count > 0);
        let shown =
            [any(service.mean_ns), any(service.p50_ns), service.p99_ns, service.p999_ns, any(service.max_ns)].map(time);
        let mut cells = identity(line);
        cells.extend(shown.into_iter().skip(usize::from(open)));
        if open {
            let response = &stream.response;
            let shown = [response.p99_ns, response.p999_ns].map(time);
            cells.extend(if line.is_open() { shown } else { [String::new(), String::new()] });
        }
        cells.push(count(stream.failures));
        table.push(cells, ink(verdict(line.run)));
    }
    table
}

const COST: [Head; 11] = [
    (&["run"], Align::Right),
    (&["CPU µs", "per I/O"], Align::Right),
    (&["CPUs"], Align::Right),
    (&["ceiling", "1/s"], Align::Right),
    (&["used", "%"], Align::Right),
    (&["longest", "stall"], Align::Right),
    (&["read", "1/s"], Align::Right),
    (&["write", "1/s"], Align::Right),
    (&["read", "MB/s"], Align::Right),
    (&["write", "MB/s"], Align::Right),
    (&["flush", "1/s"], Align::Right),
];

const COST_SPANS: [Span; 3] = [
    Span { first: 1, columns: 2, title: "dbdyno" },
    Span { first: 3, columns: 3, title: "generator" },
    Span { first: 6, columns: 5, title: "device" },
];

/// What stands below the table of costs.
pub(crate) const CEILING: &str = "ceiling: of a thread without I/O; used: by the busiest job; stall: of a sleeper";

/// A line per run: processor time of each I/O, how near the generator came to its own ceiling (as the self-check has
/// it) and how long it was held up, and the I/O that the block layer saw. Void runs are left out.
pub(crate) fn costs(record: &Record) -> Table {
    let mut table = Table::new(&COST, &COST_SPANS);
    for (run, storage) in of_storage(listed(record)).filter(|(run, _)| !is_void(run)) {
        let unknown = || UNKNOWN.to_owned();
        let row = row(run);
        let rate = |rate: Option<record::Rate>| rate.map(|rate| rate.0);
        let io = row.device_io;
        table.push(
            vec![
                run.number.to_string(),
                cpu_ns_per_io(run, storage).map_or_else(unknown, |nanos| three_digits(nanos / 1e3)),
                row.client_cpu.map_or_else(unknown, |cpu| format!("{:.2}", cpu.cores)),
                short(rate(storage.generator_per_second)),
                generator_share(run).map_or_else(unknown, percent_digits),
                storage.stall_ns_max.map_or_else(unknown, duration),
                short(rate(io.reads_per_second)),
                short(rate(io.writes_per_second)),
                megabytes(rate(io.read_bytes_per_second)),
                megabytes(rate(io.write_bytes_per_second)),
                short(rate(row.flushes_per_second)),
            ],
            None,
        );
    }
    table
}

/// Processor time of dbdyno over the I/Os of the run, in nanoseconds.
fn cpu_ns_per_io(run: &Run, storage: &Storage) -> Option<f64> {
    let operations = operations(storage);
    (operations > 0).then_some(delta(run, name::CLIENT_CPU_NS)? as f64 / operations as f64)
}

fn identity(line: &Line<'_>) -> Vec<String> {
    vec![line.run.number.to_string(), cut(&clean(&line.name()), NAME_MAX), line.profile().to_owned()]
}

fn ink(verdict: Verdict) -> Option<Ink> {
    match verdict {
        Verdict::Fail => Some(Ink::Void),
        Verdict::Warn => Some(Ink::Warning),
        Verdict::Pass | Verdict::Unknown => None,
    }
}
