//! What a load demands of a platform.

use record::LoadProfile;
use record::load_profile::{Amount, Interval, LoadQuantity, Scope, SourceMoment};

use super::quantile::quantile;
use super::timeline::{Slice, Timeline, timeline};

/// A resource as a load demands it. The order is that of views.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Demand {
    /// Hardware threads of the old platform that are busy.
    Processors,
    /// Read requests per second, those in order left out where the source tells them.
    RandomReads,
    /// Write requests per second, those in order left out where the source tells them.
    RandomWrites,
    /// Both, which share the device: requests per second.
    RandomRequests,
    /// Bytes read per second.
    ReadBytes,
    /// Bytes written per second.
    WrittenBytes,
    /// Commits per second.
    Commits,
    /// Bytes of log per second.
    LogBytes,
    /// Blocks asked of the buffer cache per second.
    LogicalReads,
    /// Bytes sent to clients per second.
    NetworkSent,
    /// Bytes received from clients per second.
    NetworkReceived,
    /// Sessions connected.
    Sessions,
    /// Bytes of memory that the instances take.
    Memory,
    /// Bytes on disk.
    Capacity,
}

impl Demand {
    /// All, in their order.
    pub const ALL: [Demand; 14] = [
        Demand::Processors,
        Demand::RandomReads,
        Demand::RandomWrites,
        Demand::RandomRequests,
        Demand::ReadBytes,
        Demand::WrittenBytes,
        Demand::Commits,
        Demand::LogBytes,
        Demand::LogicalReads,
        Demand::NetworkSent,
        Demand::NetworkReceived,
        Demand::Sessions,
        Demand::Memory,
        Demand::Capacity,
    ];

    /// The quantity that it is of; absent for facts that have no intervals.
    pub fn quantity(self) -> Option<LoadQuantity> {
        Some(match self {
            Demand::Processors => LoadQuantity::DatabaseProcessorSecondsPerSecond,
            Demand::RandomReads => LoadQuantity::PhysicalReadsPerSecond,
            Demand::RandomWrites | Demand::RandomRequests => LoadQuantity::PhysicalWritesPerSecond,
            Demand::ReadBytes => LoadQuantity::PhysicalReadBytesPerSecond,
            Demand::WrittenBytes => LoadQuantity::PhysicalWriteBytesPerSecond,
            Demand::Commits => LoadQuantity::CommitsPerSecond,
            Demand::LogBytes => LoadQuantity::LogBytesPerSecond,
            Demand::LogicalReads => LoadQuantity::LogicalReadsPerSecond,
            Demand::NetworkSent => LoadQuantity::NetworkSentBytesPerSecond,
            Demand::NetworkReceived => LoadQuantity::NetworkReceivedBytesPerSecond,
            Demand::Sessions => LoadQuantity::Sessions,
            Demand::Memory | Demand::Capacity => return None,
        })
    }

    /// Whether it grows with the work that is done: memory is a setting.
    pub fn grows(self) -> bool {
        self != Demand::Memory
    }
}

/// How much of something there was: over time, and at its peak.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// The mean over all of the time.
    pub mean: f64,
    /// What is not exceeded for 0.95 of the time; absent for fewer than 20 intervals.
    pub p95: Option<f64>,
    /// What is not exceeded for 0.99 of the time; absent for fewer than 100 intervals.
    pub p99: Option<f64>,
    /// The average of the highest interval.
    pub max: f64,
    /// The largest maximum within an interval that the source tells; of several instances no less than the true one.
    pub burst: Option<f64>,
    /// Start of the highest interval; absent for a fact without intervals.
    pub peak_at: Option<SourceMoment>,
    /// Seconds that are told.
    pub seconds: f64,
}

impl Level {
    /// The level of a fact.
    pub fn fact(value: f64) -> Level {
        Level { mean: value, p95: None, p99: None, max: value, burst: None, peak_at: None, seconds: 0.0 }
    }

    /// What has to be there at the peak.
    pub fn peak(&self) -> f64 {
        self.burst.map_or(self.max, |burst| burst.max(self.max))
    }

    /// So many times as much.
    #[must_use]
    pub fn times(self, factor: f64) -> Level {
        let of = |value: Option<f64>| value.map(|value| value * factor);
        Level {
            mean: self.mean * factor,
            p95: of(self.p95),
            p99: of(self.p99),
            max: self.max * factor,
            burst: of(self.burst),
            ..self
        }
    }

