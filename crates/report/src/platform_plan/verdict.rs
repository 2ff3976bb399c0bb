//! What saturates first, and what to buy next.

use model::platform::Generation;
use model::platform_plan::{Alternative, Bound, FITS_BASIS, Measure, Part, PlatformPlan, Purchase, fits, unplaced};
use model::{FitVerdict, PriceBook};
use record::{Rate, Ratio};

use super::amount::{amount, drives, measure, part, phrase};
use crate::figure::{memory, number, percent, three_digits};
use crate::words::{basis, capital, plural};

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
    let name = part(&first.part);
    let gives = amount(first.measure, first.available);
    let needs = first.required.map(|required| phrase(first.measure, required)).unwrap_or_default();
    let used = percent(Ratio(share));
    let basis = basis(FITS_BASIS);
    let verdict = match fits(bounds).unwrap_or(FitVerdict::NotKnown) {
        FitVerdict::DoesNotFit => {
            format!("The bottleneck is {name}: {needs} are required, {gives} are possible at best ({used}, {basis}).")
        }
        FitVerdict::Fits => format!(
            "Everything with figures fits at best ({basis}). The bottleneck is {name}: {needs} are {used} of what it gives \
             at best."
        ),
        FitVerdict::NotKnown => format!(
            "Whether everything fits is not known: {}. The bottleneck is {name}: {needs} are {used} of what it gives at best \
             ({basis}).",
            bounds.iter().filter_map(undecided).collect::<Vec<_>>().join("; ")
        ),
    };
    // Where the bottleneck is commits, one of each transaction, it is said already.
    let is_said = first.measure == Measure::Commits && plan.required.commits.is_none();
    let possible = possible_transactions(plan, bounds).filter(|_| !is_said);
    let possible = possible.map(|rate| format!("At best {} transactions per second are possible.", number(rate.0)));
    [Some(verdict), possible].into_iter().flatten().collect()
}

/// A part that is enough at best, and not for what programs reach of it at least.
fn undecided(bound: &Bound) -> Option<String> {
    let used = bound.used_range().filter(|used| FitVerdict::of(*used) == FitVerdict::NotKnown)?;
    let required = phrase(bound.measure, bound.required?);
    let (least, most) = bound.reached?;
    Some(format!(
        "{} gives {} at best, of which programs reach {} to {}, and {required} are required ({} to {})",
        part(&bound.part),
        amount(bound.measure, bound.available),
        amount(bound.measure, least),
        amount(bound.measure, most),
        percent(Ratio(used.low)).trim_end_matches(" %"),
        percent(Ratio(used.high))
    ))
}

/// Where nothing is required: the lowest bound of each measure.
fn saturated(bounds: &[Bound]) -> String {
    let mut lowest: Vec<&Bound> = bounds.iter().filter(|bound| bound.share == Some(1.0)).collect();
    lowest.sort_by_key(|bound| bound.measure);
    lowest.dedup_by_key(|bound| bound.measure);
    let of = |bound: &&Bound| format!("{} at {}", part(&bound.part), phrase(bound.measure, bound.available));
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
    let currency = &book.currency;
    let total = format!(
        "{currency} {}{}; prices as of {}: {}.",
        number(book.total().amount),
        licences(book).unwrap_or_default(),
        book.date,
        book.source
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
    let others: Vec<String> = unplaced(plan).iter().map(|item| item.name.clone()).collect();
    let others = (!others.is_empty())
        .then(|| format!("Of no part of this platform, and the same whatever is bought: {}.", others.join(", ")));
    let per_unit = (!per_unit.is_empty()).then(|| format!("At least {currency} {}.", per_unit.join(", ")));
    [Some(total), others, per_unit, per_core].into_iter().flatten().collect()
}

/// The licences among all costs.
fn licences(book: &PriceBook) -> Option<String> {
    let item = book.items.iter().find(|item| item.licences() > 0.0)?;
    let paid = item.licences() * item.list_price * (1.0 - item.discount.0.clamp(0.0, 1.0));
    Some(format!(", {} of it for {}", number(paid), plural(item.licences() as u64, "licence")))
}

/// A purchase with its effect.
pub(crate) fn purchase(plan: &PlatformPlan, found: &Purchase, is_required: bool) -> String {
    let factor = found.share / found.share_then;
    let what = match (found.units, &found.part) {
        (Some((now, then)), of) => format!("{then} {} in place of {now}", units(of)),
        (None, Part::Commit) => {
            format!(
                "{} of the time per commit, or {} times as many in a flush",
                percent(Ratio(1.0 / factor)),
                three_digits(factor)
            )
        }
        (None, of) => format!("{} times as much of {}", three_digits(factor), part(of)),
    };
    let money = plan.money.as_ref().map(|money| &money.currency);
    let price = found.price.zip(money).map(|(price, currency)| format!(", {currency} {} more", number(price)));
    let effect = match is_required {
        true => format!(
            "{} ({}) falls from {} to {}",
            part(&found.part),
            measure(found.measure),
            percent(Ratio(found.share)),
            percent(Ratio(found.share_then))
        ),
        false => format!(
            "{} in place of {}",
            phrase(found.measure, found.available * factor),
            amount(found.measure, found.available)
        ),
    };
    let then = match (&found.then, is_required) {
        (Some((next, of, share)), true) => {
            format!("; then the fullest is {} ({}), at {}", part(next), measure(*of), percent(Ratio(*share)))
        }
        (Some((next, ..)), false) => format!("; then {} is full first", part(next)),
        (None, _) => "; it stays the fullest".to_owned(),
    };
    let or = found.alternatives.iter().map(|other| format!(" Or {}.", alternative(plan, found, other)));
    capital(&format!("{what}{}: {effect}{then}.{}", price.unwrap_or_default(), or.collect::<String>()))
}

/// What may be bought in place of more of the same.
fn alternative(plan: &PlatformPlan, found: &Purchase, other: &Alternative) -> String {
    match other {
        Alternative::Link { lanes: (now, then), generation: (old, new) } => {
            let link = |lanes: u32, generation: &Generation| format!("{} GT/s x{lanes}", generation.gigatransfers());
            format!("a link of {} in place of {}", link(*then, new), link(*now, old))
        }
        Alternative::FasterDrives { factor, each } if found.measure == Measure::Capacity => {
            format!("as many drives, {} times as large ({} each)", three_digits(*factor), amount(found.measure, *each))
        }
        Alternative::FasterDrives { factor, each } => {
            let read = if found.measure == Measure::Iops { " of reads" } else { "" };
            let each = amount(found.measure, *each);
            format!("as many drives, {} times as fast ({each}{read} each)", three_digits(*factor))
        }
        Alternative::FasterCores { factor } => format!("as many cores, {} times as fast", three_digits(*factor)),
        Alternative::LargerBuffer { now, then, price } => {
            let money = plan.money.as_ref().map(|money| &money.currency);
            let price = price.zip(money).map(|(price, currency)| format!(", {currency} {} more", number(price)));
            format!(
                "a buffer cache of {} in place of {}{}, where I/Os follow the misses of [cache]",
                memory(*then),
                memory(*now),
                price.unwrap_or_default()
            )
        }
        Alternative::FasterEthernet { now, then } => format!("ports of {then} Gbit/s in place of {now}"),
    }
}

fn units(part: &Part) -> String {
    match part {
        Part::Processors => "sockets".to_owned(),
        Part::Memory => "memory channels per socket".to_owned(),
        Part::Drives(name) => drives(name),
        Part::Fabric => "ports of the fabric".to_owned(),
        Part::Network | Part::Link(_) | Part::Commit => "ports of the network".to_owned(),
    }
}
