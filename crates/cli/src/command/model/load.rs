//! `dbdyno model load`: what a load needs, and what a record says of loads that were not measured.

use std::path::Path;

use base::data_rate::Steps;
use model::load_plan::{Cores, Input, MeasuredPlan, Plan, Stage, StageCost, WrittenSource, starting_rates};
use record::{Bytes, Ratio};
use report::{ByteSteps, LoadPlanView, load_plan_html, load_plan_text};
use run::{Error, Result};

use super::load_prediction::{compare, tell};
use super::load_rates::{cores, disks, network, stages};
use super::load_source::Source;
use super::load_study::plan_of;
use crate::arguments::model::figure::Sent;
use crate::arguments::model::load::LoadPlanArguments;
use crate::command::report::write_page;
use crate::command::subject;
use crate::output::{print, style, width};

/// A goal: bytes of flat file, the time for them, and in which steps it was said.
struct Goal {
    volume: Bytes,
    window_seconds: f64,
    steps: ByteSteps,
}

/// Carries out `dbdyno model load`.
///
/// # Errors
/// The user's mistakes: no goal, quantities that are none, a record that cannot be read or has no such load.
pub(super) fn load(arguments: &LoadPlanArguments) -> Result<()> {
    let goal = goal(arguments);
    if let [name] = arguments.from.as_slice()
        && !is_file(name)
    {
        return plan_of(name, goal.is_some(), arguments);
    }
    if goal.is_none() && !arguments.from.is_empty() {
        no_plan(arguments)?;
    }
    let source = (!arguments.from.is_empty()).then(|| Source::read(arguments)).transpose()?;
    match (goal, source, &arguments.check) {
        (None, Some(source), Some(other)) => compare(&source, other, arguments),
        (None, Some(source), None) => tell(&source, arguments),
        (Some(goal), source, _) => plan(&goal, source.as_ref(), arguments),
        (None, None, _) => Err(Error::user("there is no goal to plan for")
            .hint("give --goal 1TB/h, or --data 10TB --within 4h; --from RECORD alone shows what was measured")),
    }
}

/// What belongs to a plan, and would be left out of a prediction without a word.
fn no_plan(arguments: &LoadPlanArguments) -> Result<()> {
    let given = [
        ("--network", arguments.network.is_some()),
        ("--disks", arguments.disks.is_some()),
        ("--write-amplification", arguments.write_amplification.is_some()),
        ("--log-per-byte", arguments.log_per_byte.is_some()),
        ("--replicas", arguments.replicas != 0),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((name, _)) => Err(Error::user(format!("{name} is for a plan, and there is no goal to plan for"))
            .hint("give --goal 1TB/h, or --data 10TB --within 4h")),
    }
}

fn is_file(words: &str) -> bool {
    Path::new(words).exists() || subject::is_path(words)
}

fn goal(arguments: &LoadPlanArguments) -> Option<Goal> {
    let steps = |steps: Steps| match steps {
        Steps::Thousands => ByteSteps::Thousands,
        Steps::Binary => ByteSteps::Binary,
    };
    let bytes = |bytes: f64| Bytes(bytes.round().max(1.0) as u64);
    if let Some(speed) = arguments.goal {
        let hour = 3_600.0;
        // A rate in another unit of time is one over an hour: both of them begin with what is moved.
        let volume = bytes(speed.per_second() * hour);
        return Some(Goal { volume, window_seconds: hour, steps: steps(speed.volume.steps) });
    }
    let (data, within) = arguments.data.zip(arguments.within)?;
    Some(Goal { volume: bytes(data.bytes), window_seconds: within.seconds(), steps: steps(data.steps) })
}

