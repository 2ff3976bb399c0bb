//! Predictions of loads from a record, and their errors against loads of another record.

use model::load::{Binding, Composed, LoadCheck, Prediction, Refusal, Target};
use model::load_plan::{MeasuredPlan, StageCost, WrittenSource};
use record::{Rate, Ratio};

use super::amount::ByteUnits;
use super::document::{cautions, span};
use crate::chart::{Axis, Bar, BarChart, Figures, LineChart, Mark, Point, Role, Scale, Series, Tone};
use crate::document::{Block, Cell, Column, Diagram, Document, Row, Section, Table};
use crate::figure::{UNKNOWN, percent, short, three_digits};
use crate::layout::clean;
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

/// The view of predictions: cost of the stages, predictions, and their errors against another record.
pub fn load_prediction(view: &LoadPredictionView) -> Document {
    let off = off(view).map(|off| Block::whole(vec![Block::Charts(vec![off])]));
    let checked = [checked(view).into(), Block::list(checked_notes(view))];
    Document {
        subtitle: "MB are 10^6 bytes of flat file, uncompressed".to_owned(),
        lead: vec![cautions(view.remarks.clone())],
        ..Document::new(
            &view.title,
            vec![
                Section::new("stages", "Measured stages", view.measured.as_ref().map_or_else(Vec::new, measured)),
                Section::new(
                    "predicted",
                    "Predicted",
                    vec![
                        Block::Charts(curves(view).into_iter().collect()),
                        predicted(view).into(),
                        Block::list(predicted_notes(view)),
                    ],
                ),
                Section::new("checked", "Predicted and measured", off.into_iter().chain(checked).collect()),
            ],
        )
    }
}

/// The stages of measured loads: the rate per core and its range.
fn measured(plan: &MeasuredPlan) -> Vec<Block> {
    let columns = vec![Column::text("stage"), Column::figure("MB/s\nper core"), Column::figure("range")];
    let row = |cost: &StageCost| {
        let StageCost::Rate(rate) = cost else { return None };
        Some(Row::new(vec![
            Cell::text(rate.stage.word()),
            Cell::figure(Some(rate.rate.estimate), |rate| STEPS.digits(rate)),
            Cell::text(span(STEPS, rate.rate, 1.0)),
        ]))
    };
    let table = Table::new("stages-table", "Flat file per second and core", columns);
    vec![table.with(plan.stages.iter().filter_map(row)).into(), Block::list(measured_notes(plan))]
}

