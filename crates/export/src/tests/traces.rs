//! The table of traces.

use record::{LayerLatency, MeasuringPoint, OperationClass, Trace, TracerKind, Variation};

use super::*;

/// `run`, traced.
pub(super) fn traced(run: Run) -> Run {
    let one = |point, class, name: &str, bytes| LayerLatency {
        point,
        class,
        name: name.to_owned(),
        bytes,
        latency: Latency { mean_ns: Nanos(7), ..latency(&[5, 9]) },
    };
    let latencies = vec![
        one(MeasuringPoint::SystemCall, OperationClass::Sync, "fdatasync", None),
        one(MeasuringPoint::Device, OperationClass::Write, "WRITE", Some(Bytes(8_192))),
    ];
    let trace =
        Trace { tracer: TracerKind::Bpf, unavailable: Vec::new(), missing: Vec::new(), lost_count: 0, latencies };
    Run { variation: Some(Variation::Traced), trace: Some(Box::new(trace)), ..run }
}

#[test]
fn every_operation_at_every_measuring_point_is_one_row() {
    let directory = tempfile::tempdir().unwrap();
    written(directory.path(), Format::Csv);
    let traces = csv_rows(&directory.path().join("traces.csv"));
    let cells = |row: usize| {
        let names = ["run", "point", "class", "name", "bytes", "count", "ns_mean", "ns_max"];
        names.map(|name| traces[row].get(name).map(String::as_str))
    };
    let some = |name: &'static str| Some(name);
    let (call, write) = (cells(0), cells(1));
    assert_eq!(call[..5], [some("1"), some("system_call"), some("sync"), some("fdatasync"), None]);
    assert_eq!(write[..5], [some("1"), some("device"), some("write"), some("WRITE"), some("8192")]);
    assert!([call, write].iter().all(|row| row[5..] == [some("2"), some("7"), some("9")]), "{traces:?}");
    let runs = csv_rows(&directory.path().join("runs.csv"));
    let varied = runs.iter().map(|run| run.get("variation").map(String::as_str));
    assert_eq!(varied.collect::<Vec<_>>(), [Some("traced"), None, None]);
}
