//! The answer of a search for the highest rate, in sentences: the rate with its interval, its confirmation, and its
//! evidence.

use model::{
    Bound, Confirmation, Ending, LevelLimit, RateAnswer, RateCurve, RecordedSearch, SEARCH_RUNS_MAX, SearchPoint,
};
use record::{Nanos, Plan, Ratio};

use super::reason::contradiction;
use crate::figure::{duration, number, percent};
use crate::layout::clean;
use crate::words::plural;

/// The answer of the search of `plan` at `curve`; nothing without a search.
pub(crate) fn curve_answer(curve: &RateCurve<'_>, plan: &Plan) -> Option<String> {
    Some(answer(&curve.search(plan)?, "steps/s"))
}

/// The answer of `search`; `unit` is the unit of its rates, such as `steps/s`.
pub(crate) fn answer(search: &RecordedSearch<'_>, unit: &str) -> String {
    let level = clean(&search.until.level);
    let (bound, answer) = (&search.bound, &search.answer);
    let parts = [
        Some(claim(answer, &level, search.goal, unit)),
        answer.limit.as_ref().map(|limit| interval(limit, answer, search.goal)),
        answer.confirmation.as_ref().map(|found| confirmation(found, search, &level, unit)),
        Some(evidence(search, bound)),
        contradiction(search, search.until.arrival),
    ];
    parts.into_iter().flatten().collect::<Vec<String>>().join("; ")
}

/// The rate that is claimed, or why none is.
fn claim(answer: &RateAnswer, level: &str, goal: f64, unit: &str) -> String {
    let is_within = answer.limit.is_some_and(|limit| limit.is_within(goal));
    let limit = answer.limit.map(|limit| number(limit.estimate));
    match (answer.ending, &limit, answer.bracket) {
        (Some(Ending::Confirmed), Some(limit), _) if is_within => {
            format!("up to {limit} {unit} most runs meet {level}, and near it about half of them")
        }
        (Some(Ending::Confirmed), Some(limit), _) => {
            format!(
                "up to about {limit} {unit}, as exact as its interval, most runs meet {level}, and near it about half of them"
            )
        }
        (Some(Ending::NotConfirmed), Some(limit), _) => format!(
            "no rate is claimed: near {limit} {unit} {level} is met in half of the runs, and a miss at 10 % above was \
             not confirmed"
        ),
        (_, _, (Some(kept), Some(not))) => {
            let near = limit.as_ref().map_or_else(String::new, |limit| format!(", near {limit} in half of the runs"));
            format!("{} {unit} meet {level}, {} miss it{near}, not confirmed", number(kept), number(not))
        }
        (_, _, (Some(kept), None)) => format!(
            "at least {} {unit} meet {level}, and no higher rate was measured: the limit may be higher",
            number(kept)
        ),
        (_, _, (None, Some(not))) => format!("even {} {unit} miss {level}", number(not)),
        (_, _, (None, None)) => format!("no run shows whether {level} is met"),
    }
}

/// The interval, its method, and whether it is as narrow as requested.
fn interval(limit: &LevelLimit, answer: &RateAnswer, goal: f64) -> String {
    let LevelLimit { estimate, low, high, .. } = limit;
    let side = |end: f64| percent(Ratio((end / estimate - 1.0).abs()));
    let goal_text = percent(Ratio(goal));
    let interval = match (low.is_told, high.is_told) {
        (true, true) => format!(
            "95 % interval for a repeat {} to {} (-{}, +{})",
            number(low.rate),
            number(high.rate),
            side(low.rate),
            side(high.rate)
        ),
        (true, false) => format!(
            "95 % interval for a repeat {} to at least {}, the highest rate tried: the runs do not bound it above",
            number(low.rate),
            number(high.rate)
        ),
        (false, true) => format!(
            "95 % interval for a repeat from at most {}, the lowest rate tried, to {}: the runs do not bound it below",
            number(low.rate),
            number(high.rate)
        ),
        (false, false) => format!(
            "95 % interval for a repeat from at most {} to at least {}, the lowest and the highest rate tried: the \
             runs do not bound it",
            number(low.rate),
            number(high.rate)
        ),
    };
    let reached = match (limit.is_within(goal), answer.ending) {
        (true, _) => format!("within the requested {goal_text} on both sides"),
        (false, Some(Ending::Confirmed | Ending::NotConfirmed)) => {
            format!(
                "wider than the requested {goal_text} on both sides: the budget of {SEARCH_RUNS_MAX} runs around it is used up"
            )
        }
        (false, _) => format!("not within the requested {goal_text} on both sides"),
    };
    format!("{interval}, {reached} (logistic regression on the logarithm of the rate, profile likelihood)")
}

/// The runs at the rate that was found, and 10 % above it.
fn confirmation(found: &Confirmation, search: &RecordedSearch<'_>, level: &str, unit: &str) -> String {
    let points = |indices: &[usize]| -> Vec<&SearchPoint<'_>> {
        indices.iter().filter_map(|index| search.points.get(*index)).collect()
    };
    let (at, above) = (points(&found.at), points(&found.above));
    let count =
        |points: &[&SearchPoint<'_>], kept| points.iter().filter(|point| point.visit.kept == Some(kept)).count();
    let outcome = match found.is_confirmed {
        true => format!("{level} is missed at 10 % above"),
        false => format!("a miss of {level} at 10 % above is not confirmed"),
    };
    format!(
        "{outcome}: at {} {unit} {} of {} meet it{}, at {} {unit} {} of {} miss it{}",
        number(found.rate),
        count(&at, true),
        plural(at.len() as u64, "run"),
        spread(&at, &search.bound),
        number(found.rate * model::ABOVE),
        count(&above, false),
        plural(above.len() as u64, "run"),
        spread(&above, &search.bound)
    )
}

/// The range of the judged statistic.
fn spread(points: &[&SearchPoint<'_>], bound: &Bound) -> String {
    let values = || points.iter().filter_map(|point| bound.value(&point.run.response));
    match (values().min(), values().max()) {
        (Some(Nanos(least)), Some(Nanos(most))) if least == most => {
            format!(" ({} {})", bound.statistic, duration(Nanos(least)))
        }
        (Some(least), Some(most)) => format!(" ({} {} to {})", bound.statistic, duration(least), duration(most)),
        _ => String::new(),
    }
}

/// The number of runs of the search, and the disturbed or short ones among them.
fn evidence(search: &RecordedSearch<'_>, bound: &Bound) -> String {
    let all = search.points.len() as u64;
    let runs = format!("response time, {} at a target rate", plural(all, "run"));
    let disturbed = match (search.answer.disturbed, search.answer.disturbed_count) {
        (0, _) => String::new(),
        (count, false) => format!(", {count} of them invalid because of other programs and not used"),
        (count, true) => {
            format!(
                ", {count} of them invalid because of other programs: used all the same, because they are more than half"
            )
        }
    };
    let is_short = |point: &&SearchPoint<'_>| point.run.window_ns.0 / 9 < bound.window(point.visit.rate).0 / 10;
    let short = match search.points.iter().filter(is_short).count() {
        0 => String::new(),
        count => format!(", in {count} of them fewer than ten values were expected beyond {}", bound.statistic),
    };
    format!("{runs}{disturbed}{short}")
}
