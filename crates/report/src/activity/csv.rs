//! The activity as comma-separated values: one line per figure.

use model::ActivityChoice;
use record::Record;
use tables::activity;

use super::asked;
use crate::view::View;

/// What the database did during the runs of `record` that `choice` means, as comma-separated values (RFC 4180, UTF-8)
/// under one line of heads; what is not known is empty, with a reason where it is due.
///
/// # Errors
/// What is wrong with the question, in words.
pub fn activity_csv(record: &Record, choice: &ActivityChoice) -> Result<String, String> {
    let rows = asked(record, choice)?.into_iter().flat_map(|told| activity::rows_of(record, told.run, &told.activity));
    Ok(View::of(activity::columns()).csv(rows))
}
