//! Requests of `dbdyno run` and `dbdyno pair` from their arguments.

use std::path::PathBuf;

use record::Variation;
use run::{PairRequest, Request, Result, Selection, Setup};

use crate::arguments::pair::PairArguments;
use crate::arguments::run::RunArguments;
use crate::arguments::value::once;
use crate::pace::{self, Load};

/// The request of `arguments`, with the record at `record`.
///
/// # Errors
/// The user's mistakes: thing, value, limit, hint.
pub fn request(arguments: &RunArguments, record: PathBuf) -> Result<Request> {
    let processors = host::cpus_allowed();
    let Load { pace, variations, until, one_thread_per_core } =
        pace::load(&arguments.load, host::cores().as_deref(), &processors)?;
    let pipelines = once(&arguments.pipeline);
    let pipelined = pipelines.iter().map(|statements| Variation::Pipelined { statements: *statements });
    let variations = variations.into_iter().chain(pipelined).collect();
    // A search uses one degree of parallelism, with enough sessions for the arrivals.
    let enough = until.is_some().then(|| vec![2 * processors.len() as u32]);
    let setup = arguments.place.setup.setup(arguments.preset, arguments.seed, record);
    Ok(Request {
        setup: Setup { keep: arguments.keep, client_threads: arguments.client_threads, ..setup },
        tests: Selection { words: arguments.tests.iter().filter(|word| !word.is_empty()).cloned().collect() },
        scripts: arguments.scripts.scripts()?,
        degrees: arguments.jobs.as_deref().map(once).or(enough),
        nodes: arguments.nodes.as_deref().map(once),
        window: arguments.seconds,
        warm_up: arguments.warm_up,
        steps: arguments.steps,
        repeats: arguments.repeats,
        pace,
        variations,
        until,
        one_thread_per_core,
        small_rows: arguments.small_rows,
        large_rows: arguments.large_rows,
        trace: arguments.trace,
        tracer: arguments.tracer,
        prove: arguments.prove,
        network: arguments.network.clone(),
        jobs_per_agent: None,
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
        setup: Setup {
            client_threads: arguments.client_threads,
            ..arguments.setup.setup(arguments.preset, arguments.seed, records[0].clone())
        },
        tests: Selection { words: arguments.tests.iter().filter(|word| !word.is_empty()).cloned().collect() },
        degrees: Some(degrees),
        window: arguments.seconds,
        warm_up: arguments.warm_up,
        small_rows: arguments.small_rows,
        large_rows: arguments.large_rows,
        ..Request::default()
    };
    PairRequest { request, pairs: arguments.pairs, records, judged }
}
