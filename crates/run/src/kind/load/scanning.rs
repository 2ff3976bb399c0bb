//! One scan of a loaded table: one query with empty caches, or queries one after the other.

use model::load::cold_finding;
use record::evidence::Answers;
use record::{
    Bytes, Check, Evidence, Finding, Layer, Nanos, Outcome, Plan, PlannedRun, Preset, Run, ScanKind, Sweep, Unit,
    Verdict,
};
use workload::TestContext;
use workload::load::{Figures, LoadTable, ScanJob, Scanning};

use super::scan_plan::PlannedScan;
use crate::Result;
use crate::bench::Bench;
use crate::caches::{Cached, cached_after_drop};
use crate::kind::device::DeviceProbe;
use crate::run::{self, Workers, drive};

/// A loaded table.
#[derive(Clone, Debug)]
pub(super) struct LoadedTable {
    /// Figures of its rows.
    pub figures: Figures,
    /// Size of the table; absent if the engine does not give it.
    pub table_bytes: Option<Bytes>,
    /// Bytes of the flat file that it was loaded from; absent if an earlier invocation loaded a part.
    pub flat_bytes: Option<Bytes>,
}

/// One of the scans of an invocation.
pub(super) struct OneScan<'a> {
    pub scan: &'a PlannedScan,
    pub table: &'a LoadTable,
    pub left: &'a LoadedTable,
    /// The preset: length of a warm run.
    pub preset: Preset,
}

impl OneScan<'_> {
    /// Carries out `planned`. A failed run, or one with a wrong answer, is recorded.
    pub(super) fn measure(&self, bench: &Bench<'_>, planned: &PlannedRun) -> Result<Run> {
        let (scan, left) = (self.scan, self.left);
        let (_, window) = self.preset.windows();
        // Only one query finds the caches empty; its length is not limited.
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
            // A cold run is one query, and not a window that is too short.
            run.findings.retain(|finding| finding.check() != Check::WindowLength);
        }
        Ok(run)
    }

    /// Returns what is still in the page cache, for a cold scan.
    fn try_scan(&self, bench: &Bench<'_>, run: &mut Run) -> Result<Option<Cached>> {
        let (context, subject) = bench.engine()?;
        run.settling = bench.settle()?;
        let node_indexes = subject.nodes.choose(false, 1)?;
        let context = TestContext { node: subject.nodes.at(node_indexes[0]), ..context };
        let scanning = Scanning {
            table: self.table,
            kind: self.scan.kind,
            threads: self.scan.threads,
            expected: &self.left.figures,
            table_bytes: self.left.table_bytes.unwrap_or_default(),
            is_cold: self.scan.is_cold,
        };
        let job = ScanJob::new(&context, &scanning)?;
        let page_cached = match self.scan.is_cold {
            true => context.node.data_directory().and_then(cached_after_drop),
            false => None,
        };
        let workers = Workers::of_sessions(bench, subject, node_indexes, vec![job]);
        drive(bench, run, bench.plan.steps.unwrap_or(u64::MAX), workers);
        // The work of parallel workers may be counted as separate transactions.
        let are_counted = context.node.caps().counts_read_commits && self.scan.threads == 1;
        run.commits_expected = are_counted.then_some(run.totals.transactions);
        run.findings.push(answers(run, context.node.caps().answers, self.left.figures.is_complete()));
        Ok(page_cached)
    }
}

/// The finding about the answers of `run`: each was compared with what was loaded, and a wrong one aborts the run.
fn answers(run: &Run, gives_answers: bool, are_sums_known: bool) -> Finding {
    let (verdict, answers) = match &run.outcome {
        _ if !gives_answers => (Verdict::Unknown, Answers::NotGiven),
        Outcome::Done => (Verdict::Pass, Answers::Scanned { sums_known: are_sums_known }),
        Outcome::Failed { message } => (Verdict::Fail, Answers::Wrong { message: message.clone() }),
    };
    Finding::new(verdict, Evidence::Answers(answers))
}
