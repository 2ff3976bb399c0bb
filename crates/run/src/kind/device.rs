//! The device without an engine: a probe before the first run of an invocation, with which its runs are compared.

use probe::Probe;
use record::{Ceiling, Dop, Nanos, Plan, PlannedRun, RunKind, Unit};

use crate::Result;
use crate::item::Item;
use crate::kind::catalogue::run_group;
use crate::kind::io::{ProbeFiles, StorageSupport, add_jobs};
use crate::platform::Platform;
use crate::recorder::Recorder;

/// The shortest runs that are worth a probe.
const WINDOW_MIN: Nanos = Nanos(2_000_000_000);

/// The longest window of the probe.
const WINDOW_MAX: Nanos = Nanos(5_000_000_000);

/// A storage probe, and the unit in which runs are compared with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeviceProbe {
    /// Its code.
    pub code: &'static str,
    /// Unit of the comparison.
    pub unit: Unit,
}

impl DeviceProbe {
    /// Random direct reads at queue depth 1 per job: like a session that visits scattered blocks.
    pub(crate) const RANDOM: DeviceProbe = DeviceProbe { code: "S21", unit: Unit::Block };

    /// Sequential direct reads: like a scan.
    pub(crate) const SEQUENTIAL: DeviceProbe = DeviceProbe { code: "S11", unit: Unit::Byte };

    /// The probe itself.
    fn probe(self) -> Option<&'static Probe> {
        probe::probe(self.code)
    }

    /// The same as the ceiling of a run.
    pub(crate) fn ceiling(self) -> Ceiling {
        Ceiling { probe: self.code.to_owned(), unit: self.unit }
    }

    /// Puts the probe with `jobs` jobs before the runs of `plan`, whose windows are `window`. A probe that is not
    /// possible is listed as skipped.
    pub(crate) fn add_to(self, plan: &mut Plan, support: &StorageSupport, jobs: u32, window: Nanos) {
        let Some(probe) = self.probe().filter(|_| window >= WINDOW_MIN) else { return };
        let planned = PlannedRun::new(self.code, RunKind::Probe, Dop::jobs(jobs));
        let window_ns = window.min(WINDOW_MAX);
        let mut first = Plan { runs: vec![planned], window_ns, warm_up_ns: Nanos(0), steps: None, ..plan.clone() };
        add_jobs(&mut first, &[Item::Probe(probe)], support);
        (plan.io, plan.skipped) = (first.io, first.skipped);
        plan.runs.splice(0..0, first.runs);
        plan.number();
    }

    /// Carries out the probe, before the engine has data on the device; returns the other runs of `plan`.
    pub(crate) fn measure<'p>(
        self,
        platform: &Platform<'_>,
        plan: &'p Plan,
        record: &mut Recorder,
    ) -> Result<Vec<&'p PlannedRun>> {
        let (probes, runs): (Vec<&PlannedRun>, Vec<&PlannedRun>) =
            plan.runs.iter().partition(|planned| planned.kind == RunKind::Probe);
        let Some(probe) = self.probe() else { return Ok(runs) };
        for planned in probes {
            platform.with_bench(plan, |bench| {
                let group = std::slice::from_ref(planned);
                run_group(bench, record, Item::Probe(probe), group, &mut ProbeFiles::default())
            })?;
        }
        Ok(runs)
    }
}
