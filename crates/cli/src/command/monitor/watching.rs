//! `dbdyno monitor`: opens the targets, says what is promised, and watches until Ctrl-C.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use engine::{Engine, Target, Workspace};
use model::promise::{Baseline, Operation, Promise, baseline};
use monitor::{
    AlertCommand, Budget, Cost, History, Opened, Outlets, Prober, Settings, Slo, Watched, open_database, open_storage,
    watch_all,
};
use record::{Nanos, Preset};
use run::{Error, Interrupt, MeasuredDirectory, Result};

use super::lines::Lines;
use super::{MonitorWatchArguments, slo};
use crate::engines::{ENGINES, engine, system_name};
use crate::output::{note, print};
use crate::signal;
use crate::storage::request::fresh_seed;
use crate::subject::unreadable;
use crate::target::target;

/// The session of the bursts, the one that holds the lock, and one of its own now and then.
const SESSIONS_MAX: u32 = 4;

/// Watches until a signal, which is how it ends and no error.
///
/// # Errors
/// The user's mistakes; where a target cannot be opened, and where the history cannot be used.
pub fn watch(arguments: &MonitorWatchArguments) -> Result<()> {
    let slo = slo(arguments.slo.as_deref())?;
    let targets = subjects(&arguments.targets)?;
    let baselines = baselines(arguments, targets.len())?;
    let command = arguments.on_alert.as_deref().map(words).transpose()?.map(AlertCommand::new);
    let seed = arguments.seed.unwrap_or_else(fresh_seed);
    let settings = Settings {
        period: arguments.every.into(),
        fresh_every: arguments.connect_every.into(),
        seed,
        budget: Budget { cpu_share_max: arguments.cpu.0, ..Budget::default() },
        drops_table: arguments.drop,
        length: arguments.length.map(Into::into),
        listen: arguments.listen,
        collector: arguments.otlp.clone(),
    };
    settings.check(arguments.timeout())?;
    let interrupt = Arc::new(Interrupt::default());
    signal::listen(Arc::clone(&interrupt))?;

    let mut directory = own_directory(&arguments.dir, &targets)?;
    if let Some(directory) = &mut directory {
        directory.prepare(ENGINES)?.iter().for_each(|line| note(line));
    }
    let mut watched = Vec::with_capacity(targets.len());
    for (index, (subject, baseline)) in targets.iter().zip(&baselines).enumerate() {
        let seed = seed ^ (index as u64) << 32;
        match subject {
            Subject::Database(target, engine) => {
                let workspace = workspace(directory.as_ref(), target);
                let opened = open_database(*engine, target, &workspace, arguments.timeout(), seed)?;
                let cluster = (opened.len() > 1).then(|| target.to_string());
                for opened in opened {
                    let watched_node = promised_of(target, opened, &slo, baseline.as_ref())?;
                    let system = Some(system_name(*engine));
                    watched.push(Watched { system, cluster: cluster.clone(), ..watched_node });
                }
            }
            Subject::Storage(directory) => {
                let prober = open_storage(directory, seed)?;
                watched.push(promised(format!("{STORAGE}{}", directory.display()), prober, &slo, baseline.as_ref())?);
            }
        }
        if interrupt.is_raised() {
            return Err(Error::interrupted());
        }
    }
    let history = History::to_write(&arguments.data)?;
    let lines = Lines { names: watched.iter().map(|watched| watched.name.clone()).collect() };
    let costs_nothing: Vec<bool> = watched.iter().map(|watched| !watched.prober.costs()).collect();
    print(&format!("watching, a burst every {} s or so; Ctrl-C ends it", arguments.every.seconds()))?;
    let outlets = |history, path| Outlets::new(history, path, command, report::alert_text);
    let data = arguments.data.clone();
    let costs = watch_all(watched, &settings, (history, data), outlets, (&interrupt, &lines))?;
    let all = lines.names.iter().zip(&costs).zip(costs_nothing).filter(|(_, costs_nothing)| !costs_nothing);
    all.map(|(of, _)| of).try_for_each(|(name, cost)| print(&of_cost(name, cost)))
}

fn of_cost(name: &str, cost: &Cost) -> String {
    format!("{name}: cost {cost}")
}

/// What stands before the directory of storage that is watched.
pub(super) const STORAGE: &str = "storage:";

