//! Predictions of loads from measured ones.

use model::load::{InputCost, Target, check, measured};
use model::load_plan::{Cores, Stage, StageCost};
use report::{LoadPredictionView, RequestedLoad};
use run::Result;

use super::load_rates::{cores, stages};
use super::load_source::{Source, conditions, is_alike, read};
use crate::arguments::model::load::LoadPlanArguments;
use crate::output::{print, style, width};
use crate::page::write_page;
use crate::subject::warnings;

/// Shows the cost of the stages of a record, and predictions for the requested loads.
pub(super) fn predict(source: &Source, arguments: &LoadPlanArguments) -> Result<()> {
    let name = arguments.compression.as_ref().and_then(|sent| sent.name.clone());
    let inputs = match (&arguments.compression, &name) {
        (None, _) => source.inputs(),
        (Some(_), None) => vec!["none".to_owned()],
        (Some(_), Some(name)) => vec![name.clone()],
    };
    let jobs = jobs(source, arguments);
    let processors = match cores(arguments) {
        Cores::Shared(cores) => cores,
        Cores::Apart { client, .. } => client,
    };
    let cost = input_cost(arguments);
    let ask = |(input, jobs): (&String, u32)| {
        let is_measured = source.inputs().contains(input);
        let target = Target {
            model: source.model,
            form: source.form,
            jobs,
            input: input.clone(),
            input_cost: cost.filter(|_| !is_measured),
            processors,
        };
        let (predicted, measured) = (model::load::predict(&source.record, &target), measured(&source.record, &target));
        RequestedLoad { target, predicted, measured }
    };
    let asked = inputs.iter().flat_map(|input| jobs.iter().map(move |jobs| (input, *jobs))).map(ask).collect();
    let shown = name.or_else(|| source.inputs().into_iter().find(|input| input != "none" && input != "generated"));
    let view = LoadPredictionView {
        title: format!("dbdyno loads: {}", source.title()),
        measured: source.measured(shown.as_deref()),
        asked,
        checked: Vec::new(),
        remarks: source.warnings.clone(),
    };
    show(&view, arguments)
}

/// Prints the view, or writes it as a page.
fn show(view: &LoadPredictionView, arguments: &LoadPlanArguments) -> Result<()> {
    match &arguments.html {
        Some(file) => write_page(file, &report::load_prediction(view).html()),
        None => print(&report::load_prediction(view).text(style(), width())),
    }
}

/// The numbers of sessions to predict for.
fn jobs(source: &Source, arguments: &LoadPlanArguments) -> Vec<u32> {
    if let Some(given) = &arguments.jobs {
        return given.clone();
    }
    let loads = source.record.runs.iter().filter(|run| run.load.is_some() && run.variation.is_none());
    let mut jobs: Vec<u32> = loads.map(|run| run.dop.jobs.max(1)).collect();
    jobs.sort_unstable();
    jobs.dedup();
    // Contention cannot be estimated from one number of sessions.
    let more = jobs.last().filter(|_| jobs.len() > 1).map(|most| most.saturating_mul(2));
    jobs.extend(more);
    jobs
}

/// The cost of reading a byte, from the given rates; none where none is given.
fn input_cost(arguments: &LoadPlanArguments) -> Option<InputCost> {
    let given = stages(&arguments.rates);
    let of = |stage: Stage| {
        given.iter().find_map(|cost| match cost {
            StageCost::Rate(rate) if rate.stage == stage => Some(1e9 * rate.worker_cores / rate.rate.estimate),
            _ => None,
        })
    };
    let spent = [Stage::Read, Stage::Decompress].into_iter().filter_map(of).reduce(|one, other| one + other);
    spent.map(|cpu_ns| InputCost { reading_ns: cpu_ns, cpu_ns, readers_max: None })
}

/// Compares the loads of another record with the predictions of the first one.
pub(super) fn compare(source: &Source, other: &str, arguments: &LoadPlanArguments) -> Result<()> {
    let path = other;
    let other = read(path)?;
    let foreign = "the two records are of different machines or engines".to_owned();
    let mut remarks = [source.warnings.clone(), warnings(path, &other)].concat();
    remarks.extend((!is_alike(&source.record, &other)).then_some(foreign));
    let [then, now] = [&source.record, &other].map(|record| Vec::from_iter(conditions(record)).join(" and "));
    remarks.extend((then != now).then(|| format!("the loads of one record are {then}, those of the other {now}")));
    let view = LoadPredictionView {
        title: format!("dbdyno loads: predicted by {}, measured in {}", source.record.id, other.id),
        measured: None,
        asked: Vec::new(),
        checked: check(&source.record, &other),
        remarks,
    };
    show(&view, arguments)
}
