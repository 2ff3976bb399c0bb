//! `dbdyno history`: one figure from record to record.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::builder::TypedValueParser;
use clap::{Args, ValueEnum};
use model::history::{HistoryQuery, Metric, history_entry};
use record::{Record, Run};
use run::{Error, Result};

use crate::arguments::choice;
use crate::arguments::value::{self, AtJobs};
use crate::command::records::records;
use crate::output::{note, print, print_data, style, width};
use crate::page::write_page;

const EXAMPLES: &str = "\
Examples:
  dbdyno history --test T611                      throughput of T611 in the records of this directory
  dbdyno history records --test T616 --jobs 8 --metric p99
  dbdyno history records --test T311 --format csv
  dbdyno history records --test T311 --html t311.html";

/// Options of `dbdyno history`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct HistoryArguments {
    /// Records, or directories of records
    #[arg(value_name = "RECORD|DIR", default_value = ".")]
    pub inputs: Vec<PathBuf>,
    /// The test or probe
    #[arg(long, value_name = "CODE")]
    pub test: String,
    /// At how many jobs: a number, or `best` for the degree of parallelism with the highest throughput
    #[arg(long, short, value_name = "N", default_value = "best", value_parser = value::at_jobs)]
    pub jobs: AtJobs,
    /// Metric to follow
    #[arg(long, short, default_value = "throughput", value_parser = metric())]
    pub metric: Metric,
    /// Write a self-contained HTML page instead of printing
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    pub html: Option<PathBuf>,
    /// Output format
    #[arg(long, value_enum, default_value_t = HistoryFormat::Text)]
    pub format: HistoryFormat,
}

/// Formats of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum HistoryFormat {
    /// Human-readable
    Text,
    /// One line per record
    Csv,
}

/// Metrics of a history.
fn metric() -> impl TypedValueParser<Value = Metric> {
    choice::of([
        ("throughput", "Operations per second, in the unit of the test", Metric::Throughput),
        ("p99", "The 0.99 quantile of the service time", Metric::P99),
        ("efficiency", "Share of the ceiling in the same record", Metric::Efficiency),
    ])
}

/// Carries out `dbdyno history`.
///
/// # Errors
/// Where a record cannot be read, and where none has the test.
pub fn history(arguments: &HistoryArguments) -> Result<()> {
    let query = HistoryQuery { test: arguments.test.clone(), jobs: jobs(arguments.jobs), metric: arguments.metric };
    let inputs = records(&arguments.inputs)?;
    let mut entries = Vec::new();
    let (mut tests, mut degrees) = (BTreeSet::new(), BTreeSet::new());
    let mut varied = 0;
    for input in &inputs {
        // The planned tests of records of a directory are known.
        let planned = input.tests.as_ref();
        tests.extend(planned.into_iter().flatten().cloned());
        if planned.is_some_and(|tests| !tests.contains(&query.test)) {
            continue;
        }
        let record = match store::read_without_series(&input.path, &model::thin) {
            Ok(record) => record,
            Err(error) => {
                input.skip(error)?;
                continue;
            }
        };
        tests.extend(record.plan.runs.iter().map(|run| run.test.clone()));
        let has_plain = has_plain(&record, &query);
        degrees.extend(jobs_of(&record, &query.test));
        varied += u64::from(has_plain == Some(false));
        entries.extend(history_entry(record, &query));
    }
    if varied > 0 {
        note(&skipped(&query.test, varied));
    }
    if entries.is_empty() {
        return Err(nothing(&query, inputs.len(), &tests, &degrees));
    }
    if let Some(file) = &arguments.html {
        return write_page(file, &report::history(entries, &query).html());
    }
    match arguments.format {
        HistoryFormat::Text => print(&report::history(entries, &query).text(style(), width())),
        HistoryFormat::Csv => print_data(&report::history_csv(entries, &query)),
    }
}

/// Whether `record` has a plain run for `query`; none where it has no run for it.
fn has_plain(record: &Record, query: &HistoryQuery) -> Option<bool> {
    let matches = |run: &&Run| run.test == query.test && query.jobs.is_none_or(|jobs| run.dop.jobs == jobs);
    let mut runs = record.runs.iter().filter(matches).peekable();
    runs.peek()?;
    Some(runs.any(|run| run.variation.is_none()))
}

fn skipped(test: &str, varied: u64) -> String {
    let (records, have) = if varied == 1 { ("record", "has") } else { ("records", "have") };
    format!(
        "skipped: {varied} {records} that {have} no plain run of {test}, only runs at a rate, with think time, traced or with \
         another share of a resource"
    )
}

/// The numbers of jobs of plain runs of `test`.
fn jobs_of(record: &Record, test: &str) -> Vec<u32> {
    let is_plain = |run: &&Run| run.test == test && run.variation.is_none();
    record.runs.iter().filter(is_plain).map(|run| run.dop.jobs).collect()
}

/// The error where no record has the test, or not at this number of jobs.
fn nothing(query: &HistoryQuery, records: usize, tests: &BTreeSet<String>, degrees: &BTreeSet<u32>) -> Error {
    let test = &query.test;
    if let (Some(jobs), false) = (query.jobs, degrees.is_empty()) {
        let known: Vec<String> = degrees.iter().map(u32::to_string).collect();
        let message = format!("none of {records} records has test {test} at {jobs} jobs");
        return Error::user(message).hint(format!("they have it at jobs {}", known.join(", ")));
    }
    let known: Vec<&str> = tests.iter().map(String::as_str).collect();
    let hint = match known.is_empty() {
        true => "they have no tests".to_owned(),
        false => format!("they have {}", known.join(", ")),
    };
    Error::user(format!("none of {records} records has test {test}")).hint(hint)
}

/// The number of jobs; none for the best one.
fn jobs(at: AtJobs) -> Option<u32> {
    match at {
        AtJobs::Best => None,
        AtJobs::Number(jobs) => Some(jobs),
    }
}
