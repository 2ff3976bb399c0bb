//! What a load needs of a platform, in a sentence.

use model::sizing::{Demand, Outlook, ResourceShare, Sizing};
use record::Ratio;

use super::SizingView;
use super::amount::name;
use crate::figure::{percent, three_digits, time};
use crate::words::plural;

/// Resources that the sentence names.
const NAMED_MAX: usize = 4;

/// Whether something is needed that the platform does not have.
pub(super) fn is_short(sizing: &Sizing) -> bool {
    sizing.first().is_some_and(|first| first.share > 1.0)
}

/// The resource that is full first as the load grows.
pub(super) fn full_first(sizing: &Sizing) -> Option<&ResourceShare> {
    let growing = sizing.resources.iter().filter(|resource| resource.multiple.is_some());
    growing.min_by(|one, other| one.multiple.partial_cmp(&other.multiple).unwrap_or(std::cmp::Ordering::Equal))
}

/// What the platform does with the rates that it is held against.
fn showed(sizing: &Sizing) -> &'static str {
    if sizing.platform.is_planned { "gives at best" } else { "showed" }
}

/// The answer on one platform.
pub(super) fn sentences(view: &SizingView<'_>, sizing: &Sizing) -> Vec<String> {
    let platform = &sizing.platform.name;
    if sizing.resources.is_empty() {
        return vec![format!("{platform}: nothing that the load tells was measured there, so that nothing is known.")];
    }
    let needs: Vec<String> = sizing
        .resources
        .iter()
        .take(NAMED_MAX)
        .map(|resource| format!("{} of the {}", percent(Ratio(resource.share)), name(resource.demand)))
        .collect();
    let growth = view.growth.factor();
    let load = match (growth - 1.0).abs() < 1e-9 {
        true => "at its peaks the load".to_owned(),
        false => format!("after growth ({} times today) the load at its peaks", three_digits(growth)),
    };
    let verdict = if is_short(sizing) { "does not fit: " } else { "" };
    let mut found = vec![format!("{platform}: {verdict}{load} needs {} that it {}.", and(&needs), showed(sizing))];
    if let Some((first, multiple)) = full_first(sizing).and_then(|first| Some((first, first.multiple?))) {
        let when = match multiple < 1.0 {
            true => format!("that is so today, at {} times its peak", three_digits(multiple)),
            false => format!("at {} times today's peak{}", three_digits(multiple), years(sizing, view)),
        };
        let point = at_that_point(sizing, multiple);
        found.push(format!("First to be full: {}, {when}{point}.", name(first.demand)));
    }
    found.extend(sizing.resources.iter().filter(|one| one.multiple.is_none() && one.share > 1.0).map(|one| {
        format!("The {} is short whatever the load does: {} of it.", name(one.demand), percent(Ratio(one.share)))
    }));
    found.extend(processors(sizing));
    found.push("Valid within what was measured; beyond it nothing is known.".to_owned());
    found
}

fn years(sizing: &Sizing, view: &SizingView<'_>) -> String {
    match sizing.years.filter(|_| view.growth.per_year > 0.0) {
        Some(years) => {
            format!(", in {} years at {} more each year", three_digits(years), percent(Ratio(view.growth.per_year)))
        }
        None => String::new(),
    }
}

/// The time of a commit where the first resource is full.
fn at_that_point(sizing: &Sizing, multiple: f64) -> String {
    let at = |demand: Demand| {
        let found = sizing.outlooks.iter().filter(|one| one.demand == demand);
        found.into_iter().find(|one| (one.multiple - multiple).abs() < 1e-9 * multiple)
    };
    let Some(outlook) = at(Demand::Commits).or_else(|| at(Demand::RandomReads)) else { return String::new() };
    let of = if outlook.demand == Demand::Commits { "a commit" } else { "a random read" };
    format!("; at that point {}", told(outlook, of))
}

/// The times of an outlook as a clause.
pub(super) fn told(outlook: &Outlook, of: &str) -> String {
    match &outlook.point {
        Some(point) => match point.p99 {
            Some(p99) => format!("p99 of {of} is at most {} ({})", time(Some(p99)), outlook.test),
            None => format!("p50 of {of} is at most {} ({})", time(Some(point.p50)), outlook.test),
        },
        None => format!("the time of {of} is not known: it is beyond what {} measured", outlook.test),
    }
}

/// What is known of processors that are not held against each other.
fn processors(sizing: &Sizing) -> Option<String> {
    let needed = sizing.unsized_resources.iter().find(|one| one.demand == Demand::Processors)?.needed?;
    let has = sizing.platform.threads.map(|threads| format!("; it has {}", plural(threads as u64, "hardware thread")));
    Some(format!(
        "Processors: unknown without a test that this platform shares with a sheet of the old one (--from RECORD): the load keeps {} of its hardware \
         threads busy{}.",
        three_digits(needed.peak()),
        has.unwrap_or_default()
    ))
}

/// Items in a sentence: `a, b and c`.
fn and(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
