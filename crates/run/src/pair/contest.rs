//! The pairs, one after the other.

use std::path::{Path, PathBuf};

use record::{Nanos, Plan, PlannedRun, Side};
use workload::Sizes;

use super::stand::Stand;
use super::yardstick::{self, Yardstick};
use super::{MeasuredPair, PairRequest, SIDES, of_side};
use crate::beginning::begun;
use crate::execution::{load, run_group, sources, subject};
use crate::io::ProbeGround;
use crate::measurement::Bench;
use crate::order::{Lot, other};
use crate::plan::Item;
use crate::recorder::Recorder;
use crate::{Error, Event, Result};

/// Loads both sides, carries out the pairs, and closes both whatever happens. Readings count from `origin`.
pub(super) fn contest(
    request: &PairRequest,
    stands: [Stand<'_>; 2],
    plans: [(Plan, Sizes); 2],
    items: &[Item<'_>],
    origin: Nanos,
) -> Result<MeasuredPair> {
    let paths = &request.records;
    let begun = |index: usize| {
        let (stand, plan) = (&stands[index], plans[index].0.clone());
        let record = begun(&paths[index], request.request.author(), plan, &stand.setting, Some(&stand.opened));
        Recorder::new(&paths[index], record)
    };
    let mut records = [begun(0), begun(1)];
    let measured = measure(request, &stands, &plans, &mut records, items, origin);
    let error = measured.err();
    records.iter_mut().for_each(|record| record.conclude(error.as_ref()));
    let listener = stands[0].workplace.listener;
    let closed = SIDES.into_iter().zip(stands).map(|(side, stand)| stand.close().map_err(|error| of_side(side, error)));
    let closed: Vec<Result<()>> = closed.collect();
    let written: Vec<Result<()>> = records.iter_mut().map(Recorder::end).collect();
    let later: Vec<Error> = written.into_iter().chain(closed).filter_map(Result::err).collect();
    if error.is_some() {
        for second in &later {
            listener.hear(&Event::Note(&format!("what was begun could not be ended: {second}")));
        }
    }
    let error = error.or(later.into_iter().next());
    Ok(MeasuredPair { records: records.map(Recorder::into_record), paths: paths.clone(), error })
}

fn measure(
    request: &PairRequest,
    stands: &[Stand<'_>; 2],
    plans: &[(Plan, Sizes); 2],
    records: &mut [Recorder; 2],
    items: &[Item<'_>],
    origin: Nanos,
) -> Result<()> {
    let paths = &request.records;
    records.iter_mut().try_for_each(Recorder::begin)?;
    let directory = Path::new(&plans[0].0.directory);
    let subjects = stands.each_ref().map(|stand| subject(&stand.opened, directory));
    let [a, b] = subjects.each_ref().map(|subject| sources(Some(subject), directory));
    let all = [a.map_err(|error| of_side(Side::A, error))?, b.map_err(|error| of_side(Side::B, error))?];
    let bench = |index: usize| Bench {
        plan: &plans[index].0,
        sizes: &plans[index].1,
        subject: Some(&subjects[index]),
        sources: &all[index],
        instrument: &stands[index].setting.instrument,
        host: &stands[index].setting.host,
        processors: stands[index].setting.processors.clone(),
        looks: request.request.looks,
        origin,
        interrupt: stands[index].workplace.interrupt,
        listener: stands[index].workplace.listener,
    };
    let yardstick = Yardstick::new(&plans[0].0, directory)?;
    let contest = Contest { benches: [bench(0), bench(1)], yardstick, paths, items };
    contest.announce();
    contest.load(records)?;
    contest.carry_out(records)
}

/// Both sides, ready to be measured.
struct Contest<'a> {
    benches: [Bench<'a>; 2],
    yardstick: Yardstick,
    paths: &'a [PathBuf; 2],
    items: &'a [Item<'a>],
}

impl<'a> Contest<'a> {
    fn bench(&self, side: Side) -> &Bench<'a> {
        &self.benches[side as usize]
    }

    fn announce(&self) {
        let plan = self.bench(Side::A).plan;
        let runs = plan.runs.iter().map(|run| if yardstick::is_its(run) { 1 } else { SIDES.len() }).sum();
        let each = plan.warm_up_ns + plan.window_ns;
        self.bench(Side::A).listener.hear(&Event::Planned {
            runs,
            expected: Nanos(each.0.saturating_mul(runs as u64)),
            skipped: &plan.skipped,
            records: &[&self.paths[0], &self.paths[1]],
        });
    }

    fn load(&self, records: &mut [Recorder; 2]) -> Result<()> {
        for (side, record) in SIDES.into_iter().zip(records) {
            let bench = self.bench(side);
            bench.listener.hear(&Event::Turn(side));
            load(bench, record, &bench.plan.runs, self.items).map_err(|error| of_side(side, error))?;
        }
        Ok(())
    }

    fn carry_out(&self, records: &mut [Recorder; 2]) -> Result<()> {
        let plan = self.bench(Side::A).plan;
        let mut lot = Lot::new(plan.seed);
        for (place, planned) in plan.runs.iter().enumerate() {
            if yardstick::is_its(planned) {
                self.measure_machine(records, planned)?;
                continue;
            }
            let item = self.items.iter().find(|item| item.code() == planned.test).copied();
            let item = item.ok_or_else(|| Error::user(format!("test {} of the plan is not known", planned.test)))?;
            let first = lot.first();
            for side in [first, other(first)] {
                self.rest(other(side))?;
                let bench = self.bench(side);
                bench.listener.hear(&Event::Turn(side));
                let record = &mut records[side as usize];
                let group = &bench.plan.runs[place..=place];
                run_group(bench, record, item, group, &mut ProbeGround::default())
                    .map_err(|error| of_side(side, error))?;
            }
        }
        Ok(())
    }

    /// Measures the machine itself, while both sides are at rest. Both records have the run.
    fn measure_machine(&self, records: &mut [Recorder; 2], planned: &PlannedRun) -> Result<()> {
        SIDES.into_iter().try_for_each(|side| self.rest(side))?;
        let run = self.yardstick.measure(self.bench(Side::A), planned)?;
        records.iter_mut().try_for_each(|record| record.add_run(run.clone()))
    }

    /// Brings the side that is not measured next to rest: what it has not written yet it would write into the window
    /// of the other.
    fn rest(&self, side: Side) -> Result<()> {
        let bench = self.bench(side);
        if bench.interrupt.is_raised() {
            return Err(Error::interrupted());
        }
        bench.settle().map_err(|error| of_side(side, error))
    }
}
