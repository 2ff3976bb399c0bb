//! Pages: HTML files that dbdyno writes, and overwrites only where they are pages already.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

use model::PriceBook;
use record::Record;
use report::{Beside, Document, SheetOptions};
use run::{Error, Result};

use crate::build::sha256;
use crate::output::print;
use crate::subject;

/// Larger files are not hashed.
const HASHED_BYTES_MAX: u64 = 256 << 20;

/// Start of every page.
const PAGE_BEGIN: &[u8] = b"<!DOCTYPE html>";

/// The path of the page beside the record at `path`.
pub fn page_beside(path: &Path) -> PathBuf {
    path.with_extension("html")
}

/// The spec sheet of `record` at `path`, with the prices of its platform, and another platform beside it.
pub fn sheet_of(record: &Record, path: &Path, prices: Option<&PriceBook>, beside: Option<&Beside>) -> Document {
    sheet_named(record, path, &path.display().to_string(), prices, beside)
}

/// The same with `place` as the name of the file at `path`.
pub fn sheet_named(
    record: &Record,
    path: &Path,
    place: &str,
    prices: Option<&PriceBook>,
    beside: Option<&Beside>,
) -> Document {
    let (digest, published) = (digest(path), subject::published_streams(record));
    let options =
        SheetOptions { path: place, record_sha256: digest.as_deref(), prices, published: published.as_deref(), beside };
    report::sheet(record, &options)
}

/// The SHA-256 of a file that is not too large, in hexadecimal digits.
fn digest(path: &Path) -> Option<String> {
    let file = File::open(path).ok().filter(|file| file.metadata().is_ok_and(|data| data.len() <= HASHED_BYTES_MAX))?;
    sha256(file)
}

/// Writes `page` into `file` and says so. Only an existing page is overwritten.
///
/// # Errors
/// Where the file exists and is not a page, and where it cannot be written.
pub fn write_page(file: &Path, page: &str) -> Result<()> {
    save_page(file, page)?;
    print(&format!("page in {}", file.display()))
}

/// Writes `page` into `file`. Only an existing page is overwritten.
///
/// # Errors
/// Where the file exists and is not a page, and where it cannot be written.
pub fn save_page(file: &Path, page: &str) -> Result<()> {
    if is_other_file(file) {
        return Err(
            Error::user(format!("{} exists and is not a page of dbdyno", file.display())).hint("give another file")
        );
    }
    let refused = |error| Error::environment(format!("{} cannot be written: {error}", file.display()));
    fs::write(file, page).map_err(refused)
}

/// Whether `file` exists and is not a page. An empty file, and a device such as /dev/null, may be overwritten.
pub fn is_other_file(file: &Path) -> bool {
    if !fs::metadata(file).is_ok_and(|found| found.is_file() && found.len() > 0) {
        return false;
    }
    let mut begin = Vec::new();
    let read = File::open(file).and_then(|file| file.take(PAGE_BEGIN.len() as u64).read_to_end(&mut begin));
    read.is_err() || begin != PAGE_BEGIN
}
