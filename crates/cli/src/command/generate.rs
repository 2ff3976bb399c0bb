//! `dbdyno generate`: data to load, as files.

mod request;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use clap::builder::TypedValueParser;
use clap::{Args, Subcommand};
use flat::{Destination, Files, FilesError, FilesFormat, FilesProgress, FilesWritten, Packing};
use record::Bytes;
use run::{Error, Event, Interrupt, Listener, Result};

use crate::arguments::{choice, value};
use crate::output::{note, print};
use crate::progress::{Loudness, Progress};
use crate::signal;

/// Upper limit of `--files`: file numbers have four digits.
const FILES_MAX: u32 = 9_999;
/// Upper limit of `--threads`.
const THREADS_MAX: u32 = 1_024;

const EXAMPLES: &str = "\
Examples:
  dbdyno generate cards --size 5GB -o flat            flat/cards-0001.tbl
  dbdyno generate cards --rows 10M --files 8 --compress gzip:3 -o flat
  dbdyno generate cards --size 1GB -o cards.csv.zst   one file; format and compression by its name
  dbdyno generate cards --rows 1M -o - | psql -c \"copy cards from stdin (delimiter '|')\"
  dbdyno generate cards --size 1TB --files 64 --compress zstd --dry-run

A row: card_no|card_type|mcc|purchase_amt|purchase_dt|merchant_code|merchant_city|merchant_state|merchant_zip|
The same seed gives the same rows on any number of threads; the checksum is that of all lines in order.";

/// Options of `dbdyno generate`.
#[derive(Args, Debug)]
pub struct GenerateArguments {
    /// Kind of data.
    #[command(subcommand)]
    pub what: Generated,
}

/// Kinds of generated data.
#[derive(Debug, Subcommand)]
pub enum Generated {
    /// Card transactions of a year, as flat files
    Cards(CardsArguments),
}

/// Options of `dbdyno generate cards`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct CardsArguments {
    /// Rows of all files together (`100000`, `10M`)
    #[arg(long, value_name = "N", conflicts_with = "size", help_heading = "Size", value_parser = value::count("rows", 1..=value::ROWS_MAX))]
    pub rows: Option<u64>,
    /// Approximate size of all files together, uncompressed (`5GB`, `500MiB`) [default: 1GB]
    #[arg(long, value_name = "BYTES", help_heading = "Size", value_parser = value::bytes("size", 1..=value::SIZE_BYTES_MAX))]
    pub size: Option<Bytes>,
    /// Number of equal files
    #[arg(long, value_name = "N", default_value = "1", help_heading = "Size", value_parser = value::count_32("files", 1..=FILES_MAX))]
    pub files: u32,
    /// Seed of all random rows
    #[arg(long, value_name = "N", default_value_t = 42, help_heading = "Size")]
    pub seed: u64,
    /// `gzip[:1-9]`, `zstd[:1-19]`, `lz4`, `plain` [default: by the file name, else plain]
    #[arg(long, value_name = "HOW", help_heading = "Format", value_parser = value::packing)]
    pub compress: Option<Packing>,
    /// File format [default: by the file name, else tbl]
    #[arg(long, short, help_heading = "Format", value_parser = format())]
    pub format: Option<FilesFormat>,
    /// Directory or file; `-` is the standard output
    #[arg(long = "out", short, value_name = "DIR|FILE|-", default_value = ".", help_heading = "Location")]
    pub out: PathBuf,
    /// Overwrite existing files
    #[arg(long, help_heading = "Location")]
    pub force: bool,
    /// Threads that generate and compress rows [default: one per processor]
    #[arg(long, value_name = "N", value_parser = value::count_32("threads", 1..=THREADS_MAX))]
    pub threads: Option<u32>,
    /// Print errors only
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the files and their sizes, and exit
    #[arg(long)]
    pub dry_run: bool,
}

/// Formats of flat files.
fn format() -> impl TypedValueParser<Value = FilesFormat> {
    choice::of([
        ("tbl", "Each field ends with a bar, the last one too; no header line", FilesFormat::Bars),
        ("csv", "Comma-separated, with a header line", FilesFormat::Commas),
        ("parquet", "Typed columns, compressed internally: Snappy without --compress", FilesFormat::Parquet),
    ])
}

/// What to do about a full file system.
const HINT_SPACE: &str = "free space, use --compress, or give another path with -o";

/// Carries out `dbdyno generate`.
///
/// # Errors
/// The user's mistakes, files that cannot be written, Ctrl-C.
pub fn generate(arguments: &GenerateArguments) -> Result<()> {
    match &arguments.what {
        Generated::Cards(arguments) => cards(arguments),
    }
}

fn cards(arguments: &CardsArguments) -> Result<()> {
    let files = request::files(arguments)?;
    let to_stdout = files.destination == Destination::StandardOutput;
    if arguments.dry_run {
        return print(&dry_run(&files)?);
    }
    refuse_existing(&files)?;
    refuse_full(&files)?;
    let created = create_directory(&files)?;
    let interrupt = Arc::new(Interrupt::default());
    if !to_stdout {
        // A pipe needs no cleanup: the default action of the signal ends the process.
        signal::listen(Arc::clone(&interrupt))?;
    }
    let progress = Progress::new(Loudness::of(arguments.quiet));
    let start = Instant::now();
    let written = write(&files, interrupt.flag(), &progress);
    progress.end();
    if written.is_err() {
        // A directory with a finished file stays.
        let _ = created.iter().try_for_each(std::fs::remove_dir);
    }
    let summary = summary(&files, &written?, start.elapsed());
    match (arguments.quiet, to_stdout) {
        (true, _) => Ok(()),
        (false, true) => {
            note(summary.trim_end());
            Ok(())
        }
        (false, false) => print(&summary),
    }
}