/// The plan for `goal`, by what is said and, where that says nothing, by what was measured.
fn plan(goal: &Goal, source: Option<&Source>, arguments: &LoadPlanArguments) -> Result<()> {
    let (name, said_ratio) = match arguments.compression.clone() {
        Some(Sent { name, ratio }) => (name, ratio),
        None => (None, None),
    };
    let measured = source.map(|source| {
        source.measured(name.as_deref()).ok_or_else(|| {
            Error::user(format!("the record has no load that is {}", source.title()))
                .hint("--model and --form name what was measured; `dbdyno model load --from RECORD` shows it")
        })
    });
    let measured = measured.transpose()?;
    let ratio = said_ratio.or_else(|| measured.as_ref()?.input_ratio);
    let input = match (name, ratio) {
        (None, _) => Input::plain(),
        (Some(name), Some(ratio)) => Input { name: Some(name), ratio },
        (Some(name), None) => {
            return Err(Error::user(format!("--compression {name} has no ratio, and no load of a record tells it"))
                .hint(format!("write it behind the name, as in {name}:2.1")));
        }
    };
    let said = stages(&arguments.rates);
    let mut remarks =
        measured.iter().zip(source).map(|(plan, source)| measured_remark(plan, source)).collect::<Vec<_>>();
    remarks.splice(0..0, source.iter().flat_map(|source| source.doubts.clone()));
    remarks.extend(arguments.compression.is_none().then(|| {
        "no compression was said: the flat file is taken to be sent as it is (--compression gzip:2.1)".to_owned()
    }));
    let plan = Plan {
        volume: goal.volume,
        window_seconds: goal.window_seconds,
        stages: together(said, measured.as_ref(), &input, arguments.rates.starting_rates),
        input,
        cores: cores_of(source, arguments),
        utilisation: Ratio(arguments.target_utilisation),
        network: network(arguments),
        disks: disks(arguments),
        written_per_byte: arguments
            .write_amplification
            .map(|written| (written, WrittenSource::Given))
            .or_else(|| measured.as_ref()?.written_per_byte),
        log_per_byte: arguments.log_per_byte.or_else(|| measured.as_ref()?.log_per_byte),
        replicas: arguments.replicas,
    };
    show(&LoadPlanView::new(plan, goal.steps, remarks), arguments)
}

/// The processors that were said, else those of the machine that was measured.
fn cores_of(source: Option<&Source>, arguments: &LoadPlanArguments) -> Cores {
    let measured = || source.map(|source| source.record.host.cpu.threads).filter(|threads| *threads > 0);
    match cores(arguments) {
        Cores::Shared(None) => Cores::Shared(measured()),
        said => said,
    }
}

/// The plan on the terminal, or as the page that was asked for.
///
/// # Errors
/// Where the page cannot be written.
pub(super) fn show(view: &LoadPlanView, arguments: &LoadPlanArguments) -> Result<()> {
    match &arguments.html {
        Some(file) => write_page(file, &load_plan_html(view)),
        None => print(&load_plan_text(view, style(), width())),
    }
}

fn measured_remark(plan: &MeasuredPlan, source: &Source) -> String {
    let rate = plan.rate.0 / 1e6;
    let threads = source.record.host.cpu.threads;
    format!(
        "measured rates are those of {}, with {threads} processors (--cores for others); its fastest load, run {}, reached \
         {rate:.1} MB/s",
        source.title(),
        plan.fastest
    )
}

/// Of each stage what is said, else what was measured, else, where that is wanted, what is commonly published.
fn together(
    said: Vec<StageCost>,
    measured: Option<&MeasuredPlan>,
    input: &Input,
    with_starting_rates: bool,
) -> Vec<StageCost> {
    let measured = measured.map_or(&[][..], |plan| &plan.stages);
    let starting = if with_starting_rates { starting_rates(input.name.as_deref()) } else { Vec::new() };
    let starting: Vec<StageCost> = starting.into_iter().map(StageCost::Rate).collect();
    let find = |stage: Stage, costs: &[StageCost]| costs.iter().find(|cost| cost.stage() == stage).copied();
    // What is done when the load has ended is done only where somebody says so.
    let common = |stage: Stage| find(stage, &starting).filter(|_| !stage.is_after_the_load());
    let of = |stage: Stage| find(stage, &said).or_else(|| find(stage, measured)).or_else(|| common(stage));
    let is_needed = |stage: &Stage| *stage != Stage::Decompress || input.name.is_some();
    Stage::ALL.into_iter().filter(is_needed).filter_map(of).collect()
}
