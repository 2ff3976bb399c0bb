//! Cost of one step of the loop, with both histograms and per-second counts.

use std::hint::black_box;
use std::sync::atomic::AtomicBool;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dbdyno_measure::calibrate::Idle;
use dbdyno_measure::{Pacer, Stop, Tally, clock, drive};
use record::{Nanos, Pace};

const STEPS: u64 = 100_000;

fn closed_loop(criterion: &mut Criterion) {
    let never = AtomicBool::new(false);
    let mut group = criterion.benchmark_group("drive");
    group.throughput(Throughput::Elements(STEPS));
    group.bench_function("closed loop, unthrottled", |bencher| {
        bencher.iter(|| {
            let start = clock::now();
            let end = Nanos(u64::MAX);
            let stop = Stop { deadline: end, drained: end, steps: STEPS, signals: [&never, &never] };
            let mut pacer = Pacer::new(Pace::Unthrottled, 0, 1, start, 0);
            let mut tally = Tally::new(start, 60);
            drive(&mut Idle, &mut pacer, &stop, std::slice::from_mut(&mut tally)).expect("idle work does not break");
            black_box(tally.totals())
        });
    });
    group.bench_function("clock", |bencher| bencher.iter(|| (0..STEPS).for_each(|_| _ = black_box(clock::now()))));
    group.finish();
}

criterion_group!(benches, closed_loop);
criterion_main!(benches);
