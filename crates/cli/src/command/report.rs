//! `dbdyno report`: a record, shown again on any machine.

use report::FioJson;
use run::{Error, Fault, Result};

use crate::arguments::{ReportArguments, ReportFormat};
use crate::output::{print, style, width};

/// Carries out `dbdyno report`.
///
/// # Errors
/// Where the record cannot be read.
pub fn report(arguments: &ReportArguments) -> Result<()> {
    let record = store::read(&arguments.record).map_err(|error| Error { fault: Fault::User, ..Error::from(error) })?;
    print(&match arguments.format {
        ReportFormat::Text => report::text(&record, &arguments.record.display().to_string(), style(), width()),
        ReportFormat::Json => report::json(&record),
        ReportFormat::Csv => report::csv(&record),
        ReportFormat::IoCsv => report::io_csv(&record),
        ReportFormat::FioJson => report::fio_json(&record, FioJson::Plain),
        ReportFormat::FioJsonPlus => report::fio_json(&record, FioJson::Plus),
    })
}
