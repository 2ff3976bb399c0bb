//! Entry points of the fuzz targets.

use std::fs::File;
use std::path::Path;

use record::Record;

use crate::error::Result;
use crate::parse::Fields;
use crate::read::read_fields;
use crate::write;

/// The record in `file`; without time series unless `whole`.
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
