//! Cost of one reading of the counters, which is taken during measurements.

use std::hint::black_box;
use std::path::Path;
use std::process::{Command, Stdio};

use criterion::{Criterion, criterion_group, criterion_main};
use dbdyno_host::Counters;

const SESSIONS: usize = 64;

fn counters(criterion: &mut Criterion) {
    let mut counters = Counters::new(Path::new("/"));
    criterion.bench_function("reading, no server", |bencher| bencher.iter(|| black_box(counters.read(&[]))));

    // A process with as many children as a server with these sessions.
    let script = format!("for i in $(seq {SESSIONS}); do sleep 600 & done; read line; kill $(jobs -p); wait");
    let mut server = Command::new("bash").args(["-c", &script]).stdin(Stdio::piped()).spawn().expect("a server");
    std::thread::sleep(std::time::Duration::from_millis(500));
    let name = format!("reading, server of {SESSIONS} sessions");
    criterion.bench_function(&name, |bencher| bencher.iter(|| black_box(counters.read(&[server.id()]))));
    drop(server.stdin.take());
    server.wait().expect("the end of the server");
}

criterion_group!(benches, counters);
criterion_main!(benches);
