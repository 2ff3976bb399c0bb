//! Entries of the fuzz targets: what others wrote, read as it is read in earnest.

use std::fs::File;
use std::path::Path;

use record::{Record, Run};

use crate::error::Result;
use crate::gather::gather;
use crate::split::Fields;
use crate::{read, write};

/// The record in `json`, as one text.
///
/// # Errors
/// As [`crate::read`].
pub fn decode(json: &[u8]) -> Result<Record> {
    read::decode(Path::new("fuzz"), json)
}

/// The record in `file` as long ones are read, run by run; without what was kept over time unless `whole`.
pub fn gathered(file: &File, whole: bool) -> Option<Record> {
    let fields = if whole { Fields::All } else { Fields::NoSeries };
    gather(file, fields, &|_: &mut Run| {}).map(|(record, _)| record)
}

/// The text of `record`.
///
/// # Errors
/// As [`crate::write`].
pub fn encode(record: &Record) -> Result<Vec<u8>> {
    write::encode(Path::new("fuzz"), record)
}
