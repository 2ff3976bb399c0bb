//! Little's law for storage: I/Os in flight are throughput times service time, and no more than there are slots.
//!
//! Each job has slots, as many as its clones have I/Os in flight at most, shared by all kinds of its I/O. The sum of the
//! service times of a queue over its window is the mean number in flight; above the slots, something counted twice or a
//! clock is wrong. Where I/O is made as fast as possible and no sync interrupts it, the slots should all be taken, but
//! for the edges of the window (see the check of other runs), the pauses of a job that works in bursts, and the time
//! that the generator takes between two I/Os. Each stream counts its operations three times, and the sum of the streams
//! is what the run counts.

use record::{Check, Finding, IoKind, IoStream, Pace, Run, Storage, Verdict};

use super::{finding, percent, worst};
use crate::queue::{Queue, queues};
use crate::rules::RULES;

pub(super) fn check(run: &Run, storage: &Storage) -> Option<Finding> {
    let queues = queues(run);
    if queues.iter().all(|queue| queue.operations() == 0) {
        return finding(Check::LittlesLaw, Verdict::Unknown, "no I/O was done, so there is nothing to compare");
    }
    if let Some(detail) = storage.streams.iter().find_map(miscounted).or_else(|| lost(run, storage)) {
        return finding(Check::LittlesLaw, Verdict::Fail, detail);
    }
    worst(Check::LittlesLaw, queues.iter().filter_map(|queue| say(queue, is_full(queue) && is_apart(queue, &queues))))
}

/// What two counts of the same stream disagree on, if any do.
fn miscounted(stream: &IoStream) -> Option<String> {
    let seconds: u128 = stream.seconds.iter().map(|second| u128::from(second.operations)).sum();
    let done = u128::from(stream.operations);
    let due = done + u128::from(stream.unfinished);
    let seconds = if stream.seconds.is_empty() { done } else { seconds };
    let pairs = [
        ("I/Os of the seconds", seconds, "I/Os in all", done),
        ("service times", u128::from(stream.service.count), "I/Os that succeeded", done),
        ("response times", u128::from(stream.response.count), "I/Os due", due),
    ];
    let (what, value, of, expected) = pairs.into_iter().find(|(_, value, _, expected)| value != expected)?;
    Some(format!("counts of {} disagree: {value} {what}, {expected} {of}", stream.job))
}

/// Whether the streams have lost I/Os of the run, or the other way round. A sync beside writes may or may not be
/// among the operations of the run.
fn lost(run: &Run, storage: &Storage) -> Option<String> {
    let sum = |of: fn(&IoStream) -> bool| -> u128 {
        storage.streams.iter().filter(|stream| of(stream)).map(|stream| u128::from(stream.operations)).sum()
    };
    let (least, most) = (sum(|stream| stream.kind != IoKind::Sync), sum(|_| true));
    let counted = u128::from(run.totals.operations);
    (!(least..=most).contains(&counted))
        .then(|| format!("counts disagree: {most} I/Os of the streams, {counted} operations in all"))
}

/// What is to be said of a queue, of which `full` tells whether all of its slots should be taken.
fn say(queue: &Queue<'_>, full: bool) -> Option<(Verdict, String)> {
    let window = queue.window().0 as f64;
    let slots = queue.slots() as f64;
    if window <= 0.0 || slots <= 0.0 || queue.operations() == 0 {
        return None;
    }
    let service = |stream: &&IoStream| stream.service.count as f64 * stream.service.mean_ns.0 as f64;
    let in_flight = queue.streams.iter().map(service).sum::<f64>() / window;
    let gist = format!("{in_flight:.2} of {slots} I/Os of {} in flight by throughput times service time", queue.name());
    let gap = (slots - in_flight) / slots;
    if -gap > RULES.littles_gap_pass {
        let limit = percent(RULES.littles_gap_pass);
        return Some((Verdict::Fail, format!("{gist}: {} too many, limit {limit}", percent(-gap))));
    }
    let longest = queue.streams.iter().map(|stream| stream.response.max_ns.0).max().unwrap_or(0) as f64;
    let limit = RULES.queue_empty_max.max((longest + RULES.wake_up_ns) / window);
    match full && gap > limit {
        true => Some((Verdict::Warn, format!("{gist}: the queue was not kept full, limit {}", percent(1.0 - limit)))),
        false => Some((Verdict::Pass, gist)),
    }
}

/// Whether nothing but the generator keeps a slot empty.
fn is_full(queue: &Queue<'_>) -> bool {
    let failed = queue.sum(|stream| stream.failures) > 0;
    let free = |stream: &&IoStream| {
        stream.kind != IoKind::Sync && stream.pace == Pace::AsFastAsPossible && stream.at_work.0 >= 1.0
    };
    !failed && queue.streams.iter().all(free)
}

/// Whether no clone of a queue does I/O that is counted in another one, as happens in a report group of jobs that do
/// different kinds: such a group has one stream of each kind, and each goes by the name of the first job that does it.
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

    fn says(run: &Run) -> (Verdict, String) {
        let finding = check(run, run.storage.as_ref().unwrap()).unwrap();
        (finding.verdict, finding.detail)
    }

    #[test]
    fn a_closed_loop_keeps_every_slot_full() {
        assert_eq!(
            says(&io_run("io", IoKind::Read, 4)),
            (Verdict::Pass, "4.00 of 4 I/Os of job in flight by throughput times service time".to_owned())
        );
    }

    #[test]
    fn more_in_flight_than_there_are_slots_is_a_failure() {
        let mut run = io_run("io", IoKind::Read, 4);
        storage(&mut run).streams[0].window_ns = Nanos(9_000_000_000);
        let (verdict, detail) = says(&run);
        assert_eq!(verdict, Verdict::Fail);
        assert!(detail.ends_with("11 % too many, limit 1.0 %"), "{detail}");
    }

    #[test]
    fn slots_that_stay_empty_are_said_only_where_nothing_explains_them() {
        let mut run = io_run("io", IoKind::Write, 4);
        storage(&mut run).streams[0].slots = 8;
        assert_eq!(says(&run).0, Verdict::Warn);
        storage(&mut run).streams[0].at_work = record::Ratio(0.5);
        assert_eq!(says(&run).0, Verdict::Pass, "it pauses");
        storage(&mut run).streams[0].at_work = record::Ratio(1.0);
        storage(&mut run).streams[0].pace = Pace::Rate { steps_per_second: 4_000.0 };
        assert_eq!(says(&run).0, Verdict::Pass, "an open loop may idle");
        storage(&mut run).streams[0].pace = Pace::AsFastAsPossible;
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
    fn a_group_of_jobs_that_do_different_kinds_is_not_held_to_full_queues() {
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
        assert_eq!(
            says(&run),
            (Verdict::Fail, "counts of job disagree: 9999 I/Os of the seconds, 10000 I/Os in all".to_owned())
        );
        let mut run = io_run("io", IoKind::Read, 1);
        run.totals.operations += 1;
        assert_eq!(says(&run).1, "counts disagree: 10000 I/Os of the streams, 10001 operations in all");
    }

    #[test]
    fn a_run_without_io_is_unknown() {
        let mut idle = io_run("io", IoKind::Read, 1);
        storage(&mut idle).streams[0].operations = 0;
        assert_eq!(says(&idle).0, Verdict::Unknown);
    }
}
