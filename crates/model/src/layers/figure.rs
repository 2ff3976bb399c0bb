//! A line of a latency table as figures, for spreadsheets and other programs.

use record::{MeasuringPoint, OperationClass};

use super::{LayerLine, LayerMethod, LayerQuantiles, LayerRow, LayerTable};

/// What one line of a latency table says; what is not known is absent.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerFigure<'a> {
    /// The layer.
    pub point: MeasuringPoint,
    /// `row`, `unaccounted`, or `missing` where the layer has no source.
    pub kind: &'static str,
    /// What was done.
    pub class: Option<OperationClass>,
    /// What the layer calls it; empty where it is no row.
    pub name: &'a str,
    /// How often.
    pub count: Option<u64>,
    /// All of them, nanoseconds.
    pub total_ns: Option<f64>,
    /// The same per step.
    pub per_step_ns: Option<f64>,
    /// Total over count.
    pub mean_ns: Option<f64>,
    /// Quantiles, where the source has the distribution.
    pub quantiles: Option<LayerQuantiles>,
    /// Operations for each one of the layer above that leads to them.
    pub fan_out: Option<f64>,
    /// How it came about.
    pub method: Option<LayerMethod>,
    /// The counter, the tracepoint, the clock; empty where it is no row.
    pub source: &'a str,
    /// Of an unaccounted part, the layer below.
    pub below: Option<MeasuringPoint>,
    /// Why there is no source; empty where there is one.
    pub missing: &'a str,
}

/// What `line` of `table` says.
pub fn layer_figure<'a>(table: &LayerTable, line: &LayerLine<'a>) -> LayerFigure<'a> {
    match *line {
        LayerLine::Row(layer, row) => of_row(layer.point, row),
        LayerLine::Nothing(layer) => {
            // The sum of no rows is -0.0.
            let per_step_ns = Some(layer.per_step_ns.unwrap_or(0.0) + 0.0);
            LayerFigure { count: Some(0), per_step_ns, ..bare(layer.point, "row") }
        }
        LayerLine::Unaccounted(layer, part) => LayerFigure {
            total_ns: Some(part.per_step_ns * table.steps as f64),
            per_step_ns: Some(part.per_step_ns),
            below: Some(part.below),
            ..bare(layer.point, "unaccounted")
        },
        LayerLine::Missing(layer) => {
            let missing = layer.missing.as_ref().map_or("", |missing| missing.reason.as_str());
            LayerFigure { missing, ..bare(layer.point, "missing") }
        }
    }
}

fn bare<'a>(point: MeasuringPoint, kind: &'static str) -> LayerFigure<'a> {
    LayerFigure {
        point,
        kind,
        class: None,
        name: "",
        count: None,
        total_ns: None,
        per_step_ns: None,
        mean_ns: None,
        quantiles: None,
        fan_out: None,
        method: None,
        source: "",
        below: None,
        missing: "",
    }
}

fn of_row(point: MeasuringPoint, row: &LayerRow) -> LayerFigure<'_> {
    LayerFigure {
        class: row.class,
        name: &row.name,
        count: row.count,
        total_ns: Some(row.total_ns),
        per_step_ns: Some(row.per_step_ns),
        mean_ns: row.mean_ns(),
        quantiles: row.quantiles,
        fan_out: row.fan_out,
        method: Some(row.method),
        source: &row.source,
        ..bare(point, "row")
    }
}
