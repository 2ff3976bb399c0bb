//! `dbdyno streams`: files kept in the database, and on the file system beside it.

use base::quantity::size_text;
use clap::Args;
use record::{Bytes, Nanos, Preset};
use run::{Error, Result, StreamsRequest, measure_streams};
use workload::streams::{PAGE_BYTES, STREAMS_MAX};

use crate::arguments::choice;
use crate::arguments::output::OutputArguments;
use crate::arguments::setup::PlaceArguments;
use crate::arguments::value::{self, once};
use crate::engines::engine;
use crate::measuring::{judge, measuring};
use crate::sheet::{check_output, show};
use crate::target::target;

/// Upper limit of `--request`: each stream keeps two of them in memory.
const REQUEST_BYTES_MAX: u64 = 256 << 20;
/// Upper limit of `--file`.
const FILE_BYTES_MAX: u64 = 16 << 40;

const STREAMS_EXAMPLES: &str = "\
Examples:
  dbdyno streams --target local:postgres                  1, 4 and 16 files in each form, and on the file system
  dbdyno streams --target local:mariadb --streams 16 --file 1GiB --request 1MiB
  dbdyno streams --target sqlite --form blob,file-system --commit-every 16
  dbdyno streams --target local:postgres --file 10GiB --seconds 60   limit each run to a minute

Each stream writes its own file in requests, one statement each, and reads it back. The same streams are measured on the
file system for comparison. MB and GB are powers of 1000, MiB and GiB of 1024. A request is a multiple of 4 KiB, a file
a multiple of the request.";

/// Options of `dbdyno streams`.
#[derive(Args, Debug)]
#[command(next_help_heading = "Workload", after_help = STREAMS_EXAMPLES)]
pub struct StreamsArguments {
    /// The engine: `sqlite`, `local:postgres`, `local:mariadb`, `local:mysql`, or a URL
    #[arg(long, short, value_name = "TARGET", default_value = "sqlite")]
    pub target: String,
    /// Numbers of concurrent streams, one file each [default: 1,4,16; smoke: 1,2]
    #[arg(long, value_name = "1,4,16", value_delimiter = ',', value_parser = value::degree("streams"))]
    pub streams: Vec<u32>,
    /// Storage forms of the engine, and `file-system`
    #[arg(long, value_name = "FORM,...|all", value_delimiter = ',', default_value = "all")]
    pub form: Vec<String>,
    /// Request size
    #[arg(long, value_name = "SIZE", default_value = "1MiB", value_parser = value::bytes("request", 0..=REQUEST_BYTES_MAX))]
    pub request: Bytes,
    /// Commit after N requests [default: one transaction per file]
    #[arg(long, value_name = "N", value_parser = value::count("commit-every", 1..=u64::MAX))]
    pub commit_every: Option<u64>,
    /// On the file system, use direct I/O, and fail if it is not supported [default: direct I/O if supported]
    #[arg(long, conflicts_with = "buffered")]
    pub direct: bool,
    /// On the file system, use buffered I/O
    #[arg(long)]
    pub buffered: bool,
    /// File size per stream [default: 64MiB; smoke: 4MiB, standard: 512MiB, publish: 10GiB]
    #[arg(long, value_name = "SIZE", help_heading = "Duration and size", value_parser = value::bytes("file", 0..=FILE_BYTES_MAX))]
    pub file: Option<Bytes>,
    /// Time limit of each run, seconds
    #[arg(long, short, visible_short_alias = 'T', visible_aliases = ["time", "duration"], value_name = "S", help_heading = "Duration and size", value_parser = value::window("seconds"))]
    pub seconds: Option<Nanos>,
    /// File size, and cache size of a temporary server
    #[arg(long, short, default_value = "quick", help_heading = "Duration and size", value_parser = choice::preset())]
    pub preset: Preset,
    /// Seed of all random data
    #[arg(long, value_name = "N", default_value_t = 42, help_heading = "Duration and size")]
    pub seed: u64,
    #[command(flatten)]
    pub place: PlaceArguments,
    /// Output
    #[command(flatten)]
    pub output: OutputArguments,
}

