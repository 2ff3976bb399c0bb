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
    /// Whether it is a name of the file of the server, and not what a command takes.
    pub is_listed: bool,
    /// Whether the run may be started here.
    pub may_run: bool,
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

/// The form, the command that it ends in, and its plan; and the button that starts it, where that may be.
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
    let mut commands = vec![Block::Commands(vec![command])];
    if view.is_listed {
        commands
            .push(Block::aside(format!("TARGET is what \"{}\" stands for in the file of the server.", view.target)));
    }
    if view.may_run {
        commands.push(Block::Form(run_form(view)));
        commands.push(Block::aside("One run at a time. It begins at once; the live page shows it and can cancel it."));
    }
    let sections = vec![
        Section::new("command", "Command", commands),
        Section::new("what", "Plan", plan),
        Section::new("choice", "Choice", vec![Block::Form(form)]),
    ];
    let subtitle = if view.may_run { "nothing is executed before you press Run" } else { "nothing is executed" };
    Document { subtitle: subtitle.to_owned(), ..Document::new("dbdyno: plan a run", sections) }
        .with_ways(Place::Served.ways())
}

/// The button that starts the run.
fn run_form(view: &PlanView<'_>) -> Form {
    let kept = |name, value: &str| Field::Kept { name, value: value.to_owned() };
    let one = [kept("target", view.target), kept("preset", preset(view.preset)), kept("jobs", view.jobs)];
    let tests = view.chosen.iter().map(|test| kept("tests", test));
    let fields = one.into_iter().chain(tests).collect();
    Form { id: "run-form", action: "run".to_owned(), is_post: true, fields, button: "Run" }
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
