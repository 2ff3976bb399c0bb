//! One invocation: from the request to the finished record, to which each run is appended.

use std::path::Path;

use engine::Sparse;
use measure::clock;
use record::{Bytes, Finding, Nanos, Outcome, Plan, PlannedRun, Preset};
use workload::Sizes;
use workload::blocks::{self, Layout, Mode};

use super::extent::{remark, steps};
use super::measurement::{load, measure_one};
use super::request::BlocksRequest;
use crate::beginning::begun;
use crate::device::DeviceProbe;
use crate::directory::MeasuredDirectory;
use crate::execution::run_group;
use crate::invocation::{Measured, Workplace};
use crate::io::{Offer, ProbeGround};
use crate::measurement::Bench;
use crate::opening::{Opened, Plot, Setting, claim, open, sizes};
use crate::plan::Item;
use crate::premises::Premises;
use crate::recorder::Recorder;
use crate::{Error, Event, Result};

/// The block that is asked about before an engine is open.
const BLOCK_USUAL: Bytes = Bytes(8192);

/// Measures random blocks.
///
/// # Errors
/// Only where there is no record yet; later errors stand in [`Measured::error`] beside the record so far.
pub fn measure_blocks(request: &BlocksRequest, workplace: &Workplace<'_>) -> Result<Measured> {
    check(request, workplace)?;
    let steps = steps(request)?;
    let origin = clock::now();
    let plain = request.request();
    let directory = claim(&plain, workplace)?;
    let mut setting = Setting::find_out(directory.path())?;
    let house = House { request, workplace, directory: &directory };
    let opened = house.open(0)?;
    if (request.reopens() || !request.caches.is_empty()) && !opened.inventory.throwaway {
        // The first error is the one to tell.
        let _ = opened.nodes.close();
        return Err(Error::user(
            "the cache of a server that dbdyno did not start cannot be emptied, nor its size changed",
        )
        .hint("leave --cold and --cache away, or give a server of dbdyno's own, such as local:NAME"));
    }
    setting.look_where(Some(&opened));
    let mut plan = request.plan(&workplace.target.to_string(), directory.path(), steps);
    if request.probes {
        let (jobs, window) = (plan.runs.first().map_or(1, |run| run.dop.jobs), plan.window_ns);
        DeviceProbe::RANDOM.add_to(&mut plan, &Offer::look(&directory.data(), Preset::Quick), jobs, window);
    }
    let record = begun(&plain.record, plain.author(), plan, &setting, Some(&opened));
    let record = Recorder::new(&plain.record, record);
    Ok(house.carry_out(record, opened, &setting, origin))
}

/// Refuses what the engine cannot do, before anything is made.
fn check(request: &BlocksRequest, workplace: &Workplace<'_>) -> Result<()> {
    let settings = &request.settings;
    settings.check().map_err(|wrong| Error::user(wrong.message).hint(wrong.hint))?;
    sparse(workplace, None)?;
    check_cold(request)?;
    if request.mode == Mode::Client {
        return Ok(());
    }
    if let Some(missing) = blocks::missing_procedure(workplace.engine) {
        return Err(Error::user(format!("the loop cannot run in the engine: {missing}")).hint("give --mode client"));
    }
    let between = [("hot schema", settings.hot_schema().is_some()), ("think time", settings.think().is_some())];
    match between.iter().find(|(_, asked)| *asked) {
        Some((what, _)) => Err(Error::user(format!("a loop in the engine knows no {what}"))
            .hint("give --mode client: what lies between two operations is there")),
        None => Ok(()),
    }
}

