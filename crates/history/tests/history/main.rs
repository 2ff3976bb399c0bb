//! Files of each form, with values that are known.

mod awr;
mod broken;
mod consistent;
mod dumps;
mod hosts;
mod traps;

use dbdyno_history::{History, Names};
use record::LoadProfile;
use record::load_profile::{DoubtKind, LoadQuantity, Weight};

/// The profile of files that are read one after the other.
fn profile_of(files: &[(&str, &[u8])]) -> LoadProfile {
    let mut history = History::new(Names::Hidden);
    for (name, bytes) in files {
        history.read(name, *bytes).unwrap_or_else(|error| panic!("{error}"));
    }
    let profile = history.finish().unwrap();
    consistent::check(&profile);
    profile
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
