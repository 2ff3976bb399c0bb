//! The part of a run that this process carries out as an agent of a fleet.

use measure::clock;
use record::{Part, PartResult};
use workload::Test;

use super::catalogue::measure_one;
use super::io::ProbeFiles;
use crate::directory::MeasuredDirectory;
use crate::hands::{Hands, Release};
use crate::item::{self, Item};
use crate::platform::{Context, Machine, OpenOptions, Platform};
use crate::{Error, Result, Setup};

/// The machine of an agent, and the directory that it may write to.
pub struct AgentBench {
    setup: Setup,
    directory: MeasuredDirectory,
    machine: Machine,
}

impl AgentBench {
    /// The machine as it is now, with the directory of `setup` claimed.
    ///
    /// # Errors
    /// Where the directory cannot be used.
    pub fn new(setup: Setup) -> Result<AgentBench> {
        let directory = MeasuredDirectory::claim(&setup.directory, false)?;
        let machine = Machine::inspect(directory.path())?;
        Ok(AgentBench { setup, directory, machine })
    }

    /// Carries out `part`; `context` has the engine of its target. Its jobs start when they are released. A failed run
    /// is a result, too.
    ///
    /// # Errors
    /// Where the engine cannot be joined, the test is unknown, or the run is interrupted.
    pub fn carry_out(&self, part: &Part, context: Context<'_>, release: &dyn Release) -> Result<PartResult> {
        let Part { plan, .. } = part;
        let setup = Setup { preset: plan.preset, seed: plan.seed, placement: plan.placement, ..self.setup.clone() };
        let jobs = part.share.count;
        let mut platform = Platform::new(context, setup, jobs, &self.directory, &self.machine, clock::now());
        if part.target.is_some() {
            platform.join(OpenOptions::of(&self.directory))?;
        }
        platform.hands = Hands::Agent { share: part.share, release };
        let result = measure_part(&platform, part);
        let closed = platform.close();
        result.and_then(|result| closed.map(|()| result))
    }
}

fn measure_part(platform: &Platform<'_>, part: &Part) -> Result<PartResult> {
    let own = part.test_file.as_deref().map(|text| Test::parse(text, &part.planned.test)).transpose();
    let own = own.map_err(|error| Error::user(error.to_string()))?;
    let item = match &own {
        Some(test) => Item::Test(test),
        None => item::find(&item::catalogue().collect::<Vec<_>>(), &part.planned.test)?,
    };
    platform.with_bench(&part.plan, |bench| {
        let run = measure_one(bench, &part.planned, item, &mut ProbeFiles::default())?;
        Ok(PartResult { run, host_threads: bench.processors.len() as u32 })
    })
}
