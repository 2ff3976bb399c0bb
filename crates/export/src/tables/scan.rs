//! Scans of loaded tables: one row for each.

use model::load::{ProbeRates, scan_figures};
use record::{Rate, Record};

use super::{RECORD, RUN, TEST};
use crate::error::Result;
use crate::table::{Column, Kind, Table, Taker, Value};

const COLUMNS: [Column; 18] = [
    RECORD,
    RUN,
    TEST,
    ("threads", Kind::Count),
    ("partitioned", Kind::Truth),
    ("compressed", Kind::Truth),
    ("cold", Kind::Truth),
    ("scans", Kind::Count),
    ("void", Kind::Truth),
    ("rows_per_second", Kind::Number),
    ("table_bytes_per_second", Kind::Number),
    ("flat_bytes_per_second", Kind::Number),
    ("engine_read_bytes_per_second", Kind::Number),
    ("device_read_bytes_per_second", Kind::Number),
    ("cpus", Kind::Number),
    ("probe", Kind::Text),
    ("probe_bytes_per_second", Kind::Number),
    ("probe_ratio", Kind::Number),
];

/// One row for each scan.
pub(crate) const TABLE: Table = Table { name: "scans", columns: || COLUMNS.to_vec(), rows };

fn rows(record: &Record, take: Taker<'_>) -> Result<()> {
    let probes = ProbeRates::of(record);
    for run in &record.runs {
        let Some(read) = run.kind.scan() else { continue };
        let void = model::is_void(run);
        let told = scan_figures(&probes, run).filter(|_| !void).unwrap_or_default();
        let rate = |rate: Option<Rate>| rate.map(|rate| rate.0).into();
        let probe = told.ceiling.as_ref();
        let row = [
            Value::from(&record.id),
            run.number.into(),
            Value::from(&run.test),
            run.dop.threads.into(),
            read.model.partitioned.into(),
            read.model.compressed.into(),
            read.is_cold.into(),
            run.totals.transactions.into(),
            void.into(),
            rate(told.rows_per_second),
            rate(told.table_per_second),
            rate(told.flat_per_second),
            rate(told.engine_per_second),
            rate(told.device_per_second),
            told.cores.into(),
            probe.map_or(Value::Empty, |probe| Value::from(&probe.probe)),
            probe.map(|probe| probe.per_second.0).into(),
            probe.map(|probe| probe.reached.0).into(),
        ];
        debug_assert_eq!(row.len(), COLUMNS.len());
        take(&row)?;
    }
    Ok(())
}
