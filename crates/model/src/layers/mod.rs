//! The latency table of one run: from the intended start of a step down to the device, each layer from its own source.
//!
//! The time of a layer is the total of all sessions over the steps of the test, so that all layers are in nanoseconds
//! per step. The excess of a layer over the one below it is *unaccounted*; totals and means can be subtracted,
//! quantiles cannot. The unaccounted parts and the lowest layer add up to the highest one. A layer without a source has
//! a reason instead of figures and is skipped: it is unknown, not 0.
//!
//! Lower layers include more than the jobs: background processes of the engine, other users of the device, background
//! writes. An unaccounted part may then be negative.

mod absence;
mod chosen;
mod engine;
mod kernel;
mod line;
mod repeat;
mod row;
#[cfg(test)]
mod tests;

use record::{
    Dop, Latency, Location, MeasuringPoint, OperationClass, Record, Run, Sweep, TracerKind, UnavailableTracer,
    Variation, name,
};

use crate::delta::delta;
use crate::rules::RULES;
use crate::verdict::is_invalid;

use self::repeat::Repeats;
pub use absence::LayerAbsence;
pub use chosen::{layered_runs, layered_runs_of};
pub use engine::database_time;
pub use line::{LayerFigure, LayerLine, layer_figure, layer_lines};
pub use repeat::{TracedRepeat, TracingCost};
pub use row::{LayerMethod, LayerRow};
pub(crate) use row::{added_up, timed};

/// The measuring points from the client down.
pub const MEASURING_POINTS: [MeasuringPoint; 7] = [
    MeasuringPoint::ClientResponse,
    MeasuringPoint::ClientService,
    MeasuringPoint::DatabaseTime,
    MeasuringPoint::Wait,
    MeasuringPoint::SystemCall,
    MeasuringPoint::Block,
    MeasuringPoint::Device,
];

/// The latency table of one run.
#[derive(Clone, Debug, PartialEq)]
pub struct LayerTable {
    /// The number of the run.
    pub run: u32,
    /// The code of its test.
    pub test: String,
    /// The title of the test.
    pub title: String,
    /// Degree of parallelism.
    pub dop: Dop,
    /// Which degree of parallelism the test varies.
    pub sweep: Sweep,
    /// The variation of the run.
    pub variation: Option<Variation>,
    /// Steps, the divisor of times.
    pub steps: u64,
    /// The plain run that this one repeats, and the tracing overhead; absent for an untraced run.
    pub repeat: Option<TracedRepeat>,
    /// The tracer; absent without tracing.
    pub tracer: Option<TracerKind>,
    /// Better tracers that were not available.
    pub unavailable: Vec<UnavailableTracer>,
    /// Events lost by the tracer, missing in its counts.
    pub lost_count: u64,
    /// CPU time of the engine's processes, nanoseconds per step, where known.
    pub server_cpu_per_step_ns: Option<f64>,
    /// One per [`MEASURING_POINTS`], in that order.
    pub layers: Vec<LatencyLayer>,
}

/// One layer.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyLayer {
    /// The measuring point.
    pub point: MeasuringPoint,
    /// Its operations by kind, as far as known; empty where nothing was done or without a source.
    pub rows: Vec<LayerRow>,
    /// Nanoseconds per step, all rows together; absent without a complete source.
    pub per_step_ns: Option<f64>,
    /// The excess over the next layer with a source; absent for the lowest one.
    pub unaccounted: Option<Unaccounted>,
    /// The reason why there is no source.
    pub missing: Option<LayerAbsence>,
}

/// Time of a layer in excess of the one below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unaccounted {
    /// The layer below: the next one that has a source.
    pub below: MeasuringPoint,
    /// Nanoseconds per step; negative where the layer below has more time.
    pub per_step_ns: f64,
}

impl LayerTable {
    /// The layer at `point`.
    pub fn layer(&self, point: MeasuringPoint) -> Option<&LatencyLayer> {
        self.layers.iter().find(|layer| layer.point == point)
    }

    /// CPU time of the engine's processes, nanoseconds per step, where it exceeds database time: then database time is
    /// incomplete, and the difference to the client's time is not only that of the client.
    pub fn beyond_database_time_ns(&self) -> Option<f64> {
        let counted = self.layer(MeasuringPoint::DatabaseTime)?.per_step_ns?;
        self.server_cpu_per_step_ns.filter(|server| *server > counted)
    }