fn write(files: &Files, stop: &AtomicBool, progress: &Progress) -> Result<FilesWritten> {
    let report = |progress_of: FilesProgress<'_>| {
        let file = progress_of.file.display().to_string();
        progress.on_event(&Event::Writing { file: &file, done: progress_of.done, size: progress_of.size });
    };
    flat::write_files(files, stop, &report).map_err(|error| match error {
        FilesError::Stopped { whole } => {
            let kept = match whole {
                0 => "no file was finished".to_owned(),
                1 => "1 file was finished and is kept".to_owned(),
                whole => format!("{whole} files were finished and are kept"),
            };
            Error { message: format!("interrupted: {kept}"), ..Error::interrupted() }
        }
        FilesError::Write { ref cause, .. } if cause.kind() == ErrorKind::StorageFull => {
            Error::environment(error.to_string()).hint(HINT_SPACE)
        }
        FilesError::Write { .. } => Error::environment(error.to_string()),
    })
}

/// Whether the output is binary.
fn is_binary(format: FilesFormat, packing: Packing) -> bool {
    format == FilesFormat::Parquet || packing != Packing::PLAIN
}

fn refuse_existing(files: &Files) -> Result<()> {
    match files.existing().filter(|_| !files.replace) {
        Some(path) => Err(Error::user(format!("file {} exists", path.display()))
            .hint("use --force to overwrite, or another path with -o")),
        None => Ok(()),
    }
}

/// Refuses to start if the files will not fit. An estimate: a file system that fills up meanwhile is an error later.
fn refuse_full(files: &Files) -> Result<()> {
    let directory = match &files.destination {
        Destination::Directory { path, .. } => path.as_path(),
        Destination::File(path) if !flat::is_in_place(path) => path.parent().unwrap_or(Path::new(".")),
        Destination::File(_) | Destination::StandardOutput => return Ok(()),
    };
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    // A missing directory will be on the file system of its nearest existing ancestor.
    let existing = directory.ancestors().find(|path| path.exists()).unwrap_or(Path::new("."));
    let (Some(free), written) = (host::free_bytes(existing), preview(files)?.written) else { return Ok(()) };
    match written > free {
        false => Ok(()),
        true => Err(Error::environment(format!(
            "the files need about {} in {}, which has {} free",
            megabytes(written),
            directory.display(),
            megabytes(free)
        ))
        .hint(HINT_SPACE)),
    }
}

fn preview(files: &Files) -> Result<flat::Preview> {
    files.preview().map_err(|error| Error::environment(format!("rows cannot be generated: {error}")))
}

/// Creates the directory for the files; returns the created directories, the innermost first.
fn create_directory(files: &Files) -> Result<Vec<PathBuf>> {
    let Destination::Directory { path, .. } = &files.destination else { return Ok(Vec::new()) };
    let is_missing = |path: &&Path| !path.as_os_str().is_empty() && !path.exists();
    let missing = path.ancestors().take_while(is_missing).map(Path::to_owned).collect();
    std::fs::create_dir_all(path)
        .map_err(|error| Error::environment(format!("directory {} cannot be created: {error}", path.display())))?;
    Ok(missing)
}

fn dry_run(files: &Files) -> Result<String> {
    let preview = preview(files)?;
    let paths = files.paths();
    Ok(table(&[
        ("files", listed(&paths)),
        ("rows", files.cards.rows().to_string()),
        ("lines", format!("about {}", megabytes(preview.flat))),
        ("written", format!("about {}{}", megabytes(preview.written), packed(files))),
        ("threads", files.threads.to_string()),
    ]))
}

fn summary(files: &Files, written: &FilesWritten, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64();
    let rate = written.flat.0 as f64 / seconds.max(1e-9) / 1e6;
    let ratio = written.flat.0 as f64 / written.written.0.max(1) as f64;
    let mut lines = vec![
        ("files", listed(&written.paths)),
        ("rows", written.rows.to_string()),
        ("lines", format!("{} bytes, {}", written.flat.0, megabytes(written.flat))),
        ("written", format!("{} bytes, {}{}", written.written.0, megabytes(written.written), packed(files))),
        ("time", format!("{seconds:.2} s, {rate:.1} MB/s of lines by {} threads", files.threads)),
        ("checksum", format!("{:08x} (CRC-32 of all lines in their order)", written.crc32)),
    ];
    if is_binary(files.format, files.packing) {
        lines.insert(4, ("ratio", format!("{ratio:.2}")));
    }
    table(&lines)
}

fn table(lines: &[(&str, String)]) -> String {
    lines.iter().map(|(name, value)| format!("{name:<9} {value}\n")).collect()
}

fn listed(paths: &[PathBuf]) -> String {
    match paths {
        [first, .., last] => format!("{}: {} to {}", paths.len(), first.display(), last.display()),
        paths => paths.iter().map(|path| path.display().to_string()).collect(),
    }
}

fn packed(files: &Files) -> String {
    match (files.format, files.packing) {
        (FilesFormat::Parquet, Packing::PLAIN) => " (Parquet, snappy)".to_owned(),
        (FilesFormat::Parquet, packing) => format!(" (Parquet, {packing})"),
        (_, Packing::PLAIN) => String::new(),
        (_, packing) => format!(" ({packing})"),
    }
}

fn megabytes(bytes: Bytes) -> String {
    format!("{:.1} MB", bytes.0 as f64 / 1e6)
}