/// Refuses what would visit blocks twice in a run that visits each once.
fn check_cold(request: &BlocksRequest) -> Result<()> {
    let settings = &request.settings;
    let asked = [
        ("hot spot", "--hotspot (DO_HOTSPOT)", settings.hot_spot().is_some()),
        ("hot schema", "--hot-schema-frequency (HOT_SCHEMA_FREQUENCY)", settings.hot_schema().is_some()),
    ];
    match asked.iter().find(|(.., asked)| *asked && request.cold) {
        Some((what, option, _)) => {
            Err(Error::user(format!("a cold run visits no block twice, and a {what} is visited again and again"))
                .hint(format!("leave either --cold or {option} away")))
        }
        None => Ok(()),
    }
}

/// How rows are spread over blocks of `block` bytes.
fn sparse(workplace: &Workplace<'_>, block: Option<Bytes>) -> Result<Sparse> {
    let engine = workplace.engine;
    (engine.dialect().sparse)(block.unwrap_or(BLOCK_USUAL)).map_err(|reason| {
        Error::user(format!("random blocks cannot be measured on {}: it {reason}", engine.title()))
            .hint("`dbdyno run --tests T421,T431` measures its scans")
    })
}

/// Where the engine is opened, again and again.
struct House<'a> {
    request: &'a BlocksRequest,
    workplace: &'a Workplace<'a>,
    directory: &'a MeasuredDirectory,
}

/// What the load left.
struct Ground {
    layout: Layout,
    answers: Finding,
}

