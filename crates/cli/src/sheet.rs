//! What a verb that measures prints about its record, and the page that it writes.

use std::path::Path;

use record::Record;
use report::ShortText;
use run::{Error, Measured, Result};

use crate::arguments::output::OutputArguments;
use crate::output::{note, print, style, width};
use crate::page::{is_other_file, page_of, save_page};

/// Refuses a file for the page that is something else.
///
/// # Errors
/// Where `--html` names an existing file that is no page.
pub fn check_page(output: &OutputArguments) -> Result<()> {
    match output.html.as_ref().filter(|file| is_other_file(file)) {
        Some(file) => Err(Error::user(format!("{} exists and is not a page of dbdyno", file.display()))
            .hint("give another file, or --no-html")),
        None => Ok(()),
    }
}

/// Writes the page of a measurement, and prints its record: all of it as `details` says, with `--details`.
///
/// # Errors
/// Where the standard output cannot be written.
pub fn show(measured: &Measured, output: &OutputArguments, details: impl Fn(&Record, &str) -> String) -> Result<()> {
    if measured.record.runs.is_empty() {
        return Ok(());
    }
    let page = output.page(&measured.path).filter(|file| saved(&page_of(&measured.record, &measured.path, None), file));
    let (path, page) = (measured.path.display().to_string(), page.map(|file| file.display().to_string()));
    print(&match output.details {
        true => {
            let line = page.map(|page| format!("page      {page}\n")).unwrap_or_default();
            details(&measured.record, &path) + &line
        }
        false => {
            let shown = ShortText { path: &path, page: page.as_deref(), only_sheet: output.quiet };
            report::short_text(&measured.record, &shown, style(), width())
        }
    })
}

/// Writes `page` into `file`, and returns whether that was possible. A measurement is not lost where it is not.
pub fn saved(page: &str, file: &Path) -> bool {
    let written = save_page(file, page);
    if let Err(error) = &written {
        note(&format!("no page: {error}"));
    }
    written.is_ok()
}
