//! What a verb that measures prints about its record, and the page that it writes.

use std::path::Path;

use record::Record;
use report::{Beside, ShortText};
use run::{Error, Measured, Result};

use crate::arguments::output::OutputArguments;
use crate::output::{note, print, style, width};
use crate::page::{is_other_file, save_page, sheet_of};
use crate::subject;

/// Refuses a file for the page that is something else.
///
/// # Errors
/// Where `--html` names an existing file that is no page.
pub fn check_output(output: &OutputArguments) -> Result<()> {
    match output.html.as_ref().filter(|file| is_other_file(file)) {
        Some(file) => Err(Error::user(format!("{} exists and is not a page of dbdyno", file.display()))
            .hint("give another file, or --no-html")),
        None => Ok(()),
    }
}

/// Writes the page of a measurement, and prints its record: all of it with `--details`.
///
/// # Errors
/// Where the standard output cannot be written.
pub fn show(measured: &Measured, output: &OutputArguments) -> Result<()> {
    show_beside(measured, output, None)
}

/// The same, beside another platform. A measurement is shown without it where that is not possible.
///
/// # Errors
/// Where the standard output cannot be written.
pub fn show_beside(measured: &Measured, output: &OutputArguments, other: Option<&str>) -> Result<()> {
    if measured.record.runs.is_empty() {
        return Ok(());
    }
    let beside = other.and_then(|words| {
        let beside = beside_of(&measured.record, words);
        beside.inspect_err(|error| note(&format!("nothing is shown beside it: {error}"))).ok()
    });
    let sheet = || sheet_of(&measured.record, &measured.path, None, beside.as_ref());
    let page = output.page(&measured.path).filter(|file| saved(&sheet().html(), file));
    let (path, page) = (measured.path.display().to_string(), page.map(|file| file.display().to_string()));
    print(&match output.details {
        true => {
            let line = page.map(|page| format!("page      {page}\n")).unwrap_or_default();
            sheet().text(style(), width()) + &line
        }
        false => {
            let shown =
                ShortText { path: &path, page: page.as_deref(), only_sheet: output.quiet, beside: beside.as_ref() };
            report::short_text(&measured.record, &shown, style(), width())
        }
    })
}

/// `record` beside the platform that `words` name.
///
/// # Errors
/// Where `record` has no workloads, where there is no such platform or it cannot be read, and where both have no test in common.
pub fn beside_of(record: &Record, words: &str) -> Result<Beside> {
    if !report::has_workloads(record) {
        return Err(Error::user(format!("the record has no workloads to be held against {words}"))
            .hint("--beside is for records of dbdyno run; use dbdyno compare"));
    }
    let beside = Beside::of(record, subject::beside(words)?);
    match beside.is_comparable() {
        true => Ok(beside),
        false => Err(Error::user(format!("{words} has no test of this record"))
            .hint("give the record of a run with the same tests, or see dbdyno compare")),
    }
}

/// Writes `page` into `file`, and returns whether that was possible. A measurement is not lost where it is not.
pub fn saved(page: &str, file: &Path) -> bool {
    let written = save_page(file, page);
    if let Err(error) = &written {
        note(&format!("no page: {error}"));
    }
    written.is_ok()
}
