//! Reasons why a layer has no source.

use record::MissingLayer;

/// Why a layer has no source, or an incomplete one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayerAbsence {
    /// As the tracer said.
    Recorded(MissingLayer),
    /// An embedded engine runs in the thread of the caller: its time is the service time.
    Embedded,
    /// The engine does not time statements with its current settings.
    StatementsNotTimed,
    /// The engine times no waits with its current settings.
    WaitsNotTimed {
        /// Whether its settings can be changed.
        has_settings: bool,
    },
    /// The engine times some waits but none for I/O with its current settings.
    IoWaitsNotTimed,
    /// The engine runs on another host.
    OtherHost,
    /// The run was not traced.
    NotTraced,
    /// A load was beside the jobs: what is counted below them is of both.
    LoadBeside,
    /// No block device below the measured directory was counted.
    NoBlockDevice,
}
