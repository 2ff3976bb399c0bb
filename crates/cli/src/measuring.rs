//! What every verb that measures shares: the path of the record, signals, progress, the engine, and the outcome.

use std::path::Path;
use std::sync::Arc;

use engine::Target;
use fleet::{Deployment, RemoteHost, RemoteObserver};
use record::{CheckSubject, Finding, Outcome, Permitted, Record, Run, Status, Verdict};
use run::{Context, Error, HostObserver, Interrupt, Measured, Observers, Result};

use crate::agents::{Agents, hello};
use crate::arguments::observe::{ObserveArguments, ObserveStorageArguments};
use crate::engines::{ENGINES, engine};
use crate::own_directory::OwnDirectory;
use crate::progress::{Loudness, Progress};
use crate::signal;

/// A verb while it measures.
pub struct Measuring {
    interrupt: Arc<Interrupt>,
    progress: Progress,
}

impl Measuring {
    /// The context of a measurement of `target`.
    ///
    /// # Errors
    /// Where dbdyno has no such engine.
    pub fn context<'a>(&'a self, target: &'a Target) -> Result<Context<'a>> {
        let (engine, interrupt) = (engine(target)?, &self.interrupt);
        Ok(Context {
            engine,
            target,
            engines: ENGINES,
            listener: &self.progress,
            interrupt,
            fleet: None,
            observers: Observers::default(),
        })
    }

    /// The same, with the host of the server observed where one is named.
    ///
    /// # Errors
    /// As [`Measuring::context`], those of `body`, and where there is no agent on the host.
    pub fn observing<T>(
        &self,
        observe: &ObserveArguments,
        target: &Target,
        body: impl FnOnce(Context<'_>) -> Result<T>,
    ) -> Result<T> {
        let observers = self.observers(&observe.observe, "--observe")?;
        let servers: Vec<&dyn HostObserver> = observers.iter().map(|observer| observer as &dyn HostObserver).collect();
        self.observing_storage(&observe.storage, target, |context| {
            body(Context { observers: Observers { servers: &servers, ..context.observers }, ..context })
        })
    }

    /// The same with the hosts of storage alone.
    ///
    /// # Errors
    /// As [`Measuring::observing`], and for two hosts with one name.
    pub fn observing_storage<T>(
        &self,
        observe: &ObserveStorageArguments,
        target: &Target,
        body: impl FnOnce(Context<'_>) -> Result<T>,
    ) -> Result<T> {
        let context = self.context(target)?;
        let observers = self.observers(&observe.observe_storage, "--observe-storage")?;
        let storage: Vec<&dyn HostObserver> = observers.iter().map(|observer| observer as &dyn HostObserver).collect();
        body(Context { observers: Observers { storage: &storage, ..context.observers }, ..context })
    }

    /// Starts `agents`, if there are some, for what is `permitted` of a measurement in `directory`.
    ///
    /// # Errors
    /// As [`Agents::deploy`].
    pub fn deploy(
        &self,
        agents: Option<&Agents>,
        directory: &Path,
        permitted: &Permitted,
    ) -> Result<Option<(Deployment, OwnDirectory)>> {
        agents.map(|agents| agents.deploy_in(directory, permitted, &|| self.is_interrupted())).transpose()
    }

    /// An agent on each of `hosts`, which `option` names.
    fn observers<'h>(&self, hosts: &'h [RemoteHost], option: &str) -> Result<Vec<RemoteObserver<'h>>> {
        for (index, host) in hosts.iter().enumerate() {
            if hosts[..index].iter().any(|other| other.name == host.name) {
                return Err(Error::user(format!("{option} names two hosts {}", host.name))
                    .hint("give one a name of its own: HOST name=NAME"));
            }
        }
        hosts.iter().map(|host| self.observer(host)).collect()
    }

