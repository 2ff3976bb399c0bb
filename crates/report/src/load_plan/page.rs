//! A plan as a page.

use maud::{Markup, html};
use model::load_plan::{Need, Part};

use super::LoadPlanView;
use super::remark::known;
use super::row::{needed_of_there, resource_rows, stage_rows};
use super::sentence::{goal_words, name, sentences, verdict};
use crate::chart::{Axis, Bar, BarChart, Figures, Mark, Scale, Tone};
use crate::html::{Cell, Column, Diagram, Page, Row, Section, Table, gallery};
use crate::layout::clean;

const RESOURCES: [Column; 6] = [
    Column::text("resource"),
    Column::figures("needed"),
    Column::figures("there"),
    Column::figures("used"),
    Column::figures("alone it takes"),
    Column::text("so many are needed"),
];

/// The column of resources that says how much of one is used.
const USED: usize = 3;

const STAGES: [Column; 6] = [
    Column::text("stage"),
    Column::figures("of flat file, a core"),
    Column::figures("between"),
    Column::figures("cores needed"),
    Column::figures("workers"),
    Column::text("rate"),
];

/// The plan as one HTML file that needs nothing else: the verdict with the bottleneck, what it comes to in words, each
/// resource with what is needed and what is there, the stages with their rates.
pub fn load_plan_html(view: &LoadPlanView) -> String {
    let page = Page {
        title: format!("Load plan: {}", goal_words(view)),
        subtitle: format!("{} of flat file", view.steps.rate(view.needs.flat)),
        lead: lead(view),
        sections: vec![
            Section::new("words", "In words", words(view)),
            Section::new("resources", "What is needed, and what is there", resources(view)),
            Section::new("stages", "Stages on processors", stages(view)),
        ],
        foot: html! { p { "Drawn by dbdyno " (env!("CARGO_PKG_VERSION")) "." } },
    };
    page.html()
}

fn lead(view: &LoadPlanView) -> Markup {
    let class = if view.needs.fits == Some(false) { "note fail" } else { "note" };
    html! {
        div class=(class) { p { (clean(&verdict(view))) } }
        (remarks(&known(view)))
    }
}

/// What has to be known of figures, in a frame; nothing where there is nothing.
pub(super) fn remarks(remarks: &[String]) -> Markup {
    html! {
        @if !remarks.is_empty() {
            div class="note warn" {
                p { strong { "To be read with these figures" } }
                ul { @for remark in remarks { li { (clean(remark)) } } }
            }
        }
    }
}

/// All that is said but the verdict, which stands above.
fn words(view: &LoadPlanView) -> Markup {
    let verdict = verdict(view);
    let said = sentences(view).into_iter().filter(|said| *said != verdict);
    html! { ul { @for said in said { li { (clean(&said)) } } } }
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

/// How much of each resource is used; those of which it is not known are in the table alone. Nothing of none.
fn used(view: &LoadPlanView) -> Option<Diagram> {
    let bar = |need: &Need| {
        let (used, whole) = (need.used?.0, need.there?);
        let interval = need.needed.filter(|needed| needed.low < needed.high);
        Some(Bar {
            label: name(need.resource).to_owned(),
            value: used,
            interval: interval.map(|needed| (needed.low / whole, needed.high / whole)),
            note: needed_of_there(view, need)?,
            tone: if used > 1.0 { Tone::Worse } else { Tone::Plain },
        })
    };
    let bars: Vec<Bar> = view.needs.needs.iter().filter_map(bar).collect();
    let chart = BarChart {
        title: "Needed of what is there".to_owned(),
        description: clean(&verdict(view)),
        axis: Axis::new("needed over there", Scale::FromZero, Figures::Percent),
        base: 0.0,
        marks: vec![Mark { x: 1.0, label: "all of it".to_owned() }],
        bars,
    };
    (!chart.bars.is_empty()).then(|| Diagram::new("used", chart))
}

fn stages(view: &LoadPlanView) -> Markup {
    let mut table = Table::new("stages-table", "Stages, in the order of the way", &STAGES);
    table.rows =
        stage_rows(view).into_iter().map(|cells| Row::new(cells.into_iter().map(Cell::text).collect())).collect();
    html! { (gallery(cores(view).as_slice())) (table.html()) }
}

/// The cores that each stage needs while the load goes on. Nothing of a single one, which the table tells.
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
        title: "Cores that each stage needs".to_owned(),
        description: "What comes after the load is not drawn: it takes all processors of the server.".to_owned(),
        axis: Axis::new("cores", Scale::FromZero, Figures::Rate),
        base: 0.0,
        marks: Vec::new(),
        bars: parts.into_iter().map(bar).collect(),
    };
    (chart.bars.len() > 1).then(|| Diagram::new("cores", chart))
}
