//! Whether acknowledged commits survived: the log of what was acknowledged, what was there afterwards, the verdict.

mod by_hand;
mod ledger;
mod witness;

use record::{Crash, FaultSeen, Ratio};

use crate::rules::RULES;
use crate::statistics::f_quantile;

pub use by_hand::{Cut, Findings, ServerStart, cuts};
pub use ledger::{FoundRow, FoundTable, Ledger, Outcome, TableOutcomes, damage};
pub use witness::{
    RECORD_BYTES, Witness, WitnessDamage, WitnessKind, WitnessObject, WitnessParts, WitnessRecord, WitnessWriter,
    read_witness, read_witness_parts,
};

/// The share of crashes of a control that have to lose, so that its rung has the power to show a loss: three of five.
pub const CONTROL_SHARE_MIN: f64 = 0.6;

/// What a crash, or a number of them, has shown; the worst last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CrashVerdict {
    /// All that was acknowledged is there.
    Survived,
    /// The same, but no control has lost anything, so that a loss would not have been seen.
    NoPower,
    /// The same, but no fault was seen.
    NoFault,
    /// Rows or counters that are there twice.
    Duplicate,
    /// Rows that nobody wrote.
    Phantom,
    /// Commits that are there in part, or data that the engine's own checks find damaged.
    Torn,
    /// Acknowledged commits are not there: the last ones of their clients.
    Lost,
    /// The same, and later ones are there.
    Hole,
    /// The engine did not start.
    WouldNotStart,
}

impl CrashVerdict {
    /// Its word in all views.
    pub fn word(self) -> &'static str {
        match self {
            CrashVerdict::Survived => "SURVIVED",
            CrashVerdict::NoPower => "NO POWER",
            CrashVerdict::NoFault => "NO FAULT",
            CrashVerdict::Duplicate => "DUPLICATE",
            CrashVerdict::Phantom => "PHANTOM",
            CrashVerdict::Torn => "TORN",
            CrashVerdict::Lost => "LOST",
            CrashVerdict::Hole => "HOLE",
            CrashVerdict::WouldNotStart => "WOULD NOT START",
        }
    }

    /// Whether something is lost or otherwise wrong.
    pub fn is_damage(self) -> bool {
        self > CrashVerdict::NoFault
    }

    /// Of one crash.
    pub fn of(crash: &Crash) -> CrashVerdict {
        let damage = &crash.damage;
        match () {
            () if crash.would_not_start.is_some() => CrashVerdict::WouldNotStart,
            () if damage.holes > 0 => CrashVerdict::Hole,
            () if damage.lost > 0 => CrashVerdict::Lost,
            () if damage.torn > 0 || !crash.complaints.is_empty() => CrashVerdict::Torn,
            () if damage.phantoms > 0 => CrashVerdict::Phantom,
            () if damage.duplicates > 0 || damage.wrong_counters > 0 => CrashVerdict::Duplicate,
            () if crash.seen == Some(FaultSeen::Nothing) => CrashVerdict::NoFault,
            () => CrashVerdict::Survived,
        }
    }
}

/// The largest probability of a loss that `count` crashes without one leave at 95 % confidence: `1 - 0.05^(1/count)`, about
/// three over their number (Hanley, Lippman-Hand: If nothing goes wrong, is everything all right?, JAMA 249, 1983). None
/// without a crash.
pub fn loss_bound(count: u64) -> Option<Ratio> {
    (count > 0).then(|| Ratio(1.0 - 0.05_f64.powf(1.0 / count as f64)))
}

/// The least share of crashes with a damage that `damaged` of `count` of them leave at 95 % confidence: the lower end of the
/// one-sided interval of Clopper and Pearson (The use of confidence or fiducial limits illustrated in the case of the binomial,
/// Biometrika 26, 1934), by the quantile of F.
pub fn share_min(damaged: u64, count: u64) -> Ratio {
    if damaged == 0 || count < damaged {
        return Ratio(0.0);
    }
    let (damaged, whole) = (damaged as f64, (count - damaged) as f64 + 1.0);
    Ratio(damaged / (damaged + whole * f_quantile(1.0 - RULES.significance, 2.0 * whole, 2.0 * damaged)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_over_the_number_is_the_bound() {
        let percent = |count| loss_bound(count).map(|bound| (bound.0 * 1000.0).round() / 10.0);
        assert_eq!([percent(1), percent(60), percent(300)], [Some(95.0), Some(4.9), Some(1.0)]);
        assert_eq!(loss_bound(0), None);
    }

    #[test]
    fn the_least_share_is_that_at_which_as_many_damages_are_seen_in_one_of_twenty_cases() {
        let percent = |damaged, count| (share_min(damaged, count).0 * 1000.0).round() / 10.0;
        // 0.05^(1/5); 1 - 0.95^(1/60).
        assert_eq!([percent(5, 5), percent(1, 60), percent(0, 60)], [54.9, 0.1, 0.0]);
        assert_eq!([percent(9, 60).round(), percent(5, 60)], [8.0, 3.3]);
    }
}
