//! A plan as a page.

use maud::{Markup, html};
use model::FitVerdict;
use model::load_plan::{Need, Part};

use super::LoadPlanView;
use super::row::{required_of_available, resource_rows, stage_rows};
use super::sentence::{caveats, goal_words, name, sentences, verdict};
use crate::chart::{Axis, Bar, BarChart, Figures, Mark, Scale, Tone};
use crate::html::{Cell, Column, Diagram, Page, Row, Section, Table, gallery};
use crate::layout::clean;

const RESOURCES: [Column; 6] = [
    Column::text("resource"),
    Column::figures("required"),
    Column::figures("available"),
    Column::figures("used"),
    Column::figures("time alone"),
    Column::text("count required"),
];

/// The column with the utilisation of a resource.
const USED: usize = 3;

const STAGES: [Column; 6] = [
    Column::text("stage"),
    Column::figures("flat file per core"),
    Column::figures("range"),
    Column::figures("cores required"),
    Column::figures("workers"),
    Column::text("source"),
];

/// The plan as a self-contained HTML file: the verdict with the bottleneck, an explanation, each resource required and
/// available, the stages with their rates.
pub fn load_plan_html(view: &LoadPlanView) -> String {
    let page = Page {
        title: format!("Load plan: {}", goal_words(view)),
        subtitle: format!("{} of flat file", view.units.rate(view.needs.flat)),
        lead: lead(view),
        sections: vec![
            Section::new("words", "Explanation", words(view)),
            Section::new("resources", "Required and available resources", resources(view)),
            Section::new("stages", "CPU stages", stages(view)),
        ],
        foot: html! { p { "Drawn by dbdyno " (env!("CARGO_PKG_VERSION")) "." } },
    };
    page.html()
}

fn lead(view: &LoadPlanView) -> Markup {
    let class = if view.needs.fits == FitVerdict::DoesNotFit { "note fail" } else { "note" };
    html! {
        div class=(class) { p { (clean(&verdict(view))) } }
        (remarks(&caveats(view)))
    }
}

/// Caveats in a frame; nothing where there are none.
pub(super) fn remarks(remarks: &[String]) -> Markup {
    html! {
        @if !remarks.is_empty() {
            div class="note warn" {
                p { strong { "Caveats" } }
                ul { @for remark in remarks { li { (clean(remark)) } } }
            }
        }
    }
}

/// All sentences but the verdict, which is above.
fn words(view: &LoadPlanView) -> Markup {
    let verdict = verdict(view);
    let others = sentences(view).into_iter().filter(|sentence| *sentence != verdict);
    html! { ul { @for sentence in others { li { (clean(&sentence)) } } } }
}

fn resources(view: &LoadPlanView) -> Markup {
    let mut table = Table::new("resources-table", "Resources, the most used first", &RESOURCES);
    table.rows = resource_rows(view)
        .into_iter()
        .map(|row| {
            let cell = |(index, text): (usize, String)| match row.is_short && index == USED {
                true => Cell::Markup(html! { span class="word fail" { (text) } }),
                false => Cell::text(text),
            };
            Row::new(row.cells.into_iter().enumerate().map(cell).collect())
        })
        .collect();
    html! { (gallery(used(view).as_slice())) (table.html()) }
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
            tone: if need.fits() == FitVerdict::DoesNotFit { Tone::Worse } else { Tone::Plain },
        })
    };
    let bars: Vec<Bar> = view.needs.needs.iter().filter_map(bar).collect();
    let chart = BarChart {
        title: "Utilisation of resources".to_owned(),
        description: clean(&verdict(view)),
        axis: Axis::new("required over available", Scale::FromZero, Figures::Percent),
        base: 0.0,
        marks: vec![Mark { x: 1.0, label: "100 %".to_owned() }],
        bars,
    };
    (!chart.bars.is_empty()).then(|| Diagram::new("used", chart))
}

fn stages(view: &LoadPlanView) -> Markup {
    let mut table = Table::new("stages-table", "Stages, in the order of the pipeline", &STAGES);
    table.rows =
        stage_rows(view).into_iter().map(|cells| Row::new(cells.into_iter().map(Cell::text).collect())).collect();
    html! { (gallery(cores(view).as_slice())) (table.html()) }
}

/// The cores that each stage requires during the load. Nothing for a single one, which is in the table.
fn cores(view: &LoadPlanView) -> Option<Diagram> {
    let bar = |part: &Part| Bar {
        label: part.stage.word().to_owned(),
        value: part.cores.estimate,
        interval: Some((part.cores.low, part.cores.high)).filter(|(low, high)| low < high),
        note: String::new(),
        tone: Tone::Plain,
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
