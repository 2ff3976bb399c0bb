//! Predicts loads that were not measured: with other sessions, another compression, another kind of table.
//!
//! Asymptotic bounds (Denning and Buzen 1978) from the measured loads, of which the least applies:
//!
//! - sessions: J over the time per byte of a session with J of them, t(J). Between measured J, and beyond two of them, t is
//!   linear (Amdahl's law); beyond three or more it is the fitted Universal Scalability Law. Runs bound by readers or
//!   processors do not count.
//! - processors: usable processors over CPU time per byte, with the input's part replaced by that of the requested input.
//! - reading: readers over the time per byte of one of them.
//!
//! A kind of table that was not measured is composed from the three others, assuming that the costs of partitions and
//! compression add up. The error is estimated by leave-one-out on the record itself. It is wrong where disks or a
//! network are the bottleneck, and for another machine.

use record::{JOBS_PER_GENERATOR, LoadForm, LoadModel, Rate, Record};

use super::observation::{Observation, observations};
use super::session::{Curve, curve};
use crate::load_input::GENERATED;
use crate::statistics::mean;

/// A load to be predicted.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The kind of table.
    pub model: LoadModel,
    /// How rows reach the engine.
    pub form: LoadForm,
    /// Sessions.
    pub jobs: u32,
    /// The input: `generated`, or the compression of the source: `none`, `gzip`, `zstd`, `lz4`.
    pub input: String,
    /// Its cost, where not taken from a run.
    pub input_cost: Option<InputCost>,
    /// Processors of the host; those of the record where absent.
    pub processors: Option<u32>,
}

/// The cost of input per byte of flat file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InputCost {
    /// Time of a reading thread, nanoseconds.
    pub reading_ns: f64,
    /// Processor time, nanoseconds.
    pub cpu_ns: f64,
    /// Maximum of reading threads; one per session where absent.
    pub readers_max: Option<u32>,
}

/// The binding constraint of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// Sessions.
    Sessions,
    /// Processors.
    Processors,
    /// Input.
    Reading,
}

/// Whether the kind of table was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Composed {
    /// Measured.
    No,
    /// Composed from the three other kinds.
    OfTheOthers,
}

/// A prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Bytes of flat file.
    pub rate: Rate,
    /// The least bound.
    pub binding: Binding,
    /// The bound by sessions; absent where not known.
    pub sessions: Option<Rate>,
    /// The bound by processors; absent where not known.
    pub processors: Option<Rate>,
    /// The bound by reading; absent where nothing is read.
    pub reading: Option<Rate>,
    /// Whether the kind of table was measured.
    pub composed: Composed,
    /// The largest leave-one-out error, as a ratio; absent where none could be predicted.
    pub off_max: Option<f64>,
    /// Loads left out in turn.
    pub left_out: usize,
}

impl Prediction {
    /// The rate plus and minus the largest leave-one-out error; None where that is not known.
    pub fn interval(&self) -> Option<(Rate, Rate)> {
        let factor = 1.0 + self.off_max?;
        Some((Rate(self.rate.0 / factor), Rate(self.rate.0 * factor)))
    }
}

/// The reason why there is no prediction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The record has no valid load.
    NoLoads,
    /// No valid load in this form.
    Form(LoadForm),
    /// Neither this kind of table nor the three others were measured.
    Model(LoadModel),
    /// The cost of this input was not measured.
    Input(String),
    /// No informative run with so few sessions.
    Jobs(u32),
}

/// A load of another record, predicted and measured.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadCheck {
    /// The number of the run.
    pub run: u32,
    /// The load.
    pub target: Target,
    /// The prediction.
    pub predicted: Result<Prediction, Refusal>,
    /// The measured rate.
    pub measured: Rate,
    /// Whether the record has such a load.
    pub is_seen: bool,
}

impl LoadCheck {
    /// Relative error of the prediction; None without one.
    pub fn off(&self) -> Option<f64> {
        self.predicted.as_ref().ok().map(|predicted| predicted.rate.0 / self.measured.0 - 1.0)
    }
}

/// Predicts `target` from the loads of `record`.
///
/// # Errors
/// The reason where the record does not suffice.
pub fn predict(record: &Record, target: &Target) -> Result<Prediction, Refusal> {
    let all = observations(record);
    let prediction = of(&all, target)?;
    let errors: Vec<f64> = all.iter().filter_map(|left_out| off_of(&all, left_out, target.form)).collect();
    let off_max = errors.iter().copied().reduce(f64::max);
    Ok(Prediction { off_max, left_out: errors.len(), ..prediction })
}

/// The measured mean rate of `target` in `record`; None where not measured.
pub fn measured(record: &Record, target: &Target) -> Option<Rate> {
    let asked = Target { input_cost: None, ..target.clone() };
    let all = observations(record);
    let rates: Vec<f64> = all.iter().filter(|seen| target_of(seen) == asked).map(|seen| seen.rate).collect();
    mean(&rates).map(Rate)
}

/// Predicts each valid load of `measured` from `record`.
pub fn check(record: &Record, measured: &Record) -> Vec<LoadCheck> {
    let check = |seen: &Observation<'_>| {
        let processors = (measured.host.cpu.threads != record.host.cpu.threads && measured.host.cpu.threads > 0)
            .then_some(measured.host.cpu.threads);
        let is_seen = processors.is_none() && self::measured(record, &target_of(seen)).is_some();
        let target = Target { processors, ..target_of(seen) };
        let predicted = predict(record, &target);
        LoadCheck { run: seen.run.number, target, predicted, measured: Rate(seen.rate), is_seen }
    };
    observations(measured).iter().map(check).collect()
}

