//! The prices of the parts as a price book.

use record::Ratio;

use super::PlatformPlan;
use crate::{PriceBook, PriceItem, PriceKind};

/// The period of a price book, years; all prices of a platform on paper are paid once.
const YEARS: u32 = 3;

/// All that has a price; absent where nothing has.
pub fn prices(plan: &PlatformPlan) -> Option<PriceBook> {
    let money = plan.money.as_ref()?;
    let item = |name: &str, kind, quantity, price: Option<f64>| {
        price.map(|list_price| PriceItem { name: name.to_owned(), kind, quantity, list_price, discount: Ratio(0.0) })
    };
    let once = |name: &str, quantity: f64, price: Option<f64>| item(name, PriceKind::Once, quantity, price);
    let ports = |name: &str, network: &Option<super::Network>| {
        network.as_ref().and_then(|one| once(name, f64::from(one.ports), one.price))
    };
    let cores = plan.processor.as_ref().map(super::Processor::cores_all);
    let licence = plan.licence.as_ref().zip(cores).and_then(|(licence, cores)| {
        item("licence", PriceKind::PerCore { core_factor: licence.core_factor }, cores, Some(licence.price))
    });
    let drives = plan.drives.iter().filter_map(|drive| once(&drive.name, f64::from(drive.count), drive.price));
    let processors = plan.processor.as_ref().and_then(|one| once("processors", f64::from(one.sockets), one.price));
    let memory = plan.memory.as_ref().and_then(|one| once("memory", 1.0, one.price));
    let single = [processors, memory, ports("network", &plan.network), ports("fabric", &plan.fabric), licence];
    let items: Vec<PriceItem> = single.into_iter().flatten().chain(drives).collect();
    (!items.is_empty()).then(|| PriceBook {
        currency: money.currency.clone(),
        date: money.date.clone(),
        source: money.source.clone(),
        years: YEARS,
        items,
    })
}
