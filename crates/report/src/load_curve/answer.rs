//! What a search for the highest rate came to, in sentences: the rate with its interval, whether it was confirmed, and what
//! it rests on.

use model::{
    Bound, Confirmation, Ending, LevelLimit, RateAnswer, RateCurve, RecordedSearch, SEARCH_RUNS_MAX, SearchPoint,
};
use record::{Nanos, Plan, Ratio};

use super::reason::contradiction;
use crate::figure::{duration, number, percent};
use crate::layout::clean;
use crate::words::plural;

/// What the search of `plan` came to at `curve`; nothing where the plan searches for nothing.
pub(crate) fn curve_answer(curve: &RateCurve<'_>, plan: &Plan) -> Option<String> {
    Some(answer(&curve.search(plan)?, "steps/s"))
}

/// What `search` came to; `unit` is what its rates are in, as `steps/s`.
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
            format!("{limit} {unit} is the highest rate that keeps {level}")
        }
        (Some(Ending::Confirmed), Some(limit), _) => {
            format!("about {limit} {unit} is the highest rate that keeps {level}, known no better than its interval")
        }
        (Some(Ending::NotConfirmed), Some(limit), _) => format!(
            "no rate is claimed: near {limit} {unit} {level} is kept as often as not, and 10 % above that could not be \
             confirmed to miss it"
        ),
        (_, _, (Some(kept), Some(not))) => {
            let near = limit.as_ref().map_or_else(String::new, |limit| format!(", near {limit} as often as not"));
            format!("{} {unit} keep {level}, {} do not{near}, not confirmed", number(kept), number(not))
        }
        (_, _, (Some(kept), None)) => format!(
            "at least {} {unit} keep {level}, and nothing above was measured: the limit may lie higher",
            number(kept)
        ),
        (_, _, (None, Some(not))) => format!("even {} {unit} do not keep {level}", number(not)),
        (_, _, (None, None)) => format!("no run tells whether {level} is kept"),
    }
}

/// The interval, its method, and whether it is as narrow as was asked for.
fn interval(limit: &LevelLimit, answer: &RateAnswer, goal: f64) -> String {
    let LevelLimit { estimate, low, high, .. } = limit;
    let side = |end: f64| percent(Ratio((end / estimate - 1.0).abs()));
    let asked = percent(Ratio(goal));
    let said = match (low.is_told, high.is_told) {
        (true, true) => format!(
            "95 % interval of a repeat {} to {} (-{}, +{})",
            number(low.rate),
            number(high.rate),
            side(low.rate),
            side(high.rate)
        ),
        (true, false) => format!(
            "95 % interval of a repeat {} to at least {}, the highest rate tried: the runs do not bound it above",
            number(low.rate),
            number(high.rate)
        ),
        (false, true) => format!(
            "95 % interval of a repeat from at most {}, the lowest rate tried, to {}: the runs do not bound it below",
            number(low.rate),
            number(high.rate)
        ),
        (false, false) => format!(
            "95 % interval of a repeat from at most {} to at least {}, the lowest and the highest rate tried: the runs bound \
             it on no side",
            number(low.rate),
            number(high.rate)
        ),
    };
    let reached = match (limit.is_within(goal), answer.ending) {
        (true, _) => format!("within the {asked} to both sides that were asked for"),
        (false, Some(Ending::Confirmed | Ending::NotConfirmed)) => format!(
            "wider than the {asked} to both sides that were asked for: the budget of {SEARCH_RUNS_MAX} runs around it is spent"
        ),
        (false, _) => format!("not within the {asked} to both sides that were asked for"),
    };
    format!("{said}, {reached} (kept or not over the logarithm of the rate: logistic curve, profile likelihood)")
}

/// What was measured at the rate that was found, and 10 % above it.
fn confirmation(found: &Confirmation, search: &RecordedSearch<'_>, level: &str, unit: &str) -> String {
    let points = |places: &[usize]| -> Vec<&SearchPoint<'_>> {
        places.iter().filter_map(|place| search.points.get(*place)).collect()
    };
    let (at, above) = (points(&found.at), points(&found.above));
    let count =
        |points: &[&SearchPoint<'_>], kept| points.iter().filter(|point| point.visit.kept == Some(kept)).count();
    let said = match found.is_confirmed {
        true => format!("{level} is broken 10 % above"),
        false => format!("{level} is not confirmed to be broken 10 % above"),
    };
    format!(
        "{said}: at {} {unit} {} of {} keep it{}, at {} {unit} {} of {} do not{}",
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

/// From the least to the most of what was judged.
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

/// How many runs tell so, and what is wrong with some of them.
fn evidence(search: &RecordedSearch<'_>, bound: &Bound) -> String {
    let all = search.points.len() as u64;
    let runs = format!("response time, {} under a rate", plural(all, "run"));
    let disturbed = match (search.answer.disturbed, search.answer.disturbed_count) {
        (0, _) => String::new(),
        (count, false) => format!(", {count} of them invalid for what the surroundings took and no evidence"),
        (count, true) => format!(
            ", {count} of them invalid for what the surroundings took: they count all the same, because they are more than half"
        ),
    };
    let is_short = |point: &&SearchPoint<'_>| point.run.window_ns.0 / 9 < bound.window(point.visit.rate).0 / 10;
    let short = match search.points.iter().filter(is_short).count() {
        0 => String::new(),
        count => format!(", in {count} of them fewer than ten values were to lie beyond {}", bound.statistic),
    };
    format!("{runs}{disturbed}{short}")
}
