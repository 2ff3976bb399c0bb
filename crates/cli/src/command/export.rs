//! `dbdyno export`: many records as tables or histograms, for other programs.

use export::{Existing, Export};
use run::{Error, Fault, Result};

use crate::arguments::export::ExportArguments;
use crate::command::places::records;
use crate::output::{note, print};

/// Carries out `dbdyno export`.
///
/// # Errors
/// Where a record cannot be read or a file not be written.
pub fn export(arguments: &ExportArguments) -> Result<()> {
    let places = records(&arguments.places)?;
    let existing = if arguments.force { Existing::Replace } else { Existing::Refuse };
    let mut export = Export::begin(&arguments.out, arguments.format.into(), existing).map_err(refused)?;
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
    let written = export.finish().map_err(refused)?;
    let records = if written.records == 1 { "1 record".to_owned() } else { format!("{} records", written.records) };
    let mut text = format!("{records} in {}\n", arguments.out.display());
    text.extend(written.tables.iter().map(|(name, rows)| format!("{name:<11}{rows:>12}\n")));
    match written.left_out {
        0 => (),
        1 => text.push_str("1 void run is left out\n"),
        count => text.push_str(&format!("{count} void runs are left out\n")),
    }
    print(&text)
}

fn refused(error: export::Error) -> Error {
    let fault = match error {
        export::Error::NotEmpty { .. } => Fault::User,
        export::Error::Write { .. } => Fault::Environment,
    };
    Error { fault, message: error.to_string(), hint: error.hint().map(str::to_owned) }
}
