//! From the words of the command line to a request, with an answer for everything that cannot be.

use std::path::PathBuf;

use record::Pace;
use run::{PairRequest, Request, Result, Selection};

use crate::arguments::RunArguments;
use crate::arguments::pair::PairArguments;
use crate::build::build;
use crate::pace::{self, Load};

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
        degrees: arguments.jobs.as_deref().map(once).or(enough),
        nodes: arguments.nodes.as_deref().map(once),
        preset: arguments.preset.into(),
        window: arguments.seconds,
        warm_up: arguments.warm_up,
        steps: arguments.steps,
        repeats: arguments.repeats,
        seed: arguments.seed,
        placement: arguments.placement.into(),
        pace,
        variations,
        until,
        one_thread_per_core,
        small_rows: arguments.small_rows,
        large_rows: arguments.large_rows,
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
pub fn pair(arguments: &PairArguments, records: [PathBuf; 2], judged: Vec<String>) -> PairRequest {
    let processors = host::cpus_allowed().len() as u32;
    let degrees = match &arguments.jobs {
        Some(jobs) => once(jobs),
        None if processors > 1 => vec![1, processors],
        None => vec![1],
    };
    let request = Request {
        tests: Selection { words: arguments.tests.iter().filter(|word| !word.is_empty()).cloned().collect() },
        directory: arguments.dir.clone(),
        degrees: Some(degrees),
        nodes: None,
        preset: arguments.preset.into(),
        window: arguments.seconds,
        warm_up: arguments.warm_up,
        steps: None,
        repeats: None,
        seed: arguments.seed,
        placement: arguments.placement.into(),
        pace: Pace::AsFastAsPossible,
        variations: Vec::new(),
        until: None,
        one_thread_per_core: false,
        small_rows: arguments.small_rows,
        large_rows: arguments.large_rows,
        looks: !arguments.no_activity,
        trace: None,
        rung: None,
        prove: false,
        keep: false,
        record: records[0].clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: Some(build()),
    };
    PairRequest { request, pairs: arguments.pairs, records, judged }
}

/// Values in their order and each once.
pub fn once<T: Copy + PartialEq>(values: &[T]) -> Vec<T> {
    let mut found = Vec::with_capacity(values.len());
    for value in values {
        if !found.contains(value) {
            found.push(*value);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degrees_are_kept_in_order_and_once() {
        assert_eq!(once(&[4, 1, 4, 8]), [4, 1, 8]);
    }
}
