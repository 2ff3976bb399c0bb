//! `dbdyno export`: many records and published systems as tables or histograms, for other programs.

use std::path::{Path, PathBuf};

use export::{Existing, Export, Written};
use model::System;
use run::{Error, Fault, Result};

use crate::arguments::export::{ExportArguments, ExportFormat};
use crate::command::places::records;
use crate::command::subject;
use crate::output::{note, print};

/// Carries out `dbdyno export`.
///
/// # Errors
/// Where a record cannot be read, a name means nothing, or a file cannot be written.
pub fn export(arguments: &ExportArguments) -> Result<()> {
    let (named, files): (Vec<&PathBuf>, Vec<&PathBuf>) = arguments.places.iter().partition(|place| is_name(place));
    let references: Vec<&System> =
        named.iter().map(|name| subject::published(&name.to_string_lossy())).collect::<Result<_>>()?;
    let places = match files.is_empty() {
        true => Vec::new(),
        false => records(&files.into_iter().cloned().collect::<Vec<_>>())?,
    };
    // Before a directory is made for nothing.
    if let (ExportFormat::Hdr, Some(system)) = (arguments.format, references.first()) {
        return Err(refused(export::Error::NoHistograms { name: system.name.clone() }));
    }
    let existing = if arguments.force { Existing::Replace } else { Existing::Refuse };
    let mut export = Export::begin(&arguments.out, arguments.format.into(), existing).map_err(refused)?;
    for system in references {
        export.add_reference(system).map_err(refused)?;
    }
    for place in &places {
        let record = match store::read(&place.path) {
            Ok(record) => record,
            Err(error) => {
                place.leave_out(error)?;
                continue;
            }
        };
        let id = record.id.clone();
        let name = export.add(record).map_err(refused)?;
        if name != id {
            note(&format!("{} is called {name}: there is another {id} before it", place.path.display()));
        }
    }
    print(&summary(&export.finish().map_err(refused)?, &arguments.out))
}

/// Whether a published system is meant, and not a file: nothing lies there, and it does not look like a path.
fn is_name(place: &Path) -> bool {
    !place.exists() && !subject::is_path(&place.to_string_lossy())
}

fn summary(written: &Written, out: &Path) -> String {
    let counted = |count: usize, noun: &str| match count {
        0 => None,
        1 => Some(format!("1 {noun}")),
        count => Some(format!("{count} {noun}s")),
    };
    let what = [counted(written.records, "record"), counted(written.references, "published system")];
    let what = what.into_iter().flatten().collect::<Vec<_>>().join(" and ");
    let what = if what.is_empty() { "no record".to_owned() } else { what };
    let mut text = format!("{what} in {}\n", out.display());
    let width = written.tables.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    text.extend(written.tables.iter().map(|(name, rows)| format!("{name:<width$}{rows:>12}\n")));
    match written.left_out {
        0 => (),
        1 => text.push_str("1 invalid run is left out\n"),
        count => text.push_str(&format!("{count} invalid runs are left out\n")),
    }
    text
}

fn refused(error: export::Error) -> Error {
    let fault = match error {
        export::Error::NotEmpty { .. } | export::Error::NoHistograms { .. } => Fault::User,
        export::Error::Write { .. } => Fault::Environment,
    };
    Error { fault, message: error.to_string(), hint: error.hint().map(str::to_owned) }
}
