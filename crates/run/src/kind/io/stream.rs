//! The streams of a phase: one per job, or report group, and kind of I/O.

use measure::Tally;
use probe::storage::{Account, kinds};
use record::{Bytes, IoJob, IoKind, IoPhase, IoStream, Nanos, Pace};

use super::geometry::block_span;

/// The streams of a phase, in the order of the report.
#[derive(Clone, Debug, Default)]
pub(crate) struct Streams {
    heads: Vec<Head>,
}

#[derive(Clone, Debug)]
struct Head {
    /// The jobs that are counted here.
    jobs: Vec<String>,
    group: u32,
    grouped: bool,
    clone: Option<u32>,
    kind: IoKind,
    clones: u32,
    /// Index of the first job that is counted here.
    index: usize,
    /// The sum over its lanes.
    sum: Sum,
}

/// The sum over all lanes of a stream.
#[derive(Clone, Copy, Debug)]
struct Sum {
    slots: u32,
    depth: u32,
    blocks: (Bytes, Bytes),
    /// Target I/Os per second; none if a lane is unthrottled or has a think time.
    rate: Option<f64>,
    is_poisson: bool,
}

impl Sum {
    fn of(job: &IoJob, kind: IoKind) -> Sum {
        let depth = job.slots();
        let share = f64::from(job.clones.max(1));
        let (rate, is_poisson) = match job.pace {
            Pace::Rate { steps_per_second } => (Some(steps_per_second / share), false),
            Pace::Poisson { steps_per_second } => (Some(steps_per_second / share), true),
            _ => (None, false),
        };
        Sum { slots: depth, depth, blocks: block_span(job, kind), rate, is_poisson }
    }

    fn add(&mut self, other: &Sum) {
        self.slots = self.slots.saturating_add(other.slots);
        self.depth = self.depth.max(other.depth);
        self.blocks = (self.blocks.0.min(other.blocks.0), self.blocks.1.max(other.blocks.1));
        self.rate = self.rate.zip(other.rate).map(|(one, other)| one + other);
        self.is_poisson |= other.is_poisson;
    }

    fn pace(&self, job: &IoJob) -> Pace {
        match self.rate {
            None => {
                if matches!(job.pace, Pace::ThinkTime { .. }) {
                    job.pace
                } else {
                    Pace::Unthrottled
                }
            }
            Some(steps_per_second) if self.is_poisson => Pace::Poisson { steps_per_second },
            Some(steps_per_second) => Pace::Rate { steps_per_second },
        }
    }
}

impl Streams {
    /// The streams of `phase`.
    pub(crate) fn of(phase: &IoPhase) -> Streams {
        let mut streams = Streams::default();
        for (job, index) in phase.jobs.iter().zip(0..) {
            for clone in 0..job.clones {
                for kind in kinds(job) {
                    streams.add(job, index, clone, kind);
                }
            }
        }
        streams
    }

    fn add(&mut self, job: &IoJob, index: usize, clone: u32, kind: IoKind) {
        let alone = (!job.grouped && job.clones > 1).then_some(clone);
        match self.find(job, index, clone, kind) {
            Some(number) => {
                self.heads[number].clones += 1;
                self.heads[number].sum.add(&Sum::of(job, kind));
                self.heads[number].jobs.push(job.name.clone());
            }
            None => self.heads.push(Head {
                jobs: vec![job.name.clone()],
                group: job.report_group,
                grouped: job.grouped,
                clone: alone,
                kind,
                clones: 1,
                index,
                sum: Sum::of(job, kind),
            }),
        }
    }

    fn find(&self, job: &IoJob, index: usize, clone: u32, kind: IoKind) -> Option<usize> {
        self.heads.iter().position(|head| {
            head.kind == kind
                && match job.grouped {
                    true => head.grouped && head.group == job.report_group,
                    false => head.index == index && head.clone.is_none_or(|of| of == clone) && !head.grouped,
                }
        })
    }

    /// The streams of clone `clone` of `job`, which has index `index` in its phase: each kind with its number.
    pub(crate) fn numbers(&self, job: &IoJob, index: usize, clone: u32) -> Vec<(IoKind, usize)> {
        kinds(job).into_iter().filter_map(|kind| Some((kind, self.find(job, index, clone, kind)?))).collect()
    }

    /// Number of streams.
    pub(crate) fn count(&self) -> usize {
        self.heads.len()
    }

    /// The result of stream `number`.
    pub(crate) fn outcome(&self, number: usize, phase: &IoPhase, tally: &Tally, account: &Account) -> IoStream {
        let head = &self.heads[number];
        let job = &phase.jobs[head.index];
        let totals = tally.totals();
        let random = match head.kind {
            IoKind::Read => job.order.read_random,
            IoKind::Write | IoKind::Commit => job.order.write_random,
            IoKind::Trim => job.order.trim_random,
            IoKind::Sync => record::Ratio(0.0),
        };
        IoStream {
            job: IoStream::name_of(head.jobs.iter().map(String::as_str)),
            report_group: head.group,
            clone: head.clone,
            kind: head.kind,
            clones: head.clones,
            depth: head.sum.depth,
            slots: head.sum.slots,
            in_flight_mean: in_flight_mean(tally, job.start_delay),
            duty_cycle: job.burst.map_or(record::Ratio(1.0), |(share, _)| share),
            block_bytes_min: head.sum.blocks.0,
            block_bytes_max: head.sum.blocks.1,
            random: random.0 > 0.5,
            direct: job.direct,
            pace: head.sum.pace(job),
            // The window of a delayed job starts at its start.
            window_ns: tally.window() - job.start_delay,
            operations: totals.operations,
            bytes: totals.bytes.unwrap_or_default(),
            short: account.short,
            failures: totals.failures.values().sum(),
            first_failure: account.first_failure.clone(),
            unfinished: totals.unfinished,
            verified: account.verified,
            corrupt: account.corrupt,
            stale: account.stale,
            unverified: account.unknown,
            service: tally.service().latency(),
            response: tally.response().latency(),
            seconds: tally.seconds().to_vec(),
        }
    }

    /// Whether stream `number` counts as I/O of its run; a sync between writes does not.
    pub(crate) fn counts(&self, number: usize) -> bool {
        self.heads[number].kind != IoKind::Sync
    }
}

/// The time integral of the operations of `tally` in flight over its window, which starts after `delay`.
fn in_flight_mean(tally: &Tally, delay: Nanos) -> Option<f64> {
    let window = (tally.window() - delay).0 as f64;
    let in_flight: u64 = tally.seconds().iter().map(|second| second.service_ns_sum.0).sum();
    (window > 0.0).then(|| in_flight as f64 / window)
}
