//! A publication as a system: every figure of it becomes a point of a test, a fact, a field of a table, a claim or a
//! price.

mod fact;
mod io;
mod point;
mod scale_out;
mod table;

use std::collections::BTreeMap;

pub(crate) use point::per_second;

use model::{Origin, PriceBook, PriceItem, PriceKind, Remark, System, SystemPoint, SystemTest};
use record::{Layer, Pace, Ratio, Sweep, Unit};

use crate::publication::Publication;
use crate::remark::remarks;

/// Years over which published prices count, where the publication does not say.
const YEARS: u32 = 3;

/// The system that `publication` is about.
pub(crate) fn system(publication: &Publication) -> System {
    let head = &publication.system;
    let mut tests: Vec<SystemTest> = publication.tests.iter().map(point::test).collect();
    tests.extend(io::tests(publication));
    tests.extend(scale_out::tests(publication));
    let remark = |text: String| {
        let begins = |code: &str| text.strip_prefix(code).is_some_and(|rest| rest.starts_with([':', ' ']));
        let test = tests.iter().map(|test| &test.code).find(|code| begins(code)).cloned();
        Remark::Published { test, text }
    };
    let remarks = remarks(publication).into_iter().map(remark).collect();
    System {
        name: head.id.clone(),
        title: head.name.clone(),
        origin: Origin::Published { year: head.year, source: head.source.clone() },
        facts: fact::facts(publication),
        durability: None,
        tests,
        remarks,
        price: price(publication),
        claims: scale_out::claims(publication),
        tables: table::tables(publication),
    }
}

/// A test in a closed loop, the only form of load that was published.
fn published_test(code: &str, title: &str, layer: Layer, unit: Unit, points: Vec<SystemPoint>) -> SystemTest {
    let threads = points.iter().any(|point| point.degree.dop.threads > 1);
    SystemTest {
        code: code.to_owned(),
        title: title.to_owned(),
        layer: Some(layer),
        unit,
        sweep: if threads { Sweep::Threads } else { Sweep::Jobs },
        pace: Pace::AsFastAsPossible,
        data_bytes: None,
        changes: None,
        parameters: BTreeMap::new(),
        // Published studies of storage were of arrays, past every cache of the host.
        conditions: match layer {
            Layer::Storage => BTreeMap::from([("reads".to_owned(), "from the device".to_owned())]),
            _ => BTreeMap::new(),
        },
        points,
        doubts: Vec::new(),
        note: None,
    }
}

fn price(publication: &Publication) -> Option<PriceBook> {
    let item = |(name, list_price): (&String, &f64)| PriceItem {
        name: name.replace('_', " "),
        kind: PriceKind::Once,
        quantity: 1.0,
        list_price: *list_price,
        discount: Ratio(0.0),
    };
    let items: Vec<PriceItem> = publication.price_usd.iter().map(item).collect();
    (!items.is_empty()).then(|| PriceBook {
        currency: "USD".to_owned(),
        date: publication.system.price_date.clone().unwrap_or_else(|| publication.system.year.to_string()),
        source: format!("list prices, {}", publication.system.source),
        years: YEARS,
        items,
    })
}

#[cfg(test)]
mod tests;
