//! How fast a loaded table is read, beside what storage gives.

use record::{Record, Scan, ScanKind};
use tables::Row;
use tables::scan::{self, ScanRow};

use crate::figure::megabytes;
use crate::html::Cell;
use crate::layout::Table;
use crate::listed_parts;
use crate::view::View;

/// The scans of `record` that are results.
pub(crate) fn scanned(record: &Record) -> impl Iterator<Item = ScanRow<'_>> {
    listed_parts(scan::rows(record)).filter(|of| !of.is_invalid())
}

/// The columns of scans, with their words.
pub(crate) fn view<'a>() -> View<ScanRow<'a>> {
    View::of(scan::columns())
        .words("test", ("", "test"), |of| Cell::text(code(of.of.0)))
        .words("table", ("", "table"), |of| Cell::text(of.of.0.model.word()))
        .words("cold", ("", "caches"), |of| Cell::text(caches(of.of.0)))
}

/// The code of what is done with every row.
pub(crate) fn code(scan: Scan) -> &'static str {
    scan.kind.code()
}

/// The state of the caches, in a word.
pub(crate) fn caches(scan: Scan) -> &'static str {
    if scan.is_cold { "cold" } else { "warm" }
}

/// A line for each scan.
pub(crate) fn scans(record: &Record) -> Table {
    let rates = ["scan_ns_mean", "rows_per_second", "table_bytes_per_second", "flat_bytes_per_second"];
    let keys = [&["run", "test", "table", "threads", "cold"][..], &rates, &["probe_ratio", "cpus"]].concat();
    view().only(&keys).letters(scanned(record), |_| None)
}

/// What the columns of the table mean, and what cannot be had; nothing where there is no scan.
pub(crate) fn meanings(record: &Record) -> Vec<String> {
    let scans: Vec<ScanRow<'_>> = scanned(record).collect();
    let Some(first) = scans.first() else { return Vec::new() };
    let has = |kind: ScanKind| scans.iter().any(|one| one.of.0.kind == kind);
    let mut said = Vec::new();
    if has(ScanKind::Sum) {
        said.push("L431 counts all rows and adds them up, as T431 does".to_owned());
    }
    if has(ScanKind::Report) {
        said.push("L441 does the same for each category and state, as T441 does".to_owned());
    }
    if scans.iter().any(|one| one.of.0.is_cold) {
        let cold = "cold: the engine started anew, its files put out of the page cache, one scan";
        said.push(format!("{cold}; warm: one scan after the other, what is read lies in memory as far as it fits"));
    } else {
        said.push("warm: what is read lies in memory as far as it fits; nothing was read cold".to_owned());
    }
    said.push(match first.of.1.ceiling.as_ref() {
        Some(ceiling) => format!(
            "% of storage: bytes of the table over the {} MB/s that {} read sequentially past the page cache",
            megabytes(Some(ceiling.per_second.0)),
            ceiling.probe
        ),
        None => "% of storage is not known: no probe of sequential reads was run".to_owned(),
    });
    said
}