impl<'a> House<'a> {
    /// Opens and claims the engine with the cache of run `index`.
    fn open(&self, index: usize) -> Result<Opened<'a>> {
        self.open_as(index, self.request.reopens())
    }

    /// As [`House::open`]; its data stay when it is closed, where `stays`.
    fn open_as(&self, index: usize, stays: bool) -> Result<Opened<'a>> {
        let plot = Plot::of(self.directory);
        let plot = Plot { keep: plot.keep || stays, cache: self.request.caches.get(index).copied(), ..plot };
        open(&self.request.request(), self.workplace, &plot)
    }

    /// Runs and writes; whatever happens, the record says how far it came.
    fn carry_out(&self, mut record: Recorder, opened: Opened<'a>, setting: &Setting, origin: Nanos) -> Measured {
        let path = self.request.record.as_path();
        let mut opened = Some(opened);
        let error = record.begin().and_then(|()| self.run_all(&mut record, &mut opened, setting, origin)).err();
        record.conclude(error.as_ref());
        let closed = opened.map_or(Ok(()), |opened| opened.nodes.close().map_err(Error::from));
        let written = record.end();
        if let (Some(_), Err(second)) = (&error, &closed) {
            self.workplace.listener.hear(&Event::Note(&format!("what was begun could not be ended: {second}")));
        }
        let error = error.or(written.err()).or(closed.err());
        Measured { record: record.into_record(), path: path.to_owned(), error }
    }

    /// A run for each size of the cache. `opened` is the engine as it stands, for the caller to close.
    fn run_all(
        &self,
        record: &mut Recorder,
        opened: &mut Option<Opened<'a>>,
        setting: &Setting,
        origin: Nanos,
    ) -> Result<()> {
        let plan = record.plan.clone();
        self.announce(&plan);
        let sizes = sizes(&self.request.request(), opened.as_ref());
        let (probes, runs): (Vec<&PlannedRun>, Vec<&PlannedRun>) =
            plan.runs.iter().partition(|planned| planned.test == DeviceProbe::RANDOM.code);
        for planned in probes {
            self.probe(record, opened.as_ref(), setting, (&plan, planned), &sizes, origin)?;
        }
        let mut ground = None;
        for (planned, index) in runs.into_iter().zip(0..) {
            if index > 0 {
                self.reopen(opened, index)?;
            }
            if ground.is_none() {
                let bench_of = |opened: &Opened<'a>| self.load(record, opened, setting, &plan, &sizes, origin);
                ground = opened.as_ref().map(bench_of).transpose()?;
                if self.request.cold {
                    self.reopen(opened, index)?;
                }
            }
            let (Some(opened), Some(ground)) = (opened.as_ref(), &ground) else { return Ok(()) };
            self.run_one(record, opened, setting, (&plan, planned), &sizes, origin, ground)?;
        }
        Ok(())
    }

    fn announce(&self, plan: &Plan) {
        let settings = &self.request.settings;
        for remark in settings.remarks().into_iter().chain(remark(self.request, plan.steps)) {
            self.workplace.listener.hear(&Event::Note(&remark));
        }
        let each = if plan.steps.is_some() { Nanos(0) } else { plan.warm_up_ns + plan.window_ns };
        let runs = plan.runs.len();
        let records: [&Path; 1] = [&self.request.record];
        let expected = Nanos(each.0.saturating_mul(runs as u64));
        self.workplace.listener.hear(&Event::Planned { runs, expected, skipped: &plan.skipped, records: &records });
    }

    /// Ends the engine and starts it again: its cache is empty then, and has the size of run `index`.
    fn reopen(&self, opened: &mut Option<Opened<'a>>, index: usize) -> Result<()> {
        opened.take().map_or(Ok(()), |before| before.nodes.close())?;
        let last = index + 1 >= self.request.caches.len();
        *opened = Some(self.open_as(index, !last)?);
        Ok(())
    }

    fn load(
        &self,
        record: &mut Recorder,
        opened: &Opened<'_>,
        setting: &Setting,
        plan: &Plan,
        sizes: &Sizes,
        origin: Nanos,
    ) -> Result<Ground> {
        let sparse = sparse(self.workplace, opened.inventory.block_bytes)?;
        let layout = Layout::new(&self.request.settings, sparse, self.request.seed);
        let mut sets = Vec::new();
        let answers = self.with_bench(opened, setting, plan, sizes, origin, |bench| {
            let (loaded, answers) = load(bench, self.request, &layout)?;
            sets = loaded;
            Ok(answers)
        })?;
        sets.into_iter().try_for_each(|set| record.add_data_set(set))?;
        Ok(Ground { layout, answers })
    }

    /// What the device gives, before anything of the engine's lies on it.
    fn probe(
        &self,
        record: &mut Recorder,
        opened: Option<&Opened<'_>>,
        setting: &Setting,
        (plan, planned): (&Plan, &PlannedRun),
        sizes: &Sizes,
        origin: Nanos,
    ) -> Result<()> {
        let (Some(opened), Some(probe)) = (opened, DeviceProbe::RANDOM.probe()) else { return Ok(()) };
        let group = std::slice::from_ref(planned);
        self.with_bench(opened, setting, plan, sizes, origin, |bench| {
            run_group(bench, record, Item::Probe(probe), group, &mut ProbeGround::default())
        })
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one invocation, each of them used once")]
    fn run_one(
        &self,
        record: &mut Recorder,
        opened: &Opened<'_>,
        setting: &Setting,
        (plan, planned): (&Plan, &PlannedRun),
        sizes: &Sizes,
        origin: Nanos,
        ground: &Ground,
    ) -> Result<()> {
        let run = self.with_bench(opened, setting, plan, sizes, origin, |bench| {
            measure_one(bench, planned, self.request, &ground.layout, &ground.answers)
        })?;
        self.workplace.listener.hear(&Event::Ended(&run));
        let failed = match &run.outcome {
            Outcome::Failed { message } => Some(message.clone()),
            Outcome::Done => None,
        };
        record.add_run(run)?;
        // What fails with one cache would fail with the others.
        failed.map_or(Ok(()), |message| Err(Error::environment(message)))
    }

    fn with_bench<T>(
        &self,
        opened: &Opened<'_>,
        setting: &Setting,
        plan: &Plan,
        sizes: &Sizes,
        origin: Nanos,
        body: impl FnOnce(&Bench<'_>) -> Result<T>,
    ) -> Result<T> {
        let Self { workplace, request, .. } = self;
        Premises { workplace, setting, plan, sizes, looks: request.looks, origin }.with_bench(opened, body)
    }
}
