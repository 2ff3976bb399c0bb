//! Little's law for storage: I/Os in flight are throughput times service time, and at most the slots.
//!
//! A job has as many slots as I/Os its clones can have in flight, shared by all its kinds of I/O. The sum of service
//! times of a queue over its window is the mean number in flight; above the slots, counts or clocks are wrong. In an
//! unthrottled closed loop without syncs all slots should be in use, except for the edges of the window (see the check
//! of other runs), pauses between bursts, and the time of the generator between two I/Os. Each stream has three counts
//! of its operations, and the streams add up to the run.

use record::evidence::{CountedTwice, LittlesLaw};
use record::{Evidence, Finding, IoKind, IoStream, Pace, Ratio, Run, Storage, Verdict};

use super::littles_law::counts_differ;
use super::{finding, worst};
use crate::queue::{Queue, queues};
use crate::rules::RULES;

pub(super) fn check(run: &Run, storage: &Storage) -> Option<Finding> {
    let queues = queues(run);
    if queues.iter().all(|queue| queue.operations() == 0) {
        return finding(Verdict::Unknown, Evidence::LittlesLaw(LittlesLaw::NothingDone));
    }
    if let Some(differs) = storage.streams.iter().find_map(miscounted).or_else(|| lost(run, storage)) {
        return finding(Verdict::Fail, Evidence::LittlesLaw(differs));
    }
    let judged = queues.iter().filter_map(|queue| judge(queue, is_full(queue) && is_apart(queue, &queues)));
    worst(judged.map(|(verdict, law)| (verdict, Evidence::LittlesLaw(law))))
}

/// The first disagreement between counts of the same stream.
fn miscounted(stream: &IoStream) -> Option<LittlesLaw> {
    let seconds: u128 = stream.seconds.iter().map(|second| u128::from(second.operations)).sum();
    let done = u128::from(stream.operations);
    let due = done + u128::from(stream.unfinished);
    let seconds = if stream.seconds.is_empty() { done } else { seconds };
    let pairs = [
        (CountedTwice::Operations, seconds, done),
        (CountedTwice::ServiceTimes, u128::from(stream.service.count), done),
        (CountedTwice::ResponseTimes, u128::from(stream.response.count), due),
    ];
    counts_differ(Some(&stream.job), pairs)
}

/// A disagreement between the streams and the run. Syncs after writes may or may not be operations of the run.
fn lost(run: &Run, storage: &Storage) -> Option<LittlesLaw> {
    let sum = |of: fn(&IoStream) -> bool| -> u128 {
        storage.streams.iter().filter(|stream| of(stream)).map(|stream| u128::from(stream.operations)).sum()
    };
    let (least, most) = (sum(|stream| stream.kind != IoKind::Sync), sum(|_| true));
    let counted = u128::from(run.totals.operations);
    if (least..=most).contains(&counted) { None } else { counts_differ(None, [(CountedTwice::Streams, most, counted)]) }
}

/// The verdict on the I/Os in flight of a queue; `full`: all of its slots should be in use.
fn judge(queue: &Queue<'_>, full: bool) -> Option<(Verdict, LittlesLaw)> {
    let window = queue.window().0 as f64;
    let slots = queue.slots() as f64;
    if window <= 0.0 || slots <= 0.0 || queue.operations() == 0 {
        return None;
    }
    let service = |stream: &&IoStream| stream.service.count as f64 * stream.service.mean_ns.0 as f64;
    let in_flight = queue.streams.iter().map(service).sum::<f64>() / window;
    let gap = (slots - in_flight) / slots;
    let longest = queue.streams.iter().map(|stream| stream.response.max_ns.0).max().unwrap_or(0) as f64;
    let empty_max = RULES.queue_empty_max.max((longest + RULES.wake_up_ns) / window);
    let (verdict, limit) = match gap {
        gap if -gap > RULES.littles_gap_pass => (Verdict::Fail, RULES.littles_gap_pass),
        gap if full && gap > empty_max => (Verdict::Warn, empty_max),
        _ => (Verdict::Pass, empty_max),
    };
    let (job, slots) = (queue.name().to_owned(), queue.slots());
    Some((verdict, LittlesLaw::Queue { job, in_flight, slots, limit: Ratio(limit) }))
}

/// Whether all slots should be in use.
fn is_full(queue: &Queue<'_>) -> bool {
    let failed = queue.sum(|stream| stream.failures) > 0;
    let free = |stream: &&IoStream| {
        stream.kind != IoKind::Sync && stream.pace == Pace::Unthrottled && stream.duty_cycle.0 >= 1.0
    };
    !failed && queue.streams.iter().all(free)
}

/// Whether no I/O of a clone of the queue is counted in another queue. That happens in a report group of jobs with
/// different kinds of I/O: each kind is one stream, named after the first job that does it.
fn is_apart(queue: &Queue<'_>, queues: &[Queue<'_>]) -> bool {
    let of_group = |stream: &IoStream| (stream.report_group, stream.clone);
    let has = |queue: &Queue<'_>, kind| queue.streams.iter().any(|stream| stream.kind == kind);
    let others = queues.iter().filter(|other| of_group(other.streams[0]) == of_group(queue.streams[0]));
    let mut others = others.filter(|other| other.name() != queue.name());
    others.all(|other| other.streams.iter().any(|stream| has(queue, stream.kind)))
}

