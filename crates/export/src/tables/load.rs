//! Loads of flat files: one row for each load, and one for each stage of each.

use model::load::{LoadFigures, figures, stages, table_against_plain};
use record::{Load, Nanos, Rate, Record, Run};

use super::{RECORD, RUN, TEST, word};
use crate::error::Result;
use crate::table::{Column, Kind, Table, Taker, Value};

const COLUMNS: [Column; 37] = [
    RECORD,
    RUN,
    TEST,
    ("jobs", Kind::Count),
    ("partitioned", Kind::Truth),
    ("compressed", Kind::Truth),
    ("form", Kind::Text),
    ("source", Kind::Text),
    ("compression", Kind::Text),
    ("layout", Kind::Text),
    ("input_bytes", Kind::Count),
    ("flat_bytes", Kind::Count),
    ("piece_bytes", Kind::Count),
    ("pieces", Kind::Count),
    ("rows", Kind::Count),
    ("rejected_rows", Kind::Count),
    ("resumed_rows", Kind::Count),
    ("retried_pieces", Kind::Count),
    ("deferred_pieces", Kind::Count),
    ("table_bytes", Kind::Count),
    ("index_bytes", Kind::Count),
    ("indexes", Kind::Text),
    ("index_build_ns", Kind::Count),
    ("first_query_ns", Kind::Count),
    ("void", Kind::Truth),
    ("rows_per_second", Kind::Number),
    ("flat_bytes_per_second", Kind::Number),
    ("client_cpu_seconds_per_terabyte", Kind::Number),
    ("server_cpu_seconds_per_terabyte", Kind::Number),
    ("client_cpus", Kind::Number),
    ("server_cpus", Kind::Number),
    ("redo_bytes_per_byte", Kind::Number),
    ("engine_write_bytes_per_byte", Kind::Number),
    ("device_write_bytes_per_byte", Kind::Number),
    ("flat_over_input", Kind::Number),
    ("flat_over_table", Kind::Number),
    ("plain_over_table", Kind::Number),
];

/// One row for each load.
pub(crate) const TABLE: Table = Table { name: "loads", columns: || COLUMNS.to_vec(), rows };

const STAGE_COLUMNS: [Column; 9] = [
    RECORD,
    RUN,
    TEST,
    ("stage", Kind::Text),
    ("threads", Kind::Count),
    ("busy_ns", Kind::Count),
    ("cpu_ns", Kind::Count),
    ("bytes", Kind::Count),
    ("busy_ratio", Kind::Number),
];

/// One row for each stage of each load.
pub(crate) const STAGE_TABLE: Table =
    Table { name: "load_stages", columns: || STAGE_COLUMNS.to_vec(), rows: stage_rows };

fn rows(record: &Record, take: Taker<'_>) -> Result<()> {
    for run in &record.runs {
        let Some(load) = run.load.as_deref() else { continue };
        let void = model::is_void(run);
        let mut row = vec![Value::from(&record.id), run.number.into(), Value::from(&run.test), run.dop.jobs.into()];
        row.extend(facts(load));
        row.push(void.into());
        let told = figures(run).filter(|_| !void).unwrap_or_default();
        row.extend(results(record, run, &told, void));
        debug_assert_eq!(row.len(), COLUMNS.len());
        take(&row)?;
    }
    Ok(())
}

fn facts(load: &Load) -> [Value<'_>; 20] {
    [
        load.model.partitioned.into(),
        load.model.compressed.into(),
        word(load.form),
        Value::from(&load.source),
        Value::from(&load.compression),
        Value::from(&load.layout),
        load.input_bytes.0.into(),
        load.flat_bytes.0.into(),
        load.piece_bytes.0.into(),
        load.pieces.into(),
        load.rows.into(),
        load.rejected_rows.into(),
        load.resumed_rows.into(),
        load.retried_pieces.into(),
        load.deferred_pieces.into(),
        load.table_bytes.map(|bytes| bytes.0).into(),
        load.index_bytes.map(|bytes| bytes.0).into(),
        word(load.indexes),
        load.index_build_ns.map(nanos).into(),
        load.first_query_ns.map(nanos).into(),
    ]
}

/// Empty in the row of a void run.
fn results(record: &Record, run: &Run, told: &LoadFigures, void: bool) -> [Value<'static>; 12] {
    let rate = |rate: Option<Rate>| rate.map(|rate| rate.0).into();
    let plain = table_against_plain(record, run).filter(|_| !void);
    [
        rate(told.rows_per_second),
        rate(told.flat_per_second),
        told.client_seconds_per_terabyte.into(),
        told.server_seconds_per_terabyte.into(),
        told.client_cores.into(),
        told.server_cores.into(),
        told.written.redo.into(),
        told.written.engine.into(),
        told.written.device.into(),
        told.input_ratio.into(),
        told.table_ratio.into(),
        plain.into(),
    ]
}

fn stage_rows(record: &Record, take: Taker<'_>) -> Result<()> {
    for run in &record.runs {
        let told = stages(run);
        for stage in run.load.iter().flat_map(|load| &load.stages) {
            let busy = told.iter().find(|told| told.kind == stage.kind).filter(|_| !model::is_void(run));
            let row = [
                Value::from(&record.id),
                run.number.into(),
                Value::from(&run.test),
                word(stage.kind),
                stage.threads.into(),
                stage.busy_ns.0.into(),
                stage.cpu_ns.map(nanos).into(),
                stage.bytes.0.into(),
                busy.map(|told| told.busy.0).into(),
            ];
            debug_assert_eq!(row.len(), STAGE_COLUMNS.len());
            take(&row)?;
        }
    }
    Ok(())
}

fn nanos(Nanos(nanos): Nanos) -> u64 {
    nanos
}
