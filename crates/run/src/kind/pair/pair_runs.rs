//! The runs of the pairs, one after the other.

use std::path::{Path, PathBuf};

use record::{Nanos, PlannedRun, Side};
use workload::Sizes;

use super::control_probe::{self, ControlProbe};
use super::side::{SIDES, SideOrder, of_side, other};
use crate::bench::{Bench, LoadBesideTest};
use crate::item::{self, Item};
use crate::kind::catalogue::{load, run_group};
use crate::kind::io::ProbeFiles;
use crate::platform::Platform;
use crate::recorder::Recorder;
use crate::{Error, Event, Result};

/// What is measured on both sides.
pub(super) struct PairWorkload<'a> {
    pub items: &'a [Item<'a>],
    /// The loads beside the tests of each side.
    pub loads_beside: [&'a [LoadBesideTest<'a>]; 2],
    /// Table sizes of each side.
    pub sizes: &'a [Sizes],
}

/// Loads both sides and measures the pairs.
pub(super) fn measure_pairs(
    paths: &[PathBuf; 2],
    workload: &PairWorkload<'_>,
    platforms: &[Platform<'_>; 2],
    records: &mut [Recorder; 2],
) -> Result<()> {
    let plans = records.each_ref().map(|record| record.plan.clone());
    let directory = Path::new(&plans[0].directory);
    let subjects = platforms.each_ref().map(|platform| platform.subject(directory));
    let source = |side: usize| {
        let sources = platforms[side].sources(subjects[side].as_ref());
        sources.map_err(|error| of_side(SIDES[side], error))
    };
    let sources = [source(0)?, source(1)?];
    let bench = |side: usize| {
        let PairWorkload { sizes, loads_beside, .. } = workload;
        let bench = platforms[side].bench(&plans[side], &sizes[side], subjects[side].as_ref(), &sources[side]);
        Bench { loads_beside: loads_beside[side], ..bench }
    };
    let control_probe = ControlProbe::new(&plans[0], directory);
    let pairs = PairRuns { benches: [bench(0), bench(1)], control_probe, paths, items: workload.items };
    pairs.announce();
    pairs.load(records)?;
    pairs.measure(records)
}

/// Both sides, ready to be measured.
struct PairRuns<'a> {
    benches: [Bench<'a>; 2],
    control_probe: ControlProbe,
    paths: &'a [PathBuf; 2],
    items: &'a [Item<'a>],
}

impl<'a> PairRuns<'a> {
    fn bench(&self, side: Side) -> &Bench<'a> {
        &self.benches[side as usize]
    }

    fn announce(&self) {
        let plan = self.bench(Side::A).plan;
        let runs = plan.runs.iter().map(|run| if control_probe::is_control_probe(run) { 1 } else { SIDES.len() }).sum();
        let each = plan.warm_up_ns + plan.window_ns;
        self.bench(Side::A).listener.on_event(&Event::Planned {
            runs,
            expected: Nanos(each.0.saturating_mul(runs as u64)),
            skipped: &plan.skipped,
            records: &[&self.paths[0], &self.paths[1]],
        });
    }

    fn load(&self, records: &mut [Recorder; 2]) -> Result<()> {
        for (side, record) in SIDES.into_iter().zip(records) {
            let bench = self.bench(side);
            bench.listener.on_event(&Event::Side(side));
            load(bench, record, &bench.plan.runs, self.items).map_err(|error| of_side(side, error))?;
        }
        Ok(())
    }

    fn measure(&self, records: &mut [Recorder; 2]) -> Result<()> {
        let plan = self.bench(Side::A).plan;
        let mut side_order = SideOrder::new(plan.seed);
        for (index, planned) in plan.runs.iter().enumerate() {
            if control_probe::is_control_probe(planned) {
                self.measure_machine(records, planned)?;
                continue;
            }
            let item = item::find(self.items, &planned.test)?;
            let first = side_order.first();
            for side in [first, other(first)] {
                self.settle(other(side))?;
                let bench = self.bench(side);
                bench.listener.on_event(&Event::Side(side));
                let record = &mut records[side as usize];
                let group = &bench.plan.runs[index..=index];
                run_group(bench, record, item, group, &mut ProbeFiles::default())
                    .map_err(|error| of_side(side, error))?;
            }
        }
        Ok(())
    }

    /// Measures the machine, while both sides are idle. Both records have the run.
    fn measure_machine(&self, records: &mut [Recorder; 2], planned: &PlannedRun) -> Result<()> {
        SIDES.into_iter().try_for_each(|side| self.settle(side))?;
        let run = self.control_probe.measure(self.bench(Side::A), planned)?;
        records.iter_mut().try_for_each(|record| record.add_run(run.clone()))
    }

    /// Settles the side that is not measured next: deferred writes would fall into the window of the other.
    fn settle(&self, side: Side) -> Result<()> {
        let bench = self.bench(side);
        if bench.interrupt.is_raised() {
            return Err(Error::interrupted());
        }
        bench.settle().map(drop).map_err(|error| of_side(side, error))
    }
}
