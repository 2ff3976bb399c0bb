//! Latency breakdowns: one row for each line of each.

use model::{LayerAbsence, LayerFigure, LayerLine, LayerMethod, LayerTable};
use record::{MeasuringPoint, Record, TracerKind};

use crate::column::{Column, Kind, Row, resource, share, varied};
use crate::value::Value;

/// A line, and its table.
pub struct LayerRow<'a> {
    /// Its record.
    pub record: &'a Record,
    /// The table.
    pub table: &'a LayerTable,
    /// The line.
    pub line: LayerLine<'a>,
    /// Its figures.
    pub figure: LayerFigure<'a>,
}

/// Only a layer has a distribution; a remainder or an absent layer has none.
impl Row for LayerRow<'_> {
    fn is_invalid(&self) -> bool {
        !matches!(self.line, LayerLine::Row(..))
    }
}

/// The lines of `tables` of `record`.
pub fn rows<'a>(record: &'a Record, tables: &'a [LayerTable]) -> impl Iterator<Item = LayerRow<'a>> {
    let lines = tables.iter().flat_map(|table| model::layer_lines(table).into_iter().map(move |line| (table, line)));
    lines.map(move |(table, line)| LayerRow { record, table, figure: model::layer_figure(table, &line), line })
}

/// The tables of all runs of `record` that have one.
pub fn tables(record: &Record) -> Vec<LayerTable> {
    let tables = model::LayerTables::of(record);
    record.runs.iter().filter_map(|run| tables.own_table(run)).collect()
}

/// The name of a measuring point.
pub fn id(point: MeasuringPoint) -> &'static str {
    match point {
        MeasuringPoint::ClientResponse => "L1",
        MeasuringPoint::ClientService => "L2",
        MeasuringPoint::DatabaseTime => "L3",
        MeasuringPoint::Wait => "L4",
        MeasuringPoint::SystemCall => "L5",
        MeasuringPoint::Block => "L6",
        MeasuringPoint::Device => "L7",
    }
}

/// The name of a tracer.
pub fn tracer_word(tracer: TracerKind) -> &'static str {
    match tracer {
        TracerKind::Bpf => "bpf",
        TracerKind::Tracefs => "tracefs",
        TracerKind::Counters => "counters",
        TracerKind::Engine => "engine",
    }
}

/// Hint to enable timing of waits.
const TIMING: &str = "enable timing of I/O or waits, such as track_io_timing=on or performance_schema=on";

/// Why a layer has no source, as a clause, and a hint how to get one; empty where there is none.
pub fn absence(absence: &LayerAbsence) -> (&str, &str) {
    match absence {
        LayerAbsence::Recorded(missing) => (&missing.reason, &missing.hint),
        LayerAbsence::Embedded => {
            ("the engine is embedded and runs in the thread of the caller: its time is the service time", "")
        }
        LayerAbsence::StatementsNotTimed => (
            "the engine does not time statements with its current settings",
            "dbdyno run --trace one, or enable timing of statements, such as userstat=1",
        ),
        LayerAbsence::WaitsNotTimed { has_settings } => {
            ("the engine times no waits with its current settings", if *has_settings { TIMING } else { "" })
        }
        LayerAbsence::IoWaitsNotTimed => {
            ("the engine times some waits but none for I/O with its current settings", TIMING)
        }
        LayerAbsence::OtherHost => {
            ("the engine runs on another host, whose kernel is not traced", "run dbdyno on the host of the engine")
        }
        LayerAbsence::NotTraced => ("the run was not traced", "dbdyno run --trace one"),
        LayerAbsence::LoadBeside => {
            ("a load was beside the jobs, and what is counted here is of both", "measure the test alone")
        }
        LayerAbsence::NoBlockDevice => (
            "no block device below the measured directory was counted",
            "measure in a directory on a block device, not tmpfs",
        ),
    }
}

type Figure<'a> = Column<LayerRow<'a>>;

