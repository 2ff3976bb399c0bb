//! The queues of a storage run: the streams of one job share its slots.

use record::{IoKind, IoStream, Nanos, Rate, Ratio, Run};

use crate::delta::share;
use crate::rules::RULES;

/// The streams of one queue: all kinds of I/O of one job, or of one of its clones.
pub(crate) struct Queue<'a> {
    pub(crate) streams: Vec<&'a IoStream>,
}

/// The queues of `run`, in the order of their first streams; empty unless a storage run.
pub(crate) fn queues(run: &Run) -> Vec<Queue<'_>> {
    let streams = run.storage.iter().flat_map(|storage| &storage.streams);
    let mut queues: Vec<Queue<'_>> = Vec::new();
    let key = |stream: &IoStream| (stream.report_group, stream.clone, stream.job.clone());
    for stream in streams {
        match queues.iter_mut().find(|queue| key(queue.streams[0]) == key(stream)) {
            Some(queue) => queue.streams.push(stream),
            None => queues.push(Queue { streams: vec![stream] }),
        }
    }
    queues
}

/// I/Os in flight of `run` with full queues: the slots of all jobs together. None unless a storage run.
pub fn in_flight(run: &Run) -> Option<u32> {
    let slots = queues(run).iter().map(Queue::slots).fold(0u64, u64::saturating_add);
    run.storage.as_ref().map(|_| u32::try_from(slots).unwrap_or(u32::MAX))
}

/// Whether a queue of `run` had less than 95 % of its slots in use on average. False where that was not counted.
pub fn has_idle_slots(run: &Run) -> bool {
    let is_idle = |queue: &Queue<'_>| {
        let in_flight: Option<f64> = queue.streams.iter().map(|stream| stream.in_flight_mean).sum();
        in_flight.is_some_and(|in_flight| in_flight < RULES.in_flight_shown * queue.slots() as f64)
    };
    queues(run).iter().any(is_idle)
}

/// Utilisation of the generator: I/Os per second of a clone of the busiest job of `run`, over those of one thread with
/// null I/O through the same path. None where that ceiling is not known, and unless a storage run.
pub fn generator_share(run: &Run) -> Option<Ratio> {
    let ceiling = run.storage.as_ref()?.generator_per_second.filter(|ceiling| ceiling.0 > 0.0)?;
    let (_, done) = busiest(run)?;
    share(done.0, ceiling.0).map(Ratio)
}

/// The job whose clones do the most I/Os per second, and the rate of each clone.
pub(crate) fn busiest(run: &Run) -> Option<(&str, Rate)> {
    let each = queues(run).into_iter().filter_map(|queue| Some((&*queue.streams[0].job, queue.per_clone()?)));
    each.max_by(|(_, one), (_, other)| one.0.total_cmp(&other.0))
}

impl Queue<'_> {
    /// The name of its job.
    pub(crate) fn name(&self) -> &str {
        &self.streams[0].job
    }

    /// Number of clones.
    pub(crate) fn clones(&self) -> u32 {
        self.streams.iter().map(|stream| stream.clones).max().unwrap_or(0)
    }

    /// Maximum of I/Os in flight; clones of a report group may have different depths.
    pub(crate) fn slots(&self) -> u64 {
        self.streams.iter().map(|stream| u64::from(stream.slots)).max().unwrap_or(0)
    }

    /// I/Os per second of each clone.
    fn per_clone(&self) -> Option<Rate> {
        share(self.operations() as f64, self.window().seconds() * f64::from(self.clones())).map(Rate)
    }

    /// From the release to the end of its last I/O.
    pub(crate) fn window(&self) -> Nanos {
        self.streams.iter().map(|stream| stream.window_ns).max().unwrap_or_default()
    }

    /// I/Os done, syncs included.
    pub(crate) fn operations(&self) -> u64 {
        self.sum(|stream| stream.operations)
    }

    /// I/Os that count for the pace, done or failed: all but syncs.
    pub(crate) fn turns(&self) -> u64 {
        let done = |stream: &IoStream| stream.operations.saturating_add(stream.failures);
        self.sum(|stream| if stream.kind == IoKind::Sync { 0 } else { done(stream) })
    }

    /// A sum over its streams.
    pub(crate) fn sum(&self, value: impl Fn(&IoStream) -> u64) -> u64 {
        self.streams.iter().map(|stream| value(stream)).fold(0, u64::saturating_add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{io_run, run, storage};

    #[test]
    fn a_queue_is_idle_below_95_percent_of_its_slots() {
        let says = |reads: Option<f64>, writes: Option<f64>| {
            let mut mixed = io_run("io", IoKind::Read, 1);
            let streams = &mut storage(&mut mixed).streams;
            (streams[0].depth, streams[0].slots, streams[0].in_flight_mean) = (32, 32, reads);
            streams.push(IoStream { kind: IoKind::Write, in_flight_mean: writes, ..streams[0].clone() });
            has_idle_slots(&mixed)
        };
        assert_eq!((says(Some(15.0), Some(15.3)), says(Some(15.0), Some(15.5))), (true, false));
        assert!(!says(Some(3.0), None), "not counted");
        assert!(!has_idle_slots(&run("T611", 4)));
    }

    #[test]
    fn kinds_of_one_job_share_its_slots_and_jobs_add_up() {
        let mut mixed = io_run("io", IoKind::Read, 4);
        let streams = &mut storage(&mut mixed).streams;
        (streams[0].depth, streams[0].slots) = (32, 128);
        streams.push(IoStream { kind: IoKind::Write, ..streams[0].clone() });
        streams.push(IoStream { job: "log".to_owned(), clones: 1, depth: 1, slots: 1, ..streams[0].clone() });
        assert_eq!(queues(&mixed).iter().map(Queue::slots).collect::<Vec<_>>(), [128, 1]);
        assert_eq!(in_flight(&mixed), Some(129));
        assert_eq!(in_flight(&run("T611", 4)), None);
    }

    #[test]
    fn jobs_of_a_group_may_have_different_depths() {
        let mut group = io_run("io", IoKind::Read, 2);
        let stream = &mut storage(&mut group).streams[0];
        (stream.depth, stream.slots) = (32, 33);
        assert_eq!(in_flight(&group), Some(33), "one clone of 32 and one of 1");
    }

    #[test]
    fn the_generator_share_is_that_of_the_busiest_job() {
        let mut run = io_run("io", IoKind::Read, 4);
        let idle =
            IoStream { job: "log".to_owned(), clones: 4, operations: 40, ..storage(&mut run).streams[0].clone() };
        storage(&mut run).streams.push(idle);
        storage(&mut run).generator_per_second = Some(Rate(2_000.0));
        assert_eq!(generator_share(&run), Some(Ratio(0.5)));
        storage(&mut run).generator_per_second = None;
        assert_eq!((generator_share(&run), generator_share(&crate::fixture::run("T611", 4))), (None, None));
    }

    #[test]
    fn clones_that_are_reported_one_by_one_have_a_queue_each() {
        let mut apart = io_run("io", IoKind::Read, 1);
        let streams = &mut storage(&mut apart).streams;
        streams[0].clone = Some(0);
        streams.push(IoStream { clone: Some(1), ..streams[0].clone() });
        assert_eq!((queues(&apart).len(), in_flight(&apart)), (2, Some(2)));
    }
}
