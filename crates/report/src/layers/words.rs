//! The names of layers, and of what is between them.

use model::{LatencyLayer, LayerMethod, LayerRow, LayerTable, TracingCost};
use record::{MeasuringPoint, Ratio, TracerKind, UnavailableTracer, Variation};
use tables::layer::absence;
pub(crate) use tables::layer::id;

use crate::figure::{count, duration, nanos, percent};
use crate::layout::clean;
use crate::words::{dop, variation};

/// The share of a resource that the control of a perturbed run has.
const ALL: f64 = 1.0;

/// A layer in words.
pub(crate) fn layer(point: MeasuringPoint) -> &'static str {
    match point {
        MeasuringPoint::ClientResponse => "client response",
        MeasuringPoint::ClientService => "client service",
        MeasuringPoint::DatabaseTime => "database time",
        MeasuringPoint::Wait => "waits",
        MeasuringPoint::SystemCall => "system calls",
        MeasuringPoint::Block => "block layer",
        MeasuringPoint::Device => "device",
    }
}

/// The timed interval of a layer.
pub(crate) fn interval(point: MeasuringPoint) -> &'static str {
    match point {
        MeasuringPoint::ClientResponse => "intended start to end",
        MeasuringPoint::ClientService => "start to end",
        MeasuringPoint::DatabaseTime => "active in the engine",
        MeasuringPoint::Wait => "wait start to wait end",
        MeasuringPoint::SystemCall => "call to return",
        MeasuringPoint::Block => "queued to completed",
        MeasuringPoint::Device => "issued to completed",
    }
}

/// The label of a row.
pub(crate) fn label(point: MeasuringPoint, row: &LayerRow) -> String {
    let name = clean(&row.name);
    match point {
        MeasuringPoint::ClientResponse | MeasuringPoint::ClientService | MeasuringPoint::DatabaseTime => {
            layer(point).to_owned()
        }
        MeasuringPoint::Wait | MeasuringPoint::SystemCall => name,
        MeasuringPoint::Block => format!("block {name}"),
        MeasuringPoint::Device => format!("device {name}"),
    }
}

/// What is between a layer and one below it, which is not measured by itself.
pub(crate) fn between(above: MeasuringPoint, below: MeasuringPoint) -> String {
    let gaps = [
        (MeasuringPoint::ClientResponse, "waiting to start"),
        (MeasuringPoint::ClientService, "client, and network/IPC round trip"),
        (MeasuringPoint::DatabaseTime, "CPU, and waits that are not timed"),
        (MeasuringPoint::Wait, "the engine around its system calls"),
        (MeasuringPoint::SystemCall, "file system, page cache, run queue"),
        (MeasuringPoint::Block, "queue of the block layer"),
    ];
    let crossed = gaps.iter().filter(|(point, _)| (above..below).contains(point));
    crossed.map(|(_, words)| *words).collect::<Vec<_>>().join("; ")
}

/// The method of a figure.
pub(crate) fn method(method: LayerMethod) -> String {
    match method {
        LayerMethod::Timed => "timed".to_owned(),
        LayerMethod::Mean => "mean".to_owned(),
        LayerMethod::Sampled { period_ns } => format!("sampled @{}", duration(period_ns)),
    }
}

/// Nanoseconds that may be negative.
pub(crate) fn span(value_ns: f64) -> String {
    if value_ns < 0.0 { format!("-{}", nanos(-value_ns)) } else { nanos(value_ns) }
}

/// The run of the figures, and how it differs from the plain one of its test.
pub(crate) fn repeat(table: &LayerTable) -> String {
    let run = format!("run {}", table.run);
    match (&table.repeat, table.variation) {
        (Some(repeat), _) => format!("{run}, traced repeat of run {}", repeat.plain_run),
        (None, Some(Variation::Perturbed { share: ALL, resource })) => {
            let all = variation(Variation::Perturbed { resource, share: ALL });
            format!("{run}, control of a perturbed run: {all}")
        }
        (None, Some(perturbed @ Variation::Perturbed { .. })) => {
            format!("{run}, a perturbed run: with {}", variation(perturbed))
        }
        (None, Some(other)) => format!("{run}, not the plain run: {}", variation(other)),
        (None, None) => run,
    }
}

/// The name of a tracer.
fn tracer_name(tracer: TracerKind) -> &'static str {
    match tracer {
        TracerKind::Bpf => "BPF",
        TracerKind::Tracefs => "tracefs",
        TracerKind::Counters => "kernel counters",
        TracerKind::Engine => "engine counters",
    }
}

