//! Waits: number, total and average; their share of the time that all sessions had.

use super::{TOLERANCE, differ};
use crate::figure::{apart, exact, rounded};
use crate::publication::{TestFigures, WaitEvent, WaitShare};

/// The sessions of a run cannot have been busy for longer than it lasted.
pub(super) fn shares(test: &TestFigures) -> Vec<String> {
    test.wait.iter().filter_map(|wait| longer(test, wait).or_else(|| average_of(test, wait))).collect()
}

fn longer(test: &TestFigures, wait: &WaitShare) -> Option<String> {
    let (jobs, total_s) = (wait.jobs?, wait.total_s?);
    let index = test.jobs.iter().position(|degree| *degree == jobs)?;
    let (time, all) = (*test.time.get(index)?, total_s / wait.share_of_db_time);
    let there = f64::from(jobs) * time;
    (all > there * (1.0 + TOLERANCE)).then(|| {
        format!(
            "{} at {jobs}: {:?} of {} s, published as {} % of DB time, makes {} s of DB time, {} times the {jobs} jobs \
             x {} s = {} s that there were (of which the waits are {} %)",
            test.code,
            wait.event,
            exact(total_s),
            rounded(wait.share_of_db_time * 100.0),
            rounded(all),
            rounded(all / there),
            exact(time),
            rounded(there),
            rounded(total_s / there * 100.0)
        )
    })
}

fn average_of(test: &TestFigures, wait: &WaitShare) -> Option<String> {
    let (waits, total_s, average_ms) = (wait.waits?, wait.total_s?, wait.average_ms?);
    let computed = total_s / waits * 1e3;
    // Printed in whole milliseconds.
    ((computed - average_ms).abs() > 0.5 + TOLERANCE * average_ms).then(|| {
        format!(
            "{}: {:?} of {} s in {} waits is {} ms each, {} ms as published",
            test.code,
            wait.event,
            exact(total_s),
            exact(waits),
            rounded(computed),
            exact(average_ms)
        )
    })
}

/// Waits times their average are their total.
pub(super) fn average(event: &WaitEvent) -> Option<String> {
    let computed = event.total_s / event.waits * 1e6;
    differ(event.avg_us, computed, TOLERANCE).then(|| {
        format!(
            "{:?}: an average of {} us is {} than {} s over {} waits = {} us",
            event.event,
            exact(event.avg_us),
            apart(event.avg_us, computed),
            exact(event.total_s),
            exact(event.waits),
            rounded(computed)
        )
    })
}
