//! The layers of the kernel: traced, or by its counters.

use record::{LayerLatency, Location, MeasuringPoint, OperationClass, Run, Trace, TracerKind, name};

use super::{Found, LayerAbsence, LayerRow, added_up, timed};
use crate::delta::{delta, device_write_ns};

/// System calls, block layer or device of `run`.
pub(super) fn found(point: MeasuringPoint, run: &Run, location: Option<Location>) -> Found {
    let trace = run.trace.as_deref();
    let missing = trace.and_then(|trace| trace.missing.iter().find(|missing| missing.point == point));
    let missing = missing.cloned().map(LayerAbsence::Recorded);
    let traced = trace.and_then(|trace| traced(point, trace));
    match (traced, missing.clone()) {
        (Some(rows), None) => return Found::Rows(rows),
        (Some(rows), Some(missing)) if !rows.is_empty() => return Found::Partly(rows, missing),
        _ => {}
    }
    if let Some(rows) = (point == MeasuringPoint::Block).then(|| counted(run)).flatten() {
        return Found::Rows(rows);
    }
    let generic = || match point {
        _ if location == Some(Location::Remote) => LayerAbsence::OtherHost,
        MeasuringPoint::Block => LayerAbsence::NoBlockDevice,
        _ => LayerAbsence::NotTraced,
    };
    Found::Missing(missing.unwrap_or_else(generic))
}

/// The rows of the tracer; None where it does not cover the layer.
fn traced(point: MeasuringPoint, trace: &Trace) -> Option<Vec<LayerRow>> {
    let here = trace.latencies.iter().filter(|latency| latency.point == point);
    let rows: Vec<LayerRow> = here.map(|latency| row(latency, trace.tracer)).collect();
    // Only BPF traces system calls.
    let is_traced = match trace.tracer {
        TracerKind::Bpf => true,
        TracerKind::Tracefs => point != MeasuringPoint::SystemCall,
        TracerKind::Counters | TracerKind::Engine => false,
    };
    (is_traced || !rows.is_empty()).then_some(rows)
}

fn row(layer: &LayerLatency, tracer: TracerKind) -> LayerRow {
    let source = source(tracer, layer);
    let latency = &layer.latency;
    match tracer {
        TracerKind::Bpf | TracerKind::Tracefs => timed(layer.class, &layer.name, source, latency),
        TracerKind::Counters | TracerKind::Engine => {
            let total = latency.mean_ns.0 as f64 * latency.count as f64;
            added_up(Some(layer.class), &layer.name, source, Some(latency.count), total)
        }
    }
}

/// The source of a row: tracer and tracepoints.
fn source(tracer: TracerKind, layer: &LayerLatency) -> &'static str {
    match (tracer, layer.point) {
        (TracerKind::Counters | TracerKind::Engine, _) => "kernel counters",
        (TracerKind::Bpf, MeasuringPoint::SystemCall) if layer.name.starts_with("io_uring") => {
            "tracepoints io_uring_submit_req, io_uring_complete"
        }
        (TracerKind::Bpf, MeasuringPoint::SystemCall) if layer.name.starts_with("aio") => {
            "tracepoints sys_enter of io_submit, sys_exit of io_getevents"
        }
        (TracerKind::Bpf, MeasuringPoint::SystemCall) => "tracepoints sys_enter, sys_exit",
        (TracerKind::Bpf, MeasuringPoint::Block) => "tracepoint block_rq_complete",
        (TracerKind::Bpf, _) => "tracepoints block_rq_issue, block_rq_complete",
        (TracerKind::Tracefs, MeasuringPoint::Block) => {
            "tracefs, tracepoints block_rq_insert (block_rq_issue if not inserted), block_rq_complete"
        }
        (TracerKind::Tracefs, _) => "tracefs, tracepoints block_rq_issue, block_rq_complete",
    }
}

/// Requests of the block layer by the counters of the device, of all its users; None without counters.
fn counted(run: &Run) -> Option<Vec<LayerRow>> {
    let flushes = delta(run, name::DEVICE_FLUSH_COUNT).zip(delta(run, name::DEVICE_FLUSH_NS));
    let writes = delta(run, name::DEVICE_WRITE_COUNT).zip(device_write_ns(run));
    let reads = delta(run, name::DEVICE_READ_COUNT).zip(delta(run, name::DEVICE_READ_NS));
    let kinds = [
        (OperationClass::Read, "READ", name::DEVICE_READ_NS, reads),
        (OperationClass::Write, "WRITE", name::DEVICE_WRITE_NS, writes),
        (OperationClass::Flush, "FLUSH", name::DEVICE_FLUSH_NS, flushes),
    ];
    let row = |(class, words, source, known): (OperationClass, &str, &str, Option<(u64, u64)>)| {
        let (count, total) = known?;
        Some(added_up(Some(class), words, source, Some(count), total as f64))
    };
    let rows: Vec<LayerRow> = kinds.into_iter().filter_map(row).collect();
    (!rows.is_empty()).then_some(rows)
}
