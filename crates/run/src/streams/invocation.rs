//! One invocation: from the request to the finished record, to which each run is appended.

use std::path::Path;

use measure::clock;
use record::{Nanos, Outcome, Plan, PlannedRun, Run};
use workload::Sizes;

use super::ground::{Ground, refuse_requests};
use super::leg::{Keeper, Leg, Legs, keepers};
use super::measurement::measure_one;
use super::request::StreamsRequest;
use super::space;
use crate::beginning::begun;
use crate::directory::MeasuredDirectory;
use crate::execution::{sources, subject};
use crate::invocation::{Measured, Workplace};
use crate::measurement::Bench;
use crate::opening::{Opened, Plot, Setting, claim, open, sizes};
use crate::recorder::Recorder;
use crate::{Error, Event, Result};

/// Measures file streams.
///
/// # Errors
/// Only where there is no record yet; later errors stand in [`Measured::error`] beside the record so far.
pub fn measure_streams(request: &StreamsRequest, workplace: &Workplace<'_>) -> Result<Measured> {
    let engine = workplace.engine;
    let keepers = keepers(&request.forms, engine.object_forms(), engine.title())?;
    let origin = clock::now();
    let plain = request.request();
    let directory = claim(&plain, workplace)?;
    let mut setting = Setting::find_out(directory.path())?;
    let opened = open(&plain, workplace, &Plot::of(&directory))?;
    setting.look_where(Some(&opened));
    let legs = Legs::of(request, &keepers, opened.nodes.first().caps());
    if let Some(skipped) = legs.skipped.first().filter(|_| legs.legs.is_empty()) {
        // The first error is the one to tell.
        let _ = opened.nodes.close();
        return Err(Error::user(format!("nothing is left to be measured: {}", skipped.reason))
            .hint("give a smaller --file, or another --form"));
    }
    let plan = request.plan(&workplace.target.to_string(), directory.path(), &legs);
    let sizes = sizes(&plain, Some(&opened));
    let record = begun(&plain.record, plain.author(), plan, &setting, Some(&opened));
    let record = Recorder::new(&plain.record, record);
    let house = House { request, workplace, directory: &directory, setting: &setting, sizes, origin };
    Ok(house.carry_out(record, opened, &legs))
}

/// What all runs have in common.
struct House<'a> {
    request: &'a StreamsRequest,
    workplace: &'a Workplace<'a>,
    directory: &'a MeasuredDirectory,
    setting: &'a Setting,
    sizes: Sizes,
    origin: Nanos,
}

impl House<'_> {
    /// Runs and writes; whatever happens, the record says how far it came.
    fn carry_out(&self, mut record: Recorder, opened: Opened<'_>, legs: &Legs) -> Measured {
        let path = self.request.record.as_path();
        let error = record.begin().and_then(|()| self.run_all(&mut record, &opened, legs)).err();
        record.conclude(error.as_ref());
        let closed = opened.nodes.close().map_err(Error::from);
        let written = record.end();
        if let (Some(_), Err(second)) = (&error, &closed) {
            self.workplace.listener.hear(&Event::Note(&format!("what was begun could not be ended: {second}")));
        }
        let error = error.or(written.err()).or(closed.err());
        Measured { record: record.into_record(), path: path.to_owned(), error }
    }

    fn run_all(&self, record: &mut Recorder, opened: &Opened<'_>, legs: &Legs) -> Result<()> {
        let plan = record.plan.clone();
        let engine_data = opened.nodes.first().data_directory();
        space::check(self.request, legs, self.directory.path(), engine_data)?;
        let mut keepers: Vec<Keeper> = legs.legs.iter().map(|leg| leg.keeper).collect();
        keepers.dedup();
        refuse_requests(self.request, &keepers, opened.nodes.first())?;
        self.announce(&plan);
        let mut ground: Option<Ground<'_>> = None;
        let mut result = Ok(());
        for (leg, planned) in legs.legs.iter().zip(&plan.runs) {
            result = self.run_leg(record, opened, &plan, (leg, planned), &mut ground);
            if result.is_err() {
                break;
            }
        }
        // The first error is the one to tell.
        let removed = ground.map_or(Ok(()), |mut ground| self.remove(opened, &mut ground));
        result.and(removed)
    }

    fn announce(&self, plan: &Plan) {
        let runs = plan.runs.len();
        let records: [&Path; 1] = [&self.request.record];
        let each = self.request.window.unwrap_or(Nanos(0));
        let expected = Nanos(each.0.saturating_mul(runs as u64));
        self.workplace.listener.hear(&Event::Planned { runs, expected, skipped: &plan.skipped, records: &records });
    }

    /// The ground of `leg`: the one that is there, or another one after that one is cleared away.
    fn run_leg<'a>(
        &'a self,
        record: &mut Recorder,
        opened: &Opened<'_>,
        plan: &Plan,
        (leg, planned): (&Leg, &PlannedRun),
        ground: &mut Option<Ground<'a>>,
    ) -> Result<()> {
        if let Some(mut before) = ground.take_if(|ground| ground.keeper != leg.keeper) {
            self.remove(opened, &mut before)?;
        }
        let there = match ground {
            Some(there) => there,
            None => {
                let engine_data = opened.nodes.first().data_directory();
                let mut fresh = Ground::new(leg.keeper, self.request, &self.directory.data(), engine_data)?;
                fresh.clear(Some(opened.nodes.first()))?;
                ground.insert(fresh)
            }
        };
        // The node that takes writes is the only one that is measured.
        let run = self.with_bench(leg, opened, plan, |bench| measure_one(bench, planned, leg, self.request, there))?;
        self.workplace.listener.hear(&Event::Ended(&run));
        let failed = failure(&run);
        record.add_run(run)?;
        failed.map_or(Ok(()), Err)
    }

    /// Removes what is left of a keeper's files.
    fn remove(&self, opened: &Opened<'_>, ground: &mut Ground<'_>) -> Result<()> {
        ground.remove(Some(opened.nodes.first()))
    }

    /// A bench with the engine, or without one where files are kept beside it.
    fn with_bench<T>(
        &self,
        leg: &Leg,
        opened: &Opened<'_>,
        plan: &Plan,
        body: impl FnOnce(&Bench<'_>) -> Result<T>,
    ) -> Result<T> {
        let directory = Path::new(&plan.directory);
        let subject = (leg.keeper != Keeper::FileSystem).then(|| subject(opened, directory));
        let sources = sources(subject.as_ref(), directory)?;
        body(&Bench {
            plan,
            sizes: &self.sizes,
            subject: subject.as_ref(),
            sources: &sources,
            instrument: &self.setting.instrument,
            host: &self.setting.host,
            processors: self.setting.processors.clone(),
            looks: self.request.looks,
            origin: self.origin,
            interrupt: self.workplace.interrupt,
            listener: self.workplace.listener,
        })
    }
}

/// Why nothing more is to be measured after `run`: what fails at one number of streams would fail at the next.
fn failure(run: &Run) -> Option<Error> {
    match &run.outcome {
        Outcome::Failed { message } => Some(Error::environment(message.clone())),
        Outcome::Done => None,
    }
}