    /// Nanoseconds per step of the highest layer with a source.
    pub fn whole_ns(&self) -> Option<f64> {
        self.layers.iter().find_map(|layer| layer.per_step_ns)
    }

    /// The largest part of the time of a step. Layers from the first one on that clearly exceeds the one above are
    /// ignored, since they include work that nobody waits for.
    pub fn largest_part(&self) -> Option<LargestPart> {
        let mut parts: Vec<LargestPart> = Vec::new();
        for layer in &self.layers {
            let Some(own) = layer.per_step_ns else { continue };
            let above = parts.last_mut();
            let waited_for = above.as_ref().map_or(f64::INFINITY, |part| part.per_step_ns);
            if let Some(part) = above {
                if own > waited_for * (1.0 + RULES.layer_excess_max) {
                    part.exceeded_by = Some(layer.point);
                    break;
                }
                part.per_step_ns -= own.min(waited_for);
                part.below = Some(layer.point);
            }
            let per_step_ns = own.min(waited_for);
            parts.push(LargestPart { point: layer.point, below: None, exceeded_by: None, per_step_ns });
        }
        let largest = parts.into_iter().max_by(|one, other| one.per_step_ns.total_cmp(&other.per_step_ns));
        largest.filter(|part| part.per_step_ns > 0.0)
    }
}

/// The largest part of the time of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LargestPart {
    /// Its layer.
    pub point: MeasuringPoint,
    /// The layer below; absent for all of the lowest layer considered.
    pub below: Option<MeasuringPoint>,
    /// The layer that exceeds this one and is ignored.
    pub exceeded_by: Option<MeasuringPoint>,
    /// Nanoseconds per step.
    pub per_step_ns: f64,
}

/// The rows of a layer, or the reason why there are none.
pub(crate) enum Found {
    /// A complete source; empty where nothing was done.
    Rows(Vec<LayerRow>),
    /// No source.
    Missing(LayerAbsence),
    /// An incomplete source, with the reason.
    Partly(Vec<LayerRow>, LayerAbsence),
}

/// The latency tables of the runs of a record.
pub struct LayerTables<'a> {
    record: &'a Record,
    repeats: Repeats<'a>,
}

