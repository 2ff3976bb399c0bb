//! The latency table of one run: from the due time of a step down to the device, each layer by its own source.
//!
//! The time of a layer is the sum of all that its source timed, of all sessions together, over the steps of the test. So
//! far layers are of one unit, nanoseconds per step, and what a layer has more than the one below it is *unaccounted*:
//! totals and means subtract, quantiles never do. The unaccounted parts and the lowest layer add up to the highest one.
//! A layer without a source has a reason instead of figures and is passed over: it is unknown, and not 0.
//!
//! Lower layers see more than the jobs: an engine's own processes wait, too, the block layer counts everybody on the
//! device, and what is written in the background is waited for by nobody. An unaccounted part is then negative, and stays
//! so.

mod absence;
mod chosen;
mod engine;
mod fan_out;
mod figure;
mod kernel;
mod line;
mod repeat;
mod row;
#[cfg(test)]
mod tests;

use record::{
    Dop, Latency, Location, MeasuringPoint, MissingLayer, OperationClass, PassedRung, Record, Run, Rung, Sweep,
    Variation, name,
};

use crate::delta::delta;
use crate::row::is_invalid;
use crate::rules::RULES;

use self::repeat::Repeats;
pub use chosen::{layered_runs, layered_runs_of};
pub use engine::database_time;
pub use figure::{LayerFigure, layer_figure};
pub use line::{LayerLine, layer_lines};
pub use repeat::{TracedRepeat, TracingCost};
pub use row::{LayerMethod, LayerQuantiles, LayerRow};
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
    /// The run whose figures these are.
    pub run: u32,
    /// The code of its test.
    pub test: String,
    /// What the test is, in a few words.
    pub title: String,
    /// Degree of parallelism.
    pub dop: Dop,
    /// Which degree of parallelism the test varies.
    pub sweep: Sweep,
    /// In what the run differs from the plain one of its test.
    pub variation: Option<Variation>,
    /// Steps over which times are divided.
    pub steps: u64,
    /// The plain run that this one repeats, and what tracing cost; absent of a run that was not traced.
    pub repeat: Option<TracedRepeat>,
    /// How far down the layers could be seen; absent where nobody looked.
    pub rung: Option<Rung>,
    /// The better rungs that were tried and not to be had.
    pub passed: Vec<PassedRung>,
    /// Events that the tracer lost: what it counted is too little by these.
    pub lost_count: u64,
    /// Processor time of the engine's processes, nanoseconds per step, where it is known apart from that of dbdyno.
    pub server_cpu_per_step_ns: Option<f64>,
    /// One for each of [`MEASURING_POINTS`], in that order.
    pub layers: Vec<LatencyLayer>,
}

/// One layer.
#[derive(Clone, Debug, PartialEq)]
pub struct LatencyLayer {
    /// Where it is measured.
    pub point: MeasuringPoint,
    /// What was done there, by kind, as far as it is known; empty where nothing was done, and where there is no source.
    pub rows: Vec<LayerRow>,
    /// Nanoseconds per step, all rows together; absent where the layer has no source, or a source of some of it only.
    pub per_step_ns: Option<f64>,
    /// What the next layer with a source does not explain; absent at the lowest one.
    pub unaccounted: Option<Unaccounted>,
    /// Why there is no source, where there is none.
    pub missing: Option<MissingLayer>,
}

/// Time of a layer that is not found in the one below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unaccounted {
    /// The layer below: the next one that has a source.
    pub below: MeasuringPoint,
    /// Nanoseconds per step; negative where the layer below did more than this one waited for.
    pub per_step_ns: f64,
}

impl LayerTable {
    /// The layer at `point`.
    pub fn layer(&self, point: MeasuringPoint) -> Option<&LatencyLayer> {
        self.layers.iter().find(|layer| layer.point == point)
    }

