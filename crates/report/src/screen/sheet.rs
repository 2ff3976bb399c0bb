//! The rates of the tests that have no row of their own.

use model::{Headline, LatencyName, Line};
use record::{Ratio, Unit};

use crate::document::{Block, Cell, Column, Row, Table, Tone};
use crate::figure::{UNKNOWN, grouped, microseconds, percent};
use crate::text::title;
use crate::verdict::verdict_cell;
use crate::words::{dop_text, plural, unit_per_second};

/// What the columns mean.
const LEGEND: &str = "of bare: share of what the probe of the same layer reached without the engine";

/// A row for each of `lines`, as many as there is room for.
pub(super) fn blocks(lines: &[&Line], most: usize) -> Vec<Block> {
    let shown = &lines[..lines.len().min(most)];
    let mut columns = vec![
        Column::text("test"),
        Column::figure("rate"),
        Column::text(""),
        Column::text("with"),
        Column::figure("p99"),
    ];
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
    let rate = best.map(|best| best.operations_per_second.0);
    let rate = if line.unit == Unit::Byte { rate.map(|rate| rate / 1e6) } else { rate };
    let unit = match (line.unit, best.and_then(|best| best.in_flight)) {
        (Unit::Byte, _) => "MB/s",
        (_, Some(_)) => "IOPS",
        (unit, None) => unit_per_second(unit),
    };
    let at = best.map_or_else(String::new, |best| match best.in_flight {
        Some(count) => format!("{count} in flight"),
        None => dop_text(best.dop, line.sweep),
    });
    let mut cells = vec![
        Cell::text(title(line)),
        Cell::figure(rate, grouped),
        Cell::text(unit),
        Cell::text(at),
        p99(best.and_then(|best| best.headline)),
    ];
    cells.extend(has_ceiling.then(|| Cell::figure(ceiling(line).map(|ratio| ratio.0), |ratio| percent(Ratio(ratio)))));
    cells.extend([verdict_cell(line.verdict), Cell::text(line.test.as_str())]);
    Row::new(cells).in_tone(match Tone::of(line.verdict) {
        tone @ (Tone::Warning | Tone::Invalid) => tone,
        _ => Tone::Plain,
    })
}

/// The 0.99 quantile of the latency that stands for a run; a response time by name.
fn p99(found: Option<Headline>) -> Cell {
    let Some((found, p99)) = found.and_then(|found| Some((found, found.times.p99_ns?))) else {
        return Cell::Figure(UNKNOWN.to_owned(), None);
    };
    let name = if found.name == LatencyName::Response { "resp. " } else { "" };
    Cell::Figure(format!("{name}{}", microseconds(p99)), Some(p99.0 as f64))
}
