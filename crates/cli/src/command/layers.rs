//! `dbdyno report --layers`: the latency table of runs, from the client down to the device.

use std::path::Path;

use report::LayersQuestion;
use run::{Error, Result};

use crate::arguments::report::ReportFormat;
use crate::command::places::unreadable;
use crate::command::report::word;
use crate::output::{print, style, width};

/// Prints the tables of the record at `path` that `words` mean: none, the number of a run, the code of a test.
///
/// # Errors
/// Where the record cannot be read, where there is no such run or test or it has no table, and where there is none in
/// `format`.
pub fn layers(path: &Path, words: Option<&str>, format: ReportFormat) -> Result<()> {
    let question = LayersQuestion::of(words);
    let refused = |reason| Error::user(reason).hint("dbdyno report RECORD lists the runs with their numbers and tests");
    let record = || store::read_without_series(path, &model::thin).map_err(unreadable);
    match format {
        ReportFormat::Text => {
            let place = path.display().to_string();
            let text = report::layers_text(&record()?, &question, &place, style(), width());
            print(&text.map_err(refused)?)
        }
        ReportFormat::Csv => print(&report::layers_csv(&record()?, &question).map_err(refused)?),
        other => Err(Error::user(format!("latency tables have no {}", word(other))).hint("use --format text or csv")),
    }
}
