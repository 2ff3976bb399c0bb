//! The judge of one operation: events in, alerts out.

use std::collections::BTreeMap;

use record::{Nanos, Ratio};

use super::alert::Alert;
use super::burn::{BURN_MS_MAX, BURN_RULES, BurnRule, BurnState};
use super::change::{AlertChange, AlertEvidence};
use super::drift::{self, Drift, DriftReference, HourlyMedians, Shift, same_hour};
use super::event::{Control, DAY_MS, Event, HOUR_MS, MINUTE_MS, Outcome, Standing, UnixMillis};
use super::now::{BurnNow, ShiftNow};
use super::objective::Promise;
use super::rules::PROMISE_RULES;
use super::tally::{Counts, Tally};

/// What is known of one operation, and which alerts are raised.
#[derive(Clone, Debug)]
pub struct Judge {
    promise: Promise,
    minutes: Tally,
    hours: Tally,
    medians: HourlyMedians,
    /// The bad events since the last good one, by what became of them.
    in_a_row: BTreeMap<Outcome, u32>,
    /// When the first event was that is known.
    first_ms: Option<i64>,
    /// When the latest event was: one that was begun before others may be over after them.
    latest: UnixMillis,
    raised: BTreeMap<Alert, UnixMillis>,
}

impl Judge {
    /// Of `promise`, without any event.
    pub fn new(promise: Promise) -> Judge {
        Judge {
            promise,
            minutes: Tally::new(MINUTE_MS, BURN_MS_MAX),
            hours: Tally::new(HOUR_MS, i64::from(promise.objective.window_days) * DAY_MS),
            medians: HourlyMedians::new(),
            in_a_row: BTreeMap::new(),
            first_ms: None,
            latest: UnixMillis(i64::MIN),
            raised: BTreeMap::new(),
        }
    }

    /// What is promised.
    pub fn promise(&self) -> &Promise {
        &self.promise
    }

    /// Takes in counts from before this process began, for the windows of burn rates.
    pub fn recall_minute(&mut self, at: UnixMillis, counts: Counts) {
        self.minutes.add(at, counts);
        self.first_ms = Some(self.first_ms.map_or(at.0, |first| first.min(at.0)));
    }

    /// Takes in an hour from before this process began, for the budget and the drift.
    pub fn recall_hour(&mut self, hour: i64, counts: Counts, median_ns: Option<f64>) {
        self.hours.add(UnixMillis(hour * HOUR_MS), counts);
        self.medians.extend(median_ns.map(|median| (hour, median)));
    }

    /// Takes in an alert that was raised when an earlier process ended, so that it is not told again.
    pub fn recall_alert(&mut self, alert: Alert, since: UnixMillis) {
        self.raised.insert(alert, since);
    }

    /// The alerts that are raised, with their begin.
    pub fn raised(&self) -> &BTreeMap<Alert, UnixMillis> {
        &self.raised
    }

    /// Bad events since the last good one.
    pub fn bad_in_a_row(&self) -> u32 {
        self.in_a_row.values().sum()
    }

    /// The counts over the days of the objective.
    pub fn window(&self, now: UnixMillis) -> Counts {
        self.hours.over(now, i64::from(self.promise.objective.window_days) * DAY_MS)
    }

    /// What is left of the budget: 1 where nothing was bad, below 0 where the promise is broken.
    pub fn budget_left(&self, now: UnixMillis) -> Ratio {
        Ratio(1.0 - self.window(now).bad_share() / self.promise.objective.budget().0)
    }

    /// What each rule of burn rates says now.
    pub fn burn_states(&self, now: UnixMillis) -> impl Iterator<Item = (&'static BurnRule, BurnState)> + '_ {
        BURN_RULES.iter().map(move |rule| (rule, rule.state(&self.minutes, self.promise.objective, now)))
    }

    /// How fast the budget is used now, by each rule of burn rates.
    pub fn burns(&self, now: UnixMillis) -> impl Iterator<Item = BurnNow> + '_ {
        self.burn_states(now).map(move |(rule, state)| {
            let burn = rule.burn(&self.minutes, self.promise.objective, now);
            BurnNow { rule: *rule, burn, state }
        })
    }

    /// How far the medians of the last hours up to `hour` are above the baseline and above the same hours of the days
    /// before; without those of which too little is known.
    pub fn shifts(&self, hour: i64) -> Vec<ShiftNow> {
        let of = |(reference, shift): (DriftReference, Option<Shift>)| {
            let shift = shift?;
            Some(ShiftNow {
                reference,
                ratio: Ratio(shift.estimate.exp()),
                ratio_min: Ratio(shift.low.exp()),
                ratio_max: Ratio(shift.high.exp()),
                hours: shift.hours,
                is_drift: shift.is_drift(),
            })
        };
        self.shifts_at(hour).into_iter().filter_map(of).collect()
    }

