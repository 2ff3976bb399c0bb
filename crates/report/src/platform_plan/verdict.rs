//! What saturates first, and what to buy next.

use model::PriceBook;
use model::platform_plan::{Bound, Measure, Part, PlatformPlan, Purchase};
use record::{Rate, Ratio};

use super::amount::{amount, measure, part};
use crate::figure::{number, percent, three_digits};
use crate::layout::clean;
use crate::words::capital;

/// The bottleneck in one sentence, and how much of what is required is possible.
pub(super) fn bottleneck(plan: &PlatformPlan, bounds: &[Bound]) -> Vec<String> {
    let Some(first) = bounds.first().filter(|bound| bound.share.is_some()) else {
        return vec![match bounds.is_empty() {
            true => "No part has figures from which a bound follows.".to_owned(),
            false => "Nothing is required of a part whose bound is known.".to_owned(),
        }];
    };
    if first.required.is_none() {
        return vec![saturated(bounds)];
    }
    let share = first.share.unwrap_or_default();
    let (name, of) = (part(&first.part), words(first.measure));
    let gives = amount(first.measure, first.available);
    let needs = first.required.map(|required| amount(first.measure, required)).unwrap_or_default();
    let verdict = match share > 1.0 {
        true => format!(
            "The bottleneck is {name}: {needs}{of} are required, {gives} are possible at best ({}).",
            percent(Ratio(share))
        ),
        false => format!(
            "Everything fits. The bottleneck is {name}: {needs}{of} are {} of the {gives} that are possible at best.",
            percent(Ratio(share))
        ),
    };
    let possible = possible_transactions(plan, bounds)
        .map(|rate| format!("At best {} transactions per second are possible.", number(rate.0)));
    [Some(verdict), possible].into_iter().flatten().collect()
}

/// The unit of an amount after it, where it is not in it.
fn words(measure: Measure) -> &'static str {
    match measure {
        Measure::Cores => " cores",
        Measure::Transactions => " transactions",
        Measure::Iops => " I/Os",
        Measure::Read => " of reads",
        Measure::Written => " of writes",
        Measure::Carried | Measure::Capacity => " of data",
        Measure::Commits => " commits",
    }
}

/// Where nothing is required: the lowest bound of each measure.
fn saturated(bounds: &[Bound]) -> String {
    let mut lowest: Vec<&Bound> = bounds.iter().filter(|bound| bound.share == Some(1.0)).collect();
    lowest.sort_by_key(|bound| bound.measure);
    lowest.dedup_by_key(|bound| bound.measure);
    let of = |bound: &&Bound| {
        format!("{} at {}{}", part(&bound.part), amount(bound.measure, bound.available), words(bound.measure))
    };
    format!("Saturated first, at best: {}.", lowest.iter().map(of).collect::<Vec<_>>().join(", "))
}

/// Transactions per second at which the fullest part of those that work for them is full.
pub(super) fn possible_transactions(plan: &PlatformPlan, bounds: &[Bound]) -> Option<Rate> {
    let required = plan.required.transactions?;
    let works = |bound: &&Bound| bound.measure != Measure::Capacity && bound.required.is_some();
    let fullest = bounds.iter().filter(works).filter_map(|bound| bound.share).reduce(f64::max)?;
    (fullest > 0.0).then(|| Rate(required / fullest))
}

/// Costs: the total, and per unit of what is possible.
pub(super) fn costs(plan: &PlatformPlan, book: &PriceBook, bounds: &[Bound]) -> Vec<String> {
    let currency = clean(&book.currency);
    let licences: f64 = book.items.iter().map(model::PriceItem::licences).sum();
    let licences =
        if licences > 0.0 { format!(", {} licences among it", three_digits_whole(licences)) } else { String::new() };
    let total = format!(
        "{currency} {}{licences}; prices as of {}: {}.",
        number(book.total().amount),
        clean(&book.date),
        clean(&book.source)
    );
    let lowest = |measure: Measure| {
        let same = bounds.iter().filter(|bound| bound.measure == measure);
        same.map(|bound| bound.available).reduce(f64::min).map(Rate)
    };
    let scaled = |measure: Measure, unit: f64| lowest(measure).map(|rate| Rate(rate.0 / unit));
    let rates = [
        ("transaction per second", possible_transactions(plan, bounds).or(lowest(Measure::Transactions))),
        ("1000 I/Os per second", scaled(Measure::Iops, 1e3)),
        ("GB/s read", scaled(Measure::Read, 1e9)),
        ("TB", scaled(Measure::Capacity, 1e12)),
    ];
    let per_unit: Vec<String> = rates
        .into_iter()
        .filter_map(|(unit, rate)| Some(format!("{} per {unit}", crate::price::sum(book.cost_per_rate(rate?)?.amount))))
        .collect();
    let per_core = possible_transactions(plan, bounds).and_then(|rate| book.rate_per_licensed_core(rate));
    let per_core =
        per_core.map(|rate| format!("{} transactions per second and licensed core at best.", number(rate.0)));
    let per_unit = (!per_unit.is_empty()).then(|| format!("At least {currency} {}.", per_unit.join(", ")));
    [Some(total), per_unit, per_core].into_iter().flatten().collect()
}

fn three_digits_whole(count: f64) -> String {
    if count.fract() == 0.0 { format!("{count:.0}") } else { three_digits(count) }
}

/// A purchase with its effect.
pub(super) fn purchase(plan: &PlatformPlan, found: &Purchase, is_required: bool) -> String {
    let what = match (found.units, &found.part) {
        (Some((now, then)), _) => format!("{then} {} in place of {now}", units(&found.part)),
        (None, Part::Commit) => {
            format!("a commit in 1/{} of the time, or as many more in a group", three_digits(found.factor))
        }
        (None, of) => format!("{} times as much of {}", three_digits(found.factor), part(of)),
    };
    let money = plan.money.as_ref().map(|money| clean(&money.currency));
    let price = found.price.zip(money).map(|(price, currency)| format!(", {currency} {}", number(price)));
    let now = match is_required {
        true => format!("{} of {} is {} full", measure(found.measure), part(&found.part), percent(Ratio(found.share))),
        false => format!("{} of {} is full first", measure(found.measure), part(&found.part)),
    };
    let then = found.then.as_ref().map(|(next, measured, share)| match is_required {
        true => format!(", then {} of {} at {} is the fullest", measure(*measured), part(next), percent(Ratio(*share))),
        false => format!(", then {} of {} is", measure(*measured), part(next)),
    });
    capital(&format!("{what}{}: {now}{}.", price.unwrap_or_default(), then.unwrap_or_default()))
}

fn units(part: &Part) -> String {
    match part {
        Part::Processors => "sockets".to_owned(),
        Part::Memory => "memory channels per socket".to_owned(),
        Part::Drives(name) => format!("drives {}", clean(name)),
        Part::Fabric => "ports of the fabric".to_owned(),
        Part::Network | Part::Link(_) | Part::Commit => "ports of the network".to_owned(),
    }
}
