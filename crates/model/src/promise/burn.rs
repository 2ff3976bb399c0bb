//! Burn rates: how fast the budget of an objective is used, over a long and a short window (Site Reliability Workbook,
//! chapter 5).

use record::Nanos;

use super::alert::{Alert, Severity};
use super::event::{HOUR_MS, MINUTE_MS, UnixMillis};
use super::objective::Objective;
use super::rules::PROMISE_RULES;
use super::tally::{Counts, Tally};

/// A pair of windows with the rate that is too fast for them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BurnRule {
    /// The alert that it raises.
    pub alert: Alert,
    /// Times the rate at which the budget lasts exactly as long as its objective; at least 1.
    pub factor: f64,
    /// The long window, which shows that it matters.
    pub long_ms: i64,
    /// The short window, which shows that it goes on.
    pub short_ms: i64,
}

/// The rules, the fastest first: 2 % of the budget of 30 days in an hour, 5 % in 6 hours, 10 % in 3 days.
pub const BURN_RULES: [BurnRule; 3] = [
    BurnRule { alert: Alert::FastBurn, factor: 14.4, long_ms: HOUR_MS, short_ms: 5 * MINUTE_MS },
    BurnRule { alert: Alert::SlowBurn, factor: 6.0, long_ms: 6 * HOUR_MS, short_ms: 30 * MINUTE_MS },
    BurnRule { alert: Alert::BudgetBurn, factor: 1.0, long_ms: 72 * HOUR_MS, short_ms: 6 * HOUR_MS },
];

/// The longest window of a rule.
pub const BURN_MS_MAX: i64 = BURN_RULES[BURN_RULES.len() - 1].long_ms;

/// What a rule found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Burn {
    /// The counts of the long window.
    pub long: Counts,
    /// The burn rate over the long window: the share of bad events over the budget.
    pub long_rate: f64,
    /// The same over the short window.
    pub short_rate: f64,
}

/// What may be said by a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BurnState {
    /// The budget is not used too fast.
    Quiet,
    /// It is.
    Firing(Burn),
    /// The share of bad events is too high, but there are too few of them to tell.
    NotDecidable {
        /// With events at most so far apart, a window at the limit of the rule has enough bad ones.
        period_ns_needed: Nanos,
    },
}

impl BurnRule {
    /// Whether somebody is woken.
    pub fn severity(&self) -> Severity {
        self.alert.severity()
    }

    /// The share of bad events above which it fires.
    pub fn bad_share(&self, objective: Objective) -> f64 {
        self.factor * objective.budget().0
    }

    /// The longest period between events with which a window at the limit of the rule has enough bad ones.
    pub fn period_ns_needed(&self, objective: Objective) -> Nanos {
        let limit = self.bad_share(objective).min(1.0);
        Nanos((self.long_ms as f64 * 1e6 * limit / PROMISE_RULES.burn_bad_min as f64) as u64)
    }

    /// How fast the events in `minutes` that end at `now` use the budget.
    pub fn burn(&self, minutes: &Tally, objective: Objective, now: UnixMillis) -> Burn {
        let (long, short) = (minutes.over(now, self.long_ms), minutes.over(now, self.short_ms));
        let budget = objective.budget().0;
        Burn { long, long_rate: long.bad_share() / budget, short_rate: short.bad_share() / budget }
    }

    /// What it says of the events in `minutes` that end at `now`.
    pub fn state(&self, minutes: &Tally, objective: Objective, now: UnixMillis) -> BurnState {
        let (long, short) = (minutes.over(now, self.long_ms), minutes.over(now, self.short_ms));
        let limit = self.bad_share(objective).min(1.0);
        if long.bad == 0 || long.bad_share() < limit || short.bad_share() < limit {
            return BurnState::Quiet;
        }
        if long.bad < PROMISE_RULES.burn_bad_min {
            return BurnState::NotDecidable { period_ns_needed: self.period_ns_needed(objective) };
        }
        BurnState::Firing(self.burn(minutes, objective, now))
    }
}

#[cfg(test)]
mod tests {
    use record::Ratio;

    use super::*;

    fn minutes(events: &[(i64, u64, u64)]) -> Tally {
        let mut tally = Tally::new(MINUTE_MS, 72 * HOUR_MS);
        for (minute, good, bad) in events {
            tally.add(UnixMillis(minute * MINUTE_MS), Counts { good: *good, bad: *bad, unknown: 0 });
        }
        tally
    }

    #[test]
    fn a_fast_burn_by_hand() {
        // 120 events of an hour, 18 of them bad and the last 10 among these: 15 % over a budget of 1 % is 15 times.
        let hour: Vec<_> = (0..60).map(|minute| if minute < 51 { (minute, 2, 0) } else { (minute, 0, 2) }).collect();
        let BurnState::Firing(burn) =
            BURN_RULES[0].state(&minutes(&hour), Objective::default(), UnixMillis(59 * MINUTE_MS))
        else {
            panic!("it burns")
        };
        assert_eq!(burn.long, Counts { good: 102, bad: 18, unknown: 0 });
        assert!((burn.long_rate - 15.0).abs() < 1e-9 && (burn.short_rate - 100.0).abs() < 1e-9);
        let over = BURN_RULES[0].state(&minutes(&hour), Objective::default(), UnixMillis(66 * MINUTE_MS));
        assert_eq!(over, BurnState::Quiet, "the short window has no event any more");
    }

    #[test]
    fn two_bad_events_decide_nothing_and_the_period_that_would_is_told() {
        let strict = Objective { good_ratio: Ratio(0.999), window_days: 30 };
        let hour: Vec<_> = (0..60).map(|minute| if minute < 59 { (minute, 2, 0) } else { (minute, 0, 2) }).collect();
        let state = BURN_RULES[0].state(&minutes(&hour), strict, UnixMillis(59 * MINUTE_MS));
        // 3600 s x 14.4 x 0.1 % / 3 = 17.28 s.
        let BurnState::NotDecidable { period_ns_needed } = state else { panic!("{state:?}") };
        assert!((period_ns_needed.seconds() - 17.28).abs() < 1e-6, "{period_ns_needed:?}");
        let default = BURN_RULES[0].period_ns_needed(Objective::default());
        assert!(default.seconds() > 30.0, "the default objective is decidable at the default period");
    }
}
