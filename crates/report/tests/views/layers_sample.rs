//! The sample record with a run of small transactions from a busy machine, its traced repeat, and a run of reads
//! without a trace.

use record::{
    Latency, LayerLatency, MeasuringPoint, MissingLayer, Nanos, OperationClass, Record, Run, Trace, TracerKind,
    Variation, name,
};

use crate::sample;

const US: u64 = 1_000;

fn latency(count: u64, mean_us: u64, quantiles_us: [u64; 4]) -> Latency {
    let [p50, p90, p99, max] = quantiles_us.map(|value| Nanos(value * US));
    Latency {
        count,
        min_ns: Nanos(mean_us * US / 3),
        mean_ns: Nanos(mean_us * US),
        p50_ns: p50,
        p90_ns: Some(p90),
        p99_ns: Some(p99),
        p999_ns: Some(max),
        max_ns: max,
        histogram: String::new(),
    }
    .printable()
}

fn set(run: &mut Run, counters: &[(&str, u64)]) {
    for (name, grown) in counters {
        run.readings[0].values.insert((*name).to_owned(), 1_000);
        run.readings[1].values.insert((*name).to_owned(), 1_000 + grown);
    }
}

/// The records that the tables of the tests are of.
pub fn record() -> Record {
    let mut record = sample::record();
    record.runs.retain(|run| ["T311", "T626"].contains(&run.test.as_str()) && run.dop.jobs == 1);
    for run in &mut record.runs {
        run.findings.clear();
    }
    let commits = record.runs.iter_mut().find(|run| run.test == "T311").unwrap();
    commits.totals.steps = 3_705;
    let client = latency(3_705, 2_695, [2_465, 4_100, 9_498, 41_200]);
    (commits.service, commits.response) = (client.clone(), client);
    set(
        commits,
        &[
            (name::DATABASE_TIME_NS, 3_709 * 2_181 * US),
            ("example_wait_wal_sync_ns", 3_724 * 1_970 * US),
            ("example_wait_wal_sync_count", 3_724),
            ("example_wait_wal_write_ns", 3_724 * 21 * US),
            ("example_wait_wal_write_count", 3_724),
            (name::DEVICE_READ_COUNT, 0),
            (name::DEVICE_READ_NS, 0),
            (name::DEVICE_WRITE_COUNT, 5_820),
            (name::DEVICE_WRITE_NS, 600_000 * US),
            (name::DEVICE_FLUSH_COUNT, 3_870),
            (name::DEVICE_FLUSH_NS, 139_000 * US),
        ],
    );
    let mut repeat = commits.clone();
    (repeat.number, repeat.variation) = (40, Some(Variation::Traced));
    repeat.totals.operations = repeat.totals.operations * 97 / 100;
    repeat.trace = Some(Box::new(trace()));
    record.runs.push(repeat);
    record
}

fn trace() -> Trace {
    let seen = |point, class, name: &str, count, mean_us, quantiles_us| LayerLatency {
        point,
        class,
        name: name.to_owned(),
        bytes: None,
        latency: latency(count, mean_us, quantiles_us),
    };
    Trace {
        tracer: TracerKind::Bpf,
        unavailable: Vec::new(),
        missing: Vec::new(),
        lost_count: 0,
        latencies: vec![
            seen(MeasuringPoint::SystemCall, OperationClass::Write, "pwrite64", 3_730, 19, [16, 22, 40, 900]),
            seen(
                MeasuringPoint::SystemCall,
                OperationClass::Sync,
                "fdatasync",
                3_698,
                1_959,
                [1_700, 3_300, 8_200, 40_100],
            ),
            seen(MeasuringPoint::Block, OperationClass::Write, "WRITE", 5_820, 79, [65, 110, 320, 7_100]),
            seen(MeasuringPoint::Block, OperationClass::Flush, "FLUSH", 3_721, 34, [30, 44, 90, 2_100]),
            seen(MeasuringPoint::Device, OperationClass::Write, "WRITE", 5_820, 77, [63, 107, 310, 7_000]),
            seen(MeasuringPoint::Device, OperationClass::Flush, "FLUSH", 3_721, 30, [27, 41, 80, 2_000]),
        ],
    }
}

/// The same without the privilege to trace: no repeat, and the reasons.
pub fn without_privileges() -> Record {
    let mut record = record();
    record.runs.retain(|run| run.variation.is_none());
    let missing = |point| MissingLayer {
        point,
        reason: "the kernel refuses it to this user: it needs CAP_BPF and CAP_PERFMON".to_owned(),
        hint: "run as root, or: setcap cap_bpf,cap_perfmon+ep $(command -v dbdyno)".to_owned(),
    };
    for run in &mut record.runs {
        run.trace = Some(Box::new(Trace {
            unavailable: Vec::new(),
            tracer: TracerKind::Counters,
            missing: vec![missing(MeasuringPoint::SystemCall), missing(MeasuringPoint::Device)],
            lost_count: 0,
            latencies: Vec::new(),
        }));
    }
    record
}
