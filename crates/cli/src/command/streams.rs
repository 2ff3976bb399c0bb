//! `dbdyno streams`: files kept in the database, and on the file system beside it.

use std::sync::Arc;

use record::{Bytes, Preset};
use run::{Error, Interrupt, Result, StreamsRequest, Workplace, measure_streams};
use workload::blocks::size;
use workload::streams::{PAGE_BYTES, STREAMS_MAX};

use super::run::{default_record, refuse_existing};
use crate::arguments::streams::StreamsArguments;
use crate::build::build;
use crate::engines::{ENGINES, engine};
use crate::outcome::show;
use crate::output::{style, width};
use crate::progress::{Loudness, Progress};
use crate::request::{count, degrees, seconds};
use crate::signal;
use crate::target::target;

/// The largest request: each stream holds two of them in memory.
const REQUEST_BYTES_MAX: u64 = 256 << 20;

/// The largest file.
const FILE_BYTES_MAX: u64 = 16 << 40;

/// Carries out `dbdyno streams`.
///
/// # Errors
/// The user's mistakes, the environment's refusals, Ctrl-C, and runs that failed.
pub fn streams(arguments: &StreamsArguments) -> Result<()> {
    let request = request(arguments)?;
    let target = target(&arguments.target)?;
    let chosen = engine(&target)?;
    refuse_existing(&request.record)?;
    let interrupt = Arc::new(Interrupt::default());
    signal::listen(Arc::clone(&interrupt))
        .map_err(|error| Error::environment(format!("signals cannot be handled: {error}")))?;
    let progress = Progress::new(if arguments.quiet { Loudness::Quiet } else { Loudness::Normal });
    let workplace =
        Workplace { engine: chosen, target: &target, engines: ENGINES, listener: &progress, interrupt: &interrupt };
    let measured = measure_streams(&request, &workplace);
    progress.end();
    show(measured?, |record, place| report::streams_text(record, published().as_deref(), place, style(), width()))
}

/// With which streams others measured, of the first publication that says so.
fn published() -> Option<String> {
    let fact = |system: &model::System, name: &str| {
        system.facts.iter().find(|fact| fact.name == name).map(|fact| fact.value.clone())
    };
    reference::published().iter().find_map(|system| {
        let (setting, file) = (fact(system, "file streams")?, fact(system, "file streams, file of each")?);
        Some(format!("as in {}: {setting}, files of {file}; no rates of them are published", system.name))
    })
}

fn request(arguments: &StreamsArguments) -> Result<StreamsRequest> {
    let preset: Preset = arguments.preset.into();
    let request_bytes = multiple("request", &arguments.request, "4 KiB", PAGE_BYTES, REQUEST_BYTES_MAX)?;
    let usual: u64 = match preset {
        Preset::Smoke => 4 << 20,
        Preset::Quick => 64 << 20,
        Preset::Standard => 512 << 20,
        Preset::Publish => 10 << 30,
    };
    let file_bytes = match &arguments.file {
        Some(file) => multiple("file", file, "the request", request_bytes.0, FILE_BYTES_MAX)?,
        None => request_bytes.times((usual / request_bytes.0).max(1)),
    };
    Ok(StreamsRequest {
        forms: forms(&arguments.form),
        streams: numbers(&arguments.streams, preset)?,
        request_bytes,
        file_bytes,
        requests_per_commit: arguments
            .commit_every
            .as_deref()
            .map(|text| count("commit-every", text, 1))
            .transpose()?,
        direct: match (arguments.direct, arguments.buffered) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        },
        window: arguments.seconds.as_deref().map(|text| seconds("seconds", text, 0.001)).transpose()?,
        preset,
        directory: arguments.dir.clone(),
        seed: arguments.seed,
        placement: arguments.placement.into(),
        looks: !arguments.no_activity,
        record: arguments.record.clone().unwrap_or_else(default_record),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: Some(build()),
    })
}

/// Names of forms; none for all.
fn forms(words: &[String]) -> Vec<String> {
    let named = words.iter().map(|word| word.trim().to_owned()).collect::<Vec<String>>();
    if named.iter().any(|word| word == "all") { Vec::new() } else { named }
}