    /// Processor time of the engine's processes, nanoseconds per step, where it is more than the engine's own database
    /// time: then that leaves work of the engine out, and what is missing to the client's time is not the client's alone.
    pub fn beyond_database_time_ns(&self) -> Option<f64> {
        let counted = self.layer(MeasuringPoint::DatabaseTime)?.per_step_ns?;
        self.server_cpu_per_step_ns.filter(|server| *server > counted)
    }

    /// Nanoseconds per step of the highest layer that has a source: the whole that all others are parts of.
    pub fn whole_ns(&self) -> Option<f64> {
        self.layers.iter().find_map(|layer| layer.per_step_ns)
    }

    /// The largest part of the whole. Where a layer did clearly more than the one above it waited for, what is waited for
    /// cannot be told from what is not, and it is not looked at any further down.
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
    /// The layer that it belongs to.
    pub point: MeasuringPoint,
    /// The layer that does not explain it; absent where it is all of the lowest layer that was looked at.
    pub below: Option<MeasuringPoint>,
    /// The layer that did more than was waited for, which is why it was not looked at.
    pub exceeded_by: Option<MeasuringPoint>,
    /// Nanoseconds per step.
    pub per_step_ns: f64,
}

/// What is known of a layer before it stands among the others.
pub(crate) enum Found {
    /// What was done there; nothing, if that is what its source says.
    Rows(Vec<LayerRow>),
    /// No source.
    Missing(MissingLayer),
    /// A source of some of what was done there, and why not of the rest.
    Partly(Vec<LayerRow>, MissingLayer),
}

/// The latency tables of the runs of a record.
pub struct LayerTables<'a> {
    record: &'a Record,
    repeats: Repeats<'a>,
}

impl<'a> LayerTables<'a> {
    /// Those of `record`.
    pub fn of(record: &'a Record) -> LayerTables<'a> {
        LayerTables { record, repeats: Repeats::of(record) }
    }

    /// The latency table of `run`, or of its traced repeat where there is one: the same test at the same degree of
    /// parallelism. None for a probe and a run of storage, which no engine takes part in, for an invalid run, and where no step
    /// succeeded.
    pub fn table(&self, run: &Run) -> Option<LayerTable> {
        let traced = self.repeats.traced(run).filter(|traced| has_steps(traced));
        self.own_table(traced.unwrap_or(run))
    }

    /// The same of `run` itself, whether or not it has a traced repeat.
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
    fan_out::fill(&mut layers);
    Some(LayerTable {
        run: shown.number,
        test: shown.test.clone(),
        title: shown.title.clone(),
        dop: shown.dop,
        sweep: shown.sweep,
        variation: shown.variation,
        steps,
        repeat: repeats.repeat(shown),
        rung: shown.trace.as_ref().map(|trace| trace.rung),
        passed: shown.trace.as_ref().map_or(Vec::new(), |trace| trace.passed.clone()),
        lost_count: shown.trace.as_ref().map_or(0, |trace| trace.lost_count),
        server_cpu_per_step_ns: delta(shown, name::SERVER_CPU_NS).map(|cpu| cpu as f64 / steps.max(1) as f64),
        layers,
    })
}

/// Whether `run` is a result of a test of an engine, and something was done in it.
fn has_steps(run: &Run) -> bool {
    let is_engine = run.storage.is_none() && !run.kind.is_probe();
    is_engine && !is_invalid(run) && run.totals.steps > 0 && run.service.count > 0
}

fn found(point: MeasuringPoint, run: &Run, location: Option<Location>) -> Found {
    match point {
        MeasuringPoint::ClientResponse => client(&run.response, "due to done", "clock of dbdyno"),
        MeasuringPoint::ClientService => client(&run.service, "begun to done", "clock of dbdyno"),
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

/// Fills in what each layer has more than the next one with a source.
fn subtract(layers: &mut [LatencyLayer]) {
    let mut below: Option<(MeasuringPoint, f64)> = None;
    for layer in layers.iter_mut().rev() {
        let Some(own) = layer.per_step_ns else { continue };
        layer.unaccounted = below.map(|(point, lower)| Unaccounted { below: point, per_step_ns: own - lower });
        below = Some((layer.point, own));
    }
}
