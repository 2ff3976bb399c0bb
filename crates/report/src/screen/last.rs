//! The paths of a record and its page, tests that were skipped, and the commands that lead on.

use std::path::Path;

use record::{PlanSubject, Preset, Record, Resumption, Status};

use super::ShortText;
use crate::document::{Block, Command};
use crate::fleet::{resume_command, run_command};
use crate::network::{is_network_alone, named_peer};
use crate::scripts::script_options;
use crate::shell_word::shell_word;
use crate::words::list;

pub(super) fn blocks(record: &Record, shown: &ShortText<'_>) -> Vec<Block> {
    let skipped = list(record.plan.skipped.iter().map(|skipped| skipped.test.clone()));
    let skipped = (!skipped.is_empty()).then(|| ("skipped", format!("{skipped} (why: --details)")));
    let paths = [Some(Command::path("record", shown.path)), shown.page.map(|page| Command::path("page", page))];
    let word = shell_word(shown.path);
    let details = Command {
        label: "details",
        verb: "dbdyno report".to_owned(),
        word: word.clone(),
        options: "--details".to_owned(),
    };
    let (label, verb, operand, options) = next_command(record, &word);
    let commands = [details, Command { label, verb, word: operand, options }];
    vec![Block::facts(skipped), Block::Commands(paths.into_iter().flatten().chain(commands).collect())]
}

/// The next useful command for the record `word`: to finish it, to measure with windows that hold, or to compare. A label,
/// the verb, an operand, and options.
fn next_command(record: &Record, word: &str) -> (&'static str, String, String, String) {
    let plan = &record.plan;
    let subject = plan.subject().properties();
    let is_unfinished = record.status != Status::Finished || record.runs.len() < plan.runs.len();
    let is_one_load = plan.subject() == PlanSubject::Io && model::calibration(record).is_none();
    match plan.preset {
        _ if is_unfinished && subject.resumption == Resumption::ByRecord => {
            ("resume", resume_command(plan), word.to_owned(), String::new())
        }
        Preset::Smoke | Preset::Quick if is_network_alone(record) => {
            let options = "--preset standard --repeats 6".to_owned();
            match named_peer(record) {
                Some(peer) => ("next", "dbdyno network".to_owned(), shell_word(peer), options),
                None => ("next", "dbdyno network".to_owned(), options, String::new()),
            }
        }
        Preset::Smoke | Preset::Quick if subject.has_spec_sheet && plan.until.is_none() => {
            let network = named_peer(record).map(|peer| format!(" --network {}", shell_word(peer)));
            let target = format!("--target {}", shell_word(&plan.target));
            let scripts: String = script_options(plan).iter().map(|option| format!(" {option}")).collect();
            (
                "next",
                format!("{} --preset standard --repeats 6", run_command(plan)),
                target,
                same_directory(record) + &network.unwrap_or_default() + &scripts,
            )
        }
        _ if is_one_load && plan.until.is_none() => {
            ("next", "dbdyno calibrate".to_owned(), same_directory(record), String::new())
        }
        _ => ("next", "dbdyno compare".to_owned(), format!("{word} OTHER.jsonl"), String::new()),
    }
}

/// The option for the measured directory, which holds that of dbdyno.
fn same_directory(record: &Record) -> String {
    let directory = Path::new(&record.plan.directory).parent().map(|parent| parent.display().to_string());
    directory.map_or_else(String::new, |directory| format!("--dir {}", shell_word(&directory)))
}
