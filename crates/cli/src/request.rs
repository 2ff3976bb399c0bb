//! Requests of `dbdyno run` and `dbdyno pair` from their arguments.

use std::path::PathBuf;

use record::Pace;
use run::{PairRequest, Request, Result, Selection};

use crate::arguments::pair::PairArguments;
use crate::arguments::run::RunArguments;
use crate::arguments::value::once;
use crate::build::build;
use crate::pace::{self, Load};

/// The request of `arguments`, with the record at `record`.
///
/// # Errors
/// The user's mistakes: thing, value, limit, hint.
pub fn request(arguments: &RunArguments, record: PathBuf) -> Result<Request> {
    let processors = host::cpus_allowed();
    let Load { pace, variations, until, one_thread_per_core } =
        pace::load(&arguments.load, host::cores().as_deref(), &processors)?;
    // A search uses one degree of parallelism, with enough sessions for the arrivals.
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
        sample_sessions: !arguments.no_activity,
        trace: arguments.trace.map(Into::into),
        tracer: arguments.tracer.map(Into::into),
        prove: arguments.prove,
        keep: arguments.keep,
        record,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: Some(build()),
    })
}

/// The request of `arguments`, with the records at `records`; the tests `judged` must be planned.
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
        pace: Pace::Unthrottled,
        variations: Vec::new(),
        until: None,
        one_thread_per_core: false,
        small_rows: arguments.small_rows,
        large_rows: arguments.large_rows,
        sample_sessions: !arguments.no_activity,
        trace: None,
        tracer: None,
        prove: false,
        keep: false,
        record: records[0].clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        build: Some(build()),
    };
    PairRequest { request, pairs: arguments.pairs, records, judged }
}
