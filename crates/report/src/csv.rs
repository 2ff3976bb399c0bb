//! One line per run, for a spreadsheet or a statistics program.

use record::Record;
use tables::run;

use crate::view::View;

/// The runs of `record` as comma-separated values (RFC 4180, UTF-8) under one line of heads; the unit of a column is
/// in its name: nanoseconds, bytes, per second. An invalid run has no results.
pub fn csv(record: &Record) -> String {
    View::of(run::columns()).csv(run::rows(record))
}
