//! The prices of the parts as a price book.

use record::Ratio;

use super::PlatformPlan;
use crate::{PriceBook, PriceItem, PriceKind};

/// The period of a price book, years; all prices of a platform on paper are paid once.
const YEARS: u32 = 3;

/// The names of the parts in a price book, beside those of drives.
const PROCESSORS: &str = "processors";
const MEMORY: &str = "memory";
const NETWORK: &str = "network";
const FABRIC: &str = "fabric";
const LICENCE: &str = "licence";

/// All that has a price; absent where nothing has. Of an item of the book of `plan` that is named like a part there are as
/// many as the plan has of that; it goes before the price that the part itself has.
pub fn prices(plan: &PlatformPlan) -> Option<PriceBook> {
    let money = plan.money.as_ref()?;
    let mut items = own_items(plan);
    if let Some(book) = &plan.book {
        items.retain(|own| !book.items.iter().any(|item| is_named(item, &own.name)));
        items.extend(book.items.iter().map(|item| PriceItem { quantity: quantity(plan, item), ..item.clone() }));
    }
    (!items.is_empty()).then(|| PriceBook {
        currency: money.currency.clone(),
        date: money.date.clone(),
        source: money.source.clone(),
        years: plan.book.as_ref().map_or(YEARS, |book| book.years),
        items,
    })
}

/// The items of the book of `plan` that are none of its parts: they cost the same whatever is bought.
pub fn unplaced(plan: &PlatformPlan) -> Vec<&PriceItem> {
    let items = plan.book.iter().flat_map(|book| &book.items);
    items.filter(|item| part_quantity(plan, item).is_none()).collect()
}

/// The price of all memory.
pub(super) fn memory_price(plan: &PlatformPlan) -> Option<f64> {
    let book = prices(plan)?;
    let items = book.items.iter().filter(|item| is_named(item, MEMORY)).cloned().collect();
    Some(PriceBook { items, ..book }.total().amount).filter(|price| *price > 0.0)
}

/// The prices that parts have themselves.
fn own_items(plan: &PlatformPlan) -> Vec<PriceItem> {
    let item = |name: &str, kind, quantity, price: Option<f64>| {
        price.map(|list_price| PriceItem { name: name.to_owned(), kind, quantity, list_price, discount: Ratio(0.0) })
    };
    let once = |name: &str, quantity: f64, price: Option<f64>| item(name, PriceKind::Once, quantity, price);
    let ports = |name: &str, network: &Option<super::Network>| {
        network.as_ref().and_then(|one| once(name, f64::from(one.ports), one.price))
    };
    let cores = plan.processor.as_ref().map(super::Processor::cores_all);
    let licence = plan.licence.as_ref().zip(cores).and_then(|(licence, cores)| {
        item(LICENCE, PriceKind::PerCore { core_factor: licence.core_factor }, cores, Some(licence.price))
    });
    let drives = plan.drives.iter().filter_map(|drive| once(&drive.name, f64::from(drive.count), drive.price));
    let processors = plan.processor.as_ref().and_then(|one| once(PROCESSORS, f64::from(one.sockets), one.price));
    let memory = plan.memory.as_ref().and_then(|one| once(MEMORY, 1.0, one.price));
    let single = [processors, memory, ports(NETWORK, &plan.network), ports(FABRIC, &plan.fabric), licence];
    single.into_iter().flatten().chain(drives).collect()
}

fn is_named(item: &PriceItem, name: &str) -> bool {
    item.name.trim().eq_ignore_ascii_case(name)
}

/// How many there are of what `item` is named like; of other things as many as it says itself.
fn quantity(plan: &PlatformPlan, item: &PriceItem) -> f64 {
    part_quantity(plan, item).unwrap_or(item.quantity)
}

/// None for an item that is no part of the plan.
fn part_quantity(plan: &PlatformPlan, item: &PriceItem) -> Option<f64> {
    if matches!(item.kind, PriceKind::PerCore { .. }) {
        return plan.processor.as_ref().map(super::Processor::cores_all);
    }
    let drives = plan.drives.iter().find(|drive| is_named(item, &drive.name)).map(|drive| drive.count);
    let ports = |network: &Option<super::Network>| network.as_ref().map(|one| one.ports);
    let of_part = |name: &str, count: Option<u32>| count.filter(|_| is_named(item, name));
    let processors = of_part(PROCESSORS, plan.processor.as_ref().map(|one| one.sockets));
    let memory = of_part(MEMORY, plan.memory.as_ref().map(|_| 1));
    let networks = of_part(NETWORK, ports(&plan.network)).or(of_part(FABRIC, ports(&plan.fabric)));
    drives.or(processors).or(memory).or(networks).map(f64::from)
}
