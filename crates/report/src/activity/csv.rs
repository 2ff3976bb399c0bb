//! The activity as comma-separated values: one line per figure.

use model::{ActivityChoice, ActivityFigure, activity_figures};
use record::{Ratio, Record, Run};

use super::asked;
use crate::view::line;
use crate::words::variation;

const HEADS: [&str; 19] = [
    "record",
    "run",
    "test",
    "nodes",
    "jobs",
    "threads",
    "variation",
    "section",
    "name",
    "figure",
    "class",
    "method",
    "below_us",
    "value",
    "unit",
    "per_second",
    "per_transaction",
    "share",
    "reason",
];

/// What the database did during the runs of `record` that `choice` means, as comma-separated values (RFC 4180, UTF-8)
/// under one line of heads; what is not known is empty, with a reason where it is due.
///
/// # Errors
/// What is wrong with the question, in words.
pub fn activity_csv(record: &Record, choice: &ActivityChoice) -> Result<String, String> {
    let mut text = String::new();
    line(&mut text, HEADS.into_iter());
    for told in asked(record, choice)? {
        let head = head(record, told.run);
        for figure in activity_figures(&told.activity) {
            line(&mut text, head.iter().chain(&cells(&figure)).map(String::as_str));
        }
    }
    Ok(text)
}

fn head(record: &Record, run: &Run) -> [String; 7] {
    [
        record.id.clone(),
        run.number.to_string(),
        run.test.clone(),
        run.dop.nodes.to_string(),
        run.dop.jobs.to_string(),
        run.dop.threads.to_string(),
        run.variation.map(variation).unwrap_or_default(),
    ]
}

fn cells(of: &ActivityFigure) -> [String; 12] {
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let word = |word: Option<&str>| word.unwrap_or_default().to_owned();
    [
        of.section.word().to_owned(),
        of.name.clone(),
        of.figure.to_owned(),
        word(of.class),
        word(of.method),
        of.below_us.map(|limit| limit.to_string()).unwrap_or_default(),
        number(of.value),
        of.value.map_or("", |_| of.unit.word()).to_owned(),
        number(of.per_second),
        number(of.per_transaction),
        number(of.share.map(|Ratio(share)| share)),
        of.reason.clone().unwrap_or_default(),
    ]
}
