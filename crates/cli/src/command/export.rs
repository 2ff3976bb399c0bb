//! `dbdyno export`: many records and published systems as tables or histograms, for other programs.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::TypedValueParser;
use export::{Existing, Export, Format, Written};
use model::System;
use run::{Error, Fault, Result};

use crate::arguments::choice;
use crate::command::records;
use crate::output::{note, print};
use crate::subject;

const EXAMPLES: &str = "\
Examples:
  dbdyno export . --format csv --out tables           all records of this directory
  dbdyno export a.jsonl b.jsonl --format parquet --out tables
  dbdyno export a.jsonl --format hdr --out histograms  one HdrHistogram log per run
  dbdyno export hp-dl980 --format csv --out tables    a published system (`dbdyno list references`)

Published figures go to separate tables (reference_points, ...): dbdyno did not measure them.";

/// Options of `dbdyno export`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ExportArguments {
    /// Records, directories of records, or names of published systems
    #[arg(value_name = "RECORD|DIR|REFERENCE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Output format
    #[arg(long, short, value_parser = format())]
    pub format: Format,
    /// Output directory; created if missing
    #[arg(long, short, value_name = "DIR")]
    pub out: PathBuf,
    /// Overwrite files in a directory that is not empty
    #[arg(long)]
    pub force: bool,
}

/// Output formats.
fn format() -> impl TypedValueParser<Value = Format> {
    const TABLES: &str = "Tables: runs, seconds, findings, settings, readings, I/O streams, file streams, random blocks and their \
                          operations, loads and their stages, scans, nodes, events, traces, activity, latency by layer, \
                          parameters, data sets; of a published system points, facts, figures, claims, prices, remarks";
    choice::of([
        ("csv", TABLES, Format::Csv),
        ("parquet", "The same tables as Parquet", Format::Parquet),
        ("hdr", "An HdrHistogram log per valid run, over time where slices were recorded", Format::Hdr),
    ])
}

/// Carries out `dbdyno export`.
///
/// # Errors
/// Where a record cannot be read, a name is unknown, or a file cannot be written.
pub fn export(arguments: &ExportArguments) -> Result<()> {
    let (named, files): (Vec<&PathBuf>, Vec<&PathBuf>) = arguments.inputs.iter().partition(|input| is_name(input));
    let references: Vec<&System> =
        named.iter().map(|name| subject::published(&name.to_string_lossy())).collect::<Result<_>>()?;
    let inputs = match files.is_empty() {
        true => Vec::new(),
        false => records::records(&files.into_iter().cloned().collect::<Vec<_>>())?,
    };
    // Before the directory is created.
    if let (Format::Hdr, Some(system)) = (arguments.format, references.first()) {
        return Err(refused(export::Error::NoHistograms { name: system.name.clone() }));
    }
    let existing = if arguments.force { Existing::Replace } else { Existing::Refuse };
    let mut export = Export::begin(&arguments.out, arguments.format, existing).map_err(refused)?;
    for system in references {
        export.add_reference(system).map_err(refused)?;
    }
    for input in &inputs {
        let record = match store::read(&input.path) {
            Ok(record) => record,
            Err(error) => {
                input.skip(error)?;
                continue;
            }
        };
        let id = record.id.clone();
        let name = export.add(record).map_err(refused)?;
        if name != id {
            note(&format!("{} is exported as {name}: there is another {id} before it", input.path.display()));
        }
    }
    print(&summary(&export.finish().map_err(refused)?, &arguments.out))
}

/// Whether it is the name of a published system: no such file exists, and it does not look like a path.
fn is_name(input: &Path) -> bool {
    !input.exists() && !subject::is_path(&input.to_string_lossy())
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
    Error { fault, message: error.to_string(), hint: error.hint().map(str::to_owned), setting: None }
}