    /// The level of `slices`; absent without any.
    pub(super) fn of(slices: &[Slice]) -> Option<Level> {
        let highest = slices.iter().max_by(|one, other| one.average.total_cmp(&other.average))?;
        let seconds: f64 = slices.iter().map(|slice| slice.seconds).sum();
        Some(Level {
            mean: slices.iter().map(|slice| slice.average * slice.seconds).sum::<f64>() / seconds,
            p95: quantile(slices, 0.95),
            p99: quantile(slices, 0.99),
            max: highest.average,
            burst: slices.iter().filter_map(|slice| slice.max).reduce(f64::max),
            peak_at: Some(highest.started_at),
            seconds,
        })
    }
}

/// Whether a host counts `demand` better than a database: what reaches devices and processors, not what is asked of them.
fn host_first(demand: Demand) -> bool {
    use Demand::{NetworkReceived, NetworkSent, RandomReads, RandomRequests, RandomWrites, ReadBytes, WrittenBytes};
    matches!(
        demand,
        RandomReads | RandomWrites | RandomRequests | ReadBytes | WrittenBytes | NetworkSent | NetworkReceived
    )
}

/// The figure of `demand` in `interval`.
fn amount(profile: &LoadProfile, demand: Demand, interval: &Interval) -> Option<Amount> {
    use LoadQuantity::{
        DatabaseProcessorSecondsPerSecond, HostBusyShare, PhysicalReadsPerSecond, PhysicalWritesPerSecond,
        SequentialReadsPerSecond, SequentialWritesPerSecond,
    };
    let get = |quantity: LoadQuantity| interval.amounts.get(&quantity).copied();
    let random = |all: LoadQuantity, in_order: LoadQuantity| {
        let all = get(all)?;
        Some(match get(in_order) {
            // The largest part of the interval may be of either kind.
            Some(in_order) => Amount { average: (all.average - in_order.average).max(0.0), max: None },
            None => all,
        })
    };
    let reads = || random(PhysicalReadsPerSecond, SequentialReadsPerSecond);
    let writes = || random(PhysicalWritesPerSecond, SequentialWritesPerSecond);
    match demand {
        Demand::RandomReads => reads(),
        Demand::RandomWrites => writes(),
        Demand::RandomRequests => {
            let (reads, writes) = (reads()?, writes()?);
            Some(Amount {
                average: reads.average + writes.average,
                max: reads.max.zip(writes.max).map(|(reads, writes)| reads + writes),
            })
        }
        Demand::Processors => {
            let threads = profile.instances.get(interval.instance as usize)?.hardware_threads.map(f64::from);
            let host = || {
                let (busy, threads) = (get(HostBusyShare)?, threads?);
                Some(Amount { average: busy.average * threads, max: busy.max.map(|share| share * threads) })
            };
            let own = get(DatabaseProcessorSecondsPerSecond);
            // A host also works for the database in its kernel and its background processes.
            [own, host()].into_iter().flatten().max_by(|one, other| one.average.total_cmp(&other.average))
        }
        _ => get(demand.quantity()?),
    }
}

/// `demand` over time, by the sources that tell it best: those of the better scope, and of several forms the one with the
/// most time.
pub(super) fn demanded(profile: &LoadProfile, demand: Demand) -> Timeline {
    chosen(profile, host_first(demand), |interval| amount(profile, demand, interval))
}

/// What `amount` finds over time, by one form of source.
pub(super) fn chosen(
    profile: &LoadProfile,
    host_first: bool,
    amount: impl Fn(&Interval) -> Option<Amount>,
) -> Timeline {
    let mut forms: Vec<(Scope, &str)> =
        profile.sources.iter().map(|source| (source.scope, source.form.as_str())).collect();
    forms.sort_unstable();
    forms.dedup();
    let first = if host_first { Scope::Host } else { Scope::Database };
    let of_form = |(scope, form): (Scope, &str)| {
        let is_of = |interval: &&Interval| {
            let source = profile.sources.get(interval.source as usize);
            source.is_some_and(|source| source.scope == scope && source.form == form)
        };
        let found = timeline(profile.intervals.iter().filter(is_of), &amount);
        let seconds: f64 = found.slices.iter().map(|slice| slice.seconds).sum();
        ((scope == first, seconds), found)
    };
    let found = forms.into_iter().map(of_form).filter(|(_, found)| !found.slices.is_empty());
    let best = found.max_by(|one, other| one.0.partial_cmp(&other.0).unwrap_or(std::cmp::Ordering::Equal));
    best.map(|(_, found)| found).unwrap_or_default()
}
