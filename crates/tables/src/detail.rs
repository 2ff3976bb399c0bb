//! Details of runs, only written to files: seconds, findings, readings, parameters, node events, traces.

use record::{Evidence, Finding, LayerLatency, Nanos, NodeEvent, Reading, Record, Run, Second};

use crate::column::{Column, Kind, Part, identity, parts};
use crate::value::Value;

/// `columns` after the record, the run and its test.
fn behind_identity<'a, T, const N: usize>(columns: [Column<Part<'a, T>>; N]) -> Vec<Column<Part<'a, T>>> {
    let mut all = identity();
    all.extend(columns);
    all
}

/// Per-second figures; seconds are counted from 0.
pub fn seconds(record: &Record) -> impl Iterator<Item = Part<'_, (usize, &Second)>> {
    parts(record, |run| run.seconds.iter().enumerate())
}

/// The columns of [`seconds`].
pub fn second_columns<'a>() -> Vec<Column<Part<'a, (usize, &'a Second)>>> {
    type Figure<'a> = Column<Part<'a, (usize, &'a Second)>>;
    behind_identity([
        Figure::fact("second", Kind::Count, |of| of.of.0.into()),
        Figure::fact("steps", Kind::Count, |of| of.of.1.steps.into()),
        Figure::fact("operations", Kind::Count, |of| of.of.1.operations.into()),
        Figure::fact("rows", Kind::Count, |of| of.of.1.rows.into()),
        Figure::fact("failures", Kind::Count, |of| of.of.1.failures.into()),
        Figure::fact("service_ns_sum", Kind::Nanoseconds, |of| of.of.1.service_ns_sum.into()),
        Figure::fact("service_ns_max", Kind::Nanoseconds, |of| longest(of.of.1, of.of.1.service_ns_max).into()),
        Figure::fact("response_ns_sum", Kind::Nanoseconds, |of| of.of.1.response_ns_sum.into()),
        Figure::fact("response_ns_max", Kind::Nanoseconds, |of| longest(of.of.1, of.of.1.response_ns_max).into()),
        Figure::fact("length_ns", Kind::Nanoseconds, |of| length(of.run, of.of.0).into()),
    ])
}

/// Length of second `index` of the window of `run`: the last one may be shorter, and one that steps ended in after the
/// window is none.
fn length(run: &Run, index: usize) -> Nanos {
    let begun = Nanos(Nanos::SECOND.0.saturating_mul(index as u64));
    (run.window_ns - begun).min(Nanos::SECOND)
}

/// The longest time of the steps of `second`; none where no step succeeded.
fn longest(second: &Second, time: Nanos) -> Option<Nanos> {
    (second.steps > second.failures).then_some(time)
}

/// Findings of the checks.
pub fn findings(record: &Record) -> impl Iterator<Item = Part<'_, &Finding>> {
    parts(record, |run| &run.findings)
}

/// The columns of [`findings`].
pub fn finding_columns<'a>() -> Vec<Column<Part<'a, &'a Finding>>> {
    type Figure<'a> = Column<Part<'a, &'a Finding>>;
    behind_identity([
        Figure::fact("check", Kind::Text, |of| Value::word(of.of.check())),
        Figure::fact("verdict", Kind::Text, |of| Value::word(of.of.verdict)),
        Figure::fact("data", Kind::Text, |of| data(&of.of.evidence)),
    ])
}

/// A finding as in a record, without the name of the check.
fn data(evidence: &Evidence) -> Value<'static> {
    match serde_json::to_value(evidence) {
        Ok(serde_json::Value::Object(named)) => named.into_values().next().map(|data| data.to_string()).into(),
        _ => Value::Absent,
    }
}

/// A counter of a reading: its name and its value.
type Counted<'a> = Part<'a, (&'a Reading, &'a String, u64)>;

/// Raw cumulative counters.
pub fn readings(record: &Record) -> impl Iterator<Item = Counted<'_>> {
    parts(record, |run| {
        let readings = run.readings.iter();
        readings.flat_map(|reading| reading.values.iter().map(move |(counter, value)| (reading, counter, *value)))
    })
}

