//! `dbdyno streams`: files kept in the database, and on the file system beside it.

use base::quantity::size_text;
use record::{Bytes, Preset};
use run::{Error, Result, StreamsRequest, measure_streams};
use workload::streams::{PAGE_BYTES, STREAMS_MAX};

use crate::arguments::streams::StreamsArguments;
use crate::arguments::value::once;
use crate::engines::engine;
use crate::measuring::{judge, measuring};
use crate::sheet::{check_output, show};
use crate::target::target;

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
        Preset::Standard => 512 << 20,
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
