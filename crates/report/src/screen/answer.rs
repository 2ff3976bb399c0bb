//! The answer to the first question: what a record is good for and why, and what makes it better.

use model::{Fitness, Line, Sheet};
use record::{Record, ResultClass, Verdict};

use crate::document::{Block, Note, Text, Tone};
use crate::finding::finding_text;
use crate::fitness::{better, good_for, text};
use crate::text::title;
use crate::words::{capital, looked_for, plural};

/// Tests and checks that are named.
const NAMED_MAX: usize = 3;

/// What `record` is good for, which is `found`.
pub(crate) fn answer(record: &Record, found: &Fitness, sheet: &Sheet) -> Block {
    let tone = if found.is_basis() { Tone::Good } else { Tone::Warning };
    let mut sentences = Vec::new();
    if !record.runs.is_empty() {
        sentences.push(runs(record, sheet));
        sentences.extend(unchecked(record));
        sentences.extend(better(record, found).map(|way| Text::from(capital(&way) + ".")));
    }
    let prefix = if found.class == ResultClass::Meaningless { "good for " } else { "" };
    let title = format!("{}.", capital(&format!("{prefix}{}", good_for(found))));
    if sentences.is_empty() {
        sentences.push(Text::from("There is no run."));
    }
    Block::Answer(Note { tone, title, sentences })
}

/// The reasons for no more, as they stand in the answer.
pub(super) fn reasons(found: &Fitness) -> Vec<String> {
    found.obstacles.iter().map(text).collect()
}

/// How many runs gave a result, and the most serious finding with what to do.
fn runs(record: &Record, sheet: &Sheet) -> Text {
    let validity = model::summary(record).validity;
    let counts = validity.counts;
    let results = counts.runs - counts.invalid;
    let mut words = format!("{results} of {} gave a result", plural(counts.runs as u64, "run"));
    match counts.with_warnings {
        0 => words.push_str(", none of them with a warning."),
        count => words.push_str(&format!(", {count} of them with a warning.")),
    }
    if let Some(found) = &validity.most_serious {
        let name = named(sheet, &found.test);
        let most = finding_text(&found.finding);
        words.push_str(&format!(" {name}: {most}."));
    } else {
        let warned = sheet.lines.iter().filter(|line| line.verdict == Verdict::Warn).collect::<Vec<&Line>>();
        if !warned.is_empty() {
            let names: Vec<&str> = warned.iter().take(NAMED_MAX).map(|line| title(line)).collect();
            words.push_str(&format!(" A warning is about {}.", names.join("; ")));
        }
    }
    Text::from(words)
}

/// A test by its title.
fn named(sheet: &Sheet, code: &str) -> String {
    let line = sheet.lines.iter().find(|line| line.test == code);
    line.map_or_else(|| code.to_owned(), |line| capital(title(line)))
}

/// What could not be checked, so that it may have disturbed the runs.
fn unchecked(record: &Record) -> Option<Text> {
    let validity = model::summary(record).validity;
    let mut checks: Vec<(&record::Check, &usize)> = validity.unchecked.iter().collect();
    checks.sort_by_key(|(_, runs)| std::cmp::Reverse(**runs));
    let of =
        |runs: usize| if runs == validity.counts.runs { "all runs".to_owned() } else { plural(runs as u64, "run") };
    let named: Vec<String> = checks
        .iter()
        .take(NAMED_MAX)
        .map(|(check, runs)| format!("{} ({})", looked_for(**check), of(**runs)))
        .collect();
    let more = checks.len().saturating_sub(NAMED_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!named.is_empty()).then(|| Text::from(format!("Not checked, and so not excluded: {}{more}.", named.join(", "))))
}
