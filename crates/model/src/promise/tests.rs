//! Simulated months: events as a database with a known truth would give them.

use std::collections::BTreeMap;

use record::{Nanos, Ratio};

use super::*;
use crate::simulation::Simulation;

const PERIOD_MS: i64 = 30_000;
const DAY_HOURS: i64 = 24;
/// A Monday.
const START_HOUR: i64 = 495_000;
/// The median of a statement of the simulated database, nanoseconds.
const USUAL_NS: f64 = 200_000.0;

/// What a simulated start finds: the factor of the usual time, or what became of it.
type Truth<'a> = &'a dyn Fn(i64) -> Result<f64, Outcome>;

struct Month30<'a> {
    database: Truth<'a>,
    /// The factor of the usual time of the controls.
    client: &'a dyn Fn(i64) -> f64,
}

fn promise() -> Promise {
    Promise {
        operation: Operation::Read,
        threshold_ns: Some(threshold(Nanos(USUAL_NS as u64 * 2))),
        baseline_p50_ns: Some(Nanos(USUAL_NS as u64)),
        objective: Objective::default(),
    }
}

/// The alerts of 30 days. Times are log-normal with a busy hour each day, and one burst of 500 meets something slow.
fn alerts(seed: u64, month: &Month30) -> Vec<AlertChange> {
    let mut noise = Simulation::new(seed);
    let mut judge = Judge::new(promise());
    let mut controls: BTreeMap<Control, HourlyMedians> = BTreeMap::new();
    let mut changes = Vec::new();
    for hour in START_HOUR..START_HOUR + 30 * DAY_HOURS {
        let (mut medians, mut spins) = (Vec::new(), Vec::new());
        for at in (hour * HOUR_MS..(hour + 1) * HOUR_MS).step_by(PERIOD_MS as usize) {
            let busy = if hour % DAY_HOURS == 2 { 1.5 } else { 1.0 };
            spins.push((month.client)(at) * 1e6 * (0.02 * noise.normal()).exp());
            let factor = (month.database)(at).map(|factor| factor * (month.client)(at));
            let median = factor.map(|factor| USUAL_NS * busy * factor * (0.1 * noise.normal()).exp());
            let tail = if noise.uniform() < 0.002 { 20.0 } else { 1.5 + noise.uniform() };
            let slowest = median.map(|median| Nanos((median * tail) as u64));
            let outcome = match slowest {
                Ok(slowest) if promise().is_kept_by(slowest) => Outcome::Good,
                Ok(_) => Outcome::Slow,
                Err(outcome) => outcome,
            };
            medians.extend(median.ok());
            let median_ns = median.ok().map(|median| Nanos(median as u64));
            let event =
                Event { at: UnixMillis(at), operation: Operation::Read, outcome, slowest_ns: slowest.ok(), median_ns };
            changes.extend(judge.event(&event));
        }
        controls.entry(Control::Processor).or_default().extend(middle(&mut spins).map(|spin| (hour, spin)));
        changes.extend(judge.end_hour(hour, middle(&mut medians), &controls));
    }
    changes
}

fn middle(values: &mut [f64]) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

fn raised(changes: &[AlertChange], alert: Alert) -> Vec<&AlertChange> {
    changes.iter().filter(|change| change.alert == alert && change.raised.is_some()).collect()
}

fn pages(changes: &[AlertChange]) -> usize {
    changes.iter().filter(|change| change.raised.is_some() && change.alert.severity() == Severity::Page).count()
}

/// The `day` of the month at noon.
fn noon(day: i64) -> i64 {
    (START_HOUR + day * DAY_HOURS + 12) * HOUR_MS
}

fn drift(change: &AlertChange) -> Drift {
    match change.raised {
        Some(AlertEvidence::Drift(drift)) => drift,
        _ => panic!("{change:?} is no drift"),
    }
}