/// The tracer, its method, and the number of lost events; nothing where nothing was traced.
pub(crate) fn tracer(table: &LayerTable) -> Option<String> {
    let tracer = table.tracer?;
    let (means, is_of_events) = match tracer {
        TracerKind::Bpf => ("every event timed in the kernel", true),
        TracerKind::Tracefs => ("every event of the block layer read by dbdyno", true),
        TracerKind::Counters => ("means only", false),
        TracerKind::Engine => ("means only", false),
    };
    let lost = match (is_of_events, table.lost_count) {
        (_, 1..) => format!(", {} events were lost by the tracer", count(table.lost_count)),
        (true, 0) => ", no loss reported".to_owned(),
        (false, 0) => String::new(),
    };
    Some(format!("tracer {}: {means}{lost}", tracer_name(tracer)))
}

/// Why better tracers were not available, where missing layers do not state it already.
pub(crate) fn rejected_tracers(table: &LayerTable) -> Vec<String> {
    let is_stated = |reason: &str| {
        let mut layers = table.layers.iter().filter_map(|layer| layer.missing.as_ref());
        layers.any(|missing| absence(missing).0.contains(reason))
    };
    let of = |unavailable: &UnavailableTracer| {
        let hint = clean(&unavailable.hint);
        let hint = if hint.is_empty() { hint } else { format!("; hint: {hint}") };
        format!("tracer {} not available: {}{hint}", tracer_name(unavailable.tracer), clean(&unavailable.reason))
    };
    table.unavailable.iter().filter(|unavailable| !is_stated(&unavailable.reason)).map(of).collect()
}

/// What tracing cost, where the run was traced and the plain one is known.
pub(crate) fn cost(table: &LayerTable) -> Option<String> {
    let TracingCost { change: Ratio(change), pairs, interval } = table.repeat?.cost?;
    let lost = |change: f64| percent(Ratio(0.0 - change));
    let by = match (pairs, interval) {
        (1, _) => "by this one pair of runs".to_owned(),
        (_, None) => format!("the median of {pairs} pairs of runs, too few for an interval"),
        (_, Some(interval)) => format!(
            "the median of {pairs} pairs of runs, 95 % interval {} to {}",
            lost(interval.high),
            lost(interval.low)
        ),
    };
    Some(match change < 0.0 {
        true => format!("cost of tracing: {} of the rate, {by}", lost(change)),
        false => format!("cost of tracing: none measurable, the rate was {} higher, {by}", percent(Ratio(change))),
    })
}

/// The largest part in a sentence; nothing where only the client was measured.
pub(crate) fn largest(table: &LayerTable) -> Option<String> {
    let found = table.largest_part()?;
    if found.point <= MeasuringPoint::ClientService
        && let Some(server_ns) = table.beyond_database_time_ns()
    {
        return Some(format!(
            "the engine's processes used {} of CPU time per step, more than its database time: the difference between \
             L2 and L3 is not only client time",
            nanos(server_ns)
        ));
    }
    let whole_ns = table.whole_ns().filter(|whole| *whole > 0.0)?;
    let named = |point: MeasuringPoint| format!("{} {}", id(point), layer(point));
    let position = match (found.below, found.exceeded_by) {
        (Some(below), _) => {
            format!("between {} and {}: {}", named(found.point), named(below), between(found.point, below))
        }
        (None, Some(below)) => {
            format!("in {}; {} did more I/O than was waited for, also for others", named(found.point), named(below))
        }
        (None, None) if found.point <= MeasuringPoint::ClientService => return None,
        (None, None) => format!("in {}, the lowest measured layer", named(found.point)),
    };
    let (part, share) = (nanos(found.per_step_ns), percent(Ratio(found.per_step_ns / whole_ns)));
    Some(format!("largest part: {part} of {} per step ({share}), {position}", nanos(whole_ns)))
}

/// Why a layer is missing and how to get it; nothing of one that has its source.
pub(crate) fn missing(found: &LatencyLayer) -> Option<(&'static str, String)> {
    let (reason, hint) = absence(found.missing.as_ref()?);
    let hint = clean(hint);
    let hint = if hint.is_empty() { hint } else { format!("; hint: {hint}") };
    Some((id(found.point), format!("{}: {}{hint}", layer(found.point), clean(reason))))
}

/// The note on negative parts.
pub(crate) fn negative_note(tables: &[LayerTable]) -> Option<&'static str> {
    let parts = tables.iter().flat_map(|table| &table.layers).filter_map(|layer| layer.unaccounted);
    let any = parts.into_iter().any(|part| part.per_step_ns <= -0.5);
    any.then_some(
        "A negative unaccounted part: the layer below did more than this one waited for, such as background writes or \
         I/O of other programs.",
    )
}

/// The title of a table.
pub(crate) fn title(table: &LayerTable) -> String {
    format!("{} {}  {}", clean(&table.test), dop(table.dop, table.sweep), clean(&table.title))
}
