//! Time of one step of each probe on this machine, at the size of preset quick, one job: a sanity check of the figures
//! (an integer operation cannot be faster than its multiplication, a load not faster than the cache).

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dbdyno_probe::{Context, Form, probes};
use record::{Bytes, Nanos, Preset, Unit};

fn steps(criterion: &mut Criterion) {
    let context = Context {
        jobs: 1,
        seed: measure::RunSeed { plan: 1, run: 1 },
        preset: Preset::Quick,
        last_level_cache_bytes: Some(Bytes::MIB.times(32)),
        memory_available_bytes: Some(Bytes::GIB.times(8)),
        region_bytes: Bytes(0),
        warm_up: Nanos(0),
        window: Nanos(0),
        peer: None,
    };
    let mut group = criterion.benchmark_group("step");
    for probe in probes() {
        // Storage probes have no steps.
        let Form::Steps(build) = probe.form else { continue };
        let mut works = build(&context);
        let operations = works[0].step(0).expect("the first step").operations;
        group.throughput(match probe.unit {
            Unit::Byte => Throughput::BytesDecimal(operations),
            _ => Throughput::Elements(operations),
        });
        group.bench_function(probe.code, |bencher| bencher.iter(|| works[0].step(0).expect("a step")));
    }
    group.finish();
}

criterion_group!(benches, steps);
criterion_main!(benches);
