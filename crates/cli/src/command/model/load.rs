//! `dbdyno model load`: the resources that a bulk load needs, and predictions from measured loads.

use std::path::Path;

use base::data_rate::Steps;
use model::load_plan::{Cores, Input, MeasuredPlan, Plan, Stage, StageCost, WrittenSource, starting_rates};
use record::{Bytes, Ratio};
use report::{ByteUnits, LoadPlanView};
use run::{Error, Result};

use super::load_prediction::{compare, predict};
use super::load_rates::{cores, disks, network, stages};
use super::load_source::Source;
use super::load_study::plan_of;
use crate::arguments::model::figure::Sent;
use crate::arguments::model::load::LoadPlanArguments;
use crate::output::{print, style, width};
use crate::page::write_page;
use crate::subject;

/// A goal: bytes of flat file, the time for them, and the prefixes (1000 or 1024) in which it was given.
struct Goal {
    volume: Bytes,
    window_seconds: f64,
    units: ByteUnits,
}

/// Carries out `dbdyno model load`.
pub(super) fn load(arguments: &LoadPlanArguments) -> Result<()> {
    let goal = goal(arguments);
    if let [name] = arguments.from.as_slice()
        && !is_file(name)
    {
        return show(&plan_of(name, goal.is_some(), arguments)?, arguments);
    }
    if goal.is_none() && !arguments.from.is_empty() {
        refuse_plan_options(arguments)?;
    }
    let source = (!arguments.from.is_empty()).then(|| Source::read(arguments)).transpose()?;
    match (goal, source, &arguments.check) {
        (None, Some(source), Some(other)) => compare(&source, other, arguments),
        (None, Some(source), None) => predict(&source, arguments),
        (Some(goal), source, _) => plan(&goal, source.as_ref(), arguments),
        (None, None, _) => Err(Error::user("no goal given")
            .hint("give --goal 1TB/h, or --data 10TB --within 4h; --from RECORD alone shows the measured loads")),
    }
}

/// Refuses options of a plan, which a prediction would ignore.
fn refuse_plan_options(arguments: &LoadPlanArguments) -> Result<()> {
    let given = [
        ("--network", arguments.network.is_some()),
        ("--disks", arguments.disks.is_some()),
        ("--write-amplification", arguments.write_amplification.is_some()),
        ("--log-per-byte", arguments.log_per_byte.is_some()),
        ("--replicas", arguments.replicas != 0),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((name, _)) => {
            Err(Error::user(format!("{name} needs a goal")).hint("give --goal 1TB/h, or --data 10TB --within 4h"))
        }
    }
}

fn is_file(words: &str) -> bool {
    Path::new(words).exists() || subject::is_path(words)
}

fn goal(arguments: &LoadPlanArguments) -> Option<Goal> {
    let units = |steps: Steps| match steps {
        Steps::Thousands => ByteUnits::Thousands,
        Steps::Binary => ByteUnits::Binary,
    };
    let bytes = |bytes: f64| Bytes(bytes.round().max(1.0) as u64);
    if let Some(speed) = arguments.goal {
        let hour = 3_600.0;
        // A rate is a goal over one hour.
        let volume = bytes(speed.per_second() * hour);
        return Some(Goal { volume, window_seconds: hour, units: units(speed.volume.steps) });
    }
    let (data, within) = arguments.data.zip(arguments.within)?;
    Some(Goal { volume: bytes(data.bytes), window_seconds: within.seconds(), units: units(data.steps) })
}

/// The plan for `goal`, from the given figures and, where they are missing, from measured ones.
fn plan(goal: &Goal, source: Option<&Source>, arguments: &LoadPlanArguments) -> Result<()> {
    let (name, given_ratio) = match arguments.compression.clone() {
        Some(Sent { name, ratio }) => (name, ratio),
        None => (None, None),
    };
    let measured = source.map(|source| {
        source.measured(name.as_deref()).ok_or_else(|| {
            Error::user(format!("the record has no load that is {}", source.title()))
                .hint("--model and --form select the loads; `dbdyno model load --from RECORD` shows them")
        })
    });
    let measured = measured.transpose()?;
    let ratio = given_ratio.or_else(|| measured.as_ref()?.input_ratio);
    let input = match (name, ratio) {
        (None, _) => Input::plain(),
        (Some(name), Some(ratio)) => Input { name: Some(name), ratio },
        (Some(name), None) => {
            return Err(Error::user(format!("--compression {name} has no ratio, and no measured load gives one"))
                .hint(format!("give it after the name, as in {name}:2.1")));
        }
    };
    let given = stages(&arguments.rates);
    let mut remarks =
        measured.iter().zip(source).map(|(plan, source)| measured_remark(plan, source)).collect::<Vec<_>>();
    remarks.splice(0..0, source.iter().flat_map(|source| source.warnings.clone()));
    remarks.extend(
        arguments
            .compression
            .is_none()
            .then(|| "no --compression given: the flat file is sent uncompressed".to_owned()),
    );
    let plan = Plan {
        volume: goal.volume,
        window_seconds: goal.window_seconds,
        stages: together(given, measured.as_ref(), &input, arguments.rates.starting_rates),
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
    show(&LoadPlanView::new(plan, goal.units, remarks), arguments)
}

/// The given processors, else those of the measured machine.
fn cores_of(source: Option<&Source>, arguments: &LoadPlanArguments) -> Cores {
    let measured = || source.map(|source| source.record.host.cpu.threads).filter(|threads| *threads > 0);
    match cores(arguments) {
        Cores::Shared(None) => Cores::Shared(measured()),
        given => given,
    }
}

/// Prints the plan, or writes it as a page.
fn show(view: &LoadPlanView, arguments: &LoadPlanArguments) -> Result<()> {
    match &arguments.html {
        Some(file) => write_page(file, &report::load_plan(view).html()),
        None => print(&report::load_plan(view).text(style(), width())),
    }
}

fn measured_remark(plan: &MeasuredPlan, source: &Source) -> String {
    let rate = plan.rate.0 / 1e6;
    let threads = source.record.host.cpu.threads;
    format!(
        "measured rates are from {}, with {threads} processors (--cores for others); its fastest load, run {}, reached \
         {rate:.1} MB/s",
        source.title(),
        plan.fastest
    )
}

/// The cost of each stage: given, else measured, else, with `with_starting_rates`, commonly published.
fn together(
    given: Vec<StageCost>,
    measured: Option<&MeasuredPlan>,
    input: &Input,
    with_starting_rates: bool,
) -> Vec<StageCost> {
    let measured = measured.map_or(&[][..], |plan| &plan.stages);
    let starting = if with_starting_rates { starting_rates(input.name.as_deref()) } else { Vec::new() };
    let starting: Vec<StageCost> = starting.into_iter().map(StageCost::Rate).collect();
    let find = |stage: Stage, costs: &[StageCost]| costs.iter().find(|cost| cost.stage() == stage).copied();
    // Stages after the load are only planned where they are given.
    let common = |stage: Stage| find(stage, &starting).filter(|_| !stage.is_after_the_load());
    let of = |stage: Stage| find(stage, &given).or_else(|| find(stage, measured)).or_else(|| common(stage));
    let is_needed = |stage: &Stage| *stage != Stage::Decompress || input.name.is_some();
    Stage::ALL.into_iter().filter(is_needed).filter_map(of).collect()
}
