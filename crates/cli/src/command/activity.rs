//! `dbdyno report --activity`: what the database did while it was measured.

use std::path::Path;

use model::ActivityChoice;
use run::{Error, Result};

use crate::arguments::report::ReportFormat;
use crate::command::places::unreadable;
use crate::command::report::word;
use crate::output::{print, style, width};

/// Prints the activity of the runs of the record at `path` that `words` mean: none for the best run of each test, the
/// number of a run, the code of a test.
///
/// # Errors
/// Where the record cannot be read, where there is no such run or test or no engine took part in it, and where there is
/// none in `format`.
pub fn activity(path: &Path, words: Option<&str>, format: ReportFormat) -> Result<()> {
    let choice = words.map_or(ActivityChoice::Best, ActivityChoice::parse);
    let refused = |reason| Error::user(reason).hint("dbdyno report RECORD lists the runs with their numbers and tests");
    let record = || store::read(path).map_err(unreadable);
    match format {
        ReportFormat::Text => {
            let place = path.display().to_string();
            let text = report::activity_text(&record()?, &choice, &place, style(), width());
            print(&text.map_err(refused)?)
        }
        ReportFormat::Csv => print(&report::activity_csv(&record()?, &choice).map_err(refused)?),
        other => {
            let message = format!("the activity of a database has no {}", word(other));
            Err(Error::user(message).hint("use --format text or csv"))
        }
    }
}
