//! Scan rates of loaded tables, compared with the storage probe.

use record::{Record, Scan, ScanKind};
use tables::Row;
use tables::scan::{self, ScanRow};

use crate::document::{Cell, Table, Tone};
use crate::figure::megabytes;
use crate::listed_parts;
use crate::view::View;

/// The scans of `record` that are results.
pub(super) fn scanned(record: &Record) -> impl Iterator<Item = ScanRow<'_>> {
    listed_parts(scan::rows(record)).filter(|of| !of.is_invalid())
}

/// The columns of scans.
fn view<'a>() -> View<ScanRow<'a>> {
    View::of(scan::columns())
        .words("test", ("", "test"), |of| Cell::text(code(of.of.0)))
        .words("table", ("", "table"), |of| Cell::text(of.of.0.model.word()))
        .words("cold", ("", "caches"), |of| Cell::text(caches(of.of.0)))
}

/// The code of the test.
pub(super) fn code(scan: Scan) -> &'static str {
    scan.kind.code()
}

/// The state of the caches, in a word.
pub(super) fn caches(scan: Scan) -> &'static str {
    if scan.is_cold { "cold" } else { "warm" }
}

/// The columns that identify a scan.
const IDENTITY: [&str; 5] = ["run", "test", "table", "threads", "cold"];

/// The figures of the first table.
const FIGURES: [&str; 6] =
    ["scan_ns_mean", "rows_per_second", "table_bytes_per_second", "flat_bytes_per_second", "probe_ratio", "cpus"];

/// What the first columns state.
const STATED: [&str; 4] = ["record", "partitioned", "compressed", "invalid"];

/// A line for each scan.
pub(super) fn rates(record: &Record) -> Table {
    let view = view().except(&STATED).first(&[&IDENTITY[..], &FIGURES].concat()).with_others(IDENTITY.len());
    view.table("scans-table", "Scans of the loaded tables, bytes in MB per second", scanned(record), |_| Tone::Plain)
}

/// Notes on the columns of the table; nothing where there is no scan.
pub(super) fn meanings(record: &Record) -> Vec<String> {
    let scans: Vec<ScanRow<'_>> = scanned(record).collect();
    let Some(first) = scans.first() else { return Vec::new() };
    let has = |kind: ScanKind| scans.iter().any(|one| one.of.0.kind == kind);
    let mut notes = Vec::new();
    if has(ScanKind::Sum) {
        notes.push("L431 counts and sums all rows, as T431 does".to_owned());
    }
    if has(ScanKind::Report) {
        notes.push("L441 does the same for each category and state, as T441 does".to_owned());
    }
    if scans.iter().any(|one| one.of.0.is_cold) {
        let cold = "cold: engine restarted, its files dropped from the page cache, one scan";
        notes.push(format!("{cold}; warm: repeated scans, the table is in memory as far as it fits"));
    } else {
        notes.push("warm: the table is in memory as far as it fits; no cold scans".to_owned());
    }
    notes.push(match first.of.1.ceiling.as_ref() {
        Some(ceiling) => format!(
            "% of storage: bytes of the table over the {} MB/s of {}, sequential direct reads",
            megabytes(Some(ceiling.per_second.0)),
            ceiling.probe
        ),
        None => "% of storage is not known: no probe of sequential reads was run".to_owned(),
    });
    notes
}
