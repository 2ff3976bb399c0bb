//! The parts of a proof side by side.

use std::borrow::Cow;

use maud::{Markup, html};
use record::Record;

use crate::layout::Align;
use crate::platform_proof::{comparison, sentences};
use crate::render::page::{Cell, Column, Row, Table};
use crate::words::capital;

/// The sentences of the result, and a table of the parts; nothing for a record of another kind.
pub(super) fn proof(record: &Record) -> Markup {
    let Some(found) = comparison(record) else { return Markup::default() };
    let columns = found.heads.iter().map(|(lines, align)| {
        let head = lines.iter().filter(|line| !line.is_empty()).copied().collect::<Vec<_>>().join(" ");
        Column { head: Cow::Owned(head), figures: *align == Align::Right }
    });
    let cell = |(text, (_, align)): (String, &(&[&str], Align))| match align {
        Align::Right => Cell::Figure(text, None),
        Align::Left => Cell::Text(text),
    };
    let rows = found.rows.into_iter().map(|cells| Row::new(cells.into_iter().zip(&found.heads).map(cell).collect()));
    let table = Table {
        id: "proof-table".to_owned(),
        caption: capital(&found.title.to_lowercase()),
        spans: Vec::new(),
        columns: columns.collect(),
        rows: rows.collect(),
        sortable: false,
        is_dense: false,
    };
    let proof = model::platform_proof(record);
    html! {
        @if let Some(proof) = proof {
            ul { @for sentence in sentences(record, &proof) { li { (sentence) } } }
        }
        (table.html())
        p class="muted" { (found.note) }
    }
}
