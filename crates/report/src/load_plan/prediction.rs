//! Predictions of loads from a record, and their errors against loads of another record.

use model::load::{Binding, Composed, LoadCheck, Prediction, Refusal, Target};
use model::load_plan::{MeasuredPlan, StageCost, WrittenSource};
use record::{Rate, Ratio};

use super::amount::ByteUnits;
use crate::figure::{UNKNOWN, percent, short, three_digits};
use crate::layout::{Align, Head, Page, Table, clean, paragraph};
use crate::style::Style;
use crate::words::plural;

const STEPS: ByteUnits = ByteUnits::Thousands;

/// Predictions from a record.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadPredictionView {
    /// The measured system.
    pub title: String,
    /// The cost of the stages, where the requested kind of table and form were measured.
    pub measured: Option<MeasuredPlan>,
    /// The requested loads, with their measurements where there are any.
    pub asked: Vec<RequestedLoad>,
    /// Loads of another record.
    pub checked: Vec<LoadCheck>,
    /// Caveats.
    pub remarks: Vec<String>,
}

/// A requested load.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestedLoad {
    /// The load.
    pub target: Target,
    /// Its prediction.
    pub predicted: Result<Prediction, Refusal>,
    /// Its measured rate, if any.
    pub measured: Option<Rate>,
}

const LOADS: [Head; 9] = [
    (&["table"], Align::Left),
    (&["form"], Align::Left),
    (&["#J"], Align::Right),
    (&["input"], Align::Left),
    (&["MB/s"], Align::Right),
    (&["TB/h"], Align::Right),
    (&["range", "MB/s"], Align::Right),
    (&["measured", "MB/s"], Align::Right),
    (&["bottleneck"], Align::Left),
];

const CHECKS: [Head; 9] = [
    (&["run"], Align::Right),
    (&["table"], Align::Left),
    (&["form"], Align::Left),
    (&["#J"], Align::Right),
    (&["input"], Align::Left),
    (&["predicted", "MB/s"], Align::Right),
    (&["measured", "MB/s"], Align::Right),
    (&["error"], Align::Right),
    (&["bottleneck"], Align::Left),
];

const STAGES: [Head; 3] =
    [(&["stage"], Align::Left), (&["MB/s", "per core"], Align::Right), (&["range"], Align::Right)];

/// The view for `width` columns (at least 60 are used): cost of the stages, predictions, and their errors against
/// another record.
pub fn load_prediction_text(view: &LoadPredictionView, style: Style, width: usize) -> String {
    let mut page = Page::new(&view.title, style, width);
    let width = page.width;
    page.part(
        "MEASURED STAGES: bytes of flat file",
        view.measured.iter().flat_map(|plan| measured(plan, style, width)).collect(),
    );
    page.part("PREDICTED", predicted(view, style, width));
    page.part("PREDICTED AND MEASURED", checked(view, style, width));
    page.part("CAVEATS", page.paragraphs("!", 4, &view.remarks));
    page.end()
}

fn measured(plan: &MeasuredPlan, style: Style, width: usize) -> Vec<String> {
    let mut table = Table::new(&STAGES, &[]);
    stage_rows(plan).into_iter().for_each(|cells| table.push(cells.to_vec(), None));
    let notes = measured_notes(plan);
    let notes = notes.iter().flat_map(|note| paragraph("-", 2, note, width));
    table.lines(style, width).into_iter().chain(notes).collect()
}

/// The stages of measured loads: the rate per core and its range.
pub(super) fn stage_rows(plan: &MeasuredPlan) -> Vec<[String; 3]> {
    let row = |cost: &StageCost| {
        let StageCost::Rate(rate) = cost else { return None };
        let (low, high) = (rate.rate.low, rate.rate.high);
        let span = if low < high { format!("{} to {}", STEPS.digits(low), STEPS.digits(high)) } else { String::new() };
        Some([rate.stage.word().to_owned(), STEPS.digits(rate.rate.estimate), span])
    };
    plan.stages.iter().filter_map(row).collect()
}

