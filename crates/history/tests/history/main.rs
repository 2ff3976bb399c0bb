//! Files of each form, with values that are known.

mod awr;
mod dumps;
mod hosts;
mod traps;

use dbdyno_history::{History, Names};
use record::load_profile::{DoubtKind, Interval, LoadProfile, LoadQuantity, Weight};

/// The profile of files that are read one after the other.
fn profile_of(files: &[(&str, &[u8])]) -> LoadProfile {
    let mut history = History::new(Names::Hidden);
    for (name, bytes) in files {
        history.read(name, *bytes).unwrap_or_else(|error| panic!("{error}"));
    }
    let profile = history.finish().unwrap();
    check(&profile);
    profile
}

/// What holds for every profile.
fn check(profile: &LoadProfile) {
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

/// The average of a quantity in an interval.
fn average(profile: &LoadProfile, interval: usize, quantity: LoadQuantity) -> Option<f64> {
    profile.intervals[interval].amounts.get(&quantity).map(|amount| amount.average)
}

/// Averages of an interval must be these, to a millionth.
fn expect(profile: &LoadProfile, interval: usize, figures: &[(LoadQuantity, f64)]) {
    for (quantity, expected) in figures {
        let found = average(profile, interval, *quantity);
        let is_close = found.is_some_and(|found| (found - expected).abs() <= expected.abs() * 1e-6 + 1e-12);
        assert!(is_close, "{quantity:?} of interval {interval}: {found:?}, not {expected}");
    }
}

/// The quantities that an interval has.
fn told(profile: &LoadProfile, interval: usize) -> usize {
    profile.intervals[interval].amounts.len()
}

/// The doubts, with what follows from them.
fn doubts(profile: &LoadProfile) -> Vec<(Weight, DoubtKind)> {
    profile.doubts.iter().map(|doubt| (doubt.weight, doubt.kind.clone())).collect()
}

/// The message of a file that is refused.
fn refusal(name: &str, bytes: &[u8]) -> String {
    History::new(Names::Hidden).read(name, bytes).unwrap_err().to_string()
}
