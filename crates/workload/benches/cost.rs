//! The overhead of dbdyno on the null engine: a row of the data set, and a step of the interpreter.

use std::hint::black_box;
use std::sync::atomic::{AtomicBool, AtomicU64};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dbdyno_workload::data::{Generator, Source};
use dbdyno_workload::{DataTable, Sizes, TestContext, catalogue, jobs};
use engine::{Engine, Workspace, null::NULL};
use measure::Work;
use record::{Dop, Preset};

const ROWS: u64 = 65_536;

fn rows(criterion: &mut Criterion) {
    let workspace = Workspace { directory: std::env::temp_dir(), keep: false, cache_bytes: None, sessions_max: 1 };
    let node = NULL.open(&"null".parse().expect("a target"), &workspace).expect("a node");
    let mut session = node.connect().expect("a session");
    let generator = Generator::new(DataTable::Large, &Sizes::derive(Preset::Quick, None, 42));
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let mut group = criterion.benchmark_group("data set");
    group.throughput(Throughput::Elements(ROWS));
    group.bench_function("rows", |bencher| {
        bencher.iter(|| {
            let mut source = Source::new(&generator, (1, ROWS), &stop, &done);
            session.bulk("large", black_box(&mut source)).expect("a load")
        });
    });
    group.finish();
}

fn steps(criterion: &mut Criterion) {
    let workspace = Workspace { directory: std::env::temp_dir(), keep: false, cache_bytes: None, sessions_max: 1 };
    let node = NULL.open(&"null?rows=1".parse().expect("a target"), &workspace).expect("a node");
    let sizes = Sizes::derive(Preset::Quick, None, 42);
    let context = TestContext { engine: &NULL, node: node.as_ref(), others: &[], sizes: &sizes };
    let mut group = criterion.benchmark_group("step");
    for code in ["T611", "T311", "T616", "T716"] {
        let test = catalogue().iter().find(|test| test.code == code).expect("a test of the catalogue");
        let mut job = jobs(test, &context, Dop::jobs(1)).expect("jobs").remove(0);
        group.bench_function(code, |bencher| bencher.iter(|| job.step(0).expect("a step")));
    }
    group.finish();
}

criterion_group!(benches, rows, steps);
criterion_main!(benches);
