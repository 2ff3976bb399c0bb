//! What the types of transactions of a run did: tallied by type, and timed by statement.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use measure::{Histogram, Tally};
use record::{JobShare, Nanos, Role, StatementRun, TransactionType};

use crate::script::{Action, Command, CompiledScript, CompiledScripts};

/// The most statements that are timed, those of each job counted apart: their histograms have some kilobytes each.
const TIMED_MAX: usize = 8_192;

/// The most letters of the text of a statement.
const TEXT_MAX: usize = 100;

/// Times of one command of one job.
#[derive(Clone, Debug, Default)]
pub(crate) struct StatementTimes {
    service: Histogram,
    failures: u64,
    retries: u64,
}

impl StatementTimes {
    /// Counts that the transaction is tried again after an execution that failed.
    pub(crate) fn record_retry(&mut self) {
        self.retries += 1;
    }

    /// Counts an execution that took `time`.
    #[inline]
    pub(crate) fn record(&mut self, time: Nanos, is_done: bool) {
        match is_done {
            true => self.service.record(time),
            false => self.failures += 1,
        }
    }

    fn clear(&mut self) {
        self.service.clear();
        (self.failures, self.retries) = (0, 0);
    }

    fn add(&mut self, other: &StatementTimes) {
        self.service.add(&other.service);
        self.failures += other.failures;
        self.retries += other.retries;
    }
}

/// The times of the commands of each script; empty where they are not timed.
pub(crate) type TimesOfJob = Vec<Vec<StatementTimes>>;

/// The types of transactions of the jobs of one run.
#[derive(Debug)]
pub struct TransactionTypes {
    scripts: Arc<CompiledScripts>,
    is_timed: bool,
    /// All jobs of the run, those of other processes included.
    jobs: u32,
    /// What each job has published last.
    of_jobs: Mutex<BTreeMap<u32, TimesOfJob>>,
}

impl TransactionTypes {
    /// Those of `scripts`, run by the jobs of `share`.
    pub(crate) fn new(scripts: Arc<CompiledScripts>, share: JobShare) -> TransactionTypes {
        let statements = |script: &CompiledScript| script.commands.iter().filter(|command| is_timed(command)).count();
        let each: Vec<usize> = scripts.scripts.iter().map(statements).collect();
        let all = each.iter().sum::<usize>().saturating_mul(share.count as usize);
        let is_timed = all <= TIMED_MAX;
        TransactionTypes { scripts, is_timed, jobs: share.all, of_jobs: Mutex::default() }
    }

    /// Room for the times of one job.
    pub(crate) fn times_of_job(&self) -> TimesOfJob {
        let of = |script: &CompiledScript| vec![StatementTimes::default(); script.commands.len()];
        if self.is_timed { self.scripts.scripts.iter().map(of).collect() } else { Vec::new() }
    }

    /// Takes the times of job `job` since the last call, and clears them.
    pub(crate) fn publish(&self, job: u32, times: &mut TimesOfJob) {
        if self.is_timed {
            let published = times.clone();
            // Their memory is kept, so that statements like those of the warm-up allocate nothing.
            times.iter_mut().flatten().for_each(StatementTimes::clear);
            self.of_jobs.lock().unwrap_or_else(PoisonError::into_inner).insert(job, published);
        }
    }

    /// The role that runs the script with this index, with its jobs.
    fn role_of(&self, script: usize) -> Option<Role> {
        let index = self.scripts.role_of(script)?;
        let role = self.scripts.roles[index].role.clone()?;
        let fixed: u32 = self.scripts.roles.iter().filter_map(|other| other.role.as_ref()?.jobs).sum();
        Some(Role { jobs: Some(role.jobs.unwrap_or(self.jobs.saturating_sub(fixed))), ..role })
    }

    /// Its types with what they did, in the order of the scripts. `streams` are the tallies of the run: those of one node, one
    /// for each type, then those of the next.
    pub fn of_run(&self, streams: &[Tally]) -> Vec<TransactionType> {
        let scripts = &self.scripts.scripts;
        let of_jobs = self.of_jobs.lock().unwrap_or_else(PoisonError::into_inner);
        let type_of = |(index, script): (usize, &CompiledScript)| {
            let mut tally = streams.get(index)?.clone();
            streams.iter().skip(index).step_by(scripts.len()).skip(1).for_each(|other| tally.merge(other));
            let timed = |place: usize| {
                let mut all = StatementTimes::default();
                of_jobs.values().for_each(|times| all.add(&times[index][place]));
                all
            };
            Some(TransactionType {
                name: script.name.clone(),
                weight: script.weight,
                role: self.role_of(index),
                per_minute: None,
                totals: tally.totals(),
                service: tally.service().latency(),
                response: tally.response().latency(),
                statements: if self.is_timed { statements(script, timed) } else { Vec::new() },
            })
        };
        scripts.iter().enumerate().filter_map(type_of).collect()
    }
}

/// The timed commands of `script`.
fn statements(script: &CompiledScript, timed: impl Fn(usize) -> StatementTimes) -> Vec<StatementRun> {
    let places: Vec<usize> = (0..script.commands.len()).filter(|place| is_timed(&script.commands[*place])).collect();
    let run = |place: &usize| {
        let (command, times) = (&script.commands[*place], timed(*place));
        StatementRun {
            line: command.line as u32,
            text: text(command),
            failures: times.failures,
            retries: times.retries,
            service: times.service.latency(),
        }
    };
    places.iter().map(run).collect()
}

/// Whether `command` is one that waits for answers.
pub(crate) fn is_timed(command: &Command) -> bool {
    matches!(command.action, Action::Sql(_) | Action::SyncPipeline | Action::EndPipeline)
}

/// The text of `command` on one line.
fn text(command: &Command) -> String {
    let text = match &command.action {
        Action::Sql(statement) => statement.text(),
        Action::SyncPipeline => "\\syncpipeline".to_owned(),
        _ => "\\endpipeline".to_owned(),
    };
    let line = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    match line.chars().count() > TEXT_MAX {
        true => line.chars().take(TEXT_MAX - 3).chain("...".chars()).collect(),
        false => line,
    }
}