/// Further measurements of these loads.
pub(super) fn measured_notes(plan: &MeasuredPlan) -> Vec<String> {
    let mut notes = vec![format!(
        "from {}, the fastest of which, run {}, reached {}",
        plural(plan.runs.len() as u64, "load"),
        plan.fastest,
        STEPS.rate(plan.rate)
    )];
    notes.extend(plan.input_ratio.map(|ratio| format!("flat file over compressed: {}", three_digits(ratio))));
    notes.extend(plan.log_per_byte.map(|log| format!("log bytes per byte of flat file: {}", three_digits(log))));
    notes.extend(plan.written_per_byte.map(|(written, source)| {
        let how = match source {
            WrittenSource::Given => "",
            WrittenSource::Device => ", counted by the block layer until the end of the run, other programs included",
            WrittenSource::LogAndTable => {
                ", log and table, which is more than the block layer counted until the end of the run"
            }
        };
        format!("write amplification: {} bytes per byte of flat file{how}", three_digits(written))
    }));
    notes
}

fn predicted(view: &LoadPredictionView, style: Style, width: usize) -> Vec<String> {
    let mut table = Table::new(&LOADS, &[]);
    predicted_rows(view).into_iter().for_each(|cells| table.push(cells.to_vec(), None));
    let lines = if table.is_empty() { Vec::new() } else { table.lines(style, width) };
    lines.into_iter().chain(predicted_notes(view).iter().flat_map(|note| paragraph("-", 2, note, width))).collect()
}

/// The requested loads with a prediction.
pub(super) fn predicted_rows(view: &LoadPredictionView) -> Vec<[String; 9]> {
    let row = |asked: &RequestedLoad| {
        let prediction = asked.predicted.as_ref().ok()?;
        let [model, form, jobs, input] = head(&asked.target);
        let [rate, hourly, span, measured, binding] = figures(prediction, asked.measured);
        Some([model, form, jobs, input, rate, hourly, span, measured, binding])
    };
    view.asked.iter().filter_map(row).collect()
}

/// The loads without a prediction and why, and the basis of the predictions.
pub(super) fn predicted_notes(view: &LoadPredictionView) -> Vec<String> {
    let refused = view.asked.iter().filter_map(|asked| {
        let refusal = asked.predicted.as_ref().err()?;
        Some(format!("{}: no prediction, {}", head(&asked.target).join(" "), refusal_text(refusal)))
    });
    let basis = view.asked.iter().find_map(|asked| asked.predicted.as_ref().ok()).map(trust);
    refused.chain(basis).chain(composed(view)).collect()
}

/// Why there is no prediction, as a clause.
fn refusal_text(refusal: &Refusal) -> String {
    match refusal {
        Refusal::NoLoads => "the record has no valid load".to_owned(),
        Refusal::Form(form) => format!("the record has no load in form {}", form.word()),
        Refusal::Model(model) => {
            format!("neither a {} table nor all three other kinds of table were loaded", model.word())
        }
        Refusal::Input(input) if input == "none" => {
            "no load reads an uncompressed file, so that the cost of reading is not known".to_owned()
        }
        Refusal::Input(input) => format!("no load reads {input}, so that its cost is not known"),
        Refusal::Jobs(jobs) => format!(
            "no prediction for {jobs} sessions: runs with as few or fewer are missing, or are bound by readers or \
             processors"
        ),
    }
}

fn head(target: &Target) -> [String; 4] {
    [target.model.word().to_owned(), target.form.word().to_owned(), target.jobs.to_string(), clean(&target.input)]
}

fn figures(prediction: &Prediction, measured: Option<Rate>) -> [String; 5] {
    let Rate(rate) = prediction.rate;
    let span = prediction.interval().map(|(low, high)| format!("{} to {}", STEPS.digits(low.0), STEPS.digits(high.0)));
    [
        STEPS.digits(rate),
        short(Some(rate * 3_600.0 / 1e12)),
        span.unwrap_or_else(|| UNKNOWN.to_owned()),
        measured.map_or_else(String::new, |rate| STEPS.digits(rate.0)),
        binding(prediction.binding).to_owned(),
    ]
}

fn binding(binding: Binding) -> &'static str {
    match binding {
        Binding::Sessions => "sessions",
        Binding::Processors => "processors",
        Binding::Reading => "reading",
    }
}