/// Further measurements of these loads.
fn measured_notes(plan: &MeasuredPlan) -> Vec<String> {
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

/// The requested loads with a prediction.
fn predicted(view: &LoadPredictionView) -> Table {
    let columns = vec![
        Column::text("table"),
        Column::text("form"),
        Column::figure("jobs"),
        Column::text("input"),
        Column::figure("MB/s"),
        Column::figure("TB/h"),
        Column::figure("range\nMB/s"),
        Column::figure("measured\nMB/s"),
        Column::text("bottleneck"),
    ];
    let row = |asked: &RequestedLoad| {
        let prediction = asked.predicted.as_ref().ok()?;
        let Rate(rate) = prediction.rate;
        let interval = prediction.interval();
        let interval = interval.map(|(low, high)| format!("{} to {}", STEPS.digits(low.0), STEPS.digits(high.0)));
        let measured = asked.measured.map_or_else(Cell::empty, |rate| megabytes(Some(rate.0)));
        let figures = [
            megabytes(Some(rate)),
            Cell::figure(Some(rate * 3_600.0 / 1e12), |rate| short(Some(rate))),
            Cell::text(interval.unwrap_or_else(|| UNKNOWN.to_owned())),
            measured,
            Cell::text(binding(prediction.binding)),
        ];
        Some(Row::new(load(&asked.target).into_iter().chain(figures).collect()))
    };
    Table::new("predicted-table", "Requested loads", columns).with(view.asked.iter().filter_map(row))
}

/// The cells that name a load.
fn load(target: &Target) -> [Cell; 4] {
    let Target { model, form, jobs, input, .. } = target;
    [Cell::text(model.word()), Cell::text(form.word()), Cell::count((*jobs).into()), Cell::text(input.as_str())]
}

fn megabytes(rate: Option<f64>) -> Cell {
    Cell::figure(rate, |rate| STEPS.digits(rate))
}

/// Rates over sessions, a curve for each input, with the measurements. Nothing without a prediction.
fn curves(view: &LoadPredictionView) -> Option<Diagram> {
    let mut inputs: Vec<&str> = view.asked.iter().map(|asked| asked.target.input.as_str()).collect();
    inputs.dedup();
    let series: Vec<Series> = inputs.iter().flat_map(|input| curve(view, input)).collect();
    let first = predicted_notes(view).into_iter().next();
    let chart = LineChart::new(
        "Flat file per second over sessions",
        clean(&first.unwrap_or_default()),
        Axis::new("jobs", Scale::Log2, Figures::Plain),
        Axis::new("bytes per second", Scale::FromZero, Figures::Rate),
        series,
    );
    (!chart.series.is_empty()).then(|| Diagram::new("rates", chart))
}

/// Measured and predicted rates of loads from `input`.
fn curve(view: &LoadPredictionView, input: &str) -> Vec<Series> {
    let asked = || view.asked.iter().filter(|asked| asked.target.input == input);
    let point = |asked: &RequestedLoad, prediction: &Prediction| {
        let point = Point::new(f64::from(asked.target.jobs), prediction.rate.0);
        match prediction.interval() {
            Some((low, high)) => point.within(low.0, high.0),
            None => point,
        }
    };
    let predicted = asked().filter_map(|asked| Some(point(asked, asked.predicted.as_ref().ok()?))).collect();
    let measured =
        asked().filter_map(|asked| Some(Point::new(f64::from(asked.target.jobs), asked.measured?.0))).collect();
    let input = clean(input);
    let all = [
        Series::new(format!("measured, {input}"), Role::Measured, measured),
        Series::new(format!("predicted, {input}"), Role::Other, predicted),
    ];
    all.into_iter().filter(|series| !series.points.is_empty()).collect()
}

/// The loads without a prediction and why, and the basis of the predictions.
fn predicted_notes(view: &LoadPredictionView) -> Vec<String> {
    let refused = view.asked.iter().filter_map(|asked| {
        let refusal = asked.predicted.as_ref().err()?;
        let load = load(&asked.target).map(|cell| cell.words()).join(" ");
        Some(format!("{load}: no prediction, {}", refusal_text(refusal)))
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

/// The loads of the other record.
fn checked(view: &LoadPredictionView) -> Table {
    let columns = vec![
        Column::figure("run"),
        Column::text("table"),
        Column::text("form"),
        Column::figure("jobs"),
        Column::text("input"),
        Column::figure("predicted\nMB/s"),
        Column::figure("measured\nMB/s"),
        Column::figure("error"),
        Column::text("bottleneck"),
    ];
    let row = |check: &LoadCheck| {
        let predicted = check.predicted.as_ref().ok();
        let figures = [
            megabytes(predicted.map(|of| of.rate.0)),
            megabytes(Some(check.measured.0)),
            Cell::figure(check.off(), signed),
            Cell::text(predicted.map_or("", |of| binding(of.binding))),
        ];
        let run = Cell::count(check.run.into());
        Row::new([run].into_iter().chain(load(&check.target)).chain(figures).collect())
    };
    Table::new("checked-table", "Loads of the other record", columns).with(view.checked.iter().map(row))
}

/// Predicted over measured rates; nothing where none can be compared.
fn off(view: &LoadPredictionView) -> Option<Diagram> {
    let bar = |check: &LoadCheck| {
        let load = &check.target;
        Some(Bar {
            label: format!("run {}, {} J{}", check.run, clean(&load.input), load.jobs),
            value: check.off()? + 1.0,
            interval: None,
            note: String::new(),
            tone: Tone::Plain,
        })
    };
    let chart = BarChart {
        title: "Predicted over measured".to_owned(),
        description: clean(&checked_notes(view).join("; ")),
        axis: Axis::new("predicted over measured", Scale::Log2, Figures::Factor),
        base: 1.0,
        marks: vec![Mark { x: 1.0, label: "as measured".to_owned() }],
        bars: view.checked.iter().filter_map(bar).collect(),
    };
    (!chart.bars.is_empty()).then(|| Diagram::new("off", chart))
}

/// The loads without a prediction, and the max error of the others.
fn checked_notes(view: &LoadPredictionView) -> Vec<String> {
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