impl<'a> LayerTables<'a> {
    /// The tables of `record`.
    pub fn of(record: &'a Record) -> LayerTables<'a> {
        LayerTables { record, repeats: Repeats::of(record) }
    }

    /// The latency table of `run`, or of its traced repeat at the same degree of parallelism. None for a run without an
    /// engine, for an invalid run, and where no step succeeded.
    pub fn table(&self, run: &Run) -> Option<LayerTable> {
        let traced = self.repeats.traced(run).filter(|traced| has_steps(traced));
        self.own_table(traced.unwrap_or(run))
    }

    /// The table of `run` itself.
    pub fn own_table(&self, run: &Run) -> Option<LayerTable> {
        table(self.record, run, &self.repeats)
    }
}

fn table(record: &Record, shown: &Run, repeats: &Repeats<'_>) -> Option<LayerTable> {
    if !has_steps(shown) {
        return None;
    }
    let steps = shown.totals.steps;
    let location = record.engine.as_ref().map(|engine| engine.location);
    let mut layers: Vec<LatencyLayer> = MEASURING_POINTS
        .into_iter()
        .map(|point| LatencyLayer::new(point, found(point, shown, location), steps))
        .collect();
    subtract(&mut layers);
    fill_fan_out(&mut layers);
    Some(LayerTable {
        run: shown.number,
        test: shown.test.clone(),
        title: shown.title.clone(),
        dop: shown.dop,
        sweep: shown.sweep,
        variation: shown.variation,
        steps,
        repeat: repeats.repeat(shown),
        tracer: shown.trace.as_ref().map(|trace| trace.tracer),
        unavailable: shown.trace.as_ref().map_or(Vec::new(), |trace| trace.unavailable.clone()),
        lost_count: shown.trace.as_ref().map_or(0, |trace| trace.lost_count),
        server_cpu_per_step_ns: delta(shown, name::SERVER_CPU_NS)
            .filter(|_| shown.loads_beside.is_empty())
            .map(|cpu| cpu as f64 / steps.max(1) as f64),
        layers,
    })
}

/// Whether `run` is a valid run of an engine with successful steps.
fn has_steps(run: &Run) -> bool {
    let is_engine = run.storage.is_none() && !run.kind.is_probe();
    is_engine && !is_invalid(run) && run.totals.steps > 0 && run.service.count > 0
}

fn found(point: MeasuringPoint, run: &Run, location: Option<Location>) -> Found {
    match point {
        MeasuringPoint::ClientResponse => client(&run.response, "intended start to end", "dbdyno clock"),
        MeasuringPoint::ClientService => client(&run.service, "start to end", "dbdyno clock"),
        _ if !run.loads_beside.is_empty() => Found::Missing(LayerAbsence::LoadBeside),
        MeasuringPoint::DatabaseTime => engine::database(run, location),
        MeasuringPoint::Wait => engine::waits(run, location),
        MeasuringPoint::SystemCall | MeasuringPoint::Block | MeasuringPoint::Device => {
            kernel::found(point, run, location)
        }
    }
}

fn client(latency: &Latency, name: &str, source: &str) -> Found {
    Found::Rows(vec![timed(OperationClass::Step, name, source, latency)])
}

impl LatencyLayer {
    fn new(point: MeasuringPoint, found: Found, steps: u64) -> LatencyLayer {
        let (mut rows, missing) = match found {
            Found::Rows(rows) => (rows, None),
            Found::Missing(missing) => (Vec::new(), Some(missing)),
            Found::Partly(rows, missing) => (rows, Some(missing)),
        };
        rows.retain(|row| row.total_ns > 0.0 || row.count.is_some_and(|count| count > 0));
        rows.iter_mut().for_each(|row| row.per_step_ns = row.total_ns / steps.max(1) as f64);
        let per_step_ns = missing.is_none().then(|| rows.iter().map(|row| row.per_step_ns).sum());
        LatencyLayer { point, rows, per_step_ns, unaccounted: None, missing }
    }
}

/// Computes the unaccounted part of each layer.
fn subtract(layers: &mut [LatencyLayer]) {
    let mut below: Option<(MeasuringPoint, f64)> = None;
    for layer in layers.iter_mut().rev() {
        let Some(own) = layer.per_step_ns else { continue };
        layer.unaccounted = below.map(|(point, lower)| Unaccounted { below: point, per_step_ns: own - lower });
        below = Some((layer.point, own));
    }
}

/// Computes the fan-out of every row: its count over that of the operations that lead to it, in the next layer above
/// that has any.
fn fill_fan_out(layers: &mut [LatencyLayer]) {
    for index in 1..layers.len() {
        let (above, here) = layers.split_at_mut(index);
        let Some(layer) = here.first_mut() else { continue };
        for row in &mut layer.rows {
            row.fan_out = above.iter().rev().find_map(|upper| fan_out(row, layer.point, upper));
        }
    }
}

/// Operations of `row`, at `here`, per operation of `upper` that leads to them.
fn fan_out(row: &LayerRow, here: MeasuringPoint, upper: &LatencyLayer) -> Option<f64> {
    let leading = leading_to(row.class?, here, upper.point);
    let sum = |classes: &&[OperationClass]| {
        let of_class = |other: &&LayerRow| other.class.is_some_and(|class| classes.contains(&class));
        let count: u64 =
            upper.rows.iter().filter(of_class).filter_map(|other| other.count).fold(0, u64::saturating_add);
        (count > 0).then_some(count)
    };
    let above = leading.iter().find_map(sum)?;
    Some(row.count? as f64 / above as f64)
}

/// The kinds of operations at `above` that lead to one of `class` at `here`, of which the first existing ones count. A
/// buffered write reaches the block layer with the sync that follows it.
fn leading_to(
    class: OperationClass,
    here: MeasuringPoint,
    above: MeasuringPoint,
) -> &'static [&'static [OperationClass]] {
    use OperationClass::{Discard, Flush, LogSync, LogWrite, Read, Step, Sync, Write};
    let is_request = here >= MeasuringPoint::Block;
    match class {
        Write | LogWrite if above == MeasuringPoint::Block => &[&[Write, LogWrite]],
        Write | LogWrite if is_request => &[&[LogSync, Sync], &[Write, LogWrite], &[Step]],
        Write | LogWrite => &[&[Write, LogWrite], &[Step]],
        LogSync | Sync => &[&[LogSync, Sync], &[Step]],
        Flush if above == MeasuringPoint::Block => &[&[Flush]],
        Flush => &[&[LogSync, Sync], &[Step]],
        Read => &[&[Read], &[Step]],
        Discard => &[&[Discard], &[Step]],
        Step => &[&[Step]],
    }
}
