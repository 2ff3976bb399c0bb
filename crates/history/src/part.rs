//! What one file tells of one instance or host.

use std::collections::BTreeMap;

use record::load_profile::{Amount, Instance, LoadQuantity, Zone};

use crate::cumulative::Tracks;
use crate::form::Form;
use crate::found::Found;

/// Amounts by quantity.
pub(crate) type Amounts = BTreeMap<LoadQuantity, Amount>;

/// What one file tells of one instance or host. Names are those of the file; who makes the profile leaves them out.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) form: Form,
    pub(crate) engine: Option<&'static str>,
    pub(crate) version: Option<String>,
    pub(crate) database_id: Option<String>,
    pub(crate) database_name: Option<String>,
    pub(crate) zone: Zone,
    pub(crate) instances_expected: Option<u32>,
    pub(crate) instance: Instance,
    pub(crate) spans: Vec<Span>,
    /// Dumps of cumulative counters, whose differences are spans.
    pub(crate) tracks: Tracks,
    /// Moments, and the size of the database on disk then.
    pub(crate) sizes: Vec<(i64, u64)>,
    pub(crate) doubts: Vec<Found>,
}

impl Part {
    pub(crate) fn new(form: Form) -> Part {
        Part {
            form,
            engine: crate::engine_name::of(form),
            version: None,
            database_id: None,
            database_name: None,
            zone: Zone::Unknown,
            instances_expected: None,
            instance: Instance { number: 1, ..Instance::default() },
            spans: Vec::new(),
            tracks: Tracks::default(),
            sizes: Vec::new(),
            doubts: Vec::new(),
        }
    }
}

/// An interval of an instance or host.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) started_at_ms: i64,
    pub(crate) seconds: f64,
    pub(crate) amounts: Amounts,
}

impl Span {
    pub(crate) fn ended_at_ms(&self) -> i64 {
        self.started_at_ms.saturating_add((self.seconds * 1e3) as i64)
    }
}

/// Puts the average of a quantity into `amounts`, if there is one that can be.
pub(crate) fn put(amounts: &mut Amounts, quantity: LoadQuantity, average: Option<f64>) {
    put_with_max(amounts, quantity, average, None);
}

/// The same with the largest part of the interval, which is no less than its average.
pub(crate) fn put_with_max(amounts: &mut Amounts, quantity: LoadQuantity, average: Option<f64>, max: Option<f64>) {
    let can_be = |value: &f64| value.is_finite() && (0.0..1e18).contains(value);
    let share = |value: f64| if quantity == LoadQuantity::HostBusyShare { value.min(1.0) } else { value };
    if let Some(average) = average.filter(can_be).map(share) {
        let max = max.filter(can_be).map(|max| share(max).max(average));
        amounts.insert(quantity, Amount { average, max });
    }
}
