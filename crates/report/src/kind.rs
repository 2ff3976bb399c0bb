//! The kinds of records, a registration each: how a record of it is called, what its first screen and its details begin with, and how
//! it is repeated. Everything else follows from the figures that a record has.

use record::{PlanSubject, Record};

use crate::document::{Block, Section, Table};
use crate::load_curve::SEARCH;
use crate::network::is_network_alone;
use crate::options::SheetOptions;
use crate::plan::runs;
use crate::words::plural;
use crate::{blocks, in_kind, load, platform_proof, repetition, storage, streams};

/// How a record of one kind is shown.
pub(crate) struct Kind {
    /// What was measured where.
    pub title: String,
    /// How much was measured.
    pub extent: fn(&Record) -> String,
    /// Its figures, as far as a screen has room for them.
    pub screen: fn(&Record) -> Vec<Section>,
    /// Its results among the details.
    pub results: fn(&Record, &SheetOptions<'_>) -> Vec<Section>,
    /// The tables of its runs by line.
    pub run_tables: RunTables,
    /// The command that makes the same plan, without passwords, or why there is none.
    pub repetition: fn(&Record) -> Result<String, &'static str>,
}

/// Tables of runs by line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunTables {
    /// Rates, I/O and processors.
    All,
    /// I/O alone: the kind has a table of rates of its own.
    Io,
    /// None: its own tables have what the block layer counted too.
    None,
}

impl Kind {
    /// The kind of `record`.
    pub(crate) fn of(record: &Record) -> Kind {
        let host = record.host.host_name.as_deref().unwrap_or("an unnamed host");
        let engine = record.engine.as_ref().map_or("no engine", |engine| engine.title.as_str());
        match record.plan.subject() {
            // Its rates are lines of the spec sheet.
            PlanSubject::Catalogue => Kind {
                extent: |record| runs(&record.plan),
                screen: |record| vec![in_kind::screen(record)],
                run_tables: RunTables::All,
                repetition: repetition::run,
                ..Kind::usual(match record.engine {
                    None if is_network_alone(record) => format!("network of {host}"),
                    None => format!("probes on {host}"),
                    Some(_) => format!("{engine} on {host}"),
                })
            },
            PlanSubject::Io => Kind {
                screen: storage_screen,
                results: |record, _| {
                    vec![storage::calibrated(record), storage::search(record), storage_streams(record)]
                },
                run_tables: RunTables::None,
                repetition: |_| Err("job files are not in the record, only their plan"),
                ..Kind::usual(format!("storage of {host}"))
            },
            PlanSubject::Proof(subject) => Kind {
                screen: |record| vec![proof(record)],
                results: |record, _| vec![proof(record), storage_streams(record)],
                run_tables: RunTables::None,
                repetition: |_| Err("repeat the proof with its dbdyno prove command"),
                ..Kind::usual(format!("{} of {host}", platform_proof::subject(subject)))
            },
            PlanSubject::Blocks => Kind {
                extent: |record| format!("{} of {}", run_count(record), blocks::extent(record)),
                screen: |record| vec![table(blocks::summary(record))],
                results: |record, _| vec![blocks::blocks(record)],
                ..Kind::usual(format!("random blocks through {engine} on {host}"))
            },
            PlanSubject::Load => Kind {
                screen: |record| vec![table(load::rates(record))],
                results: |record, _| vec![load::loads(record)],
                ..Kind::usual(format!("bulk load into {engine} on {host}"))
            },
            PlanSubject::Streams => Kind {
                screen: |record| vec![table(streams::rates(record))],
                results: |record, options| vec![streams::streams(record, options.published)],
                repetition: |record| repetition::streams(record).ok_or("the record has no valid run of streams"),
                ..Kind::usual(format!("files stored in {engine} on {host}"))
            },
        }
    }

    /// What most kinds are that have figures of their own.
    fn usual(title: String) -> Kind {
        Kind {
            title,
            extent: run_count,
            screen: |_| Vec::new(),
            results: |_, _| Vec::new(),
            run_tables: RunTables::Io,
            repetition: |_| Err("repeat loads and random blocks with their dbdyno load or dbdyno blocks command"),
        }
    }
}

fn run_count(record: &Record) -> String {
    plural(record.runs.len() as u64, "run")
}

fn table(table: Table) -> Section {
    Section::new("kind", "", vec![table.into()])
}

fn proof(record: &Record) -> Section {
    Section::new("proof", platform_proof::TITLE, platform_proof::blocks(record))
}

/// A calibration, the answer of a search, or a line per job and kind of I/O.
fn storage_screen(record: &Record) -> Vec<Section> {
    let calibration = model::calibration(record)
        .map(|found| Section::new("calibration", "Calibration", storage::calibration_figures(&found)));
    let answer =
        storage::search_answer(record).map(|answer| Section::new("io-search", SEARCH, vec![Block::text(answer)]));
    let found: Vec<Section> = calibration.into_iter().chain(answer).collect();
    match found.is_empty() {
        true => vec![Section::new("storage", "", vec![storage::results(record).into()])],
        false => found,
    }
}

/// Runs of storage that are shown at first, at most.
const RUNS_OPEN_MAX: usize = 12;

/// The jobs and kinds of I/O of a record that is about them.
fn storage_streams(record: &Record) -> Section {
    let streams = storage::streams(record);
    if record.runs.len() > RUNS_OPEN_MAX { streams.folded() } else { streams }
}
