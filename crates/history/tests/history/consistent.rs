//! What holds for every load profile that is read.

use record::LoadProfile;
use record::load_profile::Interval;

/// What holds for every profile.
pub fn check(profile: &LoadProfile) {
    let mut previous: Option<&Interval> = None;
    for interval in &profile.intervals {
        assert!(interval.seconds > 0.0 && interval.seconds.is_finite());
        assert!((interval.source as usize) < profile.sources.len());
        assert!((interval.instance as usize) < profile.instances.len());
        for amount in interval.amounts.values() {
            assert!(amount.average.is_finite() && amount.average >= 0.0);
            assert!(amount.max.is_none_or(|max| max >= amount.average));
        }
        if let Some(previous) = previous.filter(|previous| previous.instance == interval.instance) {
            let end_ms = previous.started_at_ms.0 + (previous.seconds * 1e3) as i64;
            assert!(end_ms <= interval.started_at_ms.0, "{previous:?} overlaps {interval:?}");
        }
        previous = Some(interval);
    }
}
