//! Processor time of a terabyte as bars.

use record::Record;

use super::{kind, valid};
use crate::figure::count;
use crate::layout::{bar, cut};

/// Letters of the name of a load.
const LABEL_WIDTH: usize = 26;

/// Letters in front of a bar, and behind it.
const BESIDE: usize = 46;

/// Two bars for each load, of the client and of the server, in seconds per TB of flat file. Nothing of a single load.
pub(crate) fn chart(record: &Record, width: usize) -> Vec<String> {
    let loads: Vec<_> = valid(record).collect();
    if loads.len() < 2 {
        return Vec::new();
    }
    let prices = |told: &model::load::LoadFigures| {
        [("client", told.client_seconds_per_terabyte), ("server", told.server_seconds_per_terabyte)]
    };
    let all = loads.iter().flat_map(|(_, _, told)| prices(told)).filter_map(|(_, price)| price);
    let most = all.fold(0.0, f64::max);
    let mut lines = Vec::new();
    for (run, load, told) in &loads {
        let mut label = cut(&format!("{} J{}", kind(load), run.dop.jobs), LABEL_WIDTH);
        for (who, price) in prices(told) {
            let Some(price) = price else { continue };
            let drawn = bar(price, most, width.saturating_sub(BESIDE));
            lines.push(format!("{label:<LABEL_WIDTH$} {who:<6} {drawn} {} s", count(price.round() as u64)));
            label.clear();
        }
    }
    lines
}
