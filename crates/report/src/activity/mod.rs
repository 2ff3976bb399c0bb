//! Database activity of a run, in the order of AWR reports: as a document, as comma-separated values.

mod document;
mod words;

use model::{ActivityChoice, DatabaseActivity};
use record::{Record, Run};

use crate::view::View;

pub use document::activity;
pub(crate) use document::of_record;

/// The activity of one run.
struct RunActivity<'a> {
    /// The run.
    run: &'a Run,
    /// The database activity.
    activity: DatabaseActivity,
}

/// The activity of the runs of `record` that `choice` selects.
fn activities<'a>(record: &'a Record, choice: &ActivityChoice) -> Vec<RunActivity<'a>> {
    let runs = model::activity_runs(record, choice).into_iter();
    runs.filter_map(|run| Some(RunActivity { run, activity: model::database_activity(record, run)? })).collect()
}

/// Whether the best run of any test of `record` has activity.
pub(crate) fn has_activity(record: &Record) -> bool {
    !model::activity_runs(record, &ActivityChoice::Best).is_empty()
}

/// As [`activities`], for an explicit request.
fn requested<'a>(record: &'a Record, choice: &ActivityChoice) -> Result<Vec<RunActivity<'a>>, String> {
    let found = activities(record, choice);
    if !found.is_empty() {
        return Ok(found);
    }
    Err(match choice {
        ActivityChoice::Best => "no valid run of this record uses an engine".to_owned(),
        ActivityChoice::Number(number) if record.runs.iter().any(|run| run.number == *number) => {
            format!("run {number} does not use an engine")
        }
        ActivityChoice::Number(number) => {
            format!("there is no run {number} in this record of {} runs", record.runs.len())
        }
        ActivityChoice::Test(code) if record.runs.iter().any(|run| run.test.eq_ignore_ascii_case(code)) => {
            format!("no run of {code} uses an engine")
        }
        ActivityChoice::Test(code) => format!("there is no run of test {code} in this record"),
    })
}

/// The database activity during the runs of `record` that `choice` selects, as comma-separated values (RFC 4180, UTF-8)
/// with a header line; unknown values are empty, with a reason where there is one.
///
/// # Errors
/// Why there is no activity, in words.
pub fn activity_csv(record: &Record, choice: &ActivityChoice) -> Result<String, String> {
    let rows =
        requested(record, choice)?.into_iter().flat_map(|of| tables::activity::rows_of(record, of.run, &of.activity));
    Ok(View::of(tables::activity::columns()).csv(rows))
}
