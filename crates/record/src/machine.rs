//! Parts of a machine that a data sheet names: modules of memory, network interfaces.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Bytes;

/// A module of memory, as the firmware describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryModule {
    /// Where it is plugged in, channel included (`P0 CHANNEL A DIMM 0`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// Size.
    pub size_bytes: Bytes,
    /// Kind (`DDR5`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Million transfers per second that it can make.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub megatransfers_per_second_max: Option<u32>,
    /// Million transfers per second that it is set to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub megatransfers_per_second: Option<u32>,
}

/// A network interface with a device behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkInterface {
    /// Kernel name (`eth0`).
    pub name: String,
    /// Driver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// The largest packet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packet_bytes_max: Option<Bytes>,
    /// Speed of the link, million bits per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub megabits_per_second: Option<u64>,
}