/// The columns of [`readings`].
pub fn reading_columns<'a>() -> Vec<Column<Counted<'a>>> {
    type Figure<'a> = Column<Counted<'a>>;
    behind_identity([
        Figure::fact("at_ns", Kind::Nanoseconds, |of| of.of.0.at_ns.into()),
        Figure::fact("counter", Kind::Text, |of| of.of.1.into()),
        Figure::fact("value", Kind::Count, |of| of.of.2.into()),
    ])
}

/// Test parameters.
pub fn parameters(record: &Record) -> impl Iterator<Item = Part<'_, (&String, i64)>> {
    parts(record, |run| run.parameters.iter().map(|(name, value)| (name, *value)))
}

/// The columns of [`parameters`].
pub fn parameter_columns<'a>() -> Vec<Column<Part<'a, (&'a String, i64)>>> {
    type Figure<'a> = Column<Part<'a, (&'a String, i64)>>;
    behind_identity([
        Figure::fact("name", Kind::Text, |of| of.of.0.into()),
        Figure::fact("value", Kind::Number, |of| (of.of.1 as f64).into()),
    ])
}

/// Node events.
pub fn events(record: &Record) -> impl Iterator<Item = Part<'_, &NodeEvent>> {
    parts(record, |run| &run.events)
}

/// The columns of [`events`].
pub fn event_columns<'a>() -> Vec<Column<Part<'a, &'a NodeEvent>>> {
    type Figure<'a> = Column<Part<'a, &'a NodeEvent>>;
    behind_identity([
        // From the beginning of the window, so that its whole part is the `second` of the table of seconds.
        Figure::fact("at_seconds", Kind::Number, |of| of.of.at_ns.seconds().into()),
        Figure::fact("node", Kind::Count, |of| of.of.node.into()),
        Figure::fact("name", Kind::Text, |of| (&of.of.name).into()),
        Figure::fact("kind", Kind::Text, |of| Value::word(of.of.kind)),
        Figure::fact("jobs", Kind::Count, |of| of.of.jobs.into()),
        Figure::fact("message", Kind::Text, |of| (&of.of.message).into()),
    ])
}

/// Traces below the engine, by kind of operation at each measuring point.
pub fn traces(record: &Record) -> impl Iterator<Item = Part<'_, &LayerLatency>> {
    parts(record, |run| run.trace.iter().flat_map(|trace| &trace.latencies))
}

/// The columns of [`traces`].
pub fn trace_columns<'a>() -> Vec<Column<Part<'a, &'a LayerLatency>>> {
    type Figure<'a> = Column<Part<'a, &'a LayerLatency>>;
    behind_identity([
        Figure::fact("point", Kind::Text, |of| Value::word(of.of.point)),
        Figure::fact("class", Kind::Text, |of| Value::word(of.of.class)),
        Figure::fact("name", Kind::Text, |of| (&of.of.name).into()),
        Figure::fact("bytes", Kind::Bytes, |of| of.of.bytes.into()),
        Figure::fact("count", Kind::Count, |of| of.of.latency.count.into()),
        Figure::fact("ns_min", Kind::Nanoseconds, |of| of.of.latency.min_ns.into()),
        Figure::fact("ns_mean", Kind::Nanoseconds, |of| of.of.latency.mean_ns.into()),
        Figure::fact("ns_p50", Kind::Nanoseconds, |of| of.of.latency.p50_ns.into()),
        Figure::fact("ns_p90", Kind::Nanoseconds, |of| of.of.latency.p90_ns.into()),
        Figure::fact("ns_p99", Kind::Nanoseconds, |of| of.of.latency.p99_ns.into()),
        Figure::fact("ns_p999", Kind::Nanoseconds, |of| of.of.latency.p999_ns.into()),
        Figure::fact("ns_max", Kind::Nanoseconds, |of| of.of.latency.max_ns.into()),
    ])
}
