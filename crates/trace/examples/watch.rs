//! Traces a process and all that it started for some seconds, to hold the tracer against other tools:
//! `cargo run -p dbdyno-trace --example watch -- PID DISK SECONDS [RUNG]`.

use std::io::{self, Write};
use std::time::Duration;

use dbdyno_trace::{Scope, Tracer};
use record::Rung;

fn main() -> io::Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let wrong = |what: &str| io::Error::other(format!("{what}; hint: give PID DISK SECONDS [bpf|tracefs]"));
    let (words, rung) = match words.as_slice() {
        [words @ .., rung] if words.len() == 3 => (words, Some(rung.as_str())),
        words => (words, None),
    };
    let [process, disk, seconds] = words else { return Err(wrong("three words are needed")) };
    let rung = match rung {
        None => None,
        Some("bpf") => Some(Rung::Bpf),
        Some("tracefs") => Some(Rung::Tracefs),
        Some(_) => return Err(wrong("this is no rung")),
    };
    let root = process.parse().map_err(|_| wrong("this is no process id"))?;
    let seconds = seconds.parse().map_err(|_| wrong("this is no number of seconds"))?;
    let scope = Scope { roots: vec![root], device: Some(disk.clone()) };
    let tracer = Tracer::start(&scope, rung).map_err(|refused| io::Error::other(format!("{refused:?}")))?;
    tracer.begin();
    std::thread::sleep(Duration::from_secs(seconds));
    tracer.end();
    let trace = tracer.finish();
    let mut out = io::stdout();
    writeln!(out, "{:?}, lost {}, missing {:?}", trace.rung, trace.lost_count, trace.missing)?;
    for of in trace.latencies {
        let (point, name, held) = (format!("{:?}", of.point), of.name, of.latency);
        let bytes = of.bytes.map_or_else(|| "-".to_owned(), |bytes| bytes.0.to_string());
        let us = |nanos: Option<record::Nanos>| nanos.map_or(f64::NAN, |nanos| nanos.0 as f64 / 1e3);
        let times = [Some(held.mean_ns), Some(held.p50_ns), held.p99_ns, Some(held.max_ns)]
            .map(|at| format!("{:>9.1}", us(at)))
            .join(" ");
        writeln!(out, "{point:<11} {name:<15} n {:>8}  bytes {bytes:>12}  us mean/p50/p99/max {times}", held.count)?;
    }
    Ok(())
}