fn numbers(words: &[String], preset: Preset) -> Result<Vec<u32>> {
    let usual: &[u32] = if preset == Preset::Smoke { &[1, 2] } else { &[1, 4, 16] };
    let numbers = if words.is_empty() { usual.to_vec() } else { degrees("streams", words)? };
    match numbers.iter().find(|number| **number > STREAMS_MAX) {
        Some(number) => Err(Error::user(format!("streams {number} are more than {STREAMS_MAX}"))
            .hint("each stream has a session of its own")),
        None => Ok(numbers),
    }
}

/// The size that `text` means, a multiple of `unit` bytes, which is called `of`.
fn multiple(option: &str, text: &str, of: &str, unit: u64, most: u64) -> Result<Bytes> {
    let said = if text.trim().is_empty() { "\"\"" } else { text };
    let example = match (16_u64 << 20).next_multiple_of(unit).min(most) {
        bytes if bytes.is_multiple_of(1 << 20) => format!("{}M", bytes >> 20),
        bytes => format!("{}K", bytes >> 10),
    };
    let refused = |what: String| {
        Error::user(format!("{option} {said} {what}")).hint(format!("give a size such as --{option} {example}"))
    };
    match size(text) {
        Some(bytes) if bytes > most => Err(refused(format!("is more than {most} bytes"))),
        Some(bytes) if bytes > 0 && bytes.is_multiple_of(unit) => Ok(Bytes(bytes)),
        Some(_) => Err(refused(format!("is no multiple of {of}, {unit} bytes"))),
        None => Err(refused("is not a size".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_multiple_of_what_it_consists_of() {
        let size = |text: &str| multiple("request", text, "4 KiB", 4096, 1 << 28);
        assert_eq!(
            ["4k", "1M", "1MB", "1MiB", "8192"].map(|text| size(text).expect(text).0),
            [4096, 1 << 20, 1 << 20, 1 << 20, 8192]
        );
        for (wrong, words) in [
            ("", "\"\" is not a size"),
            ("-1M", "is not a size"),
            ("1.5M", "is not a size"),
            ("0", "is no multiple of 4 KiB, 4096 bytes"),
            ("1000", "is no multiple"),
            ("1G", "is more than 268435456 bytes"),
            ("99999999999999T", "is not a size"),
        ] {
            let error = size(wrong).expect_err(wrong);
            assert!(error.message.contains(words) && error.hint.is_some(), "{error}");
        }
    }

    #[test]
    fn a_hint_is_a_size_that_can_be() {
        for (option, unit, most, hint) in [
            ("request", 4096, REQUEST_BYTES_MAX, "such as --request 16M"),
            ("file", 3 << 20, FILE_BYTES_MAX, "such as --file 18M"),
            ("file", 12 << 10, FILE_BYTES_MAX, "such as --file 16392K"),
            ("file", 256 << 20, FILE_BYTES_MAX, "such as --file 256M"),
        ] {
            let error = multiple(option, "1001", "it", unit, most).expect_err("no multiple");
            let told = error.hint.expect("a hint");
            assert!(told.ends_with(hint), "{told}");
            let size = told.rsplit(' ').next().expect("a size");
            assert!(multiple(option, size, "it", unit, most).is_ok(), "{told}");
        }
    }

    #[test]
    fn there_are_as_many_streams_as_asked_for() {
        let words = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<String>>();
        assert_eq!(numbers(&[], Preset::Smoke).expect("the usual"), [1, 2]);
        assert_eq!(numbers(&words("2,8,2"), Preset::Quick).expect("some"), [2, 8]);
        for wrong in ["0", "x", "4097"] {
            assert!(numbers(&words(wrong), Preset::Quick).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_others_measured_is_said_with_where_it_is_from() {
        let said = published().expect("a publication");
        for words in ["as in ", "16 concurrent dd", "1 MB requests", "10 GB", "no rates"] {
            assert!(said.contains(words), "{said}");
        }
    }
}
