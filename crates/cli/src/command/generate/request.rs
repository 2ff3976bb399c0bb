//! The files to write, from the arguments.

use std::ffi::OsStr;
use std::io::{IsTerminal, stdout};
use std::path::Path;

use flat::{Cards, Compression, Destination, Files, FilesFormat, Packing};
use record::Bytes;
use run::{Error, Result};

use super::{CardsArguments, is_binary};
use crate::arguments::value::ROWS_MAX;

/// Default of `--size`.
const SIZE: Bytes = Bytes(1_000_000_000);
const STANDARD_OUTPUT: &str = "-";
/// Other paths of the standard output.
const STANDARD_OUTPUTS: [&str; 3] = ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// The files that `arguments` describe.
pub(super) fn files(arguments: &CardsArguments) -> Result<Files> {
    let count = arguments.files;
    let is_standard_output = STANDARD_OUTPUTS.iter().any(|name| arguments.out == Path::new(name));
    let out = if is_standard_output { Path::new(STANDARD_OUTPUT) } else { &arguments.out };
    let named = named_file(out);
    let format = arguments.format.or_else(|| named.and_then(format_of)).unwrap_or(FilesFormat::Bars);
    if let Some(path) = named.filter(|path| format_of(path).is_some_and(|of_name| of_name != format)) {
        return Err(Error::user(format!("--format {} contradicts the name {}", format.ending(), path.display()))
            .hint("leave --format out, or rename the file"));
    }
    let packing = packing(arguments.compress, named, format)?;
    let size = arguments.size.unwrap_or(SIZE);
    let rows = arguments.rows.unwrap_or_else(|| Cards::rows_in(size, format.style()).min(ROWS_MAX));
    if u64::from(count) > rows {
        return Err(
            Error::user(format!("files {count} is more than {rows} rows")).hint("use fewer files, or more --rows")
        );
    }
    let threads = arguments.threads.map_or_else(|| host::cpus_allowed().len().max(1), |threads| threads as usize);
    let destination = destination(out, named, count)?;
    if destination == Destination::StandardOutput && is_binary(format, packing) && stdout().is_terminal() {
        return Err(Error::user("compressed data are not written to a terminal")
            .hint("give a file or a directory with -o, or pipe it into another program"));
    }
    Ok(Files {
        cards: Cards::new(arguments.seed, rows),
        format,
        packing,
        destination,
        threads,
        replace: arguments.force,
    })
}

/// `out` where it is a file: it exists, or its name has a known ending.
fn named_file(out: &Path) -> Option<&Path> {
    let is_directory = out.is_dir() || out.as_os_str().as_encoded_bytes().ends_with(b"/");
    let known = format_of(out).is_some() || Compression::of_path(out) != Compression::Plain;
    (!is_directory && out != Path::new(STANDARD_OUTPUT) && (known || out.exists())).then_some(out)
}

/// The format by the ending of a file name, without the ending of its compression.
fn format_of(path: &Path) -> Option<FilesFormat> {
    let stem = match Compression::of_path(path) {
        Compression::Plain => path.to_owned(),
        _ => path.with_extension(""),
    };
    let ending = stem.extension().and_then(OsStr::to_str)?;
    [FilesFormat::Bars, FilesFormat::Commas, FilesFormat::Parquet].into_iter().find(|format| format.ending() == ending)
}

/// The compression by option or by file name, which may not contradict each other.
fn packing(asked: Option<Packing>, named: Option<&Path>, format: FilesFormat) -> Result<Packing> {
    let of_name = named.map_or(Compression::Plain, Compression::of_path);
    let packing = match asked {
        None => Packing::of(of_name),
        Some(asked) => asked,
    };
    if packing == Packing::PLAIN && asked.is_some() && format == FilesFormat::Parquet {
        return Err(Error::user("Parquet is always written with compression")
            .hint("leave --compress out for Snappy, or give gzip, zstd or lz4"));
    }
    let contradicts = of_name != Compression::Plain && of_name != packing.compression();
    match named.filter(|_| contradicts || (of_name != Compression::Plain && format == FilesFormat::Parquet)) {
        None => Ok(packing),
        Some(path) if format == FilesFormat::Parquet => Err(Error::user(format!(
            "{} is named as a {of_name} file, but Parquet is compressed internally",
            path.display()
        ))
        .hint(format!("name it .parquet, and use --compress {of_name}"))),
        Some(path) => Err(Error::user(format!("--compress {packing} contradicts the name {}", path.display()))
            .hint("leave --compress out, or rename the file")),
    }
}

