//! Traces a process and its descendants for some seconds, to compare the tracer with other tools:
//! `cargo run -p dbdyno-trace --example watch -- PID DISK SECONDS [TRACER]`.

use std::io::{self, Write};
use std::time::Duration;

use dbdyno_trace::{Scope, Tracer};
use record::TracerKind;

fn main() -> io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let wrong = |what: &str| io::Error::other(format!("{what}; hint: give PID DISK SECONDS [bpf|tracefs]"));
    let (words, tracer) = match words.as_slice() {
        [words @ .., tracer] if words.len() == 3 => (words, Some(tracer.as_str())),
        words => (words, None),
    };
    let [process, disk, seconds] = words else { return Err(wrong("three arguments are required")) };
    let tracer = match tracer {
        None => None,
        Some("bpf") => Some(TracerKind::Bpf),
        Some("tracefs") => Some(TracerKind::Tracefs),
        Some(_) => return Err(wrong("not a tracer")),
    };
    let root = process.parse().map_err(|_| wrong("not a process id"))?;
    let seconds = seconds.parse().map_err(|_| wrong("not a number of seconds"))?;
    let scope = Scope { roots: vec![root], device: Some(disk.clone()) };
    let tracer = Tracer::start(&scope, tracer).map_err(|refused| io::Error::other(format!("{refused:?}")))?;
    tracer.begin();
    std::thread::sleep(Duration::from_secs(seconds));
    tracer.end();
    let trace = tracer.finish();
    let mut out = io::stdout();
    writeln!(out, "{:?}, lost {}, missing {:?}", trace.tracer, trace.lost_count, trace.missing)?;
    for row in trace.latencies {
        let (point, name, latency) = (format!("{:?}", row.point), row.name, row.latency);
        let bytes = row.bytes.map_or_else(|| "-".to_owned(), |bytes| bytes.0.to_string());
        let us = |nanos: Option<record::Nanos>| nanos.map_or(f64::NAN, |nanos| nanos.0 as f64 / 1e3);
        let times = [Some(latency.mean_ns), Some(latency.p50_ns), latency.p99_ns, Some(latency.max_ns)]
            .map(|time| format!("{:>9.1}", us(time)))
            .join(" ");
        writeln!(out, "{point:<11} {name:<15} n {:>8}  bytes {bytes:>12}  us mean/p50/p99/max {times}", latency.count)?;
    }
    Ok(())
}
