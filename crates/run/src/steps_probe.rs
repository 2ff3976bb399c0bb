//! One run of a probe that works step by step: of processors, memory, or the network.

use probe::{Context, Form, Probe};
use record::{Layer, Pace, PartKind, PlannedRun, Run};

use crate::Result;
use crate::bench::Bench;
use crate::fleet::drive_fleet;
use crate::item::probe_context;
use crate::pacing;
use crate::run::{self, Workers, drive};

/// Carries out `planned`, a run of `probe`.
pub(crate) fn measure_probe(bench: &Bench<'_>, planned: &PlannedRun, probe: &Probe) -> Result<Run> {
    let mut run = run::new(bench, planned);
    let expected = bench.plan.warm_up_ns + pacing::window(bench.plan, &planned.kind, planned.variation, run.pace);
    run.title = probe.title.to_owned();
    (run.layer, run.unit) = (probe.layer, probe.unit);
    // A ceiling is the maximum: it has no pace and no limit of steps.
    run.pace = Pace::Unthrottled;
    let peer = bench.peer.filter(|_| probe.layer == Layer::Network);
    let context = Context {
        peer: peer.map(|peer| peer.address),
        ..probe_context(bench.plan, bench.host.memory.available_bytes, planned)
    };
    run.parameters = (probe.parameters)(&context);
    run::measure(bench, planned, run, expected, |run| {
        if let Some(fleet) = bench.hands.fleet() {
            return drive_fleet(
                bench,
                run,
                fleet,
                &[],
                &PartKind::Catalogue { test_file: None, scripts: None },
                Vec::new(),
            )
            .map(drop);
        }
        let works = match probe.form {
            Form::Steps(build) => build(&context),
            Form::Io(_) => Vec::new(),
        };
        let beside = peer.and_then(|peer| peer.process).into_iter().collect();
        drive(bench, run, u64::MAX, Workers { works, beside, ..Workers::default() });
        Ok(())
    })
}
