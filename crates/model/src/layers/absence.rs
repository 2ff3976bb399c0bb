//! Reasons why a layer has no source, with hints how to get one.

use record::{Location, MeasuringPoint, MissingLayer};

/// Hint to enable timing of waits.
const TIMING: &str = "enable timing of I/O or waits, such as track_io_timing=on or performance_schema=on";

/// The layer at `point` without a source.
pub(super) fn missing(point: MeasuringPoint, reason: &str, hint: &str) -> MissingLayer {
    MissingLayer { point, reason: reason.to_owned(), hint: hint.to_owned() }
}

/// Missing database time.
pub(super) fn of_database_time(location: Option<Location>) -> MissingLayer {
    let (reason, hint) = match location {
        Some(Location::InProcess) => {
            ("the engine is embedded and runs in the thread of the caller: its time is the service time", "")
        }
        _ => (
            "the engine does not time statements with its current settings",
            "dbdyno run --trace one, or enable timing of statements, such as userstat=1",
        ),
    };
    missing(MeasuringPoint::DatabaseTime, reason, hint)
}

/// Missing waits.
pub(super) fn of_waits(location: Option<Location>) -> MissingLayer {
    let hint = if location == Some(Location::InProcess) { "" } else { TIMING };
    missing(MeasuringPoint::Wait, "the engine times no waits with its current settings", hint)
}

/// Missing I/O waits of an engine that times others.
pub(super) fn of_io_waits() -> MissingLayer {
    missing(MeasuringPoint::Wait, "the engine times some waits but none for I/O with its current settings", TIMING)
}

/// Missing kernel layers of a remote engine; None for a local one.
pub(super) fn of_another_host(point: MeasuringPoint, location: Option<Location>) -> Option<MissingLayer> {
    let is_remote = location == Some(Location::Remote);
    let reason = "the engine runs on another host, whose kernel is not traced";
    is_remote.then(|| missing(point, reason, "run dbdyno on the host of the engine"))
}

/// Missing layers that need a tracer.
pub(super) fn of_trace(point: MeasuringPoint) -> MissingLayer {
    missing(point, "the run was not traced", "dbdyno run --trace one")
}

/// Missing block layer.
pub(super) fn of_block_layer() -> MissingLayer {
    let reason = "no block device below the measured directory was counted";
    missing(MeasuringPoint::Block, reason, "measure in a directory on a block device, not tmpfs")
}
