//! The rates of a load over time.

use std::collections::BTreeMap;
use std::mem::discriminant;

use record::LoadProfile;
use record::load_profile::{Doubt, DoubtKind, LoadQuantity, SourceMoment, Weight, Zone};

use super::demand::{Demand, Level, chosen, demanded};
use super::timeline::Slice;

/// An interval longer than this hides the peak (an average of 72 hours is known that shows a sixteenth of it).
const INTERVAL_SECONDS_MAX: f64 = 7_200.0;
/// The average of an interval of this length and more is not its peak.
const AVERAGE_SECONDS: f64 = 300.0;
/// A load is idle where it never has so many active sessions,
const IDLE_SESSIONS: f64 = 0.1;
/// nor so many commits or statements per second.
const IDLE_RATE: f64 = 1.0;
/// Part of a day.
const HOUR_MS: i64 = 3_600_000;

/// A load over time.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadHistory {
    /// Start of the first interval and end of the last one.
    pub span: Option<(SourceMoment, SourceMoment)>,
    /// Number of intervals of all instances.
    pub intervals: usize,
    /// The longest of them.
    pub longest_seconds: f64,
    /// Minutes that the clock of the hours of the day is east of UTC; absent where the sources do not say, or not the same.
    pub offset_minutes: Option<i16>,
    /// Every quantity that is told, in their order.
    pub figures: Vec<QuantityFigures>,
    /// What is demanded of a platform, in their order.
    pub demands: Vec<(Demand, Level)>,
    /// Share of writes of all random requests when there were most; absent where not told.
    pub write_share: Option<f64>,
    /// The demands by hour of the day.
    pub hours: Vec<(Demand, [Option<Hour>; 24])>,
    /// What makes its figures doubtful: what the profile says, and what follows from it.
    pub doubts: Vec<Doubt>,
}

/// A quantity over time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuantityFigures {
    /// The quantity.
    pub quantity: LoadQuantity,
    /// How much of it; of those that do not add up the average of all instances.
    pub level: Level,
    /// Instances that tell it.
    pub instances: usize,
}

/// An hour of the day, over all days.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hour {
    /// The mean.
    pub mean: f64,
    /// The highest interval that touches it.
    pub max: f64,
}

impl LoadHistory {
    /// How much is demanded of `demand`.
    pub fn level(&self, demand: Demand) -> Option<Level> {
        self.demands.iter().find(|(other, _)| *other == demand).map(|(_, level)| *level)
    }
}

/// The history of `profile`, whose sources were merged.
pub fn history(profile: &LoadProfile) -> LoadHistory {
    let ends = profile.intervals.iter().map(|one| one.started_at_ms.0 + (one.seconds * 1e3).round() as i64);
    let start = profile.intervals.iter().map(|one| one.started_at_ms).min();
    let mut offsets: Vec<Option<i16>> = profile.sources.iter().map(|source| offset(source.zone)).collect();
    offsets.sort_unstable();
    offsets.dedup();
    let offset_minutes = if let [one] = offsets[..] { one } else { None };
    let mut demands: Vec<(Demand, Level)> = Vec::new();
    let mut hours = Vec::new();
    let mut incomplete: Option<f64> = None;
    for demand in Demand::ALL.into_iter().filter(|demand| demand.quantity().is_some()) {
        let found = demanded(profile, demand);
        demands.extend(Level::of(&found.slices).map(|level| (demand, level)));
        if !found.slices.is_empty() {
            hours.push((demand, by_hour(&found.slices, offset_minutes)));
        }
        incomplete = Some(found.incomplete_seconds).filter(|seconds| *seconds > 0.0).max_by_value(incomplete);
    }
    demands.extend(facts(profile));
    LoadHistory {
        span: start.zip(ends.max().map(SourceMoment)),
        intervals: profile.intervals.len(),
        longest_seconds: profile.intervals.iter().map(|one| one.seconds).fold(0.0, f64::max),
        offset_minutes,
        figures: figures(profile),
        write_share: write_share(profile),
        demands,
        hours,
        doubts: doubts(profile, incomplete),
    }
}

/// The larger of two that may be absent.
trait MaxByValue {
    fn max_by_value(self, other: Self) -> Self;
}

impl MaxByValue for Option<f64> {
    fn max_by_value(self, other: Option<f64>) -> Option<f64> {
        [self, other].into_iter().flatten().reduce(f64::max)
    }
}

fn offset(zone: Zone) -> Option<i16> {
    match zone {
        Zone::OffsetMinutes(minutes) => Some(minutes),
        Zone::Unknown => None,
    }
}

fn figures(profile: &LoadProfile) -> Vec<QuantityFigures> {
    let of = |quantity: LoadQuantity| {
        let found = chosen(profile, false, |interval| interval.amounts.get(&quantity).copied());
        let level = Level::of(&found.slices)?;
        let level = if quantity.adds_up() { level } else { level.times(1.0 / found.instances.max(1) as f64) };
        Some(QuantityFigures { quantity, level, instances: found.instances })
    };
    LoadQuantity::ALL.into_iter().filter_map(of).collect()
}

