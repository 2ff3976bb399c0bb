//! A run to plan: a form that ends in a command to copy, with the plan of a dry run.

use record::Preset;

use super::place::Place;
use super::problem::refusal;
use crate::document::{Block, Cell, Column, Command, Document, Field, Form, Row, Section, Table};
use crate::words::preset;

/// What is chosen, and what follows from it.
pub struct PlanView<'a> {
    /// The targets to choose from.
    pub targets: &'a [&'a str],
    /// The chosen target.
    pub target: &'a str,
    /// The chosen preset.
    pub preset: Preset,
    /// The tests to choose from: code and summary.
    pub tests: &'a [(&'a str, &'a str)],
    /// The chosen tests.
    pub chosen: &'a [String],
    /// The jobs as they were written.
    pub jobs: &'a str,
    /// The options of the command.
    pub options: &'a str,
    /// The plan, or why there is none.
    pub plan: Result<String, String>,
}

/// The form, the command that it ends in, and its plan. It executes nothing.
pub fn plan_form(view: &PlanView<'_>) -> Document {
    let same = |words: &str| (words.to_owned(), words.to_owned());
    let tests = view.tests.iter().map(|(code, summary)| {
        let is_chosen = view.chosen.iter().any(|chosen| chosen == code);
        ((*code).to_owned(), format!("{code} {summary}"), is_chosen)
    });
    let fields = vec![
        Field::One {
            name: "target",
            label: "Target",
            values: view.targets.iter().map(|target| same(target)).collect(),
            chosen: view.target.to_owned(),
        },
        Field::One {
            name: "preset",
            label: "Preset",
            values: Preset::ALL.map(|of| same(preset(of))).to_vec(),
            chosen: preset(view.preset).to_owned(),
        },
        Field::Line { name: "jobs", label: "Jobs, such as 1,2,4", value: view.jobs.to_owned() },
        Field::Some { name: "tests", label: "Tests; none for those of the preset", values: tests.collect() },
    ];
    let form = Form { id: "plan-form", action: "plan".to_owned(), is_post: false, fields, button: "Plan" };
    let command =
        Command { label: "run", verb: "dbdyno run".to_owned(), word: String::new(), options: view.options.to_owned() };
    let plan = match &view.plan {
        Ok(plan) => vec![lines(plan)],
        Err(reason) => vec![refusal(reason)],
    };
    let sections = vec![
        Section::new("command", "Command", vec![Block::Commands(vec![command])]),
        Section::new("what", "Plan", plan),
        Section::new("choice", "Choice", vec![Block::Form(form)]),
    ];
    Document { subtitle: "nothing is executed".to_owned(), ..Document::new("dbdyno: plan a run", sections) }
        .with_ways(Place::Served.ways())
}

/// The lines of a plan: a label and what follows it.
fn lines(plan: &str) -> Block {
    let mut rows: Vec<(String, String)> = Vec::new();
    for line in plan.lines() {
        let label: String = line.chars().take(LABEL_WIDTH).collect();
        let rest: String = line.chars().skip(LABEL_WIDTH).collect();
        match (label.trim().is_empty(), rows.last_mut()) {
            (true, Some((_, text))) => *text = format!("{text} {}", rest.trim()),
            _ => rows.push((label.trim().to_owned(), rest.trim().to_owned())),
        }
    }
    let columns = vec![Column::text("what"), Column::text("planned")];
    let rows = rows.into_iter().map(|(label, text)| Row::new(vec![Cell::text(label), Cell::text(text)]));
    Table::new("plan-lines", "", columns).with(rows).into()
}

/// The width of the labels of a plan on a terminal.
const LABEL_WIDTH: usize = 12;
