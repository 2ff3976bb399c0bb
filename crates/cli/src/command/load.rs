//! `dbdyno load`: bulk load of flat files.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::TypedValueParser;
use flat::{Cards, Compression, Header, Layout, date_text, days_of_date};
use record::{Bytes, IndexTime, LoadForm, LoadModel, Permitted, Preset};
use run::{Context, Error, Fleet, LoadPlan, LoadRequest, PlannedScan, Result, ScanRequest, Setup};
use workload::load::{Input, InputFile, LoadTable, Unfit};

use crate::agents::{Agents, check_target, permitting};
use crate::arguments::choice;
use crate::arguments::output::OutputArguments;
use crate::arguments::setup::PlaceArguments;
use crate::arguments::value::{self, once};
use crate::engines::engine;
use crate::measuring::{judge, measuring};
use crate::output::print;
use crate::sheet::{check_output, show};
use crate::target::target;

/// Limits of `--batch`: smaller batches measure commits only, larger ones need too much memory.
const BATCH_BYTES: std::ops::RangeInclusive<u64> = 1 << 10..=1 << 30;

const LOAD_EXAMPLES: &str = "\
Examples:
  dbdyno load --target local:postgres                generated card transactions, 1, 2, 4, ... jobs
  dbdyno load --size 5GB --jobs 1,2,4 --target local:postgres
  dbdyno load --size 5GB --models all --target local:mariadb   also partitioned and compressed tables
  dbdyno load --form both --target local:postgres    parsed by the client, and sent unparsed
  dbdyno load --size 5GB --read --target local:postgres   then scans of the loaded table, cold and warm
  dbdyno load cards-*.tbl.gz --target postgres://me@db1/shop --jobs 4 --keep
  zstdcat cards.zst | dbdyno load - --target local:mariadb
  dbdyno load mine.tbl --layout mine.toml --max-errors 50 --indexes after --target sqlite
  dbdyno load cards.tbl --target postgres://me@db1/shop --jobs 4 --resume --record second.jsonl

Lines are loaded in batches, each in one transaction together with its progress mark, so that --resume
continues an aborted load exactly. Rejected lines go to --rejects unchanged, the reasons to the file of
the same name with .log appended; each line once, also after --resume with the same --rejects. Terms of
other loaders: workers are --jobs, rows per commit --batch, a bad file --rejects, errors allowed
--max-errors, delimiters and a header line --layout. A layout is TOML:

  name = \"mine\"
  separator = \";\"
  header = true      # the first line has the names of the fields; default false
  quote = \"\\\"\"       # fields may be quoted; \"none\" loads quotes as content
  [[fields]]
  name = \"id\"
  kind = \"int\"       # or decimal with precision and scale, date, text with size
  digits = 9         # of an int, at most; default 19";

