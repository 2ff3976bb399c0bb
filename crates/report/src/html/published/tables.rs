//! Published figures that are no point of a test.

use maud::{Markup, html};
use model::{Cell as Published, FactTable};

use crate::chart::{Axis, Figures, LineChart, Point, Role, Scale, Series};
use crate::figure::UNKNOWN;
use crate::html::Diagram;
use crate::layout::clean;

/// Tables of figures that are no point of a test; those that are curves are drawn as well.
pub(super) fn tables(tables: &[FactTable]) -> Markup {
    html! {
        @for (index, table) in tables.iter().enumerate() {
            h3 { (clean(&table.title)) }
            @if let Some(chart) = drawn(index, table) { (chart.html()) }
            div class="scroll" role="group" tabindex="0" aria-labelledby={ "table-" (index) } {
                table {
                    caption id={ "table-" (index) } { "Figures: " (clean(&table.title)) }
                    thead { tr { @for head in &table.columns { th scope="col" { (clean(head)) } } } }
                    tbody { @for row in &table.rows { tr { @for cell in row { (published(cell)) } } } }
                }
            }
        }
    }
}

fn published(cell: &Published) -> Markup {
    match cell {
        Published::Number(value) => html! { td class="figure" { (Figures::Plain.text(*value)) } },
        Published::Text(text) => html! { td { (clean(text)) } },
        Published::Absent => html! { td { (UNKNOWN) } },
    }
}

/// The columns of `table` as curves over its first one.
fn drawn(index: usize, table: &FactTable) -> Option<Diagram> {
    let value = |cell: Option<&Published>| match cell {
        Some(Published::Number(value)) => *value,
        _ => f64::NAN,
    };
    let series = table.columns.iter().enumerate().skip(1).map(|(column, head)| {
        let points = table.rows.iter().map(|row| Point::new(value(row.first()), value(row.get(column))));
        Series::new(clean(head), Role::Measured, points.collect())
    });
    let chart = LineChart::new(
        clean(&table.title),
        format!("{} points of each curve, as published.", table.rows.len()),
        Axis::new(clean(table.columns.first()?), Scale::Linear, Figures::Plain),
        Axis::new("as named at each curve", Scale::FromZero, Figures::Plain),
        series.collect(),
    );
    table.curves.then(|| Diagram::new(format!("curve-{}", index + 1), chart))
}
