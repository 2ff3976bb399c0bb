//! `dbdyno report`: a record or a published system as text, page, CSV or JSON.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use model::{ActivityChoice, PriceBook, System};
use record::Record;
use report::{Document, FioJson, LayersQuery, ShortText};
use run::{DurabilityProofFile, Error, Result};

use crate::output::{print, print_data, style, width};
use crate::page::{page_beside, sheet_of, write_page};
use crate::sheet::beside_of;
use crate::subject::{self, unreadable};

const EXAMPLES: &str = "\
Examples:
  dbdyno report dbdyno-20260131-120000-db1.jsonl                      the spec sheet
  dbdyno report dbdyno-20260131-120000-db1.jsonl --html db1.html      a self-contained HTML page
  dbdyno report dbdyno-20260131-120000-db1.jsonl --prices db1.toml    with cost per throughput
  dbdyno report dbdyno-20260131-120000-db1.jsonl --beside old.jsonl   how much faster or slower each workload is
  dbdyno report dbdyno-20260131-120000-db1.jsonl --layers T311        latency by layer, from the client to the device
  dbdyno report dbdyno-20260131-120000-db1.jsonl --activity           load, active sessions, waits, I/O, log, histograms
  dbdyno report hp-dl980 --html dl980.html                           a published system (`dbdyno list references`)";

/// Options of `dbdyno report`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ReportArguments {
    /// The record, or the name of a published system
    #[arg(value_name = "RECORD")]
    pub record: PathBuf,
    /// Output format
    #[arg(long, short, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
    /// Print everything: settings, limits with their evidence, every run, I/O
    #[arg(long)]
    pub details: bool,
    /// Print the summary and the sheet, and nothing else: no warnings
    #[arg(long, short, conflicts_with = "details")]
    pub quiet: bool,
    /// Show the rates of the workloads beside those of another record, or of a published system
    #[arg(long, value_name = "RECORD|SYSTEM", conflicts_with_all = ["layers", "activity"])]
    pub beside: Option<String>,
    /// Write a self-contained HTML page with charts instead of printing
    #[arg(long, value_name = "FILE", conflicts_with = "format")]
    pub html: Option<PathBuf>,
    /// Latency by layer, from the client to the device: of each test, of a run (its number), or of a test (its code)
    #[arg(long, value_name = "RUN|TEST", num_args = 0..=1, conflicts_with_all = ["html", "prices"])]
    pub layers: Option<Option<String>>,
    /// Database activity, as in workload reports: of the best run of each test, of a run (its number), or of a test
    /// (its code)
    #[arg(long, value_name = "RUN|TEST", num_args = 0..=1, conflicts_with_all = ["html", "prices", "layers"])]
    pub activity: Option<Option<String>>,
    /// Price book of the platform (TOML), for price/performance
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Proof of durability (a record of `dbdyno prove durability`) of this engine with these settings: the sheet says what it
    /// has shown
    #[arg(long, value_name = "FILE", conflicts_with_all = ["layers", "activity"])]
    pub durability: Option<PathBuf>,
}

/// Formats of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// The spec sheet
    Text,
    /// The whole record as Markdown, as much as a page has
    Markdown,
    /// The record as one JSON document
    Json,
    /// One line per run
    Csv,
    /// One line per job and kind of I/O
    IoCsv,
    /// Storage runs as fio's JSON, for scripts that read it
    FioJson,
    /// fio's JSON with all histogram bins
    #[value(name = "fio-json+")]
    FioJsonPlus,
}