/// Options of `dbdyno load`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Workload", after_help = LOAD_EXAMPLES)]
pub struct LoadArguments {
    /// Flat files, plain or compressed by gzip, zstd or lz4; `-` for standard input
    /// [default: generated card transactions]
    #[arg(value_name = "FILE", help_heading = None)]
    pub files: Vec<PathBuf>,
    /// The engine: `sqlite`, `local:postgres`, `local:mariadb`, `local:mysql`, or a URL
    #[arg(long, short, value_name = "TARGET", default_value = "sqlite")]
    pub target: String,
    /// Parallel load sessions, one run per number [default: 1, 2, 4, ... to the processors for generated rows; one per
    /// processor for files]
    #[arg(long, short, visible_short_alias = 'c', visible_alias = "clients", aliases = ["workers", "parallel", "use-threads"], value_name = "1,2,4", value_delimiter = ',', value_parser = value::degree("jobs"))]
    pub jobs: Option<Vec<u32>>,
    /// Storage of the table, one run each: plain, partitioned (by month, subpartitioned by hash), compressed,
    /// partitioned+compressed, or all
    #[arg(long, value_name = "MODELS", value_delimiter = ',', default_value = "plain", value_parser = value::models)]
    pub models: Vec<Vec<LoadModel>>,
    /// How rows reach the engine
    #[arg(long, default_value = "typed", value_parser = forms())]
    pub form: &'static [LoadForm],
    /// Number of generated rows
    #[arg(long, value_name = "N", conflicts_with_all = ["size", "files"], value_parser = value::count("rows", 1..=value::ROWS_MAX))]
    pub rows: Option<u64>,
    /// Size of the generated flat file, such as 5GB [default: 2MB with --preset smoke, 200MB quick, 5GB standard, 50GB
    /// publish]
    #[arg(long, value_name = "SIZE", conflicts_with = "files", value_parser = value::bytes("size", 1..=value::SIZE_BYTES_MAX))]
    pub size: Option<Bytes>,
    /// Seed of generated rows
    #[arg(long, value_name = "N", default_value_t = 42, conflicts_with = "files")]
    pub seed: u64,
    /// Format of the lines: `cards`, `cards-csv`, or a layout file
    #[arg(long, value_name = "LAYOUT", default_value = "cards")]
    pub layout: String,
    /// First line of each file, where the layout has a header
    #[arg(long, default_value = "check", value_parser = first_line())]
    pub header: FirstLine,
    /// Compression of the files
    #[arg(long, default_value = "auto", value_parser = compressed_with())]
    pub compressed_with: CompressedWith,
    /// Table name; models other than plain add a suffix [default: name of the layout]
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// First of the twelve monthly partitions of a partitioned table, which has a partition for other dates too
    /// [default: first month of generated rows]
    #[arg(long, value_name = "YYYY-MM")]
    pub first_month: Option<String>,
    /// Build indexes on the first column and the date, before or after the load
    #[arg(long, default_value = "none", value_parser = indexes())]
    pub indexes: IndexTime,
    /// Scan each table after its last load, with 1, 2, 4, ... threads per statement: sums over all rows, and a report
    /// by category and state; each with cold caches first, where caches can be dropped
    #[arg(long)]
    pub read: bool,
    /// Threads per scan statement, one run per number [default: 1, 2, 4, ... to twice the processors]
    #[arg(long, value_name = "1,2,4", value_delimiter = ',', requires = "read", value_parser = value::degree("threads"))]
    pub threads: Option<Vec<u32>>,
    /// Skip the probe of sequential reads before the scans
    #[arg(long, requires = "read")]
    pub no_probe: bool,
    /// smoke, quick, standard or publish: amount of generated data, duration of warm scans, and cache size of a
    /// temporary server
    #[arg(long, short, hide_possible_values = true, default_value = "quick", help_heading = "Duration and size", value_parser = choice::preset())]
    pub preset: Preset,
    /// Bytes of flat file per commit [default: 8MiB, less for a small source]
    #[arg(long, alias = "piece", value_name = "SIZE", help_heading = "Duration and size", value_parser = value::bytes("batch", BATCH_BYTES))]
    pub batch: Option<Bytes>,
    /// Rejected lines before the load stops
    #[arg(long, value_name = "N", default_value = "0", help_heading = "Errors", value_parser = value::count("max-errors", 0..=u64::MAX))]
    pub max_errors: u64,
    /// File for rejected lines; reasons go to FILE.log [default: RECORD with the ending .rejects]
    #[arg(long, value_name = "FILE", help_heading = "Errors")]
    pub rejects: Option<PathBuf>,
    /// Continue an aborted load of the same source into the same table
    #[arg(long, help_heading = "Errors")]
    pub resume: bool,
    #[command(flatten)]
    pub place: PlaceArguments,
    /// Keep the tables
    #[arg(long, help_heading = "Location")]
    pub keep: bool,
    /// Output
    #[command(flatten)]
    pub output: OutputArguments,
    /// Print what would be loaded, and exit
    #[arg(long, help_heading = None)]
    pub dry_run: bool,
}

/// How rows reach the engine: a run for each form, typed first, with which the other is compared.
fn forms() -> impl TypedValueParser<Value = &'static [LoadForm]> {
    const TYPED: &str = "Parsed by dbdyno and sent through the engine's bulk load interface";
    choice::of::<&'static [LoadForm], _>([
        ("typed", TYPED, &[LoadForm::Typed]),
        ("as-is", "Sent unparsed; the engine parses them", &[LoadForm::AsIs]),
        ("both", "One run of each", &[LoadForm::Typed, LoadForm::AsIs]),
    ])
}

