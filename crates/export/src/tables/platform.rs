//! What the platform of a run was, in the columns that a comparison of many records asks for.

use model::in_flight;
use record::Outcome;

use super::run::Cell;
use super::{Subject, word};
use crate::table::{Kind, Value};

/// The platform, and how it was measured; the same in every row of a record.
pub(super) const PLATFORM: &[Cell] = &[
    ("tool_version", Kind::Text, |of| Value::from(&of.record.tool.version)),
    ("tool_optimised", Kind::Truth, |of| of.record.tool.optimised.into()),
    ("record_begun_at", Kind::Text, |of| Value::from(&of.record.begun_at.0)),
    ("record_status", Kind::Text, |of| word(of.record.status)),
    ("target", Kind::Text, |of| Value::from(&of.record.plan.target)),
    ("directory", Kind::Text, |of| Value::from(&of.record.plan.directory)),
    ("preset", Kind::Text, |of| word(of.record.plan.preset)),
    ("placement", Kind::Text, |of| word(of.record.plan.placement)),
    ("seed", Kind::Count, |of| of.record.plan.seed.into()),
    ("small_rows", Kind::Count, |of| of.record.plan.small_rows.into()),
    ("large_rows", Kind::Count, |of| of.record.plan.large_rows.into()),
    ("repeats", Kind::Count, |of| of.record.plan.repeats.into()),
    ("pair_side", Kind::Text, |of| of.record.plan.paired.as_ref().map(|pair| word(pair.side)).into()),
    ("pair_other", Kind::Text, |of| of.record.plan.paired.as_ref().map(|pair| &pair.other).into()),
    ("host", Kind::Text, |of| of.record.host.host_name.as_ref().into()),
    ("product", Kind::Text, |of| of.record.host.product.as_ref().into()),
    ("cpu_model", Kind::Text, |of| of.record.host.cpu.model.as_ref().into()),
    ("cpu_sockets", Kind::Count, |of| of.record.host.cpu.sockets.into()),
    ("cpu_cores", Kind::Count, |of| of.record.host.cpu.cores.into()),
    ("cpu_threads", Kind::Count, |of| known(of.record.host.cpu.threads.into())),
    ("memory_bytes", Kind::Count, |of| known(of.record.host.memory.total_bytes.0)),
    ("file_system", Kind::Text, |of| of.record.host.file_system.as_ref().map(|system| &system.kind).into()),
    ("device", Kind::Text, |of| of.record.host.devices.first().map(|device| &device.name).into()),
    ("device_model", Kind::Text, |of| {
        of.record.host.devices.iter().rev().find_map(|device| device.model.as_ref()).into()
    }),
    ("kernel", Kind::Text, |of| Value::from(&of.record.host.kernel.release)),
    ("operating_system", Kind::Text, |of| of.record.host.kernel.operating_system.as_ref().into()),
    ("virtualisation", Kind::Text, |of| of.record.host.virtualisation.as_ref().into()),
    ("engine", Kind::Text, |of| of.record.engine.as_ref().map(|engine| &engine.name).into()),
    ("engine_version", Kind::Text, |of| of.record.engine.as_ref().map(|engine| &engine.version).into()),
    ("engine_location", Kind::Text, |of| of.record.engine.as_ref().map(|engine| word(engine.location)).into()),
    ("engine_block_bytes", Kind::Count, |of| {
        of.record.engine.as_ref().and_then(|engine| engine.block_bytes).map(|bytes| bytes.0).into()
    }),
    ("engine_cache_bytes", Kind::Count, |of| {
        of.record.engine.as_ref().and_then(|engine| engine.cache_bytes).map(|bytes| bytes.0).into()
    }),
    ("durable", Kind::Truth, |of| of.record.engine.as_ref().and_then(|engine| engine.durable).into()),
];

/// How the run ended: `done` or `failed`, and what happened.
pub(super) fn outcome<'a>(of: &Subject<'a>) -> (&'static str, Option<&'a String>) {
    match &of.run.outcome {
        Outcome::Done => ("done", None),
        Outcome::Failed { message } => ("failed", Some(message)),
    }
}

/// I/Os that it keeps in flight; absent where it is not of storage.
pub(super) fn slots(of: &Subject<'_>) -> Option<u32> {
    in_flight(of.run)
}

/// A size of a machine; 0 stands for one that was not found out.
fn known(size: u64) -> Value<'static> {
    Some(size).filter(|size| *size > 0).into()
}
