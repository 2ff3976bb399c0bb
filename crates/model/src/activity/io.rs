//! I/O by kind, as counted by the engine and by the block layer; the log; checkpoints.

use record::{Run, name};

use super::profile::commits;
use super::{Context, NoSource, NotKnown};
use crate::delta::{delta, device_write_ns, share};
use crate::wait_count::wait_count;

/// The source that counted I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoObserver {
    /// The engine: its requests to the operating system.
    Engine,
    /// The block layer: all I/O of the device.
    Device,
}

/// I/O of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct IoLine {
    /// The kind.
    pub kind: &'static str,
    /// The source.
    pub observer: IoObserver,
    /// Requests.
    pub count: Option<u64>,
    /// Requests per second of the window.
    pub per_second: Option<f64>,
    /// Bytes.
    pub bytes: Option<u64>,
    /// Bytes per second of the window.
    pub bytes_per_second: Option<f64>,
    /// Mean time of a request, nanoseconds.
    pub mean_ns: Option<f64>,
}

/// Log activity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogActivity {
    /// Bytes generated.
    pub bytes: Option<u64>,
    /// The same per second.
    pub bytes_per_second: Option<f64>,
    /// The same per transaction.
    pub bytes_per_transaction: Option<f64>,
    /// Syncs to stable storage.
    pub syncs: Option<u64>,
    /// The same per second.
    pub syncs_per_second: Option<f64>,
    /// Mean bytes made durable by one sync.
    pub bytes_per_sync: Option<f64>,
    /// Mean commits made durable by one sync; above 1 with group commit. Absent for a read-only run, whose commits need
    /// no sync.
    pub commits_per_sync: Option<f64>,
}

/// Checkpoints.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Checkpoints {
    /// Checkpoints.
    pub count: u64,
    /// Blocks written by them, where counted.
    pub blocks: Option<u64>,
}

/// The counters of a line: requests, bytes, time; empty where there is none.
struct Sources {
    kind: &'static str,
    counts: &'static [&'static str],
    bytes: &'static [&'static str],
    /// A time of waits belongs to the requests counted as waits, which may differ from `counts`.
    times: &'static [&'static str],
}

const ENGINE: [Sources; 5] = [
    Sources {
        kind: "data read",
        counts: &[name::PHYSICAL_READ_COUNT],
        bytes: &[name::PHYSICAL_READ_BYTES],
        times: &["wait_data_read_ns", "data_file_read_time_ns"],
    },
    Sources {
        kind: "data write",
        counts: &[name::PHYSICAL_WRITE_COUNT],
        bytes: &[name::PHYSICAL_WRITE_BYTES],
        times: &["wait_data_write_ns", "data_file_write_time_ns"],
    },
    Sources {
        kind: "data sync",
        counts: &["wait_data_sync_count", "data_sync_count"],
        bytes: &[],
        times: &["wait_data_sync_ns"],
    },
    Sources {
        kind: "log write",
        counts: &["wal_write_count", "log_write_count", "wait_log_write_count", "wait_background_log_write_count"],
        bytes: &[name::REDO_WRITE_BYTES],
        times: &["wait_wal_write_ns", "wait_log_write_ns", "wait_background_log_write_ns"],
    },
    Sources {
        kind: "log sync",
        counts: &[name::REDO_SYNC_COUNT],
        bytes: &[],
        times: &["wait_wal_sync_ns", "wait_log_sync_ns", "log_sync_time_ns"],
    },
];

const DEVICE: [Sources; 3] = [
    Sources {
        kind: "read",
        counts: &[name::DEVICE_READ_COUNT],
        bytes: &[name::DEVICE_READ_BYTES],
        times: &[name::DEVICE_READ_NS],
    },
    Sources {
        kind: "write",
        counts: &[name::DEVICE_WRITE_COUNT],
        bytes: &[name::DEVICE_WRITE_BYTES],
        times: &[name::DEVICE_WRITE_NS],
    },
    Sources { kind: "flush", counts: &[name::DEVICE_FLUSH_COUNT], bytes: &[], times: &[name::DEVICE_FLUSH_NS] },
];