#[test]
fn thirty_quiet_days_wake_nobody() {
    let quiet = Month30 { database: &|_| Ok(1.0), client: &|_| 1.0 };
    let found: Vec<Vec<AlertChange>> = (0..20).map(|seed| alerts(seed, &quiet)).collect();
    assert!(found.iter().filter(|changes| pages(changes) == 0).count() >= 19, "{found:?}");
    assert!(found.iter().filter(|changes| changes.is_empty()).count() >= 19, "{found:?}");
}

#[test]
fn an_outage_of_a_minute_and_a_half_is_down_and_spares_the_budget() {
    let database = |at: i64| if (noon(20)..noon(20) + 90_000).contains(&at) { Err(Outcome::TimedOut) } else { Ok(1.0) };
    let changes = alerts(1, &Month30 { database: &database, client: &|_| 1.0 });
    let down = raised(&changes, Alert::Down);
    assert_eq!(down.len(), 1, "{changes:?}");
    assert_eq!(down[0].at, UnixMillis(noon(20) + 2 * PERIOD_MS), "with the third start");
    let Some(AlertEvidence::Outcomes(outcomes)) = &down[0].raised else { panic!("{down:?}") };
    assert_eq!(outcomes.get(&Outcome::TimedOut), Some(&3));
    assert!(raised(&changes, Alert::FastBurn).is_empty(), "3 of 120 are within 14.4 %");
    let ended = changes.iter().find(|change| change.alert == Alert::Down && change.raised.is_none());
    assert_eq!(ended.map(|change| change.at), Some(UnixMillis(noon(20) + 90_000)));
}

#[test]
fn an_outage_of_a_minute_is_two_bad_events_and_wakes_nobody() {
    let database = |at: i64| if (noon(20)..noon(20) + 60_000).contains(&at) { Err(Outcome::Failed) } else { Ok(1.0) };
    assert_eq!(alerts(1, &Month30 { database: &database, client: &|_| 1.0 }), []);
}

#[test]
fn a_slowdown_of_a_fifth_is_a_ticket_within_a_day_and_no_page() {
    for seed in 0..20 {
        let database = |at: i64| Ok(if at >= noon(20) { 1.2 } else { 1.0 });
        let changes = alerts(seed, &Month30 { database: &database, client: &|_| 1.0 });
        assert_eq!(pages(&changes), 0, "{changes:?}");
        let found = raised(&changes, Alert::DriftFromHistory);
        let first = found.first().unwrap_or_else(|| panic!("no drift with seed {seed}"));
        assert!((noon(20)..=noon(21)).contains(&first.at.0), "{first:?}");
        let drift = drift(first);
        assert_eq!((drift.cause, drift.reference), (DriftCause::Database, DriftReference::SameHour));
        assert!(drift.ratio.0 > 1.1 && drift.ratio.0 < 1.3, "{drift:?}");
    }
}

#[test]
fn a_client_host_that_drifts_is_told_from_the_database() {
    let client = |at: i64| if at >= noon(20) { 1.3 } else { 1.0 };
    let changes = alerts(2, &Month30 { database: &|_| Ok(1.0), client: &client });
    let found = raised(&changes, Alert::DriftFromHistory);
    let DriftCause::ClientHost { control, ratio } = drift(found[0]).cause else { panic!("{found:?}") };
    assert_eq!(control, Control::Processor);
    assert!((ratio.0 - 1.3).abs() < 0.1, "{ratio:?}");
}

#[test]
fn a_lost_host_is_down_then_a_fast_burn_and_stays_so() {
    let database = |at: i64| if at >= noon(20) { Err(Outcome::Failed) } else { Ok(1.0) };
    let changes = alerts(3, &Month30 { database: &database, client: &|_| 1.0 });
    let [down, burn] = [Alert::Down, Alert::FastBurn].map(|alert| raised(&changes, alert)[0].at.0 - noon(20));
    assert_eq!(down, 2 * PERIOD_MS);
    assert!((5 * 60_000..10 * 60_000).contains(&burn), "after {burn} ms");
    assert!(changes.iter().all(|change| change.raised.is_some()), "nothing ends");
    assert!(raised(&changes, Alert::DriftFromHistory).is_empty(), "without answers nothing drifts");
}