/// The run, the line, its figures.
pub fn columns<'a>() -> Vec<Column<LayerRow<'a>>> {
    let mut columns = vec![
        Figure::fact("record", Kind::Text, |of| (&of.record.id).into()),
        Figure::fact("run", Kind::Count, |of| of.table.run.into()),
        Figure::fact("test", Kind::Text, |of| (&of.table.test).into()),
        Figure::fact("nodes", Kind::Count, |of| of.table.dop.nodes.into()),
        Figure::fact("jobs", Kind::Count, |of| of.table.dop.jobs.into()),
        Figure::fact("threads", Kind::Count, |of| of.table.dop.threads.into()),
        Figure::fact("variation", Kind::Text, |of| varied(of.table.variation)),
        Figure::fact("variation_resource", Kind::Text, |of| resource(of.table.variation).into()),
        Figure::fact("variation_ratio", Kind::Ratio, |of| share(of.table.variation).into()),
        Figure::fact("plain_run", Kind::Count, |of| of.table.repeat.map(|repeat| repeat.plain_run).into()),
        Figure::fact("tracing_cost_ratio", Kind::Ratio, |of| {
            of.table.repeat.and_then(|repeat| repeat.cost).map(|cost| cost.change).into()
        }),
        Figure::fact("steps", Kind::Count, |of| of.table.steps.into()),
    ];
    columns.extend(figures());
    columns
}

fn figures<'a>() -> Vec<Figure<'a>> {
    vec![
        Figure::fact("layer", Kind::Text, |of| id(of.figure.point).into()),
        Figure::fact("point", Kind::Text, |of| Value::word(of.figure.point)),
        Figure::fact("kind", Kind::Text, |of| of.figure.kind.into()),
        Figure::fact("class", Kind::Text, |of| of.figure.class.map_or(Value::Absent, Value::word)),
        Figure::fact("name", Kind::Text, |of| of.figure.name.into()),
        Figure::fact("per_step_ns", Kind::DerivedNanoseconds, |of| of.figure.per_step_ns.into()).head("per\nstep"),
        Figure::fact("total_ns", Kind::DerivedNanoseconds, |of| of.figure.total_ns.into()).head("total"),
        Figure::fact("count", Kind::Count, |of| of.figure.count.into()),
        Figure::result("fan_out", Kind::Number, |of| of.figure.fan_out.into()).head("fan-\nout"),
        Figure::result("mean_ns", Kind::DerivedNanoseconds, |of| of.figure.mean_ns.into()).head("mean"),
        Figure::result("p50_ns", Kind::Nanoseconds, |of| of.figure.times.map(|times| times.p50_ns).into()).head("p50"),
        Figure::result("p90_ns", Kind::Nanoseconds, |of| of.figure.times.and_then(|times| times.p90_ns).into())
            .head("p90"),
        Figure::result("p99_ns", Kind::Nanoseconds, |of| of.figure.times.and_then(|times| times.p99_ns).into())
            .head("p99"),
        Figure::result("max_ns", Kind::Nanoseconds, |of| of.figure.times.map(|times| times.max_ns).into()).head("max"),
        Figure::fact("method", Kind::Text, |of| {
            of.figure
                .method
                .map(|method| match method {
                    LayerMethod::Timed => "timed",
                    LayerMethod::Mean => "mean",
                    LayerMethod::Sampled { .. } => "sampled",
                })
                .into()
        }),
        Figure::fact("period_ns", Kind::Nanoseconds, |of| match of.figure.method {
            Some(LayerMethod::Sampled { period_ns }) => period_ns.into(),
            _ => Value::Absent,
        }),
        Figure::fact("source", Kind::Text, |of| of.figure.source.into()),
        Figure::fact("below", Kind::Text, |of| of.figure.below.map_or(Value::Absent, Value::word)),
        Figure::fact("missing", Kind::Text, |of| of.figure.missing.map(|missing| absence(missing).0).into()),
        Figure::fact("tracer", Kind::Text, |of| of.table.tracer.map(tracer_word).into()),
        Figure::fact("lost_count", Kind::Count, |of| of.table.tracer.map(|_| of.table.lost_count).into()),
    ]
}
