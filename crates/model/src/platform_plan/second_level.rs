//! A second level of the buffer cache: what it takes, and whether it pays.

use record::{Bytes, Rate};

use super::{Misses, PlatformPlan};
use crate::platform::power_law_miss;

/// What a second level does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SecondLevelTimes {
    /// Memory of its directory, taken from the buffer cache.
    pub directory: Bytes,
    /// The buffer cache with the directory in it.
    pub buffer: Bytes,
    /// The flash.
    pub flash: Bytes,
    /// Mean time of a read with it, seconds.
    pub seconds: f64,
    /// Without it, seconds.
    pub seconds_without: f64,
    /// Whether it makes reads faster.
    pub pays: bool,
    /// Bytes written to flash per second, and the time until it is warm, seconds; absent where the reads are unknown.
    pub warm_up: Option<(Rate, f64)>,
}

impl Misses {
    /// The miss ratio of a cache of this size, in [0, 1].
    pub fn ratio(&self, size: Bytes) -> f64 {
        match self {
            Misses::PowerLaw { all_miss_up_to, theta } if size.0 > 0 => power_law_miss(size, *all_miss_up_to, *theta),
            Misses::PowerLaw { .. } => 1.0,
            Misses::Points(points) => interpolated(points, size),
        }
    }
}

fn interpolated(points: &[(Bytes, f64)], size: Bytes) -> f64 {
    let Some(after) = points.iter().position(|(at, _)| *at >= size) else {
        return points.last().map_or(1.0, |(_, miss)| *miss);
    };
    let (right, miss_right) = points[after];
    let Some((left, miss_left)) = after.checked_sub(1).map(|before| points[before]) else { return miss_right };
    let logarithm = |bytes: Bytes| (bytes.0.max(1) as f64).ln();
    let width = logarithm(right) - logarithm(left);
    let way = if width > 0.0 { (logarithm(size) - logarithm(left)) / width } else { 1.0 };
    (miss_left.ln() + way * (miss_right.ln() - miss_left.ln())).exp()
}

/// The second level of `plan`, if it has one.
pub fn second_level(plan: &PlatformPlan) -> Option<SecondLevelTimes> {
    let level = plan.cache.as_ref()?;
    let cache = &level.cache;
    let miss = |size: Bytes| level.misses.ratio(size);
    let warm_up = plan.required.logical_reads.and_then(|reads| {
        let written = cache.written_per_second(reads, miss, 1.0);
        (written > 0.0).then(|| (Rate(written), cache.warm_up_seconds(written)))
    });
    Some(SecondLevelTimes {
        directory: cache.directory(),
        buffer: cache.buffer,
        flash: cache.flash,
        seconds: cache.read_seconds(miss),
        seconds_without: cache.read_seconds_without(miss),
        pays: cache.pays(miss),
        warm_up,
    })
}
