//! `dbdyno run`: measure, record, print the spec sheet.

use std::path::Path;

use engine::Target;
use record::{Plan, Record};
use run::{Context, Error, Fault, Fleet, Measured, Result};

use crate::agents::{Agents, check_target, permitting};
use crate::arguments::run::RunArguments;
use crate::engines::engine;
use crate::measuring::{kept_by_agents, measuring, none_valid};
use crate::new_record::{default_record, refuse_existing};
use crate::output::{print, width};
use crate::request;
use crate::sheet::{check_output, show_beside};
use crate::subject;
use crate::target::target;

/// The default engine: it needs no server.
const DEFAULT_TARGET: &str = "sqlite";

/// What --prove adds to a plan; its runs are decided when the others are measured.
const PROOFS: &str =
    "then three more pairs of each engine test at its best degree: with 100 % and with 80 % of its limiting resource\n";

/// Carries out `dbdyno run`.
///
/// # Errors
/// The user's mistakes, the environment's refusals, Ctrl-C, and runs that failed.
pub fn run(arguments: &RunArguments) -> Result<()> {
    run_by(arguments, None)
}

/// Judges `measured` where an invalid run is no error: the sheet says why it is.
///
/// # Errors
/// Where the measurement was ended, and where a run failed.
pub fn judge_failures(measured: Measured) -> Result<()> {
    let is_whole = measured.error.is_none() && !measured.record.runs.iter().any(model::has_failed);
    if is_whole { Ok(()) } else { judge(measured) }
}

/// Who carries out the jobs in place of this process.
#[derive(Clone, Copy)]
pub struct FleetOf<'a> {
    /// The agents.
    pub agents: &'a Agents,
    /// Jobs of each, if agents are added with their jobs.
    pub jobs_per_agent: Option<u32>,
    /// Whether each has a database of its own.
    pub database_per_agent: bool,
    /// Whether it goes on without an agent that was lost.
    pub goes_on: bool,
}

/// The same, with the jobs of each run carried out by the agents of `fleet`.
///
/// # Errors
/// As [`run()`], and where the agents cannot be started.
pub fn run_by(arguments: &RunArguments, fleet: Option<FleetOf<'_>>) -> Result<()> {
    match measured_by(arguments, fleet)? {
        Some(measured) => shown(measured, arguments),
        None => Ok(()),
    }
}

/// The record of `arguments`; none where only the plan was asked for, which is printed.
///
/// # Errors
/// As [`run_by()`], where there is no record.
pub fn measured_by(arguments: &RunArguments, fleet: Option<FleetOf<'_>>) -> Result<Option<Measured>> {
    let agents = fleet.map(|fleet| fleet.agents);
    let resumed = arguments.resume.as_deref().map(resume).transpose()?;
    let path = match (&arguments.resume, &arguments.place.record) {
        (Some(path), _) | (None, Some(path)) => path.clone(),
        (None, None) => default_record(),
    };
    if let Some((_, record)) = &resumed {
        check_agents(&path, &record.plan, fleet)?;
    }
    let doubt = match &resumed {
        Some((writer, _)) => run::doubt(&writer.metadata()?),
        None => None,
    };
    let target = match (&arguments.target, &resumed) {
        (Some(words), _) => target(words)?,
        (None, Some((_, record))) => recorded_target(record, doubt.as_deref())?,
        (None, None) => target(DEFAULT_TARGET)?,
    };
    let mut request = request::request(arguments, path, engine(&target)?)?;
    if let Some(FleetOf { agents, jobs_per_agent: Some(jobs_each), .. }) = fleet {
        request.jobs_per_agent = Some(jobs_each);
        request.degrees = Some(run::jobs_of_agents(jobs_each, agents.count()));
    }
    request.setup.database_per_agent = fleet.is_some_and(|fleet| fleet.database_per_agent);
    if let Some((_, record)) = &resumed {
        run::check_resumption(record, &request)?;
    }
    if agents.is_some() {
        check_target(&target)?;
    }
    if let Some((_, record)) = &resumed {
        request = run::follow(request, record, &target, doubt.as_deref())?;
    }
    if arguments.resume.is_none() {
        refuse_existing(&request.setup.record)
            .map_err(|error| error.hint("give another --record, or continue it with --resume"))?;
    }
    if arguments.dry_run {
        let plan = measuring(arguments.output.quiet, |measuring| run::dry_run(&request, measuring.context(&target)?))?;
        let more = if arguments.prove { PROOFS } else { "" };
        print(&format!("{}{more}", report::plan(&plan, width())))?;
        return Ok(None);
    }
    check_output(&arguments.output)?;
    arguments.beside.as_deref().map(subject::beside).transpose()?;
    measuring(arguments.output.quiet, |measuring| {
        let goes_on = fleet.is_some_and(|fleet| fleet.goes_on);
        let fleet = measuring.deploy(agents, &request.setup.directory, &permitting(&target))?;
        let fleet = fleet.map(|(deployment, own)| (deployment.going_on(goes_on), own));
        let fleet = fleet.as_ref().map(|(deployment, _)| deployment as &dyn Fleet);
        measuring.observing(&arguments.place.observe, &target, |context| {
            let context = Context { fleet, ..context };
            match resumed {
                Some(resumed) => run::resume(resumed, &request, context),
                None => run::measure(&request, context),
            }
        })
    })
    .map(Some)
}