    fn shifts_at(&self, hour: i64) -> [(DriftReference, Option<Shift>); 2] {
        let baseline = self.promise.baseline_p50_ns.map(|median| median.0 as f64);
        [
            (DriftReference::Baseline, drift::shift(&self.medians, hour, |_| baseline)),
            (DriftReference::SameHour, drift::shift(&self.medians, hour, |hour| same_hour(&self.medians, hour))),
        ]
    }

    /// The first rule that too few events leave undecided, with the period that would decide it.
    pub fn undecided(&self, now: UnixMillis) -> Option<(Alert, Nanos)> {
        self.burn_states(now).find_map(|(rule, state)| match state {
            BurnState::NotDecidable { period_ns_needed } => Some((rule.alert, period_ns_needed)),
            BurnState::Quiet | BurnState::Firing(_) => None,
        })
    }

    /// Takes in an event; returns the alerts that begin or end with it.
    pub fn event(&mut self, event: &Event) -> Vec<AlertChange> {
        let standing = event.outcome.standing();
        self.latest = self.latest.max(event.at);
        let at = self.latest;
        let mut counts = Counts::default();
        counts.count(standing);
        self.minutes.add(event.at, counts);
        self.hours.add(event.at, counts);
        match standing {
            Standing::Good => self.in_a_row.clear(),
            Standing::Bad => *self.in_a_row.entry(event.outcome).or_default() += 1,
            // Nothing is known of the database: no alert begins or ends.
            Standing::Unknown => return Vec::new(),
        }
        let down = match (standing, self.bad_in_a_row() >= PROMISE_RULES.down_events) {
            (Standing::Good, _) => Some((Alert::Down, None)),
            (_, true) => Some((Alert::Down, Some(AlertEvidence::Outcomes(self.in_a_row.clone())))),
            // It begins with the third one, and one that an earlier process saw goes on.
            (_, false) => None,
        };
        let mut found: Vec<(Alert, Option<AlertEvidence>)> = down.into_iter().collect();
        let known_ms = at.0 - *self.first_ms.get_or_insert(event.at.0);
        found.extend(self.burn_states(at).map(|(rule, state)| match state {
            // A monitor that starts in an outage knows no more of an hour than of the last minutes.
            BurnState::Firing(burn) if known_ms >= rule.short_ms => (rule.alert, Some(AlertEvidence::Burn(burn))),
            BurnState::Firing(_) | BurnState::Quiet | BurnState::NotDecidable { .. } => (rule.alert, None),
        }));
        found.into_iter().filter_map(|(alert, evidence)| self.set(at, alert, evidence)).collect()
    }

    /// Takes in the median of a complete `hour`, absent without an answer in it, and looks for a drift beside that of
    /// the `controls`.
    pub fn end_hour(
        &mut self,
        hour: i64,
        median_ns: Option<f64>,
        controls: &BTreeMap<Control, HourlyMedians>,
    ) -> Vec<AlertChange> {
        self.medians.extend(median_ns.map(|median| (hour, median)));
        self.medians = self.medians.split_off(&(hour - (PROMISE_RULES.drift_days + 1) * 24));
        let at = UnixMillis((hour + 1) * HOUR_MS);
        let mut changes = Vec::new();
        for (reference, shift) in self.shifts_at(hour) {
            let Some(shift) = shift else { continue };
            let alert = match reference {
                DriftReference::Baseline => Alert::DriftFromBaseline,
                DriftReference::SameHour => Alert::DriftFromHistory,
            };
            // Between the two it stays as it was.
            if shift.is_drift() {
                let evidence = AlertEvidence::Drift(drift_of(shift, reference, hour, controls));
                changes.extend(self.set(at, alert, Some(evidence)));
            } else if shift.is_over() {
                changes.extend(self.set(at, alert, None));
            }
        }
        changes
    }

    /// Ends every alert: the operation is not asked for any more.
    pub fn retire(&mut self, at: UnixMillis) -> Vec<AlertChange> {
        self.in_a_row.clear();
        let raised: Vec<Alert> = self.raised.keys().copied().collect();
        raised.into_iter().filter_map(|alert| self.set(at, alert, None)).collect()
    }

    /// Raises `alert` by its evidence or ends it; the change, if it is one.
    fn set(&mut self, at: UnixMillis, alert: Alert, raised: Option<AlertEvidence>) -> Option<AlertChange> {
        let since = self.raised.get(&alert).copied();
        let since = match (since, &raised) {
            (None, Some(_)) => {
                self.raised.insert(alert, at);
                at
            }
            (Some(since), None) => {
                self.raised.remove(&alert);
                since
            }
            (None, None) | (Some(_), Some(_)) => return None,
        };
        Some(AlertChange { at, operation: self.promise.operation, alert, since, raised })
    }
}

fn drift_of(shift: Shift, reference: DriftReference, hour: i64, controls: &BTreeMap<Control, HourlyMedians>) -> Drift {
    Drift {
        ratio: Ratio(shift.estimate.exp()),
        ratio_min: Ratio(shift.low.exp()),
        hours: shift.hours,
        reference,
        cause: drift::cause(shift, hour, controls),
    }
}