fn destination(out: &Path, named: Option<&Path>, count: u32) -> Result<Destination> {
    let one = match (out == Path::new(STANDARD_OUTPUT), named) {
        (true, _) => Destination::StandardOutput,
        (false, Some(path)) if path.metadata().is_ok_and(|found| !found.is_file()) && !flat::is_in_place(path) => {
            return Err(Error::user(format!("{} is not a regular file and is not overwritten", path.display()))
                .hint("give a file, a directory, a pipe or -"));
        }
        (false, Some(path)) => Destination::File(path.to_owned()),
        (false, None) if is_unknown_file(out) => {
            return Err(Error::user(format!("{} has no known ending and is not a directory", out.display()))
                .hint("end a file with .tbl, .csv, .parquet, .gz, .zst or .lz4, and a directory with /"));
        }
        (false, None) => return Ok(Destination::Directory { path: out.to_owned(), files: count }),
    };
    match count {
        1 => Ok(one),
        _ => Err(Error::user(format!("{count} files cannot be written to {}, which is one file", out.display()))
            .hint("give a directory with -o")),
    }
}

/// Whether `out` looks like a file name with an unknown ending.
fn is_unknown_file(out: &Path) -> bool {
    let is_directory = out.is_dir() || out.as_os_str().as_encoded_bytes().ends_with(b"/");
    let ending = out.extension().and_then(OsStr::to_str).unwrap_or_default();
    !is_directory && ending.starts_with(|letter: char| letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_and_compression_follow_from_the_name() {
        assert_eq!(format_of(Path::new("a.csv.gz")), Some(FilesFormat::Commas));
        assert_eq!(format_of(Path::new("a.tbl")), Some(FilesFormat::Bars));
        assert_eq!(format_of(Path::new("a.parquet")), Some(FilesFormat::Parquet));
        assert_eq!((format_of(Path::new("a.gz")), format_of(Path::new("a"))), (None, None));
        assert_eq!(named_file(Path::new("/no/such/a.gz")), Some(Path::new("/no/such/a.gz")));
        assert_eq!((named_file(Path::new("-")), named_file(Path::new("/no/such/flat"))), (None, None));
        assert_eq!(named_file(Path::new("/dev/null")), Some(Path::new("/dev/null")));
        assert_eq!(named_file(Path::new("/tmp")), None);
        for (name, unknown) in [("a.txt", true), ("a.tbl.bz2", true), ("a.txt/", false), ("a-1.5", false), ("a", false)]
        {
            assert_eq!(is_unknown_file(Path::new(name)), unknown, "{name}");
        }
    }

    #[test]
    fn names_and_options_that_contradict_each_other_are_refused() {
        let packing = |asked: Option<&str>, name: &'static str, format| {
            packing(asked.map(|asked| asked.parse().unwrap()), Some(Path::new(name)), format)
        };
        assert_eq!(packing(None, "a.tbl.gz", FilesFormat::Bars).unwrap().to_string(), "gzip:6");
        assert_eq!(packing(Some("gzip:1"), "a.gz", FilesFormat::Bars).unwrap().to_string(), "gzip:1");
        assert_eq!(packing(Some("zstd"), "a.parquet", FilesFormat::Parquet).unwrap().to_string(), "zstd:3");
        let refused = |asked, name, format| packing(asked, name, format).unwrap_err().to_string();
        assert!(
            refused(Some("zstd"), "a.gz", FilesFormat::Bars).starts_with("--compress zstd:3 contradicts the name a.gz")
        );
        assert!(
            refused(None, "a.gz", FilesFormat::Parquet).contains("hint: name it .parquet, and use --compress gzip")
        );
    }
}