fn target_of(seen: &Observation<'_>) -> Target {
    Target {
        model: seen.load.model,
        form: seen.load.form,
        jobs: seen.run.dop.jobs,
        input: seen.input.to_owned(),
        input_cost: None,
        processors: None,
    }
}

/// The error ratio of the prediction of one load from all others, up or down; None where not predictable.
fn off_of(all: &[Observation<'_>], left_out: &Observation<'_>, form: LoadForm) -> Option<f64> {
    let target = target_of(left_out);
    if target.form != form {
        return None;
    }
    let others: Vec<Observation<'_>> = all.iter().filter(|other| target_of(other) != target).copied().collect();
    let ratio = of(&others, &target).ok()?.rate.0 / left_out.rate;
    Some(ratio.max(1.0 / ratio) - 1.0)
}

fn of(all: &[Observation<'_>], target: &Target) -> Result<Prediction, Refusal> {
    if all.is_empty() {
        return Err(Refusal::NoLoads);
    }
    let in_form: Vec<Observation<'_>> = all.iter().filter(|seen| seen.load.form == target.form).copied().collect();
    if in_form.is_empty() {
        return Err(Refusal::Form(target.form));
    }
    let input = input_cost(all, target)?;
    let (curve, composed) = stored(&in_form, target.model)?;
    let jobs = f64::from(target.jobs.max(1));
    let sessions = curve.session_ns(jobs).map(|time| jobs * 1e9 / time);
    let scale = target.processors.zip(curve.processors).map_or(1.0, |(asked, there)| f64::from(asked) / there);
    let processors = curve.capacity(jobs).zip(curve.cpu_ns(jobs)).map(|(capacity, spent)| {
        let most = capacity * scale;
        most * 1e9 / (spent + input.cpu_ns)
    });
    let readers = input.readers_max.map_or(jobs, |most| f64::from(most).min(jobs));
    let reading = (input.reading_ns > 0.0).then(|| readers * 1e9 / input.reading_ns);
    if sessions.is_none() && !curve.is_bound_at(jobs, &target.input) {
        return Err(Refusal::Jobs(target.jobs));
    }
    let bounds = [(sessions, Binding::Sessions), (processors, Binding::Processors), (reading, Binding::Reading)];
    let least = bounds.into_iter().filter_map(|(rate, binding)| Some((rate?, binding)));
    let (rate, binding) = least.min_by(|one, other| one.0.total_cmp(&other.0)).ok_or(Refusal::Jobs(target.jobs))?;
    Ok(Prediction {
        rate: Rate(rate),
        binding,
        sessions: sessions.map(Rate),
        processors: processors.map(Rate),
        reading: reading.map(Rate),
        composed,
        off_max: None,
        left_out: 0,
    })
}

/// The cost of the input of `target`: as given, or the mean of the runs that have it.
fn input_cost(all: &[Observation<'_>], target: &Target) -> Result<InputCost, Refusal> {
    if let Some(given) = target.input_cost {
        return Ok(given);
    }
    let same: Vec<&Observation<'_>> = all.iter().filter(|seen| seen.input == target.input).collect();
    if same.is_empty() {
        return Err(Refusal::Input(target.input.clone()));
    }
    let mean = |of: fn(&Observation<'_>) -> f64| same.iter().map(|seen| of(seen)).sum::<f64>() / same.len() as f64;
    // Limited by the number of files, unless each session had a reader.
    let most = same.iter().map(|seen| seen.readers).max().unwrap_or(1).max(1);
    let all_had_one = same.iter().all(|seen| f64::from(seen.readers) >= seen.jobs);
    let most = match same.first().map(|seen| seen.load.source.as_str()) {
        // A pipe has one reader.
        Some("pipe") => Some(1),
        // Generators scale with the sessions.
        _ if target.input == GENERATED => Some(target.jobs.div_ceil(JOBS_PER_GENERATOR)),
        _ => (!all_had_one).then_some(most),
    };
    Ok(InputCost {
        reading_ns: mean(|seen| seen.reading_ns.unwrap_or(0.0)),
        cpu_ns: mean(|seen| seen.input_cpu_ns),
        readers_max: most,
    })
}

/// The curve of tables stored as `model`: from runs, or composed from the three other kinds.
fn stored(seen: &[Observation<'_>], model: LoadModel) -> Result<(Curve, Composed), Refusal> {
    let of = |model: LoadModel| curve(seen.iter().filter(|seen| seen.load.model == model));
    if let Some(curve) = of(model) {
        return Ok((curve, Composed::No));
    }
    let one = LoadModel { partitioned: !model.partitioned, ..model };
    let other = LoadModel { compressed: !model.compressed, ..model };
    let neither = LoadModel { partitioned: !model.partitioned, compressed: !model.compressed };
    let curves = of(one).zip(of(other)).zip(of(neither));
    let ((one, other), neither) = curves.ok_or(Refusal::Model(model))?;
    Ok((Curve::composed(one, other, neither), Composed::OfTheOthers))
}