/// The basis of the range.
fn trust(prediction: &Prediction) -> String {
    match prediction.off_max {
        Some(off) if prediction.left_out == 1 => {
            format!("range: the error of the one load that dissimilar loads predict is {}", percent(Ratio(off)))
        }
        Some(off) => format!(
            "range: {} loads of the record, each predicted from dissimilar loads, have a max error of {}",
            prediction.left_out,
            percent(Ratio(off))
        ),
        None => "the error is not known: no load of the record can be predicted from the others".to_owned(),
    }
}

fn composed(view: &LoadPredictionView) -> Option<String> {
    let is_composed =
        |of: &Result<Prediction, Refusal>| of.as_ref().is_ok_and(|of| of.composed == Composed::OfTheOthers);
    let asked =
        view.asked.iter().map(|asked| &asked.predicted).chain(view.checked.iter().map(|check| &check.predicted));
    asked.into_iter().any(is_composed).then(|| {
        "a kind of table that was not measured is composed of the three others, assuming independent costs of \
         partitions and compression"
            .to_owned()
    })
}

fn checked(view: &LoadPredictionView, style: Style, width: usize) -> Vec<String> {
    let mut table = Table::new(&CHECKS, &[]);
    checked_rows(view).into_iter().for_each(|cells| table.push(cells.to_vec(), None));
    let lines = if table.is_empty() { Vec::new() } else { table.lines(style, width) };
    lines.into_iter().chain(checked_notes(view).iter().flat_map(|note| paragraph("-", 2, note, width))).collect()
}

/// The loads of the other record.
pub(super) fn checked_rows(view: &LoadPredictionView) -> Vec<[String; 9]> {
    let row = |check: &LoadCheck| {
        let [model, form, jobs, input] = head(&check.target);
        let predicted = check.predicted.as_ref();
        let rate = predicted.map_or_else(|_| UNKNOWN.to_owned(), |of| STEPS.digits(of.rate.0));
        let off = check.off().map_or_else(|| UNKNOWN.to_owned(), signed);
        let binding = predicted.map_or_else(|_| String::new(), |of| binding(of.binding).to_owned());
        [check.run.to_string(), model, form, jobs, input, rate, STEPS.digits(check.measured.0), off, binding]
    };
    view.checked.iter().map(row).collect()
}

/// The loads without a prediction, and the max error of the others.
pub(super) fn checked_notes(view: &LoadPredictionView) -> Vec<String> {
    let refusal = |check: &LoadCheck| {
        let refusal = check.predicted.as_ref().err()?;
        Some(format!("run {}: no prediction, {}", check.run, refusal_text(refusal)))
    };
    let worst = |is_seen: bool| {
        let off: Vec<f64> = view
            .checked
            .iter()
            .filter(|check| check.is_seen == is_seen)
            .filter_map(LoadCheck::off)
            .map(f64::abs)
            .collect();
        let worst = off.iter().copied().reduce(f64::max)?;
        let loads = plural(off.len() as u64, "load");
        let basis = if is_seen { " of kinds that the prediction is based on" } else { "" };
        Some(format!("max error {} over {loads}{basis}", percent(Ratio(worst))))
    };
    view.checked.iter().filter_map(refusal).chain(worst(false)).chain(worst(true)).collect()
}

/// `+4.2 %`, `-11 %`.
fn signed(off: f64) -> String {
    let sign = if off < 0.0 { "-" } else { "+" };
    format!("{sign}{}", percent(Ratio(off.abs())))
}

#[cfg(test)]
mod tests {
    use record::{LoadForm, LoadModel};

    use super::*;

    #[test]
    fn each_refusal_has_words() {
        let compressed = LoadModel { partitioned: false, compressed: true };
        let texts = [
            (Refusal::Form(LoadForm::AsIs), "the record has no load in form as-is"),
            (Refusal::Input("gzip".to_owned()), "no load reads gzip, so that its cost is not known"),
            (Refusal::Model(compressed), "neither a compressed table nor all three other kinds of table were loaded"),
            (
                Refusal::Jobs(1),
                "no prediction for 1 sessions: runs with as few or fewer are missing, or are bound by readers or \
                 processors",
            ),
        ];
        texts.iter().for_each(|(refusal, text)| assert_eq!(refusal_text(refusal), *text));
    }
}
