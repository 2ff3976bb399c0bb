//! Crashes of a proof of durability: one row for each of their states.

use model::durability::CrashVerdict;
use record::{Crash, CrashCluster, CrashCondition, ProofPlace, Record, Run};

use crate::column::{Column, Kind, Part, identity, parts};
use crate::value::Value;

/// A state that a crash of a run has left.
pub type CrashRow<'a> = Part<'a, &'a Crash>;

/// The crashes of each run of `record`.
pub fn rows(record: &Record) -> impl Iterator<Item = CrashRow<'_>> {
    parts(record, |run| run.crashes.iter())
}

/// What was tried in a run: rung, condition, whether it had to lose.
fn tried(run: &Run) -> Option<(&'static str, &CrashCondition, bool)> {
    match &run.kind.proof()?.place {
        ProofPlace::Crashes { rung, condition, must_lose, .. } => Some((rung.word(), condition, *must_lose)),
        _ => None,
    }
}

/// Of several nodes, which of them the faults of a run took.
fn cluster(run: &Run) -> Option<CrashCluster> {
    match &run.kind.proof()?.place {
        ProofPlace::Crashes { cluster, .. } => *cluster,
        _ => None,
    }
}

/// As on the command line: a control by its name.
fn condition<'a>(run: &'a Run) -> Value<'a> {
    match tried(run) {
        None => Value::Absent,
        Some((_, CrashCondition::Asked, _)) => "as_asked".into(),
        Some((_, CrashCondition::LyingStorage { every }, _)) => format!("lying_storage_{every}").into(),
        Some((_, CrashCondition::Settings { settings }, _)) => settings.as_str().into(),
    }
}

type Figure<'a> = Column<CrashRow<'a>>;

/// What was tried, counts, the verdict.
pub fn columns<'a>() -> Vec<Figure<'a>> {
    let mut columns = identity();
    columns.extend([
        Figure::fact("rung", Kind::Text, |of| tried(of.run).map(|(rung, ..)| rung).into()),
        Figure::fact("condition", Kind::Text, |of| condition(of.run)),
        Figure::fact("must_lose", Kind::Flag, |of| tried(of.run).map(|(.., must_lose)| must_lose).into()),
        Figure::fact("crash", Kind::Count, |of| of.of.number.into()),
        Figure::fact("state", Kind::Count, |of| of.of.state.into()),
        Figure::fact("changes", Kind::Count, |of| of.of.changes.into()),
        Figure::fact("seed", Kind::Count, |of| of.of.seed.into()),
        Figure::fact("moment", Kind::Text, |of| Value::word(of.of.moment)),
        Figure::fact("survival", Kind::Text, |of| Value::word(of.of.survival)),
        Figure::fact("delay_ns", Kind::Nanoseconds, |of| of.of.delay_ns.into()),
        Figure::fact("isolated_ns", Kind::Nanoseconds, |of| of.of.isolated_ns.into()),
        Figure::fact("nodes", Kind::Count, |of| cluster(of.run).map(|cluster| cluster.nodes).into()),
        Figure::fact("fault", Kind::Text, |of| cluster(of.run).map(|cluster| cluster.fault.word()).into()),
        Figure::fact("verdict", Kind::Text, |of| CrashVerdict::of(of.of).word().into()),
        Figure::fact("attempted", Kind::Count, |of| of.of.attempted.into()),
        Figure::fact("acknowledged", Kind::Count, |of| of.of.acknowledged.into()),
        Figure::fact("unknown", Kind::Count, |of| of.of.unknown.into()),
        Figure::fact("found", Kind::Count, |of| of.of.found.into()),
        Figure::fact("lost", Kind::Count, |of| of.of.damage.lost.into()),
        Figure::fact("holes", Kind::Count, |of| of.of.damage.holes.into()),
        Figure::fact("torn", Kind::Count, |of| of.of.damage.torn.into()),
        Figure::fact("phantoms", Kind::Count, |of| of.of.damage.phantoms.into()),
        Figure::fact("duplicates", Kind::Count, |of| of.of.damage.duplicates.into()),
        Figure::fact("wrong_counters", Kind::Count, |of| of.of.damage.wrong_counters.into()),
        Figure::fact("unsynced_writes", Kind::Count, |of| of.of.unsynced_writes.into()),
        Figure::fact("unsynced_bytes", Kind::Bytes, |of| of.of.unsynced_bytes.into()),
        Figure::fact("ready_ns", Kind::Nanoseconds, |of| of.of.ready_ns.into()),
        Figure::fact("would_not_start", Kind::Text, |of| of.of.would_not_start.as_deref().into()),
        Figure::fact("fault_seen", Kind::Text, |of| of.of.seen.map_or(Value::Absent, Value::word)),
        Figure::fact("ended_with", Kind::Text, |of| of.of.ended_with.as_deref().into()),
        Figure::fact("complaints", Kind::Text, |of| of.of.complaints.join("; ").into()),
    ]);
    columns
}
