//! What a load would reach that was not measured: with other sessions, another compression, another table.
//!
//! Asymptotic bounds (Denning and Buzen 1978) of what was measured, the least of which holds:
//!
//! - sessions: J over the time that a session needs for a byte with J of them, t(J). Between measured J, and beyond two
//!   of them, t is a straight line, which is Amdahl's law; beyond three or more it is the Universal Scalability Law that
//!   fits them. Runs that were held up by readers or by processors do not tell t.
//! - processors: those that the load may use, over the processor time of a byte; where lines come from is a part of it
//!   that is replaced by that of another source.
//! - reading: the readers over the time that one of them needs for a byte.
//!
//! A way of storing the table that was not measured is made of the three others, as if partitions and compression cost
//! the same apart and together. How far that may be trusted is tried out on the record itself: each of its loads is
//! predicted from those that are unlike it. It lies where disks or a network set the pace, and on another machine.

use std::fmt;

use record::{JOBS_PER_GENERATOR, LoadForm, LoadModel, Rate, Record};

use super::observation::{GENERATED, Observation, observations};
use super::session::{Curve, curve};
use crate::statistics::mean;

/// A load that is asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// How the table is stored.
    pub model: LoadModel,
    /// How rows reach the engine.
    pub form: LoadForm,
    /// Sessions.
    pub jobs: u32,
    /// Where lines come from: `generated`, or what compresses the source: `none`, `gzip`, `zstd`, `lz4`.
    pub input: String,
    /// What that costs, where it is not taken from a run.
    pub input_cost: Option<InputCost>,
    /// Processors of the host; absent where they are those of the record.
    pub processors: Option<u32>,
}

/// What it costs to bring a byte of flat file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InputCost {
    /// Time of a reading thread, nanoseconds.
    pub reading_ns: f64,
    /// Processor time, nanoseconds.
    pub cpu_ns: f64,
    /// Threads that read, at most; absent where there is one for each session.
    pub readers_max: Option<u32>,
}

/// What holds a load up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    /// Each session does what it can.
    Sessions,
    /// No processor is left.
    Processors,
    /// Lines do not come any faster.
    Reading,
}

/// Whether the way of storing the table was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Composed {
    /// It was.
    No,
    /// It is made of the three others.
    OfTheOthers,
}

/// What is predicted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Bytes of flat file.
    pub rate: Rate,
    /// The bound that is the least.
    pub binding: Binding,
    /// What sessions allow; absent where no run tells.
    pub sessions: Option<Rate>,
    /// What processors allow; absent where no run tells.
    pub processors: Option<Rate>,
    /// What reading allows; absent where nothing is read.
    pub reading: Option<Rate>,
    /// Whether the way of storing the table was measured.
    pub composed: Composed,
    /// By how much the worst prediction was off of loads of the record that were left out in turns, as a ratio; absent
    /// where none could be predicted from the others.
    pub off_max: Option<f64>,
    /// How many that were.
    pub left_out: usize,
}

impl Prediction {
    /// The rates that lie as far from it as the worst prediction within the record was off; none where that is not known.
    pub fn interval(&self) -> Option<(Rate, Rate)> {
        let factor = 1.0 + self.off_max?;
        Some((Rate(self.rate.0 / factor), Rate(self.rate.0 * factor)))
    }
}

/// Why there is no prediction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The record has no load that is a result.
    NoLoads,
    /// It has none in this form.
    Form(LoadForm),
    /// Neither this way of storing the table was measured, nor the three others.
    Model(LoadModel),
    /// No run says what this input costs.
    Input(String),
    /// With so few sessions nothing was measured that would tell.
    Jobs(u32),
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NoLoads => formatter.write_str("the record has no load that is a result"),
            Refusal::Form(form) => write!(formatter, "no load of the record is {}", form.word()),
            Refusal::Model(model) => {
                write!(formatter, "no load is into a {} table, nor into all three other kinds of table", model.word())
            }
            Refusal::Input(input) if input == "none" => formatter
                .write_str("no load reads a file that is not compressed, so that the cost of reading is not known"),
            Refusal::Input(input) => write!(formatter, "no load reads {input}, so that its cost is not known"),
            Refusal::Jobs(jobs) => write!(
                formatter,
                "of {jobs} sessions nothing is known: no run with as few or fewer tells, or they were held up by readers or \
                 processors"
            ),
        }
    }
}

/// A load of another record, predicted and measured.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadCheck {
    /// The number of the run.
    pub run: u32,
    /// What it was.
    pub target: Target,
    /// What was predicted.
    pub predicted: Result<Prediction, Refusal>,
    /// What was measured.
    pub measured: Rate,
    /// Whether the prediction rests on such a load.
    pub is_seen: bool,
}

impl LoadCheck {
    /// Predicted over measured, less 1; none without a prediction.
    pub fn off(&self) -> Option<f64> {
        self.predicted.as_ref().ok().map(|predicted| predicted.rate.0 / self.measured.0 - 1.0)
    }
}

/// What the loads of `record` say of `target`.
///
/// # Errors
/// What is missing in the record.
pub fn predict(record: &Record, target: &Target) -> Result<Prediction, Refusal> {
    let all = observations(record);
    let prediction = of(&all, target)?;
    let errors: Vec<f64> = all.iter().filter_map(|left_out| off_of(&all, left_out, target.form)).collect();
    let off_max = errors.iter().copied().reduce(f64::max);
    Ok(Prediction { off_max, left_out: errors.len(), ..prediction })
}

/// What `record` measured of `target`, on its own processors: the mean of its runs. None where it was not measured.
pub fn measured(record: &Record, target: &Target) -> Option<Rate> {
    let asked = Target { input_cost: None, ..target.clone() };
    let all = observations(record);
    let rates: Vec<f64> = all.iter().filter(|seen| target_of(seen) == asked).map(|seen| seen.rate).collect();
    mean(&rates).map(Rate)
}

/// Each load of `measured` that is a result, as `record` predicts it.
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

/// By which ratio the prediction of one load from all that are unlike it is off, up or down; none where it cannot be made.
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
    if sessions.is_none() && !curve.is_held_up_at(jobs, &target.input) {
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

/// What the input of `target` costs: as it says, or the mean of the runs that have it.
fn input_cost(all: &[Observation<'_>], target: &Target) -> Result<InputCost, Refusal> {
    if let Some(given) = target.input_cost {
        return Ok(given);
    }
    let same: Vec<&Observation<'_>> = all.iter().filter(|seen| seen.input == target.input).collect();
    if same.is_empty() {
        return Err(Refusal::Input(target.input.clone()));
    }
    let mean = |of: fn(&Observation<'_>) -> f64| same.iter().map(|seen| of(seen)).sum::<f64>() / same.len() as f64;
    // As many files as readers, unless each session had a reader: then there may be more.
    let most = same.iter().map(|seen| seen.readers).max().unwrap_or(1).max(1);
    let all_had_one = same.iter().all(|seen| f64::from(seen.readers) >= seen.jobs);
    let most = match same.first().map(|seen| seen.load.source.as_str()) {
        // A pipe is read by one.
        Some("pipe") => Some(1),
        // What is generated is so by as many as the load takes for it.
        _ if target.input == GENERATED => Some(target.jobs.div_ceil(JOBS_PER_GENERATOR)),
        _ => (!all_had_one).then_some(most),
    };
    Ok(InputCost {
        reading_ns: mean(|seen| seen.reading_ns.unwrap_or(0.0)),
        cpu_ns: mean(|seen| seen.input_cpu_ns),
        readers_max: most,
    })
}

/// What is known of tables stored as `model`: from runs, or from the three other kinds.
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
