//! Entries of the fuzz targets: what others wrote, read as it is read in earnest.

use std::fs::File;
use std::path::Path;

use record::Record;

use crate::error::Result;
use crate::gather::Fields;
use crate::read::read_fields;
use crate::write;

/// The record in `file`; without what was kept over time unless `whole`.
///
/// # Errors
/// As [`crate::read`].
pub fn read(file: &File, whole: bool) -> Result<Record> {
    let fields = if whole { Fields::All } else { Fields::NoSeries };
    Ok(read_fields(Path::new("fuzz"), file, fields, &|_| {})?.0)
}

/// The lines of `record`.
///
/// # Errors
/// [`crate::Error::Content`].
pub fn encode(record: &Record) -> Result<Vec<u8>> {
    write::encode(Path::new("fuzz"), record)
}
