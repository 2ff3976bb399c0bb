//! `dbdyno run`: measure, record, print the spec sheet.

use std::path::{Path, PathBuf};

use record::{Check, Finding, Outcome, Run, Verdict};
use run::{Error, Fault, Measured, Result};

use crate::arguments::RunArguments;
use crate::engines::engine;
use crate::measuring::measuring;
use crate::output::{print, style, width};
use crate::request;
use crate::target::target;

/// The engine that needs nothing.
const DEFAULT_TARGET: &str = "sqlite";

/// What --prove adds to a plan: which runs these are is known when the others are measured.
const PROOFS: &str =
    "then each test of the engine at its best in three pairs more: with all and with 80 % of what limits it there\n";

/// Carries out `dbdyno run`.
///
/// # Errors
/// The user's mistakes, the environment's refusals, Ctrl-C, and runs that failed.
pub fn run(arguments: &RunArguments) -> Result<()> {
    let resumed = arguments.resume.as_deref().map(resume).transpose()?;
    let path = match (&arguments.resume, &arguments.record) {
        (Some(path), _) | (None, Some(path)) => path.clone(),
        (None, None) => default_record(),
    };
    let mut request = request::request(arguments, path)?;
    let words = match (&arguments.target, &resumed) {
        (Some(words), _) => words.clone(),
        (None, Some((_, record))) => record.plan.target.clone(),
        (None, None) => DEFAULT_TARGET.to_owned(),
    };
    let target = target(&words)?;
    engine(&target)?;
    if arguments.resume.is_none() {
        refuse_existing(&request.record)
            .map_err(|error| error.hint("give another --record, or go on with it by --resume"))?;
    }
    if arguments.dry_run {
        let plan = measuring(arguments.quiet, |measuring| run::dry_run(&request, measuring.context(&target)?))?;
        let more = if arguments.prove { PROOFS } else { "" };
        return print(&format!("{}{more}", report::plan(&plan, width())));
    }
    show(measuring(arguments.quiet, |measuring| {
        let context = measuring.context(&target)?;
        match resumed {
            Some(resumed) => {
                request.follow(&resumed.1.plan);
                run::resume(resumed, &request, context)
            }
            None => run::measure(&request, context),
        }
    })?)
}

fn show(measured: Measured) -> Result<()> {
    if !measured.record.runs.is_empty() {
        print(&report::text(&measured.record, &measured.path.display().to_string(), style(), width()))?;
    }
    if let Some(error) = measured.error {
        let path = measured.path.display();
        let hint = format!("the runs that ended are in {path}; go on with dbdyno run --resume {path}");
        return Err(if error.hint.is_some() { error } else { error.hint(hint) });
    }
    let failed = measured.record.runs.iter().filter(|run| has_failed(run));
    let failed: Vec<String> =
        failed.map(|run| format!("{} at {}", run.test, report::dop(run.dop, run.sweep))).collect();
    match failed.is_empty() {
        true => Ok(()),
        false => Err(Error::environment(format!("runs failed: {}", failed.join(", ")))
            .hint("the spec sheet says why; the other runs are valid")),
    }
}

/// Whether something is wrong with the run itself. What only its surroundings spoilt (other guests of the host, a client
/// that was too slow) is invalid on the sheet and no error of the invocation.
fn has_failed(run: &Run) -> bool {
    let surroundings = [Check::Steal, Check::Swapping, Check::Throttling, Check::ClientShare, Check::RateLevels];
    // How much of a rate is kept is what runs of a sweep and of a search are made to find out.
    let is_answer = |finding: &Finding| run.variation.is_some() && finding.check() == Check::Backlog;
    let wrong = |finding: &Finding| {
        finding.verdict == Verdict::Fail && !surroundings.contains(&finding.check()) && !is_answer(finding)
    };
    run.outcome != Outcome::Done || run.findings.iter().any(wrong)
}

/// The record at `path` with what appends to it: from here on nobody else does.
fn resume(path: &Path) -> Result<(store::Writer, record::Record)> {
    store::Writer::resume(path).map_err(|error| Error { fault: Fault::User, ..Error::from(error) })
}

/// Refuses to write over a record.
///
/// # Errors
/// Where there is something at `path`.
pub fn refuse_existing(path: &Path) -> Result<()> {
    match path.exists() {
        true => Err(Error::user(format!("record {} exists", path.display())).hint("give another --record")),
        false => Ok(()),
    }
}

/// A name in the current directory that says when and where.
pub fn default_record() -> PathBuf {
    PathBuf::from(store::default_name(std::time::SystemTime::now(), &host::host_name()))
}
