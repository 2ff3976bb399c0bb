//! The paths of a record and its page, tests that were skipped, and the commands that lead on.

use record::Record;

use crate::document::{Block, Command};
use crate::shell_word::shell_word;
use crate::text::{ShortText, next_command};
use crate::words::list;

pub(super) fn blocks(record: &Record, shown: &ShortText<'_>) -> Vec<Block> {
    let skipped = list(record.plan.skipped.iter().map(|skipped| skipped.test.clone()));
    let skipped = (!skipped.is_empty()).then(|| ("skipped", format!("{skipped} (why: --details)")));
    let paths = [Some(("record", shown.path.to_owned())), shown.page.map(|page| ("page", page.to_owned()))];
    let word = shell_word(shown.path);
    let details = Command {
        label: "details",
        verb: "dbdyno report".to_owned(),
        word: word.clone(),
        options: "--details".to_owned(),
    };
    let (label, verb, operand, options) = next_command(record, &word);
    vec![
        Block::facts(skipped.into_iter().chain(paths.into_iter().flatten())),
        Block::Commands(vec![details, Command { label, verb, word: operand, options }]),
    ]
}
