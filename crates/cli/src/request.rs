//! From the words of the command line to a request, with an answer for everything that cannot be.

use std::path::PathBuf;

use record::{Nanos, Pace};
use run::{Error, PairRequest, Request, Result, Selection};

use crate::amount::amount;
use crate::arguments::pair::PairArguments;
use crate::arguments::{RunArguments, parse_time};
use crate::build::build;
use crate::pace::{self, Load};

/// The most jobs that one invocation drives; above it one thread per job is itself the limit.
const DEGREE_MAX: u32 = 8_192;
/// The most repetitions, or pairs: beyond it an interval grows narrower by nothing that matters.
const REPEATS_MAX: u32 = 1_000;
/// The longest window, in seconds.
const SECONDS_MAX: f64 = 7.0 * 86_400.0;

/// Checks `arguments` and makes them a request whose record goes to `record`.
///
/// # Errors
/// The user's mistakes: thing, value, limit, hint.
pub fn request(arguments: &RunArguments, record: PathBuf) -> Result<Request> {
    let processors = host::cpus_allowed();
    let Load { pace, variations, until, one_thread_per_core } =
        pace::load(&arguments.load, host::cores().as_deref(), &processors)?;
    // Of one degree of parallelism a search is asked, and there must be enough sessions to take what arrives.
    let enough = until.is_some().then(|| vec![2 * processors.len() as u32]);
    Ok(Request {
        tests: Selection { words: arguments.tests.iter().filter(|word| !word.is_empty()).cloned().collect() },
        directory: arguments.dir.clone(),
        degrees: arguments.jobs.as_deref().map(|words| degrees("jobs", words)).transpose()?.or(enough),
        nodes: arguments.nodes.as_deref().map(|words| degrees("nodes", words)).transpose()?,
        preset: arguments.preset.into(),
        window: arguments.seconds.as_deref().map(|text| seconds("seconds", text, 0.001)).transpose()?,
        warm_up: arguments.warm_up.as_deref().map(|text| seconds("warm-up", text, 0.0)).transpose()?,
        steps: arguments.steps.as_deref().map(|text| count("steps", text, 1)).transpose()?,
        repeats: arguments.repeats.as_deref().map(|text| repeats("repeats", text)).transpose()?,
        seed: arguments.seed,
        placement: arguments.placement.into(),
        pace,
        variations,
        until,
        one_thread_per_core,
        small_rows: arguments.small_rows.as_deref().map(|text| rows("small-rows", text)).transpose()?,
        large_rows: arguments.large_rows.as_deref().map(|text| rows("large-rows", text)).transpose()?,
        looks: !arguments.no_activity,
        trace: arguments.trace.map(Into::into),
        rung: arguments.trace_rung.map(Into::into),
        prove: arguments.prove,
        keep: arguments.keep,
        record,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: Some(build()),
    })
}

/// Checks `arguments` and makes them a request whose records go to `records`, in which the tests `judged` are planned.
///
/// # Errors
/// The user's mistakes: thing, value, limit, hint.
pub fn pair(arguments: &PairArguments, records: [PathBuf; 2], judged: Vec<String>) -> Result<PairRequest> {
    let processors = host::cpus_allowed().len() as u32;
    let degrees = match &arguments.jobs {
        Some(words) => degrees("jobs", words)?,
        None if processors > 1 => vec![1, processors],
        None => vec![1],
    };
    let request = Request {
        tests: Selection { words: arguments.tests.iter().filter(|word| !word.is_empty()).cloned().collect() },
        directory: arguments.dir.clone(),
        degrees: Some(degrees),
        nodes: None,
        preset: arguments.preset.into(),
        window: arguments.seconds.as_deref().map(|text| seconds("seconds", text, 0.001)).transpose()?,
        warm_up: arguments.warm_up.as_deref().map(|text| seconds("warm-up", text, 0.0)).transpose()?,
        steps: None,
        repeats: None,
        seed: arguments.seed,
        placement: arguments.placement.into(),
        pace: Pace::AsFastAsPossible,
        variations: Vec::new(),
        until: None,
        one_thread_per_core: false,
        small_rows: arguments.small_rows.as_deref().map(|text| rows("small-rows", text)).transpose()?,
        large_rows: arguments.large_rows.as_deref().map(|text| rows("large-rows", text)).transpose()?,
        looks: !arguments.no_activity,
        trace: None,
        rung: None,
        prove: false,
        keep: false,
        record: records[0].clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: Some(build()),
    };
    Ok(PairRequest { request, pairs: repeats("pairs", &arguments.pairs)?, records, judged })
}