impl ReportFormat {
    /// As it is written on the command line.
    pub fn word(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

/// Records of this size and more are read without the details that the page does not show.
const LONG_BYTES: u64 = 64 << 20;

/// Carries out `dbdyno report`.
///
/// # Errors
/// Where there is neither such a record nor such a published system, or it cannot be read; where prices cannot be read;
/// where a page cannot be written.
pub fn report(arguments: &ReportArguments) -> Result<()> {
    let prices = arguments.prices.as_deref().map(subject::price_book).transpose()?;
    match published(&arguments.record)? {
        Some(system) => show_system(system, arguments, prices.as_ref()),
        None => show_record(arguments, prices.as_ref()),
    }
}

/// The published system of this name; none where it is a file.
fn published(path: &Path) -> Result<Option<&'static System>> {
    let name = path.to_string_lossy();
    if path.exists() || subject::is_path(&name) {
        return Ok(None);
    }
    let refused = |lookup: reference::Lookup| Error::user(format!("there is no record {name}, and {lookup}"));
    reference::find(&name).map(Some).map_err(refused)
}

fn show_system(system: &System, arguments: &ReportArguments, prices: Option<&PriceBook>) -> Result<()> {
    if arguments.activity.is_some() {
        return Err(Error::user("a published system has no activity").hint("name a record, or leave --activity out"));
    }
    if arguments.layers.is_some() {
        return Err(
            Error::user("a published system has no latency by layer").hint("name a record, or leave --layers out")
        );
    }
    if arguments.beside.is_some() {
        return Err(Error::user("a published system is shown beside nothing").hint("use dbdyno compare"));
    }
    if arguments.durability.is_some() {
        return Err(Error::user("a proof of durability says nothing of a published system")
            .hint("name a record, or leave --durability out"));
    }
    let document = report::system(system, prices);
    match (&arguments.html, arguments.format) {
        (Some(file), _) => write_page(file, &document.html()),
        (None, ReportFormat::Text) => print(&document.text(style(), width())),
        (None, format) => Err(Error::user(format!("a published system has no format {}", format.word()))
            .hint("leave --format out, or use --html FILE")),
    }
}

fn show_record(arguments: &ReportArguments, prices: Option<&PriceBook>) -> Result<()> {
    if let Some(words) = &arguments.activity {
        return show_activity(&arguments.record, words.as_deref(), arguments.format);
    }
    if let Some(words) = &arguments.layers {
        return show_layers(&arguments.record, words.as_deref(), arguments.format);
    }
    let path = arguments.record.display().to_string();
    let proof = arguments.durability.as_deref().map(DurabilityProofFile::read).transpose()?;
    let proved = |mut record: Record| -> Result<Record> {
        if let Some(proof) = &proof {
            proof.show(record.engine.as_mut())?;
        }
        Ok(record)
    };
    let beside = |record: &Record| arguments.beside.as_deref().map(|words| beside_of(record, words)).transpose();
    let sheet = |record: &Record| -> Result<Document> {
        Ok(sheet_of(record, &arguments.record, prices, beside(record)?.as_ref()))
    };
    if let Some(file) = &arguments.html {
        if file == &arguments.record {
            return Err(Error::user(format!("{path} is the record itself")).hint("give another file for the page"));
        }
        return write_page(file, &sheet(&proved(read_for_page(&arguments.record)?)?)?.html());
    }
    if arguments.beside.is_some() && !matches!(arguments.format, ReportFormat::Text | ReportFormat::Markdown) {
        let message = format!("--format {} shows nothing beside a record", arguments.format.word());
        return Err(Error::user(message).hint("use --format text or markdown, --html FILE, or dbdyno compare"));
    }
    if arguments.format == ReportFormat::Markdown {
        return print_data(&sheet(&proved(read_for_page(&arguments.record)?)?)?.markdown());
    }
    // Series are not read for views that do not show them: a record may hold a hundred thousand runs. Shorter ones are,
    // because intervals of single runs are from the variation within them.
    let is_long = !fs::metadata(&arguments.record).is_ok_and(|file| file.len() < LONG_BYTES);
    let record = match arguments.format {
        ReportFormat::Text | ReportFormat::Csv | ReportFormat::IoCsv if is_long => {
            store::read_without_series(&arguments.record, &model::thin)
        }
        _ => store::read(&arguments.record),
    };
    let record = proved(record.map_err(unreadable)?)?;
    let data = match arguments.format {
        ReportFormat::Text if arguments.details => return print(&sheet(&record)?.text(style(), width())),
        ReportFormat::Text | ReportFormat::Markdown => return print(&screen(&record, arguments, prices)?),
        ReportFormat::Json => report::json(&record),
        ReportFormat::Csv => report::csv(&record),
        ReportFormat::IoCsv => report::io_csv(&record),
        ReportFormat::FioJson => report::fio_json(&record, FioJson::Plain),
        ReportFormat::FioJsonPlus => report::fio_json(&record, FioJson::Plus),
    };
    print_data(&data)
}

/// The record on a screen, and below it what its rates cost.
///
/// # Errors
/// Where the other platform cannot be read.
fn screen(record: &Record, arguments: &ReportArguments, prices: Option<&PriceBook>) -> Result<String> {
    let beside = arguments.beside.as_deref().map(|words| beside_of(record, words)).transpose()?;
    let path = arguments.record.display().to_string();
    let costs = prices.map(|book| report::prices(record, book).text(style(), width()));
    let costs = costs.map(|costs| format!("\n{costs}")).unwrap_or_default();
    let page = Some(page_beside(&arguments.record)).filter(|file| file.is_file());
    let page = page.map(|file| file.display().to_string());
    let shown = ShortText { path: &path, page: page.as_deref(), only_sheet: arguments.quiet, beside: beside.as_ref() };
    Ok(report::short_text(record, &shown, style(), width()) + &costs)
}

/// What to do about a run or test that is not in the record.
const HINT_RUNS: &str = "dbdyno report RECORD lists the runs with their numbers and tests";

/// Prints the database activity of the runs that `words` select: none for the best run of each test, the number of a
/// run, the code of a test.
fn show_activity(path: &Path, words: Option<&str>, format: ReportFormat) -> Result<()> {
    let choice = words.map_or(ActivityChoice::Best, ActivityChoice::parse);
    let record = || store::read(path).map_err(unreadable);
    let text = match format {
        ReportFormat::Text => {
            let document = report::activity(&record()?, &choice, &path.display().to_string());
            document.map(|document| document.text(style(), width()))
        }
        ReportFormat::Csv => report::activity_csv(&record()?, &choice),
        other => return Err(no_format("the activity of a database", other)),
    };
    print_as(format, &text.map_err(|reason| Error::user(reason).hint(HINT_RUNS))?)
}

/// Prints the latency by layer of the runs that `words` select: none, the number of a run, the code of a test.
fn show_layers(path: &Path, words: Option<&str>, format: ReportFormat) -> Result<()> {
    let query = LayersQuery::of(words);
    let record = || store::read_without_series(path, &model::thin).map_err(unreadable);
    let text = match format {
        ReportFormat::Text => {
            let document = report::layers(&record()?, &query, &path.display().to_string());
            document.map(|document| document.text(style(), width()))
        }
        ReportFormat::Csv => report::layers_csv(&record()?, &query),
        other => return Err(no_format("latency by layer", other)),
    };
    print_as(format, &text.map_err(|reason| Error::user(reason).hint(HINT_RUNS))?)
}

fn print_as(format: ReportFormat, text: &str) -> Result<()> {
    if matches!(format, ReportFormat::Text) { print(text) } else { print_data(text) }
}

fn no_format(what: &str, format: ReportFormat) -> Error {
    Error::user(format!("{what} has no format {}", format.word())).hint("use --format text or csv")
}

/// The record; of a large one only the runs that the page draws keep their details.
///
/// # Errors
/// Where it cannot be read.
pub fn read_for_page(path: &Path) -> Result<Record> {
    if fs::metadata(path).is_ok_and(|file| file.len() < LONG_BYTES) {
        return store::read(path).map_err(unreadable);
    }
    store::read_in_detail(path, &model::thin, &report::runs_in_detail).map_err(unreadable)
}
