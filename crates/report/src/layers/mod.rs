//! The latency table: from the intended start of a step down to the device, as text, comma-separated values and on the
//! page.

mod document;
mod source;
mod table;
mod words;

use model::{LayerTable, LayerTables};
use record::Record;
use tables::layer;

use crate::view::View;

pub use document::layers;
pub(crate) use document::of_record;
use source::{Source, sources};

/// Which latency tables are requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayersQuery {
    /// One of each test that does I/O or commits.
    All,
    /// That of one run.
    Run(u32),
    /// Those of one test, at each degree of parallelism.
    Test(String),
}

impl LayersQuery {
    /// From the command line: nothing, the number of a run, the code of a test.
    pub fn of(words: Option<&str>) -> LayersQuery {
        match words.map(|words| (words, words.parse())) {
            None => LayersQuery::All,
            Some((_, Ok(number))) => LayersQuery::Run(number),
            Some((code, Err(_))) => LayersQuery::Test(code.to_owned()),
        }
    }
}

/// Whether `record` has latency tables.
pub(crate) fn has_tables(record: &Record) -> bool {
    let tables = LayerTables::of(record);
    model::layered_runs(record).iter().any(|run| tables.table(run).is_some())
}

/// The tables that `query` selects.
fn tables(record: &Record, query: &LayersQuery) -> Result<Vec<LayerTable>, String> {
    let (runs, reason) = match query {
        LayersQuery::All => (
            model::layered_runs(record),
            "no valid run of this record does I/O or commits through an engine".to_owned(),
        ),
        LayersQuery::Run(number) => {
            let runs = record.runs.iter().filter(|run| run.number == *number).take(1).collect();
            (runs, format!("there is no run {number} in this record of {} runs", record.runs.len()))
        }
        LayersQuery::Test(code) => {
            let is_known = record.runs.iter().any(|run| run.test == *code);
            let reason = match is_known {
                true => format!("no valid run of {code} uses an engine"),
                false => format!("there is no run of a test {code} in this record"),
            };
            (model::layered_runs_of(record, code), reason)
        }
    };
    let (Some(first), tables) = (runs.first(), runs.iter()) else { return Err(reason) };
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

/// The latency tables of `record` that `query` selects as comma-separated values (RFC 4180, UTF-8) with a header
/// line; unknown values are empty.
///
/// # Errors
/// Why there is no table, in words.
pub fn layers_csv(record: &Record, query: &LayersQuery) -> Result<String, String> {
    Ok(View::of(layer::columns()).csv(layer::rows(record, &tables(record, query)?)))
}