/// When indexes are built.
fn indexes() -> impl TypedValueParser<Value = IndexTime> {
    choice::of([
        ("none", "Never", IndexTime::None),
        ("before", "Before the load, which maintains them", IndexTime::Before),
        ("after", "After the load", IndexTime::After),
    ])
}

/// What is done with a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstLine {
    /// Its names must be those of the layout.
    Checked,
    /// It is skipped.
    Unread,
}

fn first_line() -> impl TypedValueParser<Value = FirstLine> {
    choice::of([
        ("check", "Its names must be those of the layout, in their order", FirstLine::Checked),
        ("ignore", "Skipped unread", FirstLine::Unread),
    ])
}

/// The compression of files; absent where it is detected.
pub type CompressedWith = Option<Compression>;

fn compressed_with() -> impl TypedValueParser<Value = CompressedWith> {
    choice::of([
        ("auto", "Detected by the first bytes", None),
        ("plain", "None", Some(Compression::Plain)),
        ("gzip", "gzip", Some(Compression::Gzip)),
        ("zstd", "zstd", Some(Compression::Zstd)),
        ("lz4", "lz4", Some(Compression::Lz4)),
    ])
}

/// Upper limit of a layout file.
const LAYOUT_BYTES_MAX: u64 = 1 << 20;
/// Monthly partitions of a partitioned table.
const MONTHS: i32 = 12;

/// Carries out `dbdyno load`.
///
/// # Errors
/// The user's mistakes, the environment's refusals, Ctrl-C, and loads that failed.
pub fn load(arguments: &LoadArguments) -> Result<()> {
    load_by(arguments, None)
}

/// The same, with the sessions and the source spread over `agents`.
///
/// # Errors
/// As [`load()`], and where the agents cannot be started.
pub fn load_by(arguments: &LoadArguments, agents: Option<&Agents>) -> Result<()> {
    let target = target(&arguments.target)?;
    engine(&target)?;
    if agents.is_some() {
        check_target(&target)?;
        if let Some(path) = &arguments.rejects {
            return Err(Error::user(format!(
                "rejected lines are not written to {}: agents count them",
                path.display()
            ))
            .hint("leave --rejects out; dbdyno load writes them"));
        }
    }
    let request = request(arguments)?;
    refuse_rejects(&request)?;
    if arguments.dry_run {
        let plan =
            measuring(arguments.output.quiet, |measuring| run::dry_run_load(&request, measuring.context(&target)?))?;
        return print(&planned(&request, &plan));
    }
    check_output(&arguments.output)?;
    let measured = measuring(arguments.output.quiet, |measuring| {
        let fleet = measuring.deploy(
            agents,
            &request.setup.directory,
            &Permitted { files: files(&request.input), ..permitting(&target) },
        )?;
        let fleet = fleet.as_ref().map(|(deployment, _)| deployment as &dyn Fleet);
        measuring.observing(&arguments.place.observe, &target, |context| {
            run::measure_load(&request, Context { fleet, ..context })
        })
    })?;
    show(&measured, &arguments.output)?;
    judge(measured)
}

/// The files of `input`, which agents may read.
fn files(input: &Input) -> Vec<String> {
    match input {
        Input::Files(files) => files.iter().map(|file| file.path().display().to_string()).collect(),
        Input::Generated { .. } | Input::Pipe => Vec::new(),
    }
}

/// What would be loaded, one line per run.
fn planned(request: &LoadRequest, plan: &LoadPlan) -> String {
    let of_bytes = |Bytes(bytes): Bytes| format!("{}B", report::number(bytes as f64));
    let size = request.input.size().map_or(String::new(), |size| format!(", {}", of_bytes(size)));
    let mut text = format!(
        "source  {}{size}, layout {}, in batches of {}\n",
        request.input.source(),
        request.layout.name,
        of_bytes(plan.batch)
    );
    let mut number = 0;
    let mut line = |text_of_run: String| {
        number += 1;
        text.push_str(&format!("run {number:<3} {text_of_run}\n"));
    };
    for load in &plan.loads {
        let (jobs, form) = (load.jobs, load.form.word());
        let noun = if jobs == 1 { "session" } else { "sessions" };
        let (code, model, table) = (load.code(), load.model().word(), load.table_name());
        line(format!("{code} into a {model} table {table}, {form}, {jobs} {noun}"));
        load.scans.iter().for_each(|scan| line(scanned(scan, table)));
    }
    for skip in &plan.skipped {
        text.push_str(&format!("skipped {}: {}\n", skip.test, skip.reason));
    }
    text
}