/// Degrees of parallelism, of `jobs` or `nodes`, in their order and each once.
///
/// # Errors
/// The user's mistakes.
pub fn degrees(thing: &str, words: &[String]) -> Result<Vec<u32>> {
    let mut degrees = Vec::with_capacity(words.len());
    for word in words {
        let degree: u32 = match word.trim().parse() {
            Ok(degree @ 1..=DEGREE_MAX) => degree,
            Ok(0) => {
                let what = if thing == "nodes" { "number of nodes" } else { "degree of parallelism" };
                return Err(Error::user(format!("{thing} 0 is not a {what}")).hint("use 1 or more"));
            }
            Ok(degree) => {
                return Err(Error::user(format!("{thing} {degree} is more than {DEGREE_MAX}"))
                    .hint("drive more sessions from several invocations"));
            }
            Err(_) => {
                return Err(Error::user(format!("{thing} {word} is not a whole number"))
                    .hint(format!("give numbers such as --{thing} 1,2,4")));
            }
        };
        if !degrees.contains(&degree) {
            degrees.push(degree);
        }
    }
    Ok(degrees)
}

/// A length of time of at least `least` seconds.
///
/// # Errors
/// The user's mistakes.
pub fn seconds(thing: &str, text: &str, least: f64) -> Result<Nanos> {
    let hint = format!("use a number from {least} to {SECONDS_MAX}, or a time such as 500ms");
    let Some(time) = parse_time(text) else {
        return Err(Error::user(format!("{thing} {text} is not a length of time")).hint(hint));
    };
    match time.seconds() >= least && time.seconds() <= SECONDS_MAX {
        true => Ok(time),
        false => Err(Error::user(format!("{thing} {text} is out of range")).hint(hint)),
    }
}

/// How often each test is measured.
///
/// # Errors
/// The user's mistakes.
fn repeats(thing: &str, text: &str) -> Result<u32> {
    match text.parse::<u32>() {
        Ok(count @ 1..=REPEATS_MAX) => Ok(count),
        _ => Err(Error::user(format!("{thing} {text} is not a number from 1 to {REPEATS_MAX}"))
            .hint("six are the least from which a comparison can be significant")),
    }
}

/// A count of at least `least`.
///
/// # Errors
/// The user's mistakes.
pub fn count(thing: &str, text: &str, least: u64) -> Result<u64> {
    match text.parse::<u64>() {
        Ok(count) if count >= least => Ok(count),
        _ => Err(Error::user(format!("{thing} {text} is not a count")).hint(format!("use {least} or more"))),
    }
}

/// A number of rows: `320k`, `1.5M`.
///
/// # Errors
/// The user's mistakes.
fn rows(thing: &str, text: &str) -> Result<u64> {
    let (least, most) = (3_200, 1_000_000_000_000);
    amount(thing, text, least..=most)
        .map_err(|error| error.hint(format!("use {least} to {most} rows; 320 of them share a secondary key")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(',').map(str::to_owned).collect()
    }

    #[test]
    fn degrees_are_kept_in_order_and_once() {
        assert_eq!(degrees("jobs", &words("4,1,4,8")).unwrap(), [4, 1, 8]);
    }

    #[test]
    fn zero_jobs_are_refused_with_the_rule_and_a_hint() {
        let error = degrees("jobs", &words("1,0")).unwrap_err();
        assert_eq!(error.to_string(), "jobs 0 is not a degree of parallelism\nhint: use 1 or more");
    }

    #[test]
    fn negative_and_endless_seconds_are_refused() {
        for text in ["-1", "nan", "inf", "1e99", "soon", ""] {
            assert!(seconds("seconds", text, 0.001).is_err(), "{text}");
        }
        assert_eq!(seconds("seconds", "1.5", 0.001).unwrap(), Nanos(1_500_000_000));
        assert_eq!(seconds("seconds", "200ms", 0.001).unwrap(), Nanos(200_000_000));
    }

    #[test]
    fn repetitions_are_counted_from_one_and_have_a_limit() {
        assert_eq!((repeats("pairs", "1").unwrap(), repeats("pairs", "1000").unwrap()), (1, 1_000));
        for text in ["0", "1001", "-1", "six", ""] {
            let error = repeats("repeats", text).unwrap_err();
            assert_eq!(error.message, format!("repeats {text} is not a number from 1 to 1000"));
        }
    }

    #[test]
    fn rows_may_be_written_with_a_suffix() {
        assert_eq!(rows("small-rows", "320k").unwrap(), 320_000);
        assert_eq!(rows("small-rows", "1_000_000").unwrap(), 1_000_000);
        assert_eq!(rows("small-rows", "1.5M").unwrap(), 1_500_000);
        assert!(rows("small-rows", "12").is_err());
        assert!(rows("small-rows", "k").is_err());
        assert!(rows("small-rows", "99999999999999999999G").is_err());
    }
}
