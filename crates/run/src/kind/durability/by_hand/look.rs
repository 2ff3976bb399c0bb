//! The look at what is left: every row against the witness, and the record of all faults of the witness.

use engine::Durability;
use measure::clock;
use model::durability::{CrashVerdict, Cut, Findings, Ledger, WitnessKind, damage};
use record::{
    Crash, CrashCondition, CrashRung, Dop, FaultSeen, Layer, Nanos, Plan, PlannedRun, ProofLoad, ProofPart, ProofPlace,
    ProofSubject, RunKind, Unit,
};

use super::super::crash_run::timeline;
use super::super::ledger::{self, CLIENTS};
use super::super::witness_file::WitnessFile;
use super::super::{keep_one_timeline, title};
use super::start::server_start;
use super::{ByHandRequest, workspace};
use crate::directory::MeasuredDirectory;
use crate::invocation::Kind;
use crate::platform::Platform;
use crate::recorder::Recorder;
use crate::run::{self, keep};
use crate::{Error, Event, Result, Setup};

/// What is looked at.
pub(super) struct LookKind<'r> {
    pub(super) request: &'r ByHandRequest,
    pub(super) durability: &'static Durability,
    pub(super) witness: &'r WitnessFile,
    /// The loads of the witness; nobody has looked at the last one yet.
    pub(super) cuts: Vec<Cut>,
    /// How its connection was lost, where that was in this invocation.
    pub(super) ended_with: Option<String>,
}

impl Kind for LookKind<'_> {
    /// What is left stays until it was looked at.
    fn setup(&self) -> Setup {
        Setup { keep: true, ..self.request.setup.clone() }
    }

    fn jobs_max(&self) -> u32 {
        CLIENTS
    }

    fn keeps_directory(&self) -> bool {
        false
    }

    fn plan(&mut self, directory: &MeasuredDirectory, [platform]: &mut [Platform<'_>; 1]) -> Result<[Plan; 1]> {
        let place = ProofPlace::Crashes {
            rung: CrashRung::ByHand,
            file_system: None,
            cluster: None,
            condition: CrashCondition::Asked,
            must_lose: false,
            count: self.cuts.len() as u32,
            states: 1,
            protections: Vec::new(),
        };
        let part = ProofPart { subject: ProofSubject::Durability, place, load: ProofLoad::Ledger };
        let setup = &self.request.setup;
        let mut plan = Plan {
            seed: setup.seed,
            repeats: 1,
            runs: vec![PlannedRun::new("D3 by hand".to_owned(), RunKind::Proof(part), Dop::jobs(CLIENTS))],
            ..Plan::new(platform.context.target.to_string(), directory.path().display().to_string(), setup.preset)
        };
        plan.number();
        Ok([plan])
    }

    fn measure(&mut self, [platform]: &mut [Platform<'_>; 1], [record]: &mut [Recorder; 1]) -> Result<()> {
        let plan = record.plan.clone();
        platform.context.announce(&plan, Nanos(0), &self.request.setup.record);
        let Some((planned, last)) = plan.runs.first().zip(self.cuts.last()) else { return Ok(()) };
        let failure = platform.without_engine(&plan, |bench| {
            let mut run = run::new(bench, planned);
            run.title = title(&CrashCondition::Asked);
            (run.layer, run.unit) = (Layer::Database, Unit::Transaction);
            let run = run::measure(bench, planned, run, Nanos(0), |run| {
                run.crashes = self.cuts.iter().zip(1..).map(|(cut, number)| cut.crash(number)).collect();
                if let Some(crash) = run.crashes.last_mut() {
                    self.look(platform, last, crash)?;
                }
                let acknowledged = run.crashes.iter().map(|crash| crash.acknowledged).sum();
                (run.totals.operations, run.totals.transactions) = (acknowledged, acknowledged);
                run.window_ns = Nanos(self.cuts.iter().map(Cut::load_ns).sum());
                keep_one_timeline(&mut run.crashes);
                Ok(())
            })?;
            keep(bench, record, run)
        })?;
        if let Some(message) = failure {
            return Err(Error::environment(message)
                .hint("what is left stays on the server: the same command looks at it once more"));
        }
        platform.close()?;
        if !self.request.setup.keep {
            self.remove(platform);
        }
        Ok(())
    }
}

impl LookKind<'_> {
    /// Holds what is there against the witness of `cut`, and enters it there and into `crash`.
    fn look(&self, platform: &Platform<'_>, cut: &Cut, crash: &mut Crash) -> Result<()> {
        let (node, dialect) = (platform.opened()?.nodes.first(), platform.context.engine.dialect());
        let seen = cut.before.fault_until(&server_start(node, self.durability)?);
        let ledger = Ledger::of(&cut.witness);
        // In a database of the user nothing is made for a check.
        let checks = self.durability.checks.iter().filter(|check| check.prepare.is_none());
        let found = ledger::find_by(node, dialect, checks, &ledger, cut.seed)?;
        if let Some(error) = &found.ended_with {
            return Err(Error::environment(format!("the server was lost while its rows were read: {error}"))
                .hint("what is left stays on the server: the same command looks at it once more"));
        }
        let rows = found.rows.clone().unwrap_or_default();
        crash.found = found.rows.as_ref().map(|rows| rows.len() as u64);
        crash.damage = damage(&ledger, &rows, &found.tables, &found.counters);
        crash.complaints = found.complaints.clone();
        crash.seen = Some(seen);
        crash.ended_with = self.ended_with.as_deref().map(ledger::kept);
        let of_fault = |kind| cut.witness.records.iter().rev().find(|record| record.kind == kind);
        let at = of_fault(WitnessKind::Fault).or_else(|| cut.witness.records.last()).map_or(0, |record| record.mono_ns);
        crash.timeline = timeline(&cut.witness, &ledger, &found, None, Nanos(at));
        if platform.context.interrupt.is_raised() {
            return Err(Error::interrupted());
        }
        let findings = Findings {
            seen: Some(seen),
            rows: crash.found,
            damage: crash.damage,
            complaints: crash.complaints.len() as u64,
        };
        findings.records(clock::now().0).into_iter().try_for_each(|record| self.witness.append(|_| record))?;
        self.witness.end_part()?;
        if CrashVerdict::of(crash).is_damage() && seen == FaultSeen::Nothing {
            let note = "rows are missing or wrong although no fault was seen: did another program change the tables?";
            platform.context.listener.on_event(&Event::Note(note));
        }
        Ok(())
    }

    /// Removes the tables from the server.
    fn remove(&self, platform: &Platform<'_>) {
        let context = &platform.context;
        let removed = context.engine.open(context.target, &workspace(self.request, false)).and_then(|node| {
            let claimed = node.claim();
            let closed = node.close();
            claimed.and(closed)
        });
        if let Err(error) = removed {
            context.listener.on_event(&Event::Note(&format!("clean-up failed: {error}")));
        }
    }
}
