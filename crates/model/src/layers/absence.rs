//! Why a layer has no source, and how to get one.

use record::{Location, MeasuringPoint, MissingLayer};

/// How an engine is told to time its waits.
const TIMING: &str = "switch its timing of I/O or of waits on, such as track_io_timing=on or performance_schema=on";

/// That the layer at `point` has no source.
pub(super) fn missing(point: MeasuringPoint, reason: &str, hint: &str) -> MissingLayer {
    MissingLayer { point, reason: reason.to_owned(), hint: hint.to_owned() }
}

/// Of the time at work in the engine.
pub(super) fn of_database_time(location: Option<Location>) -> MissingLayer {
    let (reason, hint) = match location {
        Some(Location::InProcess) => {
            ("the engine works inside the caller, in its thread: the service time is its time, too", "")
        }
        _ => (
            "the engine does not add up the time of its statements as it is set",
            "dbdyno run --trace one, or switch its timing of statements on, such as userstat=1",
        ),
    };
    missing(MeasuringPoint::DatabaseTime, reason, hint)
}

/// Of waits inside the engine.
pub(super) fn of_waits(location: Option<Location>) -> MissingLayer {
    let hint = if location == Some(Location::InProcess) { "" } else { TIMING };
    missing(MeasuringPoint::Wait, "the engine times no waits as it is set", hint)
}

/// Of waits for I/O in an engine that times others.
pub(super) fn of_io_waits() -> MissingLayer {
    missing(MeasuringPoint::Wait, "the engine times some waits and none for I/O as it is set", TIMING)
}

/// Of what the kernel of another host does; none where the engine is on this one.
pub(super) fn of_another_host(point: MeasuringPoint, location: Option<Location>) -> Option<MissingLayer> {
    let elsewhere = location == Some(Location::Remote);
    let reason = "the engine runs on another host, whose kernel nobody asked";
    elsewhere.then(|| missing(point, reason, "run dbdyno on the host of the engine"))
}

/// Of what only a tracer sees.
pub(super) fn of_trace(point: MeasuringPoint) -> MissingLayer {
    missing(point, "the run was not traced", "dbdyno run --trace one")
}

/// Of the block layer.
pub(super) fn of_block_layer() -> MissingLayer {
    let reason = "no block device below the measured directory was counted";
    missing(MeasuringPoint::Block, reason, "measure in a directory on a device that the kernel counts, no tmpfs")
}
