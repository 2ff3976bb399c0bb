//! The peer of the network probes and the path to it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::NetworkInterface;

/// The path between this host and the peer of the network probes. What is not known is absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkPath {
    /// Host and port of the peer, as given; absent where the peer is a part of dbdyno itself, on loopback.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<String>,
    /// The address that the peer answered at.
    pub address: String,
    /// What the peer says of its host.
    pub far: NetworkEnd,
    /// This host.
    pub near: NetworkEnd,
    /// Whether both ends are on one host, and only its network stack lies between them.
    pub is_same_host: bool,
}

/// One end of a path. The other end says these itself: they are facts of a report, and nothing is derived from them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetworkEnd {
    /// Name of the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_name: Option<String>,
    /// Release of its kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// Version of dbdyno.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The interface that its packets to the other end leave by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interface: Option<NetworkInterface>,
}
