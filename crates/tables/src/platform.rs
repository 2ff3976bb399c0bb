//! The platform of a run, for comparison of many records.

use crate::column::{Column, Kind};
use crate::run::RunRow;
use crate::value::Value;

type Figure<'a> = Column<RunRow<'a>>;

/// The platform and the measurement setup; the same in every row of a record.
pub fn columns<'a>() -> Vec<Column<RunRow<'a>>> {
    vec![
        Figure::fact("tool_version", Kind::Text, |of| (&of.record.tool.version).into()),
        Figure::fact("tool_optimised", Kind::Flag, |of| of.record.tool.optimised.into()),
        Figure::fact("record_started_at", Kind::Text, |of| (&of.record.started_at.0).into()),
        Figure::fact("record_status", Kind::Text, |of| Value::word(of.record.status)),
        Figure::fact("target", Kind::Text, |of| (&of.record.plan.target).into()),
        Figure::fact("directory", Kind::Text, |of| (&of.record.plan.directory).into()),
        Figure::fact("preset", Kind::Text, |of| Value::word(of.record.plan.preset)),
        Figure::fact("placement", Kind::Text, |of| Value::word(of.record.plan.placement)),
        Figure::fact("seed", Kind::Count, |of| of.record.plan.seed.into()),
        Figure::fact("small_rows", Kind::Count, |of| of.record.plan.small_rows.into()),
        Figure::fact("large_rows", Kind::Count, |of| of.record.plan.large_rows.into()),
        Figure::fact("repeats", Kind::Count, |of| of.record.plan.repeats.into()),
        Figure::fact("pair_side", Kind::Text, |of| {
            of.record.plan.paired.as_ref().map(|pair| Value::word(pair.side)).into()
        }),
        Figure::fact("pair_other", Kind::Text, |of| of.record.plan.paired.as_ref().map(|pair| &pair.other).into()),
        Figure::fact("host", Kind::Text, |of| of.record.host.host_name.as_ref().into()),
        Figure::fact("product", Kind::Text, |of| of.record.host.product.as_ref().into()),
        Figure::fact("cpu_model", Kind::Text, |of| of.record.host.cpu.model.as_ref().into()),
        Figure::fact("cpu_sockets", Kind::Count, |of| of.record.host.cpu.sockets.into()),
        Figure::fact("cpu_cores", Kind::Count, |of| of.record.host.cpu.cores.into()),
        Figure::fact("cpu_threads", Kind::Count, |of| known(of.record.host.cpu.threads.into())),
        Figure::fact("memory_bytes", Kind::Memory, |of| known(of.record.host.memory.total_bytes.0)),
        Figure::fact("file_system", Kind::Text, |of| {
            of.record.host.file_system.as_ref().map(|system| &system.kind).into()
        }),
        Figure::fact("device", Kind::Text, |of| of.record.host.devices.first().map(|device| &device.name).into()),
        Figure::fact("device_model", Kind::Text, |of| {
            of.record.host.devices.iter().rev().find_map(|device| device.model.as_ref()).into()
        }),
        Figure::fact("kernel", Kind::Text, |of| (&of.record.host.kernel.release).into()),
        Figure::fact("operating_system", Kind::Text, |of| of.record.host.kernel.operating_system.as_ref().into()),
        Figure::fact("virtualisation", Kind::Text, |of| of.record.host.virtualisation.as_ref().into()),
        Figure::fact("engine", Kind::Text, |of| of.record.engine.as_ref().map(|engine| &engine.name).into()),
        Figure::fact("engine_version", Kind::Text, |of| of.record.engine.as_ref().map(|engine| &engine.version).into()),
        Figure::fact("engine_location", Kind::Text, |of| {
            of.record.engine.as_ref().map(|engine| Value::word(engine.location)).into()
        }),
        Figure::fact("engine_block_bytes", Kind::Memory, |of| {
            of.record.engine.as_ref().and_then(|engine| engine.block_bytes).into()
        }),
        Figure::fact("engine_cache_bytes", Kind::Memory, |of| {
            of.record.engine.as_ref().and_then(|engine| engine.cache_bytes).into()
        }),
        Figure::fact("durable", Kind::Flag, |of| of.record.engine.as_ref().and_then(|engine| engine.durable).into()),
    ]
}

/// A size of a machine; 0 if unknown.
fn known(size: u64) -> Value<'static> {
    Some(size).filter(|size| *size > 0).into()
}
