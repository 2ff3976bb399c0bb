//! The latency table: from the due time of a step down to the device, in text, as comma-separated values, on the page.

mod csv;
mod source;
mod table;
mod text;
mod words;

use model::{LayerTable, LayerTables};
use record::Record;

pub use csv::layers_csv;
pub(crate) use source::{Source, sources};
pub(crate) use table::{FIGURES, is_aside, name, place, rows, view};
pub use text::layers_text;
pub(crate) use words::{cost, id, largest, missing, negative_note, passed, repeat, rung, title};

/// Which latency tables are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayersQuestion {
    /// One of each test that does I/O or commits.
    All,
    /// That of one run.
    Run(u32),
    /// Those of one test, at each degree of parallelism.
    Test(String),
}

impl LayersQuestion {
    /// As it stands on the command line: nothing, the number of a run, the code of a test.
    pub fn of(words: Option<&str>) -> LayersQuestion {
        match words.map(|words| (words, words.parse())) {
            None => LayersQuestion::All,
            Some((_, Ok(number))) => LayersQuestion::Run(number),
            Some((code, Err(_))) => LayersQuestion::Test(code.to_owned()),
        }
    }
}

/// Whether a test of `record` has a latency table without being asked for.
pub(crate) fn has_tables(record: &Record) -> bool {
    let tables = LayerTables::of(record);
    model::layered_runs(record).iter().any(|run| tables.table(run).is_some())
}

/// The tables that `question` is about.
///
/// # Errors
/// What is wrong with the question, in words: there is no such run or test, or it has no table.
fn tables(record: &Record, question: &LayersQuestion) -> Result<Vec<LayerTable>, String> {
    let (runs, nobody) = match question {
        LayersQuestion::All => (
            model::layered_runs(record),
            "no valid run of this record does I/O or commits through an engine".to_owned(),
        ),
        LayersQuestion::Run(number) => {
            let runs = record.runs.iter().filter(|run| run.number == *number).take(1).collect();
            (runs, format!("there is no run {number} in this record of {} runs", record.runs.len()))
        }
        LayersQuestion::Test(code) => {
            let is_known = record.runs.iter().any(|run| run.test == *code);
            let nobody = match is_known {
                true => format!("no run of {code} is valid and of an engine"),
                false => format!("there is no run of a test {code} in this record"),
            };
            (model::layered_runs_of(record, code), nobody)
        }
    };
    let (Some(first), tables) = (runs.first(), runs.iter()) else { return Err(nobody) };
    let of_runs = LayerTables::of(record);
    let tables: Vec<LayerTable> = tables.filter_map(|run| of_runs.table(run)).collect();
    match tables.is_empty() {
        true => Err(format!(
            "run {} ({}) has no latency table: it is invalid, or a probe, or no step of it succeeded",
            first.number, first.test
        )),
        false => Ok(tables),
    }
}
