//! What the database did during a run, in the order of the reports that administrators know: on a terminal, as
//! comma-separated values, on the page.

mod csv;
mod text;
mod words;

use model::{ActivityChoice, DatabaseActivity};
use record::{Record, Run};

pub use csv::activity_csv;
pub use text::activity_text;
pub(crate) use words::{
    amount, below, checkpoints, class, log_facts, method, observer, samples, sessions, shown_buckets, time_share,
    unknown_lines,
};

/// The activity of one run.
pub(crate) struct Told<'a> {
    /// The run.
    pub(crate) run: &'a Run,
    /// What the database did.
    pub(crate) activity: DatabaseActivity,
}

/// What there is to tell of the runs of `record` that `choice` means.
pub(crate) fn told<'a>(record: &'a Record, choice: &ActivityChoice) -> Vec<Told<'a>> {
    let runs = model::activity_runs(record, choice).into_iter();
    runs.filter_map(|run| Some(Told { run, activity: model::database_activity(record, run)? })).collect()
}

/// Whether there is anything to tell of the best run of a test of `record`.
pub(crate) fn has_activity(record: &Record) -> bool {
    !model::activity_runs(record, &ActivityChoice::Best).is_empty()
}

/// The same where somebody asked for it.
///
/// # Errors
/// What is wrong with the question, in words.
fn asked<'a>(record: &'a Record, choice: &ActivityChoice) -> Result<Vec<Told<'a>>, String> {
    let told = told(record, choice);
    if !told.is_empty() {
        return Ok(told);
    }
    Err(match choice {
        ActivityChoice::Best => "no valid run of this record works through an engine".to_owned(),
        ActivityChoice::Number(number) if record.runs.iter().any(|run| run.number == *number) => {
            format!("run {number} does not work through an engine")
        }
        ActivityChoice::Number(number) => {
            format!("there is no run {number} in this record of {} runs", record.runs.len())
        }
        ActivityChoice::Test(code) if record.runs.iter().any(|run| run.test.eq_ignore_ascii_case(code)) => {
            format!("no run of {code} works through an engine")
        }
        ActivityChoice::Test(code) => format!("there is no run of test {code} in this record"),
    })
}
