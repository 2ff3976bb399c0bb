//! The rates of the tests that have no row of their own.

use model::{Line, Point};
use record::Ratio;

use super::figure::{at, latency, rate, unit};
use crate::document::{Block, Cell, Column, Row, Table, Tone};
use crate::figure::{UNKNOWN, grouped, percent};
use crate::verdict::verdict_cell;
use crate::words::{plural, title};

/// What the columns mean.
const LEGEND: &str = "of bare: share of what the probe of the same layer reached without the engine";

/// A row for each of `lines`, as many as there is room for.
pub(super) fn blocks(lines: &[&Line], most: usize) -> Vec<Block> {
    let shown = &lines[..lines.len().min(most)];
    let mut columns =
        vec![Column::text("test"), Column::figure("rate"), Column::text(""), Column::text("at"), Column::figure("p99")];
    let has_ceiling = shown.iter().any(|line| ceiling(line).is_some());
    columns.extend(has_ceiling.then(|| Column::figure("of bare")));
    columns.extend([Column::text("trust"), Column::text("code")]);
    let mut table = Table::new("rates-table", "", columns).with(shown.iter().map(|line| row(line, has_ceiling)));
    table.flexible = Some(0);
    let hidden = lines.len() - shown.len();
    let more = (hidden > 0).then(|| Block::aside(format!("and {} (--details)", plural(hidden as u64, "more test"))));
    let legend = has_ceiling.then(|| Block::aside(LEGEND));
    [Some(table.into()), more, legend].into_iter().flatten().collect()
}

fn ceiling(line: &Line) -> Option<Ratio> {
    Some(line.best.as_ref()?.ceiling.as_ref()?.efficiency)
}

fn row(line: &Line, has_ceiling: bool) -> Row {
    let best = line.best.as_ref();
    let words = |of: fn(&Line, &Point) -> String| best.map_or_else(String::new, |best| of(line, best));
    let latency = best.and_then(|best| best.headline).map_or_else(|| UNKNOWN.to_owned(), latency);
    // What the heading says.
    let latency = latency.strip_prefix("p99 ").map_or(latency.clone(), str::to_owned);
    let mut cells = vec![
        Cell::text(title(line)),
        Cell::figure(best.map(|best| rate(line, best)), grouped),
        Cell::text(words(|line, best| unit(line, best).to_owned())),
        Cell::text(words(at)),
        Cell::Figure(latency, None),
    ];
    cells.extend(has_ceiling.then(|| Cell::figure(ceiling(line).map(|ratio| ratio.0), |ratio| percent(Ratio(ratio)))));
    cells.extend([verdict_cell(line.verdict), Cell::text(line.test.as_str())]);
    Row::new(cells).in_tone(match Tone::of(line.verdict) {
        tone @ (Tone::Warning | Tone::Invalid) => tone,
        _ => Tone::Plain,
    })
}