/// Prints the sheet of `measured`, and judges it.
fn shown(measured: Measured, arguments: &RunArguments) -> Result<()> {
    show_beside(&measured, &arguments.output, arguments.beside.as_deref())?;
    judge(measured)
}

/// The target that `record` names, where it is one that a record may name; `doubt` is why the record may be that of another user.
///
/// # Errors
/// Where it has to be named again.
pub fn recorded_target(record: &Record, doubt: Option<&str>) -> Result<Target> {
    let refused = |why: String| {
        Error::user(format!("the target is not taken from the record: {why}"))
            .hint("name the target that you mean, the same as before: --target TARGET")
    };
    if let Some(doubt) = doubt {
        return Err(refused(format!("its file {doubt}")));
    }
    let target: Target = record.plan.target.parse().map_err(|_| refused("it is none".to_owned()))?;
    let engine = engine(&target).map_err(|_| refused("it is of no engine that is known".to_owned()))?;
    let target = run::target_as_given(&target, engine);
    match run::reaches_out(&target, engine) {
        Some(why) => Err(refused(format!("it {why}"))),
        None => Ok(target),
    }
}

/// Runs of one record are carried out by the same agents.
fn check_agents(path: &Path, plan: &Plan, fleet: Option<FleetOf<'_>>) -> Result<()> {
    let now = fleet.map(|fleet| fleet.agents);
    let hosts = now.map(Agents::hosts).unwrap_or_default();
    // What is not said again is that of the plan.
    let is_same_use = fleet.is_none_or(|fleet| {
        (fleet.jobs_per_agent.is_none() || fleet.jobs_per_agent == plan.jobs_per_agent)
            && (!fleet.database_per_agent || plan.database_per_agent)
    });
    if plan.agents == now.map(Agents::count) && plan.agent_hosts == hosts && is_same_use {
        return Ok(());
    }
    if !is_same_use {
        let message = format!("the runs of {} have other jobs and databases of each agent", path.display());
        return Err(Error::user(message).hint(format!("use {} {}", report::resume_command(plan), path.display())));
    }
    let by = |agents: Option<u32>, hosts: &[String]| match agents {
        None => "one process".to_owned(),
        Some(count) if hosts.is_empty() => format!("a fleet of {count}"),
        Some(_) => format!("a fleet on {}", hosts.join(", ")),
    };
    let (before, now) = (by(plan.agents, &plan.agent_hosts), by(now.map(Agents::count), &hosts));
    let message = format!("the runs of {} are of {before}, and this would be {now}", path.display());
    Err(Error::user(message).hint(format!("use {} {}", report::resume_command(plan), path.display())))
}

/// What aborted the measurement, and runs that failed.
fn judge(measured: Measured) -> Result<()> {
    let path = measured.path.display();
    let kept = kept_by_agents(&measured.record, &path.to_string());
    if let Some(error) = measured.error {
        let command = report::resume_command(&measured.record.plan);
        let hint = error
            .hint
            .clone()
            .unwrap_or_else(|| format!("finished runs are in {path}; continue with {command} {path}"));
        let is_kept = error.fault == Fault::Environment;
        return Err(error.hint(if is_kept { hint + &kept } else { hint }));
    }
    none_valid(&measured.record, &path.to_string())?;
    // A run that only failed checks of its surroundings is invalid on the sheet, but no error of the invocation.
    let failed = measured.record.runs.iter().filter(|run| model::has_failed(run));
    let failed: Vec<String> =
        failed.map(|run| format!("{} at {}", run.test, report::dop(run.dop, run.sweep))).collect();
    match failed.is_empty() {
        true => Ok(()),
        false => Err(Error::environment(format!("runs failed: {}", failed.join(", ")))
            .hint(format!("the spec sheet shows why; the other runs are valid{kept}"))),
    }
}

/// The record at `path`, locked for appending.
///
/// # Errors
/// Where it cannot be read or is in use: the user's mistake.
pub fn resume(path: &Path) -> Result<(store::Writer, Record)> {
    store::Writer::resume(path).map_err(|error| Error { fault: Fault::User, ..Error::from(error) })
}