    fn observer<'h>(&self, host: &'h RemoteHost) -> Result<RemoteObserver<'h>> {
        let is_interrupted = || self.is_interrupted();
        RemoteObserver::start(host, &hello(Path::new(".")), &is_interrupted)
            .map_err(|error| if is_interrupted() { Error::interrupted() } else { error.into() })
    }

    /// Whether the user has interrupted it.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.is_raised()
    }

    /// The contexts of both sides of a comparison in pairs.
    ///
    /// # Errors
    /// Where dbdyno has no engine for one of them.
    pub fn contexts<'a>(&'a self, [a, b]: [&'a Target; 2]) -> Result<[Context<'a>; 2]> {
        Ok([self.context(a)?, self.context(b)?])
    }
}

/// Runs `body` with signal handling, and with progress unless `quiet`.
///
/// # Errors
/// Where signals cannot be handled, and those of `body`.
pub fn measuring<T>(quiet: bool, body: impl FnOnce(&Measuring) -> Result<T>) -> Result<T> {
    let interrupt = Arc::new(Interrupt::default());
    signal::listen(Arc::clone(&interrupt))?;
    let measuring = Measuring { interrupt, progress: Progress::new(Loudness::of(quiet)) };
    let result = body(&measuring);
    measuring.progress.end();
    result
}

/// An error where no run of `record`, which is at `path`, is valid.
///
/// # Errors
/// In that case.
pub fn none_valid(record: &Record, path: &str) -> Result<()> {
    match record.runs.is_empty() || record.runs.iter().any(|run| !model::is_invalid(run)) {
        true => Ok(()),
        false => Err(Error::environment("no run is valid")
            .hint(format!("the sheet says why and what to do{}", kept_by_agents(record, path)))),
    }
}

/// The failure of a measurement of random blocks, loads or file streams.
///
/// # Errors
/// What aborted the measurement, a failed run, and a record without a valid run.
pub fn judge(measured: Measured) -> Result<()> {
    let path = measured.path.display().to_string();
    if let Some(error) = measured.error {
        return Err(error);
    }
    none_valid(&measured.record, &path)?;
    match measured.record.runs.iter().find(|run| is_work_wrong(run)) {
        Some(run) => Err(Error::environment(format!("run {} has no valid result", run.number))
            .hint(format!("`dbdyno report {path}` shows why{}", kept_by_agents(&measured.record, &path)))),
        None => Ok(()),
    }
}

/// What agents may keep of runs that `record`, which is at `path`, does not have; nothing where there are no such runs.
pub fn kept_by_agents(record: &Record, path: &str) -> String {
    // A run that did not begin has no parts.
    let has_parts = |run: &Run| run.outcome != Outcome::Done && !run.readings.is_empty();
    let is_whole = record.status == Status::Finished && !record.runs.iter().any(has_parts);
    match record.plan.agents {
        Some(_) if !is_whole => format!("; what agents keep completes it: dbdyno fleet collect {path}"),
        _ => String::new(),
    }
}

/// Whether a run was aborted, or a check of its work failed.
fn is_work_wrong(run: &Run) -> bool {
    let of_work = |found: &Finding| found.verdict == Verdict::Fail && found.check().subject() == CheckSubject::Work;
    run.outcome != Outcome::Done || run.findings.iter().any(of_work)
}

#[cfg(test)]
mod tests {
    use record::evidence::ForeignCpuShare;
    use record::{Evidence, Ratio};

    use super::*;

    /// A record of one valid run.
    fn record() -> Record {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../report/tests/records/prove.jsonl");
        let mut record = store::read(&path).expect("a record");
        record.runs.truncate(1);
        record
    }

    #[test]
    fn other_programs_are_no_failure_of_a_run_but_a_record_without_a_valid_run_is() {
        let mut record = record();
        assert!(none_valid(&record, "r").is_ok());
        let share = ForeignCpuShare {
            share: Ratio(0.5),
            limit: Ratio(0.1),
            needs_all: true,
            processors: 2.0,
            programs: Vec::new(),
            unseen_processors: 0.0,
            may_be_engine: false,
        };
        record.runs[0].findings.push(Finding::new(Verdict::Fail, Evidence::ForeignCpu(Some(Box::new(share)))));
        assert!(!is_work_wrong(&record.runs[0]));
        assert_eq!(none_valid(&record, "r").unwrap_err().message, "no run is valid");
        record.runs.clear();
        assert!(none_valid(&record, "r").is_ok());
    }
}