/// Carries out `dbdyno streams`.
///
/// # Errors
/// The user's mistakes, the environment's refusals, Ctrl-C, and runs that failed.
pub fn streams(arguments: &StreamsArguments) -> Result<()> {
    let request = request(arguments)?;
    let target = target(&arguments.target)?;
    engine(&target)?;
    check_output(&arguments.output)?;
    let measured = measuring(arguments.output.quiet, |measuring| {
        measuring.observing(&arguments.place.observe, &target, |context| measure_streams(&request, context))
    })?;
    show(&measured, &arguments.output)?;
    judge(measured)
}

fn request(arguments: &StreamsArguments) -> Result<StreamsRequest> {
    let preset = arguments.preset;
    let request_bytes = multiple("request", arguments.request, "4 KiB", PAGE_BYTES)?;
    let usual: u64 = match preset {
        Preset::Smoke => 4 << 20,
        Preset::Quick => 64 << 20,
        Preset::Standard | Preset::Soak => 512 << 20,
        Preset::Publish => 10 << 30,
    };
    let file_bytes = match arguments.file {
        Some(file) => multiple("file", file, "the request", request_bytes.0)?,
        None => request_bytes.times((usual / request_bytes.0).max(1)),
    };
    Ok(StreamsRequest {
        setup: arguments.place.setup(preset, arguments.seed)?,
        forms: forms(&arguments.form),
        streams: numbers(&arguments.streams, preset)?,
        request_bytes,
        file_bytes,
        requests_per_commit: arguments.commit_every,
        direct: match (arguments.direct, arguments.buffered) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        },
        window: arguments.seconds,
    })
}

/// Names of forms; empty for all.
fn forms(words: &[String]) -> Vec<String> {
    let named = words.iter().map(|word| word.trim().to_owned()).collect::<Vec<String>>();
    if named.iter().any(|word| word == "all") { Vec::new() } else { named }
}

fn numbers(given: &[u32], preset: Preset) -> Result<Vec<u32>> {
    let usual: &[u32] = if preset == Preset::Smoke { &[1, 2] } else { &[1, 4, 16] };
    let numbers = if given.is_empty() { usual.to_vec() } else { once(given) };
    match numbers.iter().find(|number| **number > STREAMS_MAX) {
        Some(number) => Err(Error::user(format!("streams {number} are more than {STREAMS_MAX}"))
            .hint("each stream needs its own session")),
        None => Ok(numbers),
    }
}

/// `size`, which must be a multiple of `unit` bytes, named `of`.
fn multiple(option: &str, size: Bytes, of: &str, unit: u64) -> Result<Bytes> {
    if size.0 > 0 && size.0.is_multiple_of(unit) {
        return Ok(size);
    }
    let example = size_text((16_u64 << 20).next_multiple_of(unit));
    let message = format!("{option} {} is not a multiple of {of}, {unit} bytes", size_text(size.0));
    Err(Error::user(message)
        .hint(format!("give a size such as --{option} {example}; MB is a power of 1000, MiB one of 1024")))
}

#[cfg(test)]
mod tests {
    use base::quantity;

    use super::*;

    #[test]
    fn a_size_is_a_multiple_of_its_unit() {
        for bytes in [4096, 1 << 20, 8192] {
            assert_eq!(multiple("request", Bytes(bytes), "4 KiB", 4096), Ok(Bytes(bytes)));
        }
        for (bytes, shown) in [(0, "0B"), (1000, "1kB"), (1_000_000, "1MB")] {
            let error = multiple("request", Bytes(bytes), "4 KiB", 4096).expect_err("none");
            assert_eq!(error.message, format!("request {shown} is not a multiple of 4 KiB, 4096 bytes"));
        }
    }

    #[test]
    fn a_hint_names_a_valid_size() {
        for (unit, hint) in [(4096, "16MiB"), (3 << 20, "18MiB"), (12 << 10, "16392KiB"), (256 << 20, "256MiB")] {
            let error = multiple("file", Bytes(1001), "it", unit).expect_err("no multiple");
            let text = error.hint.expect("a hint");
            assert!(text.contains(&format!("such as --file {hint};")), "{text}");
            let size = quantity::size(hint).expect("a size");
            assert!(multiple("file", Bytes(size), "it", unit).is_ok(), "{text}");
        }
    }

    #[test]
    fn there_are_as_many_streams_as_asked_for() {
        assert_eq!(numbers(&[], Preset::Smoke).expect("the usual"), [1, 2]);
        assert_eq!(numbers(&[2, 8, 2], Preset::Quick).expect("some"), [2, 8]);
        assert!(numbers(&[4097], Preset::Quick).is_err());
    }
}
