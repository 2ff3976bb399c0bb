//! What a run that changes the database leaves to be written after its window.

use std::sync::PoisonError;
use std::time::Instant;

use record::{Bytes, Nanos, Owed, name};

use crate::bench::Bench;

/// Has the engine write back what the run before has left: the time, and the bytes that the device was given meanwhile. None
/// without an engine, where it refuses (the next run says so), and in an agent, which leaves it to the coordinator.
pub(crate) fn pay(bench: &Bench<'_>) -> Option<Owed> {
    if bench.hands.release().is_some() || bench.interrupt.is_raised() {
        return None;
    }
    let (start, before) = (Instant::now(), device_write_bytes(bench));
    bench.settle().ok()??;
    let settle_ns = Nanos::from(start.elapsed());
    let written = device_write_bytes(bench).zip(before).map(|(after, before)| Bytes(after.saturating_sub(before)));
    Some(Owed { settle_ns, device_write_bytes: written })
}

/// Bytes that the device of the engine was given so far; None where the engine is elsewhere.
fn device_write_bytes(bench: &Bench<'_>) -> Option<u64> {
    let mut host = bench.sources.host.lock().unwrap_or_else(PoisonError::into_inner);
    let values = host.read(&[]);
    values.get(name::DEVICE_WRITE_BYTES).copied().filter(|_| bench.sources.device_is_engines)
}