/// One planned scan of `table`.
fn scanned(scan: &PlannedScan, table: &str) -> String {
    let noun = if scan.threads == 1 { "thread" } else { "threads" };
    let caches = if scan.is_cold { "with cold caches" } else { "repeatedly" };
    format!("{} scans table {table} {caches}, {} {noun}", scan.code(), scan.threads)
}

fn request(arguments: &LoadArguments) -> Result<LoadRequest> {
    let (mut layout, layout_source) = layout(&arguments.layout)?;
    layout.header = header(arguments.header, &layout)?;
    let preset = arguments.preset;
    let setup = Setup { keep: arguments.keep, ..arguments.place.setup(preset, arguments.seed)? };
    let table = arguments.table.clone().unwrap_or_else(|| layout.name.to_ascii_lowercase());
    LoadTable::check_name(&table).map_err(|Unfit(reason)| {
        Error::user(format!("table {table:?} {reason}")).hint("give a short name as --table")
    })?;
    let rejects = arguments.rejects.clone().unwrap_or_else(|| setup.record.with_extension("rejects"));
    Ok(LoadRequest {
        setup,
        input: input(arguments, preset, &layout)?,
        layout,
        layout_source,
        compression: arguments.compressed_with,
        table,
        models: once(&arguments.models.concat()),
        forms: arguments.form.to_vec(),
        degrees: arguments.jobs.as_deref().map(once),
        batch: arguments.batch,
        months: months(arguments.first_month.as_deref())?,
        indexes: arguments.indexes,
        max_errors: arguments.max_errors,
        rejects,
        resume: arguments.resume,
        scans: arguments.read.then(|| scans(arguments)),
    })
}

fn scans(arguments: &LoadArguments) -> ScanRequest {
    ScanRequest { degrees: arguments.threads.as_deref().map(once), probes: !arguments.no_probe }
}

fn input(arguments: &LoadArguments, preset: Preset, layout: &Layout) -> Result<Input> {
    let is_pipe = |path: &PathBuf| path.as_os_str() == "-";
    match arguments.files.as_slice() {
        [] => generated(arguments, preset, layout),
        [path] if is_pipe(path) => Ok(Input::Pipe),
        files if files.iter().any(is_pipe) => {
            Err(Error::user("standard input and files cannot be loaded together").hint("give - alone"))
        }
        files => files.iter().map(|path| file(path)).collect::<Result<Vec<InputFile>>>().map(Input::Files),
    }
}

fn file(path: &Path) -> Result<InputFile> {
    InputFile::inspect(path).map_err(|error| {
        Error::user(format!("{} cannot be read: {error}", path.display()))
            .hint("give flat files, or - and a pipe; without a file card transactions are generated")
    })
}

fn generated(arguments: &LoadArguments, preset: Preset, layout: &Layout) -> Result<Input> {
    if *layout != Layout::cards() {
        return Err(Error::user(format!("generated rows have layout cards, not {}", layout.name))
            .hint("give files, or leave --layout out"));
    }
    let size = match (arguments.size, preset) {
        (Some(size), _) => size,
        (None, Preset::Smoke) => Bytes(2_000_000),
        (None, Preset::Quick) => Bytes(200_000_000),
        (None, Preset::Standard | Preset::Soak) => Bytes(5_000_000_000),
        (None, Preset::Publish) => Bytes(50_000_000_000),
    };
    Ok(Input::Generated { seed: arguments.seed, rows: arguments.rows.unwrap_or_else(|| Cards::rows_for(size)) })
}

/// The layout that `word` names, or that the file at that path is; with what [`Layout::of`] makes it of.
fn layout(word: &str) -> Result<(Layout, String)> {
    let hint = "give cards, cards-csv, or a file of TOML (`dbdyno load --help` shows one)";
    let source = if ["cards", "cards-csv"].contains(&word) { word.to_owned() } else { layout_file(word, hint)? };
    let layout = Layout::of(&source).map_err(|error| {
        let message = error.to_string();
        let (message, own) = message.split_once("; hint: ").unwrap_or((message.as_str(), hint));
        Error::user(format!("{word}: {message}")).hint(own)
    })?;
    Ok((layout, source))
}

