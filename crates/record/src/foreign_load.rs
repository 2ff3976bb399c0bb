//! What other programs did on this host while something was measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{BackgroundProgram, Bytes, Nanos};

/// What other programs did on this host while a run was measured: found by looking at all processes before and after
/// it. A process that ended meanwhile counts where the one that waited for it is seen; others are part only of what
/// the host's own counters say.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForeignLoad {
    /// From one look to the other.
    pub watched_ns: Nanos,
    /// Processors that all programs together kept busy that belong neither to dbdyno nor to the measured server.
    pub processors: f64,
    /// Processors that threads of the kernel kept busy, whoever they worked for.
    pub kernel_processors: f64,
    /// Bytes that these programs had the block layer read, on all devices, as far as the kernel tells it; absent where it
    /// tells it of none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_bytes: Option<Bytes>,
    /// The same of writes: buffered ones count when they make a page dirty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_bytes: Option<Bytes>,
    /// Bytes that the measured server had the block layer read; absent where there is none on this host, and where the
    /// kernel does not tell it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_read_bytes: Option<Bytes>,
    /// The same of writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server_write_bytes: Option<Bytes>,
    /// The programs that did most, the busiest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<BackgroundProgram>,
}