#[cfg(test)]
mod tests {
    use record::Nanos;

    use super::*;
    use crate::fixture::{io_run, storage};

    fn says(run: &Run) -> (Verdict, LittlesLaw) {
        let finding = check(run, run.storage.as_ref().unwrap()).unwrap();
        match finding.evidence {
            Evidence::LittlesLaw(law) => (finding.verdict, law),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_closed_loop_keeps_every_slot_full() {
        let (verdict, law) = says(&io_run("io", IoKind::Read, 4));
        let is_full = matches!(law, LittlesLaw::Queue { in_flight: 4.0, slots: 4, .. });
        assert!(verdict == Verdict::Pass && is_full, "{law:?}");
    }

    #[test]
    fn more_in_flight_than_there_are_slots_is_a_failure() {
        let mut run = io_run("io", IoKind::Read, 4);
        storage(&mut run).streams[0].window_ns = Nanos(9_000_000_000);
        let (verdict, law) = says(&run);
        let is_above =
            matches!(law, LittlesLaw::Queue { in_flight, slots: 4, limit: Ratio(0.01), .. } if in_flight > 4.4);
        assert!(verdict == Verdict::Fail && is_above, "{law:?}");
    }

    #[test]
    fn unexplained_empty_slots_are_a_warning() {
        let mut run = io_run("io", IoKind::Write, 4);
        storage(&mut run).streams[0].slots = 8;
        assert_eq!(says(&run).0, Verdict::Warn);
        storage(&mut run).streams[0].duty_cycle = record::Ratio(0.5);
        assert_eq!(says(&run).0, Verdict::Pass, "it pauses");
        storage(&mut run).streams[0].duty_cycle = record::Ratio(1.0);
        storage(&mut run).streams[0].pace = Pace::Rate { steps_per_second: 4_000.0 };
        assert_eq!(says(&run).0, Verdict::Pass, "an open loop may idle");
        storage(&mut run).streams[0].pace = Pace::Unthrottled;
        let sync = IoStream { kind: IoKind::Sync, operations: 0, ..storage(&mut run).streams[0].clone() };
        let sync = IoStream { seconds: Vec::new(), service: Default::default(), response: Default::default(), ..sync };
        storage(&mut run).streams.push(sync);
        assert_eq!(says(&run).0, Verdict::Pass, "syncs interrupt it");
    }

    #[test]
    fn reads_and_writes_of_a_job_share_its_slots() {
        let mut mixed = io_run("io", IoKind::Read, 4);
        let streams = &mut storage(&mut mixed).streams;
        streams.push(IoStream { kind: IoKind::Write, ..streams[0].clone() });
        mixed.totals.operations *= 2;
        assert_eq!(says(&mixed).0, Verdict::Fail, "8 of 4");
        storage(&mut mixed).streams.iter_mut().for_each(|stream| stream.slots = 8);
        assert_eq!(says(&mixed).0, Verdict::Pass);
    }

    #[test]
    fn a_group_of_jobs_with_different_kinds_need_not_fill_its_queues() {
        // Four clones that read, and four more that read and write: their writes go by another name.
        let mut group = io_run("io", IoKind::Read, 4);
        storage(&mut group).streams[0].slots = 8;
        assert_eq!(says(&group).0, Verdict::Warn);
        let streams = &mut storage(&mut group).streams;
        streams.push(IoStream { kind: IoKind::Write, job: "mixed".to_owned(), slots: 4, ..streams[0].clone() });
        group.totals.operations *= 2;
        assert_eq!(says(&group).0, Verdict::Pass);
        storage(&mut group).streams[1].kind = IoKind::Read;
        assert_eq!(says(&group).0, Verdict::Warn, "two streams of reads are no group");
    }

    #[test]
    fn counts_that_disagree_are_a_failure() {
        let mut run = io_run("io", IoKind::Read, 1);
        storage(&mut run).streams[0].seconds[3].operations -= 1;
        let counted = CountedTwice::Operations;
        let job = Some("job".to_owned());
        let differ = LittlesLaw::CountsDiffer { job, counted, value: 9_999, expected: 10_000 };
        assert_eq!(says(&run), (Verdict::Fail, differ));
        let mut run = io_run("io", IoKind::Read, 1);
        run.totals.operations += 1;
        let counted = CountedTwice::Streams;
        assert_eq!(says(&run).1, LittlesLaw::CountsDiffer { job: None, counted, value: 10_000, expected: 10_001 });
    }

    #[test]
    fn a_run_without_io_is_unknown() {
        let mut idle = io_run("io", IoKind::Read, 1);
        storage(&mut idle).streams[0].operations = 0;
        assert_eq!(says(&idle).0, Verdict::Unknown);
    }
}
