//! Requests of `dbdyno run` and `dbdyno pair` from their arguments.

use std::path::PathBuf;

use engine::Engine;
use record::Variation;
use run::{DurabilityProofFile, Error, LogRequest, PairRequest, Request, Result, Selection, Setup};

use crate::arguments::pair::PairArguments;
use crate::arguments::run::RunArguments;
use crate::arguments::value::once;
use crate::engines::is_of_one_kind;
use crate::like::{self, load_in_kind};
use crate::pace::{self, Load};

/// The request of `arguments`, with the record at `record`.
///
/// # Errors
/// The user's mistakes: thing, value, limit, hint.
pub fn request(arguments: &RunArguments, record: PathBuf, engine: &dyn Engine) -> Result<Request> {
    let processors = host::cpus_allowed();
    let Load { pace, variations, until, one_thread_per_core } =
        pace::load(&arguments.load, host::cores().as_deref(), &processors)?;
    let pipelines = once(&arguments.pipeline);
    let pipelined = pipelines.iter().map(|statements| Variation::Pipelined { statements: *statements });
    let variations = variations.into_iter().chain(pipelined).collect();
    // A search uses one degree of parallelism, with enough sessions for the arrivals.
    let enough = until.is_some().then(|| vec![2 * processors.len() as u32]);
    let setup = arguments.place.setup.setup(arguments.preset, arguments.seed, record);
    let in_kind = load_in_kind(&arguments.like)?;
    // Runs of other tests are as long as they are elsewhere.
    let alone = in_kind.as_ref().filter(|_| arguments.tests.is_empty() && arguments.seconds.is_none());
    let window = alone.map(|load| like::window(load, arguments.preset.windows().1)).or(arguments.seconds);
    Ok(Request {
        setup: Setup {
            keep: arguments.keep,
            client_threads: arguments.client_threads,
            script_log: script_log(arguments)?,
            durability: arguments.durability.as_deref().map(DurabilityProofFile::read).transpose()?,
            ..setup
        },
        tests: Selection { words: arguments.tests.iter().filter(|word| !word.is_empty()).cloned().collect() },
        scripts: arguments.scripts.scripts(engine)?,
        in_kind,
        loads_beside: arguments.load_beside.clone(),
        degrees: arguments.jobs.as_deref().map(once).or(enough),
        nodes: arguments.nodes.as_deref().map(once),
        window,
        warm_up: arguments.warm_up,
        steps: arguments.steps,
        repeats: arguments.repeats,
        pace,
        variations,
        until,
        one_thread_per_core,
        small_rows: arguments.small_rows,
        large_rows: arguments.large_rows,
        warehouses: arguments.warehouses,
        trace: arguments.trace,
        tracer: arguments.tracer,
        prove: arguments.prove,
        network: arguments.network.clone(),
        jobs_per_agent: None,
    })
}

/// The log of the executions of scripts.
fn script_log(arguments: &RunArguments) -> Result<Option<LogRequest>> {
    let Some(path) = arguments.script_log.clone() else { return Ok(None) };
    if !arguments.scripts.has_scripts() {
        return Err(Error::user("--script-log is given, and no script")
            .hint("give --script FILE, --builtin NAME or --schema tpcc, too"));
    }
    Ok(Some(LogRequest { path, sampled: arguments.sampling_rate }))
}

/// The tests of a pair that names none.
const TESTS_OF_PAIR: [&str; 4] = ["T611", "T616", "T716", "T311"];

/// The request of `arguments`, with the records at `records`; the tests `judged` must be planned.
///
/// # Errors
/// Mistakes in scripts.
pub fn pair(
    arguments: &PairArguments,
    records: [PathBuf; 2],
    judged: Vec<String>,
    engines: [&dyn Engine; 2],
) -> Result<PairRequest> {
    if let Some(schema) = &arguments.scripts.schema
        && !is_of_one_kind(engines[0], engines[1])
    {
        let [a, b] = engines.map(|engine| engine.name());
        return Err(Error::user(format!("schema {schema} has other procedures on {a} than on {b}"))
            .hint("give two targets of one engine, or --tests C110"));
    }
    let scripts = arguments.scripts.scripts(engines[0])?;
    let mut words: Vec<String> = arguments.tests.iter().filter(|word| !word.is_empty()).cloned().collect();
    if words.is_empty() && scripts.is_none() {
        words = TESTS_OF_PAIR.map(str::to_owned).into();
    }
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
        tests: Selection { words },
        scripts,
        degrees: Some(degrees),
        window: arguments.seconds,
        warm_up: arguments.warm_up,
        small_rows: arguments.small_rows,
        large_rows: arguments.large_rows,
        warehouses: arguments.warehouses,
        ..Request::default()
    };
    let loads_beside = [arguments.a_load_beside.clone(), arguments.b_load_beside.clone()];
    Ok(PairRequest { request, loads_beside, pairs: arguments.pairs, records, judged })
}
