//! The part of a run that this process carries out as an agent of a fleet.

use measure::clock;
use record::{IoPart, NodeRun, Part, PartKind, PartResult, Run, Scripts};
use workload::Test;

use super::blocks::{self, BlocksRequest};
use super::catalogue::{measure_one, test_of_scripts};
use super::io::{AgentFiles, ProbeFiles};
use super::load;
use crate::bench::Bench;
use crate::directory::MeasuredDirectory;
use crate::hands::{Hands, Release};
use crate::item::{self, Item};
use crate::platform::{Access, Context, Machine, OpenOptions, Platform};
use crate::{Error, Result, Setup};

/// The machine of an agent, and the directory that it may write to.
pub struct AgentBench {
    setup: Setup,
    directory: MeasuredDirectory,
    machine: Machine,
    files: AgentFiles,
}

impl AgentBench {
    /// The machine as it is now, with the directory of `setup` claimed.
    ///
    /// # Errors
    /// Where the directory cannot be used.
    pub fn new(setup: Setup) -> Result<AgentBench> {
        let directory = MeasuredDirectory::claim(&setup.directory, false)?;
        let machine = Machine::inspect(directory.path())?;
        Ok(AgentBench { setup, directory, machine, files: AgentFiles::default() })
    }

    /// Carries out `part`; `context` has the engine of its target. Its jobs start when they are released. A failed run
    /// is a result, too.
    ///
    /// # Errors
    /// Where the engine cannot be joined, the test is unknown, or the run is interrupted.
    pub fn carry_out(&mut self, part: &Part, context: Context<'_>, release: &dyn Release) -> Result<PartResult> {
        let Part { plan, .. } = part;
        let setup = Setup { preset: plan.preset, seed: plan.seed, placement: plan.placement, ..self.setup.clone() };
        let jobs = part.share.count;
        let mut platform = Platform::new(context, setup.clone(), jobs, &self.directory, &self.machine, clock::now());
        if !part.nodes.is_empty() {
            platform.open(OpenOptions::of(&self.directory), Access::Join(&part.nodes))?;
        }
        platform.hands = Hands::Agent { share: part.share, release };
        let result = match &part.kind {
            PartKind::Io(io) => self.measure_io(&mut platform, part, io),
            PartKind::Catalogue { test_file, scripts } => {
                measure_test(&platform, part, (test_file.as_deref(), scripts.as_ref()))
            }
            PartKind::Blocks { settings, loop_location, caches } => platform.with_bench(&part.plan, |bench| {
                let request = BlocksRequest::of_agent(setup, settings, *loop_location, *caches)?;
                let run = blocks::measure_part(&platform, bench, &part.planned, (&request, *caches))?;
                Ok(result(bench, run))
            }),
            PartKind::Load(load) => platform.with_bench(&part.plan, |bench| {
                load::measure_part(&platform, bench, &part.planned, (setup, load)).map(|run| result(bench, run))
            }),
        };
        let closed = platform.close();
        result.and_then(|result| closed.map(|()| result))
    }

    fn measure_io(&mut self, platform: &mut Platform<'_>, part: &Part, io: &IoPart) -> Result<PartResult> {
        let AgentBench { directory, files, .. } = self;
        let watched = files.survey(io, &directory.data(), directory.path())?;
        if watched != directory.path() {
            platform.watch(&watched);
        }
        platform.watched = watched;
        platform.without_engine(&part.plan, |bench| files.measure(bench, part, io).map(|run| result(bench, run)))
    }
}

fn measure_test(
    platform: &Platform<'_>,
    part: &Part,
    (test_file, scripts): (Option<&str>, Option<&Scripts>),
) -> Result<PartResult> {
    let own = match scripts {
        Some(scripts) => Some(test_of_scripts(scripts)?),
        None => {
            let own = test_file.map(|text| Test::parse(text, &part.planned.test)).transpose();
            own.map_err(|error| Error::user(error.to_string()))?
        }
    };
    let item = match &own {
        Some(test) => Item::Test(test),
        None => item::find(&item::catalogue().collect::<Vec<_>>(), &part.planned.test)?,
    };
    platform.with_bench(&part.plan, |bench| {
        let mut run = measure_one(bench, &part.planned, item, &mut ProbeFiles::default())?;
        if let ([node], 2..) = (part.nodes.as_slice(), run.dop.nodes) {
            run.nodes = vec![of_one_node(&run, node.number)];
        }
        Ok(result(bench, run))
    })
}

/// What the jobs of `run`, which are all on one of several nodes, did there.
fn of_one_node(run: &Run, number: u32) -> NodeRun {
    NodeRun {
        node: number,
        jobs: run.dop.jobs,
        totals: run.totals.clone(),
        service: run.service.clone(),
        response: run.response.clone(),
        seconds: run.seconds.clone(),
        readings: run.readings.clone(),
    }
}

fn result(bench: &Bench<'_>, run: Run) -> PartResult {
    PartResult { run, host_threads: bench.processors.len() as u32 }
}
