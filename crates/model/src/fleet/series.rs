//! Seconds of several parts, added by their place in the window of all.

use record::{Nanos, Second};

/// How many slots of `width` a part is moved that started so long `after` the first: to the nearest.
pub(super) fn shift(after: Nanos, width: Nanos) -> usize {
    let slots = after.0.saturating_add(width.0 / 2).checked_div(width.0);
    slots.and_then(|slots| usize::try_from(slots).ok()).unwrap_or(0)
}

/// The sum of `series` of seconds, each with the time from the earliest start to its own.
pub(super) fn merged_seconds<'a>(series: impl IntoIterator<Item = (Nanos, &'a [Second])>) -> Vec<Second> {
    let mut all: Vec<Second> = Vec::new();
    for (since, seconds) in series {
        let from = shift(since, Nanos::SECOND);
        let end = from + seconds.len();
        if all.len() < end {
            all.resize(end, Second::default());
        }
        all[from..end].iter_mut().zip(seconds).for_each(|(sum, second)| *sum = added(sum, second));
    }
    all
}

fn added(sum: &Second, second: &Second) -> Second {
    Second {
        steps: sum.steps.saturating_add(second.steps),
        operations: sum.operations.saturating_add(second.operations),
        rows: sum.rows.saturating_add(second.rows),
        failures: sum.failures.saturating_add(second.failures),
        service_ns_sum: sum.service_ns_sum + second.service_ns_sum,
        service_ns_max: sum.service_ns_max.max(second.service_ns_max),
        response_ns_sum: sum.response_ns_sum + second.response_ns_sum,
        response_ns_max: sum.response_ns_max.max(second.response_ns_max),
    }
}
