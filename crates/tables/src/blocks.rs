//! Random blocks: one row for each run, and one for each kind of operation of each.

use model::PerOperation;
use record::{BlockOperations, RandomBlocks, Ratio, Record};

use crate::column::{Column, Kind, Part, identity, invalid, latency, parts};
use crate::value::Value;

/// A run, and its mean cost per operation.
pub type BlocksRow<'a> = Part<'a, (&'a RandomBlocks, PerOperation)>;

/// The runs of random blocks of `record`.
pub fn rows(record: &Record) -> impl Iterator<Item = BlocksRow<'_>> {
    parts(record, |run| {
        let blocks = run.blocks.as_deref()?;
        Some((blocks, model::per_operation(run).unwrap_or_default()))
    })
}

/// Physical reads of the engine over the blocks of a work unit; reads of updates and scans are not part of one.
fn of_unit(of: &BlocksRow<'_>) -> Option<Ratio> {
    let (blocks, each) = &of.of;
    let reads = each.physical_reads.filter(|_| model::only_visits(of.run) == Some(true))?;
    Some(Ratio(reads / blocks.work_unit.max(1) as f64))
}

type Figure<'a> = Column<BlocksRow<'a>>;

/// The workload, then the results.
pub fn columns<'a>() -> Vec<Column<BlocksRow<'a>>> {
    const ENGINE: &str = "engine";
    const DEVICE: &str = "device";
    let mut columns = identity();
    columns.extend([
        Figure::fact("jobs", Kind::Count, |of| of.run.dop.jobs.into()).head("#J"),
        Figure::fact("cache_bytes", Kind::Memory, |of| of.of.0.cache_bytes.into()).head("cache"),
        Figure::fact("caches", Kind::Text, |of| Value::word(of.of.0.caches)),
        Figure::fact("block_bytes", Kind::Memory, |of| of.of.0.block_bytes.into()),
        Figure::fact("blocks_per_schema", Kind::Count, |of| of.of.0.blocks_per_schema.into()),
        Figure::fact("work_unit", Kind::Count, |of| of.of.0.work_unit.into()),
        Figure::fact("operations_per_step", Kind::Count, |of| of.of.0.operations_per_step.into()),
        Figure::fact("page_cached_ratio", Kind::Ratio, |of| of.of.0.page_cached.into()).head("% in page\ncache"),
        Figure::fact("window_ns", Kind::Nanoseconds, |of| of.run.window_ns.into()).head("elapsed"),
        invalid(),
        Figure::result("operations_per_second", Kind::PerSecond, |of| model::row(of.run).operations_per_second.into())
            .head("exec/s"),
        Figure::result("logical_reads_per_second", Kind::PerSecond, |of| {
            model::row(of.run).logical_reads_per_second.into()
        })
        .head("logical\nreads/s"),
        Figure::result("redo_bytes_per_second", Kind::BytesPerSecond, |of| {
            model::row(of.run).redo_bytes_per_second.into()
        })
        .head("log\nMB/s"),
        Figure::result("logical_reads_per_operation", Kind::Number, |of| of.of.1.logical_reads.into())
            .head("logical\nreads"),
        Figure::result("engine_reads_per_operation", Kind::Number, |of| of.of.1.physical_reads.into())
            .under(ENGINE, "reads"),
        Figure::result("engine_reads_of_unit_ratio", Kind::Ratio, |of| of_unit(of).into()).under(ENGINE, "% of\nunit"),
        Figure::result("engine_writes_per_operation", Kind::Number, |of| of.of.1.physical_writes.into())
            .under(ENGINE, "writes"),
        Figure::result("device_reads_per_operation", Kind::Number, |of| of.of.1.device_reads.into())
            .under(DEVICE, "reads"),
        Figure::result("device_writes_per_operation", Kind::Number, |of| of.of.1.device_writes.into())
            .under(DEVICE, "writes"),
        Figure::result("rows_changed_per_operation", Kind::Number, |of| of.of.1.changes.into()).head("rows\nchanged"),
        Figure::result("reads_per_write", Kind::Number, |of| of.of.1.read_write_ratio().into()).head("reads\n/write"),
        Figure::result("top_wait", Kind::Text, |of| model::top_wait(of.record, of.run).map(|(event, _)| event).into()),
        Figure::result("top_wait_ratio", Kind::Ratio, |of| {
            model::top_wait(of.record, of.run).map(|(_, share)| share).into()
        })
        .head("% of\nsession time"),
    ]);
    columns.extend(latency!(Figure, "service", |of| &of.run.service));
    columns
}

/// A kind of operation of a run.
pub type KindRow<'a> = Part<'a, (&'a RandomBlocks, &'a BlockOperations)>;

/// The kinds of operations of each run of `record`.
pub fn kind_rows(record: &Record) -> impl Iterator<Item = KindRow<'_>> {
    parts(record, |run| {
        run.blocks.iter().flat_map(|blocks| blocks.operations.iter().map(move |kind| (&**blocks, kind)))
    })
}

type KindFigure<'a> = Column<KindRow<'a>>;

/// The operations, then their times.
pub fn kind_columns<'a>() -> Vec<Column<KindRow<'a>>> {
    let mut columns = identity();
    columns.extend([
        KindFigure::fact("cache_bytes", Kind::Memory, |of| of.of.0.cache_bytes.into()).head("cache"),
        KindFigure::fact("caches", Kind::Text, |of| Value::word(of.of.0.caches)),
        KindFigure::fact("operation", Kind::Text, |of| Value::word(of.of.1.operation)),
        KindFigure::fact("steps", Kind::Count, |of| of.of.1.steps.into()),
        KindFigure::fact("rows", Kind::Count, |of| of.of.1.rows.into()),
        invalid(),
    ]);
    columns.extend(latency!(KindFigure, "service", |of| &of.of.1.service));
    columns
}
