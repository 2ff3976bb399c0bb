//! One scan of a loaded table: one query with empty caches, or one query after the other.

use model::load::cold_finding;
use record::evidence::Answers;
use record::{
    Bytes, Check, Evidence, Finding, Layer, Nanos, Outcome, Plan, PlannedRun, Preset, Run, ScanKind, Sweep, Unit,
    Verdict,
};
use workload::Stage;
use workload::load::{Figures, LoadTable, ScanJob, Scanning};

use super::scan_plan::PlannedScan;
use crate::bench::Bench;
use crate::caches::{Cached, left_after};
use crate::device::DeviceProbe;
use crate::request::windows;
use crate::run::{self, Workers, drive};
use crate::{Error, Result};

/// What a load left.
#[derive(Clone, Debug)]
pub(super) struct Left {
    /// Figures of the rows that are in the table.
    pub figures: Figures,
    /// Size of the table; absent where the engine does not tell.
    pub table_bytes: Option<Bytes>,
    /// Flat file that it was loaded from; absent where an earlier invocation loaded a part.
    pub flat_bytes: Option<Bytes>,
}

/// One of the scans of an invocation.
pub(super) struct OneScan<'a> {
    pub scan: &'a PlannedScan,
    pub table: &'a LoadTable,
    pub left: &'a Left,
    /// The named size: how long a run lasts that is not cold.
    pub preset: Preset,
}

impl OneScan<'_> {
    /// Carries out `planned`. A run that fails is a run; so is one whose answer is wrong.
    ///
    /// # Errors
    /// Broken off by the user.
    pub(super) fn measure(&self, bench: &Bench<'_>, planned: &PlannedRun) -> Result<Run> {
        let (scan, left) = (self.scan, self.left);
        let (_, window) = windows(self.preset);
        // One query is all that finds the caches empty, and it takes as long as it takes.
        let (window_ns, steps) = if scan.is_cold { (bench.plan.window_ns, Some(1)) } else { (window, None) };
        let plan = Plan { window_ns, warm_up_ns: Nanos(0), steps, ..bench.plan.clone() };
        let bench = &Bench { plan: &plan, ..bench.clone() };
        let mut run = run::new(bench, planned);
        run.title = scan.title();
        (run.layer, run.sweep) = (Layer::Database, Sweep::Threads);
        run.unit = match scan.kind {
            ScanKind::Sum => Unit::Row,
            ScanKind::Report => Unit::Statement,
        };
        run.data_bytes = left.flat_bytes;
        run.ceiling = Some(DeviceProbe::SEQUENTIAL.ceiling()).filter(|ceiling| bench.is_bounded_by(ceiling));
        run.parameters.insert("table_rows".to_owned(), i64::try_from(left.figures.rows).unwrap_or(i64::MAX));
        let expected = if scan.is_cold { Nanos(0) } else { window };
        let mut page_cached = None;
        let mut run = run::measure(bench, planned, run, expected, |run| {
            page_cached = self.try_scan(bench, run)?;
            Ok(())
        })?;
        if scan.is_cold && run.outcome == Outcome::Done {
            run.findings.push(cold_finding(&run, page_cached.map(|left| (left.share, left.bytes))));
            // One query is what a cold run is, and not a window that was chosen too short.
            run.findings.retain(|finding| finding.check() != Check::WindowLength);
        }
        Ok(run)
    }

    /// What was left of the engine's files in the page cache, where the scan is a cold one.
    fn try_scan(&self, bench: &Bench<'_>, run: &mut Run) -> Result<Option<Cached>> {
        let (Some(stage), Some(subject)) = (bench.stage(), bench.subject) else {
            return Err(Error::user("a scan needs an engine"));
        };
        bench.settle()?;
        let places = subject.nodes.choose(false, 1)?;
        let stage = Stage { node: subject.nodes.at(places[0]), ..stage };
        let scanning = Scanning {
            table: self.table,
            kind: self.scan.kind,
            threads: self.scan.threads,
            expected: &self.left.figures,
            table_bytes: self.left.table_bytes.unwrap_or_default(),
            is_cold: self.scan.is_cold,
        };
        let job = ScanJob::new(&stage, &scanning)?;
        let page_cached = match self.scan.is_cold {
            true => stage.node.data_directory().and_then(left_after),
            false => None,
        };
        let workers = Workers::of_sessions(bench, subject, places, vec![job]);
        drive(bench, run, bench.plan.steps.unwrap_or(u64::MAX), workers);
        // What threads inside a statement do may be counted as transactions of their own.
        let are_counted = stage.node.caps().counts_read_commits && self.scan.threads == 1;
        run.commits_expected = are_counted.then_some(run.totals.transactions);
        run.findings.push(answers(run, stage.node.caps().answers, self.left.figures.is_complete()));
        Ok(page_cached)
    }
}

/// What the answers of `run` were: each of them was held against what was loaded, and a wrong one broke it off.
fn answers(run: &Run, gives_answers: bool, are_sums_known: bool) -> Finding {
    let (verdict, answers) = match &run.outcome {
        _ if !gives_answers => (Verdict::Unknown, Answers::NotGiven),
        Outcome::Done => (Verdict::Pass, Answers::Scanned { sums_known: are_sums_known }),
        Outcome::Failed { message } => (Verdict::Fail, Answers::Wrong { message: message.clone() }),
    };
    Finding::new(verdict, Evidence::Answers(answers))
}
