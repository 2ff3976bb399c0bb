//! Loads of flat files: one row for each load, and one for each stage of each.

use model::load::{LoadFigures, StageFigures};
use record::{Load, LoadStage, Record};

use crate::column::{Column, Kind, Part, identity, invalid, parts};
use crate::value::Value;

/// A load, and its figures.
pub type LoadRow<'a> = Part<'a, (&'a Load, LoadFigures)>;

/// The loads of `record`.
pub fn rows(record: &Record) -> impl Iterator<Item = LoadRow<'_>> {
    parts(record, |run| {
        let load = run.load.as_deref()?;
        Some((load, model::load::figures(run).unwrap_or_default()))
    })
}

type Figure<'a> = Column<LoadRow<'a>>;

/// The load, then the results.
pub fn columns<'a>() -> Vec<Column<LoadRow<'a>>> {
    let mut columns = identity();
    columns.extend([
        Figure::fact("jobs", Kind::Count, |of| of.run.dop.jobs.into()).head("#J"),
        Figure::fact("window_ns", Kind::Nanoseconds, |of| of.run.window_ns.into()).head("elapsed"),
        Figure::fact("partitioned", Kind::Flag, |of| of.of.0.model.partitioned.into()),
        Figure::fact("compressed", Kind::Flag, |of| of.of.0.model.compressed.into()),
        Figure::fact("form", Kind::Text, |of| Value::word(of.of.0.form)),
        Figure::fact("source", Kind::Text, |of| (&of.of.0.source).into()),
        Figure::fact("compression", Kind::Text, |of| (&of.of.0.compression).into()),
        Figure::fact("layout", Kind::Text, |of| (&of.of.0.layout).into()),
        Figure::fact("input_bytes", Kind::Bytes, |of| of.of.0.input_bytes.into()),
        Figure::fact("flat_bytes", Kind::Bytes, |of| of.of.0.flat_bytes.into()),
        Figure::fact("batch_bytes", Kind::Memory, |of| of.of.0.batch_bytes.into()),
        Figure::fact("batches", Kind::Count, |of| of.of.0.batches.into()),
        Figure::fact("rows", Kind::Count, |of| of.of.0.rows.into()),
        Figure::fact("rejected_rows", Kind::Count, |of| of.of.0.rejected_rows.into()).head("rows\nrejected"),
        Figure::fact("resumed_rows", Kind::Count, |of| of.of.0.resumed_rows.into()).head("rows\nresumed"),
        Figure::fact("retried_batches", Kind::Count, |of| of.of.0.retried_batches.into()),
        Figure::fact("deferred_batches", Kind::Count, |of| of.of.0.deferred_batches.into()),
        Figure::fact("table_bytes", Kind::Bytes, |of| of.of.0.table_bytes.into()).under("table", "size"),
        Figure::fact("index_bytes", Kind::Bytes, |of| of.of.0.index_bytes.into()).under("indexes", "size"),
        Figure::fact("indexes", Kind::Text, |of| Value::word(of.of.0.indexes)).under("indexes", "built"),
        Figure::fact("index_build_ns", Kind::Nanoseconds, |of| of.of.0.index_build_ns.into())
            .under("indexes", "build\ntime"),
        Figure::fact("first_query_ns", Kind::Nanoseconds, |of| of.of.0.first_query_ns.into()).head("first\nquery"),
        invalid(),
    ]);
    columns.extend(results());
    columns
}

fn results<'a>() -> Vec<Figure<'a>> {
    const TIME: &str = "CPU s per TB";
    const CPUS: &str = "CPUs in use";
    const WRITTEN: &str = "write amplification";
    vec![
        Figure::result("rows_per_second", Kind::PerSecond, |of| of.of.1.rows_per_second.into()).head("rows/s"),
        Figure::result("flat_bytes_per_second", Kind::BytesPerSecond, |of| of.of.1.flat_per_second.into())
            .head("MB/s of\nflat file"),
        Figure::result("flat_terabytes_per_hour", Kind::Amount, |of| of.of.1.terabytes_per_hour().into()).head("TB/h"),
        Figure::result("client_cpu_seconds_per_terabyte", Kind::Amount, |of| {
            of.of.1.client_seconds_per_terabyte.into()
        })
        .under(TIME, "client"),
        Figure::result("server_cpu_seconds_per_terabyte", Kind::Amount, |of| {
            of.of.1.server_seconds_per_terabyte.into()
        })
        .under(TIME, "server"),
        Figure::result("client_cpus", Kind::Number, |of| of.of.1.client_cores.into()).under(CPUS, "client"),
        Figure::result("server_cpus", Kind::Number, |of| of.of.1.server_cores.into()).under(CPUS, "server"),
        Figure::result("redo_bytes_per_byte", Kind::Number, |of| of.of.1.written.redo.into()).under(WRITTEN, "log"),
        Figure::result("engine_write_bytes_per_byte", Kind::Number, |of| of.of.1.written.engine.into())
            .under(WRITTEN, "data"),
        Figure::result("device_write_bytes_per_byte", Kind::Number, |of| of.of.1.written.device.into())
            .under(WRITTEN, "device"),
        Figure::result("flat_over_input", Kind::Number, |of| of.of.1.input_ratio.into()).head("flat file\n/ input"),
        Figure::result("flat_over_table", Kind::Number, |of| of.of.1.table_ratio.into())
            .under("table", "flat file\n/ table"),
        Figure::result("plain_over_table", Kind::Number, |of| {
            model::load::table_against_plain(of.record, of.run).into()
        })
        .under("table", "plain\n/ table"),
    ]
}

/// A stage of a load, and its utilization; absent where not known.
pub type StageRow<'a> = Part<'a, (&'a Load, &'a LoadStage, Option<StageFigures>)>;

/// The stages of the loads of `record`.
pub fn stage_rows(record: &Record) -> impl Iterator<Item = StageRow<'_>> {
    parts(record, |run| {
        let figures = model::load::stages(run);
        let stages = run.load.iter().flat_map(|load| load.stages.iter().map(move |stage| (&**load, stage)));
        stages
            .map(move |(load, stage)| {
                let busy = figures.iter().find(|figures| figures.kind == stage.kind).copied();
                (load, stage, busy)
            })
            .collect::<Vec<_>>()
    })
}

type StageFigure<'a> = Column<StageRow<'a>>;

/// The stage, then the results.
pub fn stage_columns<'a>() -> Vec<Column<StageRow<'a>>> {
    let mut columns = identity();
    columns.extend([
        StageFigure::fact("jobs", Kind::Count, |of| of.run.dop.jobs.into()).head("#J"),
        StageFigure::fact("stage", Kind::Text, |of| Value::word(of.of.1.kind)),
        StageFigure::fact("threads", Kind::Count, |of| of.of.1.threads.into()),
        StageFigure::fact("busy_ns", Kind::Nanoseconds, |of| of.of.1.busy_ns.into()).head("busy"),
        StageFigure::fact("cpu_ns", Kind::Nanoseconds, |of| of.of.1.cpu_ns.into()).head("CPU"),
        StageFigure::fact("bytes", Kind::Bytes, |of| of.of.1.bytes.into()),
        StageFigure::result("busy_ratio", Kind::Ratio, |of| of.of.2.as_ref().map(|figures| figures.busy).into())
            .head("busy %"),
        StageFigure::result("thread_bytes_per_second", Kind::BytesPerSecond, |of| {
            of.of.2.as_ref().and_then(|figures| figures.per_thread).into()
        })
        .head("MB/s per\nbusy thread"),
    ]);
    columns
}