/// What is watched.
pub(super) enum Subject {
    /// A database, with its engine.
    Database(Target, &'static dyn Engine),
    /// The storage below a directory of this host.
    Storage(PathBuf),
}

/// What is watched according to `words`, each once.
fn subjects(words: &[String]) -> Result<Vec<Subject>> {
    let mut subjects: Vec<Subject> = Vec::with_capacity(words.len());
    for words in words {
        let subject = subject(words)?;
        if subjects.iter().any(|other| is_same(other, &subject)) {
            return Err(Error::user(format!("target {words} is given twice")).hint("give each database once"));
        }
        subjects.push(subject);
    }
    Ok(subjects)
}

/// What is watched according to `words`.
pub(super) fn subject(words: &str) -> Result<Subject> {
    match words.strip_prefix(STORAGE) {
        Some("") => {
            let error = Error::user(format!("target {words} names no directory"));
            Err(error.hint("name one on the storage of the database: storage:/var/lib/postgresql"))
        }
        Some(directory) => Ok(Subject::Storage(directory.into())),
        None => {
            let target = target(words)?;
            let engine = engine(&target)?;
            Ok(Subject::Database(target, engine))
        }
    }
}

/// Whether both are one: two of an engine that is not a server would be one database in one directory.
fn is_same(one: &Subject, other: &Subject) -> bool {
    match (one, other) {
        (Subject::Database(one, _), Subject::Database(other, _)) => {
            one.to_string() == other.to_string()
                || (!one.is_external() && !other.is_external() && one.scheme == other.scheme)
        }
        (Subject::Storage(one), Subject::Storage(other)) => one == other,
        _ => false,
    }
}

/// The directory of temporary servers and embedded engines; none where all targets are servers that are there.
fn own_directory(dir: &Path, subjects: &[Subject]) -> Result<Option<MeasuredDirectory>> {
    let is_own = |subject: &Subject| matches!(subject, Subject::Database(target, _) if !target.is_external());
    let needs_directory = subjects.iter().any(is_own);
    needs_directory.then(|| MeasuredDirectory::claim(dir, false)).transpose()
}

/// What is kept in a database that is there is a small table, and the monitor's own.
fn workspace(directory: Option<&MeasuredDirectory>, target: &Target) -> Workspace {
    Workspace {
        directory: directory.map_or_else(env::temp_dir, MeasuredDirectory::data),
        keep: target.is_external(),
        cache_bytes: Some(run::cache_bytes(Preset::Smoke)),
        sessions_max: SESSIONS_MAX,
    }
}

/// The baseline of each of `count` targets.
fn baselines(arguments: &MonitorWatchArguments, count: usize) -> Result<Vec<Option<Baseline>>> {
    let paths = &arguments.baseline;
    if paths.len() > 1 && paths.len() != count {
        let message = format!("--baseline names {} records for {count} targets", paths.len());
        return Err(Error::user(message).hint("give one for all targets, or one for each in the same order"));
    }
    let read = |path: &std::path::PathBuf| -> Result<Baseline> {
        Ok(baseline(&store::read_without_series(path, &|_| ()).map_err(unreadable)?))
    };
    let mut found = paths.iter().map(read).collect::<Result<Vec<Baseline>>>()?;
    match found.len() {
        0 => Ok(vec![None; count]),
        1 => Ok(vec![found.pop(); count]),
        _ => Ok(found.into_iter().map(Some).collect()),
    }
}

/// A node of `target` with what is promised of it, which is printed.
fn promised_of(target: &Target, opened: Opened, slo: &Slo, baseline: Option<&Baseline>) -> Result<Watched> {
    let name = match opened.node.as_str() {
        "" => target.to_string(),
        node => format!("{target} {node}"),
    };
    if let Some(baseline) = baseline {
        check_engine(baseline, &opened.engine_title, &name)?;
    }
    promised(name, opened.prober, slo, baseline)
}

/// What is called `name` with what is promised of it, which is printed.
fn promised(name: String, prober: Prober, slo: &Slo, baseline: Option<&Baseline>) -> Result<Watched> {
    let first = prober.operations();
    // A node of a cluster may come to take writes.
    let later =
        Operation::ALL.iter().filter(|operation| prober.may_be_asked(**operation) && !first.contains(operation));
    let promises: Vec<Promise> = first.iter().chain(later).map(|operation| slo.promise(*operation, baseline)).collect();
    let known: Vec<&Promise> = promises.iter().take(first.len()).collect();
    let is_promised = |promise: &&Promise| promise.threshold_ns.is_some() || !promise.operation.is_timed();
    if !known.iter().any(is_promised) {
        let error = Error::user(format!("nothing is promised of {name}: there is neither a baseline nor a threshold"));
        return Err(error.hint(match first.contains(&Operation::StorageRead) {
            true => "give --baseline RECORD with valid runs of S21 and S31 at one job, or thresholds in --slo FILE",
            false => {
                "give --baseline RECORD with valid runs of T611 and T321 or T311 at one job, or thresholds in --slo FILE"
            }
        }));
    }
    let record = baseline.map_or_else(String::new, |baseline| baseline.record.clone());
    print(&format!("{name}, promised{}", if record.is_empty() { String::new() } else { format!(" from {record}") }))?;
    for promise in known {
        let word = promise.operation.word();
        print(&format!("  {word:7} {}{}", report::promise_text(promise), of(promise, baseline)))?;
    }
    Ok(Watched { name, system: None, cluster: None, record, promises, prober })
}

/// Where the threshold of `promise` comes from.
fn of(promise: &Promise, baseline: Option<&Baseline>) -> String {
    let figures = baseline.into_iter().flat_map(|baseline| &baseline.figures);
    let found = figures.filter(|figure| figure.operation == promise.operation);
    let is_default = |p99: Nanos| promise.threshold_ns == Some(model::promise::threshold(p99));
    match found.max_by_key(|figure| figure.p99_ns).filter(|figure| is_default(figure.p99_ns)) {
        Some(figure) => format!(" (3 x p99 of {} at one job, {:.3} ms)", figure.test, figure.p99_ns.seconds() * 1e3),
        None => String::new(),
    }
}

/// Refuses a baseline of another engine.
fn check_engine(baseline: &Baseline, title: &str, target: &str) -> Result<()> {
    let of = baseline.engine.as_deref().unwrap_or("no engine");
    if of == title {
        return Ok(());
    }
    let error = Error::user(format!("baseline {} is of {of}, and {target} is {title}", baseline.record));
    Err(error.hint("give a record of the same engine, measured on the same kind of platform"))
}

/// The words of a command; no shell reads them.
fn words(command: &str) -> Result<Vec<String>> {
    match shlex::split(command) {
        Some(words) if !words.is_empty() => Ok(words),
        _ => {
            let error = Error::user(format!("alert command {command:?} has no words, or a quotation mark too many"));
            Err(error.hint("give a program with its arguments; no shell reads it, `sh -c '...'` asks for one"))
        }
    }
}
