//! Scans of loaded tables: one row for each.

use model::load::{ProbeRates, ScanFigures, scan_figures};
use record::{Record, Scan};

use crate::column::{Column, Kind, Part, identity, invalid, parts};
use crate::value::Value;

/// A scan, and its figures.
pub type ScanRow<'a> = Part<'a, (Scan, ScanFigures)>;

/// The scans of `record`.
pub fn rows(record: &Record) -> impl Iterator<Item = ScanRow<'_>> {
    let probes = ProbeRates::of(record);
    parts(record, move |run| Some((run.kind.scan()?, scan_figures(&probes, run)?)))
}

type Figure<'a> = Column<ScanRow<'a>>;

/// The scan, then the results.
pub fn columns<'a>() -> Vec<Column<ScanRow<'a>>> {
    let mut columns = identity();
    columns.extend([
        Figure::fact("threads", Kind::Count, |of| of.run.dop.threads.into()).head("#T"),
        Figure::fact("partitioned", Kind::Flag, |of| of.of.0.model.partitioned.into()),
        Figure::fact("compressed", Kind::Flag, |of| of.of.0.model.compressed.into()),
        Figure::fact("cold", Kind::Flag, |of| of.of.0.is_cold.into()),
        Figure::fact("scans", Kind::Count, |of| of.run.totals.transactions.into()),
        invalid(),
        Figure::result("scan_ns_mean", Kind::Nanoseconds, |of| Value::time(&of.run.service, of.run.service.mean_ns))
            .head("scan\ntime"),
        Figure::result("rows_per_second", Kind::PerSecond, |of| of.of.1.rows_per_second.into()).head("rows/s"),
    ]);
    columns.extend(rates());
    columns
}

fn rates<'a>() -> Vec<Figure<'a>> {
    const RATE: &str = "MB/s";
    const READ: &str = "MB/s read";
    vec![
        Figure::result("table_bytes_per_second", Kind::BytesPerSecond, |of| of.of.1.table_per_second.into())
            .under(RATE, "of\ntable"),
        Figure::result("flat_bytes_per_second", Kind::BytesPerSecond, |of| of.of.1.flat_per_second.into())
            .under(RATE, "of flat\nfile"),
        Figure::result("engine_read_bytes_per_second", Kind::BytesPerSecond, |of| of.of.1.engine_per_second.into())
            .under(READ, "engine"),
        Figure::result("device_read_bytes_per_second", Kind::BytesPerSecond, |of| of.of.1.device_per_second.into())
            .under(READ, "device"),
        Figure::result("cpus", Kind::Number, |of| of.of.1.cores.into()).head("CPUs\nin use"),
        Figure::result("probe", Kind::Text, |of| of.of.1.ceiling.as_ref().map(|probe| &probe.probe).into()),
        Figure::result("probe_bytes_per_second", Kind::BytesPerSecond, |of| {
            of.of.1.ceiling.as_ref().map(|probe| probe.per_second).into()
        })
        .head("probe\nMB/s"),
        Figure::result("probe_ratio", Kind::Ratio, |of| of.of.1.ceiling.as_ref().map(|probe| probe.reached).into())
            .head("% of\nstorage"),
    ]
}
