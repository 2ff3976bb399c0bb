//! The spec sheet: a row per test, by layer.

use model::{Line, Point, Sheet};
use record::{Ratio, Record};

use crate::document::{Block, Cell, Column, Extent, Row, Section, Table, Tone};
use crate::figure::{number, percent, three_digits};
use crate::line::{ByNumber, asides, by_number, unrepeated};
use crate::times;
use crate::verdict::verdict_cell;
use crate::words::{LAYERS, dop, title, unit_per_second};

/// What the columns mean.
const LEGEND: &str = "1 job: throughput of one job, or one thread where threads are varied. Of bare: share of \
                      the result of a probe (C, M and S) of the same record. MB are 10⁶ bytes. An invalid test has no result.";

/// One line for each test, by layer, with what explains its figures; nothing without tests.
pub(super) fn section(record: &Record, sheet: &Sheet) -> Section {
    let mut table = Table::new("sheet", "One line per test", columns());
    table.flexible = Some(0);
    let runs = by_number(record);
    for (layer, head) in LAYERS {
        let mut lines = sheet.lines.iter().filter(|line| line.layer == layer).peekable();
        table.rows.extend(lines.peek().map(|_| Row::group(head)));
        table.rows.extend(lines.map(|line| row(&runs, line)));
    }
    let note = unrepeated(sheet).map(|note| Block::text(format!("{note}.")));
    let legend = (!table.rows.is_empty()).then(|| Block::aside(LEGEND));
    let gain = legend.as_ref().map(|_| {
        Block::whole(vec![Block::aside(
            "Gain: best over 1 job. Optimum: the most throughput for its mean service time.",
        )])
    });
    let body = [Some(Block::from(table)), legend, gain, note].into_iter().flatten().collect();
    Section::new("sheet-notes", "Spec sheet", if sheet.lines.is_empty() { Vec::new() } else { body })
}

fn columns() -> Vec<Column> {
    let rate = |head| Column::figure(head).in_group("throughput");
    let optimum = |head| Column::figure(head).in_group("optimum").from(Extent::Whole);
    let first = [
        Column::text("test"),
        Column::text("unit"),
        rate("1 job"),
        rate("best"),
        Column::text("at").in_group("throughput"),
        rate("gain").from(Extent::Whole),
        optimum("rate"),
        Column::text("at").in_group("optimum").from(Extent::Whole),
        optimum("of best"),
    ];
    let last = [Column::figure("of bare"), Column::text("trust"), Column::text("code")];
    let times = times::columns(|head| Column::figure(head).in_group("service time"));
    first.into_iter().chain(times).chain(last).collect()
}

fn row(runs: &ByNumber<'_>, line: &Line) -> Row {
    let (best, optimum) = (line.best.as_ref(), line.optimum.as_ref());
    let rate = |point: Option<&Point>| Cell::figure(point.map(|point| point.operations_per_second.0), number);
    let share = best.and_then(|best| best.ceiling.as_ref()).map(|limit| limit.efficiency);
    let first = [
        Cell::text(title(line)),
        Cell::text(unit_per_second(line.unit)),
        rate(line.speed.as_ref()),
        rate(best),
        Cell::text(best.map_or_else(String::new, |best| dop(best.dop, line.sweep))),
        Cell::figure(line.scalability, three_digits),
        rate(optimum.map(|found| &found.point)),
        Cell::text(optimum.map_or_else(String::new, |found| dop(found.point.dop, line.sweep))),
        Cell::figure(optimum.map(|found| found.utilisation.0), |share| percent(Ratio(share))),
    ];
    let last = [
        Cell::figure(share.map(|share| share.0), |ratio| percent(Ratio(ratio))),
        verdict_cell(line.verdict),
        Cell::text(line.test.as_str()),
    ];
    let times = times::cells(best.and_then(|best| best.service));
    Row::new(first.into_iter().chain(times).chain(last).collect()).noted(asides(runs, line)).in_tone(
        match Tone::of(line.verdict) {
            tone @ (Tone::Warning | Tone::Invalid) => tone,
            _ => Tone::Plain,
        },
    )
}