/// What the first line of a file of `layout` is.
fn header(argument: FirstLine, layout: &Layout) -> Result<Header> {
    match (argument, layout.header) {
        (FirstLine::Checked, header) => Ok(header),
        (FirstLine::Unread, Header::Absent) => {
            Err(Error::user(format!("--header ignore skips a header, and layout {} has none", layout.name))
                .hint("leave it out, or set header = true in the layout"))
        }
        (FirstLine::Unread, _) => Ok(Header::Unread),
    }
}

fn layout_file(word: &str, hint: &str) -> Result<String> {
    let mut text = String::new();
    // Limited: a device has no end.
    let read = File::open(Path::new(word)).and_then(|file| file.take(LAYOUT_BYTES_MAX + 1).read_to_string(&mut text));
    read.map_err(|error| Error::user(format!("layout {word} cannot be read: {error}")).hint(hint))?;
    match text.len() as u64 > LAYOUT_BYTES_MAX {
        true => Err(Error::user(format!("layout {word} has more than {LAYOUT_BYTES_MAX} bytes")).hint(hint)),
        false => Ok(text),
    }
}

/// The exclusive ends of twelve months from `first` on.
fn months(first: Option<&str>) -> Result<Vec<i32>> {
    let of_cards = date_text(Cards::days().start);
    let first = first.unwrap_or(&of_cards[..7]);
    let wrong = || Error::user(format!("first-month {first} is not a month")).hint("give one such as 2025-01");
    days_of_date(format!("{first}-01").as_bytes()).ok_or_else(wrong)?;
    let (year, month) = first.split_once('-').ok_or_else(wrong)?;
    let (year, month): (i32, i32) = (year.parse().map_err(|_| wrong())?, month.parse().map_err(|_| wrong())?);
    let end = |after: i32| {
        let count = month - 1 + after;
        days_of_date(format!("{:04}-{:02}-01", year + count / 12, count % 12 + 1).as_bytes())
    };
    (1..=MONTHS).map(end).collect::<Option<Vec<i32>>>().ok_or_else(wrong)
}

/// Refuses reject files at the path of the record or of a loaded file, and existing ones of another load.
fn refuse_rejects(request: &LoadRequest) -> Result<()> {
    let mut reasons = request.rejects.clone().into_os_string();
    reasons.push(".log");
    for path in [request.rejects.as_path(), Path::new(&reasons)] {
        let is = |other: &Path| absolute(path) == absolute(other);
        let owner = match &request.input {
            _ if is(&request.setup.record) => "the record",
            Input::Files(files) if files.iter().any(|file| is(file.path())) => "a loaded file",
            _ if path.exists() && !request.resume => {
                return Err(
                    Error::user(format!("reject file {} exists", path.display())).hint("give another --rejects")
                );
            }
            _ => continue,
        };
        let message = format!("rejected lines cannot be written to {}: it is {owner}", path.display());
        return Err(Error::user(message).hint("give another --rejects"));
    }
    Ok(())
}

/// The canonical path, whether or not the file exists.
fn absolute(path: &Path) -> PathBuf {
    let of_folder = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        folder.canonicalize().ok().zip(path.file_name()).map(|(folder, name)| folder.join(name))
    };
    path.canonicalize().ok().or_else(of_folder).unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twelve_months_end_where_the_next_ones_start() {
        let texts: Vec<String> = months(Some("2024-11")).unwrap().into_iter().map(date_text).collect();
        assert_eq!(
            (texts[0].as_str(), texts[3].as_str(), texts[11].as_str()),
            ("2024-12-01", "2025-03-01", "2025-11-01")
        );
        let of_cards = months(None).unwrap();
        assert!(of_cards.contains(&Cards::days().end), "the last month of the cards has an end");
        for wrong in ["", "2024", "2024-13", "2024-1", "9999-12", "24-01", "2024-01-01"] {
            assert!(months(Some(wrong)).unwrap_err().message.contains("is not a month"), "{wrong}");
        }
    }
}
