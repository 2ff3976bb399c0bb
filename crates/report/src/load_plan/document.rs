//! A plan: the verdict with the bottleneck, an explanation, each resource required and available, the stages with their rates.

use model::load_plan::{Need, Part, RateSource, Resource, Stage, StageCost, StageRate, Units};
use model::{FitVerdict, Interval};
use record::Rate;

use super::LoadPlanView;
use super::amount::{ByteUnits, seconds};
use super::sentence::{caveats, explanation, goal_words, name, named, used_span, verdict};
use crate::chart::{self, Axis, Bar, BarChart, Figures, Mark, Scale};
use crate::document::{Block, Cell, Column, Diagram, Document, Note, Row, Section, Table, Text, Tone};
use crate::figure::{UNKNOWN, percent, three_digits};

/// The view of a plan.
pub fn load_plan(view: &LoadPlanView) -> Document {
    let tone = if view.needs.fits == FitVerdict::DoesNotFit { Tone::Invalid } else { Tone::Plain };
    let cores = cores(view).map(|cores| Block::whole(vec![Block::Charts(vec![cores])]));
    Document {
        subtitle: format!("{} of flat file", view.units.rate(view.needs.flat)),
        lead: vec![Block::note(tone, [verdict(view)]), cautions(caveats(view))],
        ..Document::new(
            format!("Load plan: {}", goal_words(view)),
            vec![
                Section::new("words", "Explanation", vec![Block::list(explanation(view))]),
                Section::new(
                    "resources",
                    "Required and available resources",
                    vec![Block::Charts(used(view).into_iter().collect()), resources(view).into()],
                ),
                Section::new("stages", "CPU stages", cores.into_iter().chain([stages(view).into()]).collect()),
            ],
        )
    }
}

/// Caveats of all figures.
pub(super) fn cautions(caveats: Vec<String>) -> Block {
    let sentences = caveats.into_iter().map(Text::from).collect();
    Block::Note(Note { tone: Tone::Warning, title: "Caveats".to_owned(), sentences })
}

/// The resources, the most used first.
fn resources(view: &LoadPlanView) -> Table {
    let columns = vec![
        Column::text("resource"),
        Column::figure("required"),
        Column::figure("available"),
        Column::figure("used"),
        Column::figure("time\nalone"),
        Column::text("count\nrequired"),
    ];
    let row = |need: &Need| {
        let is_short = need.fits() == FitVerdict::DoesNotFit;
        let shown = used_text(need).unwrap_or_else(|| UNKNOWN.to_owned());
        let used = match is_short {
            true => Cell::Word(shown, Tone::Invalid),
            false => Cell::Figure(shown, need.used.map(|used| used.0)),
        };
        let row = Row::new(vec![
            Cell::text(name(need.resource)),
            Cell::figure(need.needed.map(|needed| needed.estimate), |of| {
                format!("{}{}", least(need), amount(view, need, of))
            }),
            Cell::figure(need.there, |there| amount(view, need, there)),
            used,
            Cell::figure(need.seconds, seconds),
            Cell::text(count(view, need).unwrap_or_else(|| UNKNOWN.to_owned())),
        ]);
        if is_short { row.in_tone(Tone::Warning) } else { row }
    };
    Table::new("resources-table", "Resources, the most used first", columns).with(view.needs.needs.iter().map(row))
}

/// The utilisation of each resource; those of unknown utilisation are in the table alone.
fn used(view: &LoadPlanView) -> Option<Diagram> {
    let bar = |need: &Need| {
        let (used, whole) = (need.used?.0, need.there?);
        let interval = need.needed.filter(|needed| needed.low < needed.high && needed.high.is_finite());
        Some(Bar {
            label: name(need.resource).to_owned(),
            value: used,
            interval: interval.map(|needed| (needed.low / whole, needed.high / whole)),
            note: required_of_available(view, need)?,
            tone: if need.fits() == FitVerdict::DoesNotFit { chart::Tone::Worse } else { chart::Tone::Plain },
        })
    };
    let bars: Vec<Bar> = view.needs.needs.iter().filter_map(bar).collect();
    let chart = BarChart {
        title: "Utilisation of resources".to_owned(),
        description: verdict(view),
        axis: Axis::new("required over available", Scale::FromZero, Figures::Percent),
        base: 0.0,
        marks: vec![Mark { x: 1.0, label: "100 %".to_owned() }],
        bars,
    };
    (!chart.bars.is_empty()).then(|| Diagram::new("used", chart))
}

/// `132 of 235 MB/s`, `>= 9.44 of 4.00 cores`; none where one of them is not known.
fn required_of_available(view: &LoadPlanView, need: &Need) -> Option<String> {
    let (required, available) = (need.needed?.estimate, need.there?);
    let (required, available, unit) = match need.resource.is_processors() {
        true => (three_digits(required), three_digits(available), "cores"),
        false => (view.units.digits(required), view.units.digits(available), view.units.unit()),
    };
    Some(format!("{}{required} of {available} {unit}", least(need)))
}