/// I/O by kind; a kind that is neither counted nor timed has no line. Appends to `not_known` what has no source.
pub(super) fn lines(context: &Context<'_>, not_known: &mut Vec<NotKnown>) -> Vec<IoLine> {
    let mut line = |sources: &Sources, observer| {
        let count = context.first_of(sources.counts);
        let bytes = context.first_of(sources.bytes);
        let time = timed(context, sources.times, count);
        if count > Some(0) && time.is_some_and(|time| time.count.is_none()) {
            let reason = NoSource::CountedWithUntimed { kind: sources.kind };
            not_known.push(NotKnown { what: "the mean time of I/O", reason });
        }
        let seconds = context.run.window_ns.seconds();
        (count.is_some() || bytes.is_some() || time.is_some()).then(|| IoLine {
            kind: sources.kind,
            observer,
            count,
            per_second: count.and_then(|count| share(count as f64, seconds)),
            bytes,
            bytes_per_second: bytes.and_then(|bytes| share(bytes as f64, seconds)),
            mean_ns: time.and_then(|time| time.mean_ns()),
        })
    };
    let by_engine = ENGINE.iter().map(|sources| (sources, IoObserver::Engine));
    let by_device = DEVICE.iter().map(|sources| (sources, IoObserver::Device));
    by_engine.chain(by_device).filter_map(|(sources, observer)| line(sources, observer)).collect()
}

/// The time that requests took.
#[derive(Clone, Copy)]
struct Timed {
    total_ns: u64,
    /// Timed requests; absent where they have no count of their own.
    count: Option<u64>,
}

impl Timed {
    /// Mean time; None also below the resolution of the source.
    fn mean_ns(self) -> Option<f64> {
        share(self.total_ns as f64, self.count? as f64).filter(|mean_ns| *mean_ns > 0.0)
    }
}

/// The first of these counters that exists; a time that is not a wait belongs to `count` requests.
fn timed(context: &Context<'_>, times: &[&str], count: Option<u64>) -> Option<Timed> {
    times.iter().find_map(|time| {
        let own = context.own_name(time);
        let common =
            if *time == name::DEVICE_WRITE_NS { device_write_ns(context.run) } else { delta(context.run, time) };
        let total_ns = common.or_else(|| delta(context.run, own.as_deref()?))?;
        let wait = own.as_deref().and_then(name::wait);
        Some(Timed { total_ns, count: wait.map_or(count, |wait| wait_count(context.run, &wait)) })
    })
}

/// The log of `run`.
pub(super) fn log(run: &Run, transactions: Option<u64>) -> LogActivity {
    let (bytes, syncs) = (delta(run, name::REDO_WRITE_BYTES), delta(run, name::REDO_SYNC_COUNT));
    let over = |part: Option<u64>, whole: Option<f64>| share(part? as f64, whole?);
    let seconds = Some(run.window_ns.seconds());
    let per_sync = syncs.map(|syncs| syncs as f64);
    LogActivity {
        bytes,
        bytes_per_second: over(bytes, seconds),
        bytes_per_transaction: over(bytes, transactions.map(|count| count as f64)),
        syncs,
        syncs_per_second: over(syncs, seconds),
        bytes_per_sync: over(bytes, per_sync),
        commits_per_sync: over(commits(run).filter(|_| run.changes), per_sync),
    }
}

/// Checkpoints of `run`, as the engine counts them.
pub(super) fn checkpoints(run: &Run, not_known: &mut Vec<NotKnown>) -> Option<Checkpoints> {
    let counters = run.readings.first()?.values.keys();
    let is_it = |counter: &&String| counter.split_once('_').is_some_and(|(_, rest)| rest == "checkpoint_count");
    let counter = counters.into_iter().find(is_it);
    let count = counter.and_then(|counter| delta(run, counter));
    let Some((counter, count)) = counter.zip(count) else {
        not_known.push(NotKnown { what: "checkpoints", reason: NoSource::EventsNotCounted });
        return None;
    };
    let blocks = counter.replace("_checkpoint_count", "_checkpoint_block_count");
    Some(Checkpoints { count, blocks: delta(run, &blocks) })
}
