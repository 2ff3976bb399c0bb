//! How fast a loaded table is read, beside what storage gives.

use model::load::{ProbeRates, ScanFigures, scan_figures};
use record::{Record, Run, Scan, ScanKind};

use crate::figure::{UNKNOWN, duration, megabytes, percent_digits, rate, three_digits};
use crate::layout::{Align, Head, Span, Table};

const HEADS: [Head; 11] = [
    (&["run"], Align::Right),
    (&["test"], Align::Left),
    (&["table"], Align::Left),
    (&["#T"], Align::Right),
    (&["caches"], Align::Left),
    (&["a scan"], Align::Right),
    (&["rows/s"], Align::Right),
    (&["of", "table"], Align::Right),
    (&["of flat", "file"], Align::Right),
    (&["% of", "storage"], Align::Right),
    (&["CPUs", "in use"], Align::Right),
];

const SPANS: [Span; 1] = [Span { first: 7, columns: 2, title: "MB/s" }];

/// One scan that is a result.
pub(crate) struct Scanned<'a> {
    /// Its run.
    pub run: &'a Run,
    /// What was read, and from where.
    pub scan: Scan,
    /// What it came to.
    pub told: ScanFigures,
}

/// The scans of `record` that are results.
pub(crate) fn scanned(record: &Record) -> impl Iterator<Item = Scanned<'_>> {
    let runs = crate::listed(record).filter(|run| !model::is_void(run));
    let probes = ProbeRates::of(record);
    runs.filter_map(move |run| Some(Scanned { run, scan: run.kind.scan()?, told: scan_figures(&probes, run)? }))
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
    let mut table = Table::new(&HEADS, &SPANS);
    for Scanned { run, scan, told } in scanned(record) {
        let megabytes = |rate: Option<record::Rate>| megabytes(rate.map(|rate| rate.0));
        let cells = vec![
            run.number.to_string(),
            code(scan).to_owned(),
            scan.model.word().to_owned(),
            run.dop.threads.to_string(),
            caches(scan).to_owned(),
            duration(run.service.mean_ns),
            rate(told.rows_per_second.map(|rate| rate.0)),
            megabytes(told.table_per_second),
            megabytes(told.flat_per_second),
            told.ceiling.as_ref().map_or_else(|| UNKNOWN.to_owned(), |ceiling| percent_digits(ceiling.reached)),
            told.cores.map_or_else(|| UNKNOWN.to_owned(), three_digits),
        ];
        table.push(cells, None);
    }
    table
}

/// What the columns of the table mean, and what cannot be had; nothing where there is no scan.
pub(crate) fn meanings(record: &Record) -> Vec<String> {
    let scans: Vec<Scanned<'_>> = scanned(record).collect();
    let Some(first) = scans.first() else { return Vec::new() };
    let has = |kind: ScanKind| scans.iter().any(|one| one.scan.kind == kind);
    let mut said = Vec::new();
    if has(ScanKind::Sum) {
        said.push("L431 counts all rows and adds them up, as T431 does".to_owned());
    }
    if has(ScanKind::Report) {
        said.push("L441 does the same for each category and state, as T441 does".to_owned());
    }
    if scans.iter().any(|one| one.scan.is_cold) {
        let cold = "cold: the engine started anew, its files put out of the page cache, one scan";
        said.push(format!("{cold}; warm: one scan after the other, what is read lies in memory as far as it fits"));
    } else {
        said.push("warm: what is read lies in memory as far as it fits; nothing was read cold".to_owned());
    }
    said.push(match first.told.ceiling.as_ref() {
        Some(ceiling) => format!(
            "% of storage: bytes of the table over the {} MB/s that {} read sequentially past the page cache",
            megabytes(Some(ceiling.per_second.0)),
            ceiling.probe
        ),
        None => "% of storage is not known: no probe of sequential reads was run".to_owned(),
    });
    said
}