/// The utilisation of a resource with its range: `99 % (64 to 114 %)`; none where it is not known.
fn used_text(need: &Need) -> Option<String> {
    let span = used_span(need).map_or_else(String::new, |span| format!(" ({span})"));
    Some(format!("{}{}{span}", least(need), percent(need.used?)))
}

fn amount(view: &LoadPlanView, need: &Need, value: f64) -> String {
    match need.resource.is_processors() {
        true => three_digits(value),
        false => view.units.rate(Rate(value)),
    }
}

/// The prefix of a requirement with unknown stages.
fn least(need: &Need) -> &'static str {
    if need.unknown.is_empty() { "" } else { ">= " }
}

/// The required count of a resource, in words.
fn count(view: &LoadPlanView, need: &Need) -> Option<String> {
    let count = need.count?;
    let of = |units: &Units| named(&Units { count: 1, ..units.clone() });
    let one = match need.resource {
        Resource::Network | Resource::ReplicaLinks => of(view.plan.network.as_ref()?),
        Resource::Disks => of(view.plan.disks.as_ref()?),
        _ if count == 1.0 => return Some("1 core".to_owned()),
        _ => return Some(format!("{count} cores")),
    };
    Some(format!("{count} x {one}"))
}

/// The CPU stages in the order of the pipeline: each with its rate and range, required cores and workers, and the
/// source of the rate.
fn stages(view: &LoadPlanView) -> Table {
    let columns = vec![
        Column::text("stage"),
        Column::figure("flat file\nper core"),
        Column::figure("range"),
        Column::figure("cores\nrequired"),
        Column::figure("workers"),
        Column::text("source"),
    ];
    let parts: Vec<&Part> = view.needs.needs.iter().flat_map(|need| &need.parts).collect();
    let unknown: Vec<Stage> = view.needs.needs.iter().flat_map(|need| need.unknown.clone()).collect();
    let row = |stage: Stage| {
        let part = parts.iter().find(|part| part.stage == stage);
        let words = |cells: [&str; 6]| Some(Row::new(cells.map(Cell::text).to_vec()));
        match view.plan.cost(stage) {
            Some(StageCost::Rate(rate)) => Some(stage_row(view.units, rate, part.copied())),
            Some(StageCost::Skipped(_)) => words([stage.word(), "", "", "0", "", "skipped"]),
            None if unknown.contains(&stage) => words([stage.word(), UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, "not known"]),
            None => None,
        }
    };
    Table::new("stages-table", "Stages, in the order of the pipeline", columns)
        .with(Stage::ALL.into_iter().filter_map(row))
}

fn stage_row(units: ByteUnits, rate: &StageRate, part: Option<&Part>) -> Row {
    let times = if rate.times == 1 { String::new() } else { format!(" x {}", rate.times) };
    let cores =
        part.map_or_else(|| Cell::text("after load"), |part| Cell::figure(Some(part.cores.estimate), three_digits));
    Row::new(vec![
        Cell::text(format!("{}{times}", rate.stage.word())),
        Cell::figure(Some(rate.rate.estimate / rate.worker_cores), |core| units.rate(Rate(core))),
        Cell::text(span(units, rate.rate, rate.worker_cores)),
        cores,
        Cell::text(part.map_or_else(String::new, |part| part.workers.to_string())),
        Cell::text(source(rate.source)),
    ])
}

/// The range of a rate per core; nothing where it is not known.
pub(super) fn span(units: ByteUnits, Interval { low, high, .. }: Interval, worker_cores: f64) -> String {
    match low < high {
        true => format!("{} to {}", units.digits(low / worker_cores), units.digits(high / worker_cores)),
        false => String::new(),
    }
}

fn source(source: RateSource) -> &'static str {
    match source {
        RateSource::Given => "given",
        RateSource::Measured => "measured",
        RateSource::NotMeasured => "NOT MEASURED",
    }
}

/// The cores that each stage requires during the load. Nothing for a single one, which is in the table.
fn cores(view: &LoadPlanView) -> Option<Diagram> {
    let bar = |part: &Part| Bar {
        label: part.stage.word().to_owned(),
        value: part.cores.estimate,
        interval: Some((part.cores.low, part.cores.high)).filter(|(low, high)| low < high),
        note: String::new(),
        tone: chart::Tone::Plain,
    };
    let mut parts: Vec<&Part> = view.needs.needs.iter().flat_map(|need| &need.parts).collect();
    parts.sort_by_key(|part| part.stage);
    let chart = BarChart {
        title: "Cores required by each stage".to_owned(),
        description: "Stages after the load are not drawn: they use all processors of the server.".to_owned(),
        axis: Axis::new("cores", Scale::FromZero, Figures::Rate),
        base: 0.0,
        marks: Vec::new(),
        bars: parts.into_iter().map(bar).collect(),
    };
    (chart.bars.len() > 1).then(|| Diagram::new("cores", chart))
}