/// What does not change from interval to interval.
fn facts(profile: &LoadProfile) -> Vec<(Demand, Level)> {
    let of_instance = |instance: &record::load_profile::Instance| {
        let shared = instance.shared_memory_bytes.or(instance.buffer_cache_bytes)?;
        Some(shared.0.saturating_add(instance.session_memory_bytes.map_or(0, |bytes| bytes.0)))
    };
    // Two forms may tell of the same instances: the one that tells the most counts.
    let mut memory_of_forms: BTreeMap<&str, u64> = BTreeMap::new();
    for (number, instance) in (0..).zip(&profile.instances) {
        let interval = profile.intervals.iter().find(|interval| interval.instance == number);
        let source = interval.and_then(|interval| profile.sources.get(interval.source as usize));
        let Some((source, bytes)) = source.zip(of_instance(instance)) else { continue };
        let sum = memory_of_forms.entry(&source.form).or_default();
        *sum = sum.saturating_add(bytes);
    }
    let memory = memory_of_forms.values().max().map(|bytes| *bytes as f64);
    // Sources of one database tell its size each: the largest one is that of today.
    let mut sizes: Vec<(Option<&str>, u64)> = Vec::new();
    for source in &profile.sources {
        let Some(size) = source.size_bytes else { continue };
        let id = source.database_id.as_deref();
        match sizes.iter_mut().find(|(other, _)| *other == id) {
            Some((_, known)) => *known = (*known).max(size.0),
            None => sizes.push((id, size.0)),
        }
    }
    let capacity = sizes.into_iter().map(|(_, size)| size as f64).reduce(|sum, size| sum + size);
    let fact =
        |demand, value: Option<f64>| value.filter(|value| *value > 0.0).map(|value| (demand, Level::fact(value)));
    [fact(Demand::Memory, memory), fact(Demand::Capacity, capacity)].into_iter().flatten().collect()
}

/// Of the slice with the most random requests.
fn write_share(profile: &LoadProfile) -> Option<f64> {
    let all = demanded(profile, Demand::RandomRequests);
    let peak = all.slices.iter().max_by(|one, other| one.average.total_cmp(&other.average))?;
    let writes = demanded(profile, Demand::RandomWrites);
    let within = writes.slices.iter().find(|slice| slice.started_at == peak.started_at)?;
    (peak.average > 0.0).then(|| (within.average / peak.average).clamp(0.0, 1.0))
}

fn by_hour(slices: &[Slice], offset_minutes: Option<i16>) -> [Option<Hour>; 24] {
    let mut found = [None; 24];
    let mut sums = [(0.0, 0.0); 24];
    for slice in slices {
        let start = slice.started_at.0 + i64::from(offset_minutes.unwrap_or(0)) * 60_000;
        let end = start + ((slice.seconds * 1e3).round() as i64).max(1);
        let mut at = start;
        // A slice of more than a day is in every hour; it is no use to go round more than once.
        let end = end.min(start + 24 * HOUR_MS);
        while at < end {
            let hour = at.div_euclid(HOUR_MS);
            let until = ((hour + 1) * HOUR_MS).min(end);
            let (index, seconds) = (hour.rem_euclid(24) as usize, (until - at) as f64 / 1e3);
            sums[index].0 += slice.average * seconds;
            sums[index].1 += seconds;
            let max = found[index].map_or(slice.average, |hour: Hour| hour.max.max(slice.average));
            found[index] = Some(Hour { mean: sums[index].0 / sums[index].1, max });
            at = until;
        }
    }
    found
}

/// What the profile says of itself, and what follows from its intervals where it does not say that already.
fn doubts(profile: &LoadProfile, incomplete_seconds: Option<f64>) -> Vec<Doubt> {
    let mut all = profile.doubts.clone();
    for index in 0..profile.sources.len() as u32 {
        let own: Vec<_> = profile.intervals.iter().filter(|interval| interval.source == index).collect();
        let mut add = |kind: DoubtKind, count: usize| {
            let is_said = all.iter().any(|doubt| {
                doubt.source.is_none_or(|source| source == index) && discriminant(&doubt.kind) == discriminant(&kind)
            });
            if !is_said {
                let (source, count) = (Some(index), count as u64);
                let weight = Weight::Warning;
                all.push(Doubt { source, instance: None, started_at_ms: None, count, weight, kind });
            }
        };
        let long: Vec<f64> =
            own.iter().map(|interval| interval.seconds).filter(|seconds| *seconds > INTERVAL_SECONDS_MAX).collect();
        if let Some(seconds) = long.iter().copied().reduce(f64::max) {
            add(DoubtKind::LongInterval { seconds, seconds_max: INTERVAL_SECONDS_MAX }, long.len());
        }
        let longest = own.iter().map(|interval| interval.seconds).fold(0.0, f64::max);
        let has_maxima = own.iter().any(|interval| interval.amounts.values().any(|amount| amount.max.is_some()));
        if longest >= AVERAGE_SECONDS && !has_maxima {
            add(DoubtKind::AveragesOnly, own.len());
        }
        let most = |quantity: LoadQuantity| {
            let found = own.iter().filter_map(|interval| interval.amounts.get(&quantity));
            found.map(|amount| amount.average).reduce(f64::max)
        };
        let active_sessions = most(LoadQuantity::ActiveSessions);
        let statements_per_second =
            most(LoadQuantity::StatementsPerSecond).max_by_value(most(LoadQuantity::CommitsPerSecond));
        let is_told = active_sessions.or(statements_per_second).is_some();
        let is_idle = active_sessions.is_none_or(|sessions| sessions < IDLE_SESSIONS)
            && statements_per_second.is_none_or(|rate| rate < IDLE_RATE);
        if is_told && is_idle {
            add(DoubtKind::Idle { active_sessions, statements_per_second }, own.len());
        }
    }
    if let Some(seconds) = incomplete_seconds {
        let kind = DoubtKind::Incomplete { seconds };
        all.push(Doubt { source: None, instance: None, started_at_ms: None, count: 1, weight: Weight::Refusal, kind });
    }
    all
}