#[test]
fn a_monitor_that_starts_in_an_outage_tells_the_outage_alone_at_first() {
    let mut judge = Judge::new(Promise { operation: Operation::Read, ..promise() });
    let failed = |number: i64| Event {
        at: UnixMillis(noon(1) + number * PERIOD_MS),
        operation: Operation::Read,
        outcome: Outcome::Failed,
        slowest_ns: None,
        median_ns: None,
    };
    let of = |judge: &mut Judge, numbers: std::ops::Range<i64>| -> Vec<Alert> {
        numbers.flat_map(|number| judge.event(&failed(number))).map(|change| change.alert).collect()
    };
    assert_eq!(of(&mut judge, 0..10), [Alert::Down]);
    assert_eq!(of(&mut judge, 10..61), [Alert::FastBurn, Alert::SlowBurn]);
}

#[test]
fn a_lag_that_grows_is_told_within_three_events_above_its_threshold() {
    let promise = Promise { operation: Operation::Lag, threshold_ns: Some(Nanos(10_000_000_000)), ..promise() };
    let mut judge = Judge::new(promise);
    let mut told = Vec::new();
    for number in 0..200 {
        // A second more with each event from the hundredth on.
        let lag = Nanos((number - 100).max(0) as u64 * 1_000_000_000);
        let outcome = if promise.is_kept_by(lag) { Outcome::Good } else { Outcome::Slow };
        let at = UnixMillis(noon(1) + number * PERIOD_MS);
        let event = Event { at, operation: Operation::Lag, outcome, slowest_ns: Some(lag), median_ns: Some(lag) };
        told.extend(judge.event(&event).into_iter().map(|change| (change.alert, number)));
    }
    assert_eq!(told[0], (Alert::Down, 113));
    // A failover: the node is not asked for its lag any more.
    let ended = judge.retire(UnixMillis(noon(2)));
    assert!(ended.iter().all(|change| change.raised.is_none()) && judge.raised().is_empty(), "{ended:?}");
}

#[test]
fn a_monitor_that_was_stopped_says_nothing_of_the_database() {
    let database = |at: i64| if (noon(20)..noon(21)).contains(&at) { Err(Outcome::Late) } else { Ok(1.0) };
    assert_eq!(alerts(4, &Month30 { database: &database, client: &|_| 1.0 }), []);
}

#[test]
fn what_slows_the_slowest_statements_alone_uses_the_budget_up() {
    // One burst of 40 is slow: 2.5 times the budget. No median shows it.
    let database = |at: i64| Ok(if at >= noon(10) && (at / PERIOD_MS) % 40 == 0 { 30.0 } else { 1.0 });
    let changes = alerts(5, &Month30 { database: &database, client: &|_| 1.0 });
    assert_eq!(pages(&changes), 0, "{changes:?}");
    let found = raised(&changes, Alert::BudgetBurn);
    let Some(AlertEvidence::Burn(burn)) = &found[0].raised else { panic!("{found:?}") };
    assert!(burn.long_rate >= 1.0 && burn.short_rate >= 1.0);
    assert!(raised(&changes, Alert::DriftFromHistory).is_empty());
}

#[test]
fn an_alert_of_an_earlier_process_is_not_told_again_and_ends() {
    let mut judge = Judge::new(promise());
    judge.recall_alert(Alert::Down, UnixMillis(7));
    let event = |at, outcome| Event {
        at: UnixMillis(at),
        operation: Operation::Read,
        outcome,
        slowest_ns: None,
        median_ns: None,
    };
    let bad = (0..4).flat_map(|at| judge.event(&event(at * PERIOD_MS, Outcome::Failed))).collect::<Vec<_>>();
    assert!(raised(&bad, Alert::Down).is_empty(), "{bad:?}");
    let good = judge.event(&event(5 * PERIOD_MS, Outcome::Good));
    assert!(good.iter().any(|change| change.alert == Alert::Down && change.since == UnixMillis(7)));
    assert!(judge.budget_left(UnixMillis(5 * PERIOD_MS)) < Ratio(0.0), "four of five are bad");
}
