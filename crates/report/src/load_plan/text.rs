//! A plan on a terminal.

use model::Interval;
use model::load_plan::{Need, Part, RateSource, Resource, Stage, StageCost, StageRate, Units};
use record::Rate;

use super::LoadPlanView;
use super::amount::{ByteSteps, seconds};
use super::sentence::{are_open, goal_words, name, named, sentences};
use crate::figure::{UNKNOWN, percent, three_digits};
use crate::layout::{Align, Head, Table, cut, paragraph, section};
use crate::style::{Ink, Style};

const LEFT: usize = 4;

const RESOURCES: [Head; 6] = [
    (&["resource"], Align::Left),
    (&["needed"], Align::Right),
    (&["there"], Align::Right),
    (&["used"], Align::Right),
    (&["alone", "it takes"], Align::Right),
    (&["so many", "are needed"], Align::Left),
];

const STAGES: [Head; 6] = [
    (&["stage"], Align::Left),
    (&["of flat file,", "a core"], Align::Right),
    (&["between"], Align::Right),
    (&["cores", "needed"], Align::Right),
    (&["workers"], Align::Right),
    (&["rate"], Align::Left),
];

/// The plan for `width` columns (at least 60 are used): what it comes to in words, each resource with what is needed and
/// what is there, the bottleneck first, the stages with their rates, and what is not known.
pub fn load_plan_text(view: &LoadPlanView, style: Style, width: usize) -> String {
    let width = crate::page_width(width);
    let title = format!("dbdyno load plan: {}", goal_words(view));
    let mut lines = vec![style.paint(&cut(&title, width), Ink::Head)];
    let mut part = |title: &str, body: Vec<String>| {
        if !body.is_empty() {
            lines.push(String::new());
            lines.push(section(title, style, width));
            lines.extend(body);
        }
    };
    part("IN WORDS", sentences(view).iter().flat_map(|said| paragraph("-", 2, said, width)).collect());
    part("RESOURCES: the most used first", resources(view).lines(style, width));
    let stages = stages(view);
    part("STAGES ON PROCESSORS", if stages.is_empty() { Vec::new() } else { stages.lines(style, width) });
    part("TO BE KNOWN", known(view).iter().flat_map(|said| paragraph("!", LEFT, said, width)).collect());
    style.letters(lines.join("\n") + "\n")
}

fn resources(view: &LoadPlanView) -> Table {
    let mut table = Table::new(&RESOURCES, &[]);
    for need in &view.needs.needs {
        let amount = |value: f64| match need.resource.is_processors() {
            true => three_digits(value),
            false => view.steps.rate(Rate(value)),
        };
        let least = if need.unknown.is_empty() { "" } else { ">= " };
        let unknown = || UNKNOWN.to_owned();
        let cells = vec![
            name(need.resource).to_owned(),
            need.needed.map_or_else(unknown, |needed| format!("{least}{}", amount(needed.estimate))),
            need.there.map_or_else(unknown, amount),
            need.used.map_or_else(unknown, |used| format!("{least}{}", percent(used))),
            need.seconds.map_or_else(unknown, seconds),
            count(view, need).unwrap_or_else(unknown),
        ];
        let ink = need.used.filter(|used| used.0 > 1.0).map(|_| Ink::Warning);
        table.push(cells, ink);
    }
    table
}

/// How many of a resource are needed, in words.
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

fn stages(view: &LoadPlanView) -> Table {
    let mut table = Table::new(&STAGES, &[]);
    let parts: Vec<&Part> = view.needs.needs.iter().flat_map(|need| &need.parts).collect();
    let unknown: Vec<Stage> = view.needs.needs.iter().flat_map(|need| need.unknown.clone()).collect();
    for stage in Stage::ALL {
        let part = parts.iter().find(|part| part.stage == stage);
        let cells = match view.plan.cost(stage) {
            Some(StageCost::Rate(rate)) => row(view.steps, rate, part.copied()),
            Some(StageCost::Skipped(_)) => {
                let nothing = String::new;
                let word = stage.word().to_owned();
                vec![word, nothing(), nothing(), "0".to_owned(), nothing(), "not gone through".to_owned()]
            }
            None if unknown.contains(&stage) => {
                let unknown = || UNKNOWN.to_owned();
                vec![stage.word().to_owned(), unknown(), unknown(), unknown(), unknown(), "not known".to_owned()]
            }
            None => continue,
        };
        table.push(cells, None);
    }
    table
}

fn row(steps: ByteSteps, rate: &StageRate, part: Option<&Part>) -> Vec<String> {
    let core = rate.rate.estimate / rate.worker_cores;
    let times = if rate.times == 1 { String::new() } else { format!(" x {}", rate.times) };
    vec![
        format!("{}{times}", rate.stage.word()),
        steps.rate(Rate(core)),
        span(steps, rate),
        part.map_or_else(|| "after it".to_owned(), |part| three_digits(part.cores.estimate)),
        part.map_or_else(String::new, |part| part.workers.to_string()),
        source(rate.source).to_owned(),
    ]
}

/// Between which rates that of a core lies; nothing where that is not known.
fn span(steps: ByteSteps, rate: &StageRate) -> String {
    let Interval { low, high, .. } = rate.rate;
    match low < high {
        true => format!("{} to {}", steps.digits(low / rate.worker_cores), steps.digits(high / rate.worker_cores)),
        false => String::new(),
    }
}

pub(super) fn source(source: RateSource) -> &'static str {
    match source {
        RateSource::Given => "given",
        RateSource::Measured => "measured",
        RateSource::NotMeasured => "NOT MEASURED",
    }
}

/// What the figures do not say by themselves.
fn known(view: &LoadPlanView) -> Vec<String> {
    let plan = &view.plan;
    let mut known = view.remarks.clone();
    let rates = plan.stages.iter().filter_map(|cost| match cost {
        StageCost::Rate(rate) => Some(rate),
        StageCost::Skipped(_) => None,
    });
    if rates.clone().any(|rate| rate.source == RateSource::NotMeasured) {
        known.push(
            "rates that were NOT MEASURED are commonly published spans, of which the lower end is planned with: a load of \
             your own data on your own machine replaces them (dbdyno load, then --from RECORD)"
                .to_owned(),
        );
    }
    if plan.utilisation.0 == 1.0 && rates.clone().next().is_some() {
        known.push(
            "processors are planned to be busy all the time; --target-utilisation 0.7 leaves them room".to_owned(),
        );
    }
    if rates.clone().any(|rate| rate.stage.is_after_the_load()) {
        known.push("what comes after the load is taken to use all processors of the server".to_owned());
    }
    if are_open(plan.cores) {
        known.push("how many processors there are was not said (--cores)".to_owned());
    }
    known
}
