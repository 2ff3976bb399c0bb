//! Reproduction: the source of the tests, and the command that repeats the measurement.

use std::collections::BTreeSet;
use std::path::Path;

use record::{Pace, PlanSubject, Record, StreamBackend};

use crate::fleet::run_command;
use crate::load_beside::load_beside_options;
use crate::load_curve::load_options;
use crate::plan::ends_by_itself;
use crate::scripts::script_options;
use crate::shell_word::shell_word;
use crate::streams;
use crate::words::{placement, preset};

/// The fewest rows that a table may have.
const ROWS_MIN: u64 = 3_200;

/// The source of schema, indexes, statements and key distributions of the tests.
pub(crate) fn sources(record: &Record) -> Result<String, String> {
    let beside = record.plan.loads_beside.iter().filter_map(|load| load.test_file.as_ref());
    let files: Vec<&str> = record.plan.test_files.iter().chain(beside).map(String::as_str).collect();
    if !files.is_empty() {
        let files = files.join(", ");
        return Err(format!("user-defined test files ({files}) are not in the record: publish them with it"));
    }
    if record.plan.scripts.is_some() {
        return Ok("the scripts in the plan of the record, with their weights and variables".to_owned());
    }
    if record.plan.subject() == PlanSubject::Load {
        return Ok(format!("built into dbdyno {}; for the load see Bulk load", record.tool.version));
    }
    let of_catalogue = record.plan.runs.is_empty() || record.plan.runs.iter().any(|run| is_code(&run.test));
    let source = if of_catalogue { "test files in the catalogue of" } else { "built into" };
    let commit = record.tool.build.as_ref().and_then(|build| build.commit.as_ref());
    let revision = commit.map(|commit| format!(", source revision {commit}")).unwrap_or_default();
    Ok(format!("{source} dbdyno {}{revision}, random data from seed {}", record.tool.version, record.plan.seed))
}

/// The command that makes the same plan of tests and probes, without passwords.
pub(crate) fn run(record: &Record) -> Result<String, &'static str> {
    let plan = &record.plan;
    if plan.paired.is_some() {
        return Err("repeat the pair with its dbdyno pair command; the plan of this side is in the record");
    }
    if plan.in_kind.is_some() {
        return Err("the files of the load in kind are not in the record, only what they ask");
    }
    if plan.runs.is_empty() {
        return Err("the plan has no run");
    }
    let mut words = vec![run_command(plan)];
    let mut option = |name: &str, value: String| words.push(format!("--{name} {}", shell_word(&value)));
    if record.engine.is_some() {
        option("target", plan.target.clone());
    }
    let catalogue: BTreeSet<&str> =
        plan.runs.iter().map(|run| run.test.as_str()).filter(|code| is_code(code)).collect();
    let tests: Vec<&str> = catalogue.into_iter().chain(plan.test_files.iter().map(String::as_str)).collect();
    if !tests.is_empty() {
        option("tests", tests.join(","));
    }
    let numbers = |numbers: BTreeSet<u32>| numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    option("jobs", numbers(plan.runs.iter().map(|run| run.dop.jobs.max(run.dop.threads)).collect()));
    let nodes: BTreeSet<u32> = plan.runs.iter().map(|run| run.dop.nodes).collect();
    if nodes.iter().any(|nodes| *nodes > 1) {
        option("nodes", numbers(nodes));
    }
    option("preset", preset(plan.preset).to_owned());
    option("seconds", plan.window_ns.seconds().to_string());
    option("warm-up", plan.warm_up_ns.seconds().to_string());
    if let Some(steps) = plan.steps {
        option("steps", steps.to_string());
    }
    if plan.until.is_none() {
        option("repeats", plan.repeats.to_string());
    }
    for (name, rows) in [("small-rows", plan.small_rows), ("large-rows", plan.large_rows)] {
        if rows >= ROWS_MIN {
            option(name, rows.to_string());
        }
    }
    if let Some(warehouses) = plan.warehouses {
        option("warehouses", warehouses.to_string());
    }
    load_beside_options(plan).for_each(|(name, value)| option(name, value));
    load_options(plan).into_iter().for_each(|(name, value)| option(name, value));
    match plan.pace {
        Pace::Unthrottled => {}
        Pace::Rate { steps_per_second } => {
            option("rate", steps_per_second.to_string());
            option("arrival", "fixed".to_owned());
        }
        Pace::Poisson { steps_per_second } => option("rate", steps_per_second.to_string()),
        Pace::ThinkTime { think_ns } => option("think-time", format!("{}ns", think_ns.0)),
    }
    option("placement", placement(plan.placement).to_owned());
    option("seed", plan.seed.to_string());
    let directory = Path::new(&plan.directory).parent().map(|parent| parent.display().to_string());
    option("dir", directory.unwrap_or_else(|| ".".to_owned()));
    words.extend(script_options(plan));
    Ok(words.join(" "))
}

/// The same for file streams; none without a valid run.
pub(crate) fn streams(record: &Record) -> Option<String> {
    let plan = &record.plan;
    let (_, first) = streams::valid(record).next()?;
    let mut words = vec!["dbdyno streams".to_owned()];
    let mut option = |name: &str, value: String| words.push(format!("--{name} {}", shell_word(&value)));
    option("target", plan.target.clone());
    let jobs: BTreeSet<u32> = plan.runs.iter().map(|run| run.dop.jobs).collect();
    option("streams", jobs.iter().map(u32::to_string).collect::<Vec<_>>().join(","));
    let mut forms: Vec<&str> = streams::valid(record).map(|(_, streams)| streams.form.as_str()).collect();
    forms.dedup();
    option("form", forms.join(","));
    option("request", first.request_bytes.0.to_string());
    option("file", first.file_bytes.0.to_string());
    if first.requests_per_commit < first.file_bytes.0 / first.request_bytes.0.max(1) {
        option("commit-every", first.requests_per_commit.to_string());
    }
    if !ends_by_itself(plan) {
        option("seconds", plan.window_ns.seconds().to_string());
    }
    option("preset", preset(plan.preset).to_owned());
    option("placement", placement(plan.placement).to_owned());
    option("seed", plan.seed.to_string());
    let directory = Path::new(&plan.directory).parent().map(|parent| parent.display().to_string());
    option("dir", directory.unwrap_or_else(|| ".".to_owned()));
    let buffered = streams::valid(record).any(|(_, streams)| streams.backend == StreamBackend::FileSystemCached);
    words.extend(buffered.then(|| "--buffered".to_owned()));
    Some(words.join(" "))
}

/// Whether it is the code of a built-in test; others are user-defined.
fn is_code(test: &str) -> bool {
    let is_test =
        matches!(test.as_bytes(), [b'T', digits @ ..] if digits.len() == 3 && digits.iter().all(u8::is_ascii_digit));
    is_test || record::RunKind::of_code(test).is_probe()
}
