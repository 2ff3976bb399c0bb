//! The overhead of dbdyno, measured before anything else.

use engine::{Engine, Target, Workspace};
use measure::{Work, calibrate, clock};
use record::{Dop, Instrument, Preset};
use workload::{Sizes, TestContext};

use crate::{Error, Result};

/// Steps of each calibration series: some milliseconds.
const STEPS: u64 = 100_000;

/// Measures the clock, the loop, the interpreter on the null engine, and one sample of the host's counters.
pub(crate) fn calibrate(counters: &mut host::Counters) -> Result<Instrument> {
    let broken = |broken: measure::Broken| Error::environment(broken.message);
    let clock_source = host::clock_source();
    let clock_method = clock::calibrate(clock_source.as_deref());
    let mut idle = calibrate::Idle;
    let loop_step_ns = calibrate::step_ns(&mut idle, STEPS).map_err(broken)?;
    // The first reading opens files; the second is what a sample costs.
    counters.read(&[]);
    let start = clock::now();
    counters.read(&[]);
    let sample_ns = clock::now() - start;
    Ok(Instrument {
        clock_source,
        clock_method: Some(clock_method),
        clock_read_ns: calibrate::clock_read_ns(),
        loop_step_ns,
        null_engine_step_ns: null_engine_step_ns()?,
        sample_ns,
    })
}

/// A step of the simplest SQL test of the catalogue, on the engine that does nothing.
fn null_engine_step_ns() -> Result<f64> {
    let null: &dyn Engine = &engine::null::NULL;
    let target: Target = "null".parse().map_err(|error| Error::environment(format!("{error}")))?;
    let workspace = Workspace { directory: std::env::temp_dir(), keep: true, cache_bytes: None, sessions_max: 1 };
    let node = null.open(&target, &workspace)?;
    let sizes = Sizes::derive(Preset::Smoke, None, 42);
    let context = TestContext { engine: null, node: node.as_ref(), others: &[], sizes: &sizes };
    let test = workload::catalogue().iter().find(|test| test.code == "T611").expect("T611 is in the catalogue");
    let mut jobs = workload::jobs(test, &context, Dop::jobs(1))?;
    let work: &mut dyn Work = &mut jobs[0];
    calibrate::step_ns(work, STEPS).map_err(|broken| Error::environment(broken.message))
}
