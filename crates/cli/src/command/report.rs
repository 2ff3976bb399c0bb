//! `dbdyno report`: a record, shown again on any machine, or a published system.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use model::{PriceBook, System};
use record::Record;
use report::{FioJson, PageOptions};
use run::{Error, Result};
use sha2::{Digest, Sha256};

use crate::arguments::report::{ReportArguments, ReportFormat};
use crate::command::places::unreadable;
use crate::command::{activity, layers, subject};
use crate::output::{print, style, width};

/// From this size on, a page keeps of a record no more than it shows.
const LONG_BYTES: u64 = 64 << 20;

/// Larger files are not read once more for their SHA-256.
const HASHED_BYTES_MAX: u64 = 256 << 20;

/// What every page begins with.
const PAGE_BEGIN: &[u8] = b"<!DOCTYPE html>";

/// Carries out `dbdyno report`.
///
/// # Errors
/// Where there is neither such a record nor such a published system, or it cannot be read; where prices cannot be read;
/// where a page cannot be written.
pub fn report(arguments: &ReportArguments) -> Result<()> {
    let prices = arguments.prices.as_deref().map(subject::price_book).transpose()?;
    match published(&arguments.record)? {
        Some(system) => show_system(system, arguments, prices.as_ref()),
        None => show_record(arguments, prices.as_ref()),
    }
}

/// The published system that is meant, where no file is.
fn published(place: &Path) -> Result<Option<&'static System>> {
    let name = place.to_string_lossy();
    if place.exists() || subject::is_path(&name) {
        return Ok(None);
    }
    let refused = |lookup: reference::Lookup| Error::user(format!("there is no record {name}, and {lookup}"));
    reference::find(&name).map(Some).map_err(refused)
}

fn show_system(system: &System, arguments: &ReportArguments, prices: Option<&PriceBook>) -> Result<()> {
    if arguments.activity.is_some() {
        return Err(
            Error::user("of a published system no activity is known").hint("name a record, or leave --activity out")
        );
    }
    if arguments.layers.is_some() {
        return Err(Error::user("a published system has no latency table").hint("name a record, or leave --layers out"));
    }
    match (&arguments.html, arguments.format) {
        (Some(file), _) => {
            let options = PageOptions { prices, ..PageOptions::default() };
            write_page(file, &report::system_html(system, &options))
        }
        (None, ReportFormat::Text) => print(&report::system_text(system, prices, style(), width())),
        (None, format) => Err(Error::user(format!("a published system has no {}", word(format)))
            .hint("leave --format out, or use --html FILE")),
    }
}

/// A format as it stands on the command line.
pub fn word(format: ReportFormat) -> &'static str {
    match format {
        ReportFormat::Text => "text",
        ReportFormat::Json => "json",
        ReportFormat::Csv => "csv",
        ReportFormat::IoCsv => "io-csv",
        ReportFormat::FioJson => "fio-json",
        ReportFormat::FioJsonPlus => "fio-json+",
    }
}

fn show_record(arguments: &ReportArguments, prices: Option<&PriceBook>) -> Result<()> {
    if let Some(words) = &arguments.activity {
        return activity::activity(&arguments.record, words.as_deref(), arguments.format);
    }
    if let Some(words) = &arguments.layers {
        return layers::layers(&arguments.record, words.as_deref(), arguments.format);
    }
    let place = arguments.record.display().to_string();
    if let Some(file) = &arguments.html {
        if file == &arguments.record {
            return Err(Error::user(format!("{place} is the record itself")).hint("name another file for the page"));
        }
        let record = read_for_page(&arguments.record)?;
        let digest = digest(&arguments.record);
        let options = PageOptions { place: &place, record_sha256: digest.as_deref(), prices };
        return write_page(file, &report::html(&record, &options));
    }
    // What a view of all runs does not show is dropped while it is read: a record may hold a hundred thousand of them.
    let record = match arguments.format {
        ReportFormat::Text | ReportFormat::Csv | ReportFormat::IoCsv => {
            store::read_without_series(&arguments.record, &model::thin)
        }
        ReportFormat::Json | ReportFormat::FioJson | ReportFormat::FioJsonPlus => store::read(&arguments.record),
    };
    let record = record.map_err(unreadable)?;
    print(&match arguments.format {
        ReportFormat::Text => {
            let costs = prices.map(|book| report::price_text(&record, book, style(), width())).unwrap_or_default();
            report::text(&record, &place, style(), width()) + &costs
        }
        ReportFormat::Json => report::json(&record),
        ReportFormat::Csv => report::csv(&record),
        ReportFormat::IoCsv => report::io_csv(&record),
        ReportFormat::FioJson => report::fio_json(&record, FioJson::Plain),
        ReportFormat::FioJsonPlus => report::fio_json(&record, FioJson::Plus),
    })
}

/// The record, of which a long one keeps the details of those runs alone that a page draws.
fn read_for_page(path: &Path) -> Result<Record> {
    if fs::metadata(path).is_ok_and(|file| file.len() < LONG_BYTES) {
        return store::read(path).map_err(unreadable);
    }
    store::read_in_detail(path, &model::thin, &report::runs_in_detail).map_err(unreadable)
}

/// The SHA-256 of a file that is not too large, in hexadecimal digits.
fn digest(path: &Path) -> Option<String> {
    let file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|data| data.len() <= HASHED_BYTES_MAX))?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    let mut file = file;
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return Some(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            Ok(length) => hash.update(&buffer[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => (),
            Err(_) => return None,
        }
    }
}

/// Writes `page` into `file`, in place of a page that may be there, but of nothing else.
///
/// # Errors
/// Where something else is there, and where it cannot be written.
pub fn write_page(file: &Path, page: &str) -> Result<()> {
    if is_something_else(file) {
        return Err(Error::user(format!("{} is there and is no page", file.display())).hint("name another file"));
    }
    let refused = |error| Error::environment(format!("{} cannot be written: {error}", file.display()));
    fs::write(file, page).map_err(refused)?;
    print(&format!("page in {}", file.display()))
}

/// Whether there is a file that does not begin as a page does. An empty one, and a device such as /dev/null, may be
/// written.
fn is_something_else(file: &Path) -> bool {
    if !fs::metadata(file).is_ok_and(|there| there.is_file() && there.len() > 0) {
        return false;
    }
    let mut begin = Vec::new();
    let read = File::open(file).and_then(|file| file.take(PAGE_BEGIN.len() as u64).read_to_end(&mut begin));
    read.is_err() || begin != PAGE_BEGIN
}
