//! Round trips between two threads of one host: what a server on that host costs beside its work.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Latency;

/// Round trips of a small message between two threads of this host, measured before the first run of an engine that is
/// reached over a socket of this host.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LocalRoundTrips {
    /// Number of processors that dbdyno may use. With one there are no cases of two processors.
    pub processors: u32,
    /// The cases.
    pub cases: Vec<LocalRoundTrip>,
}

/// One case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LocalRoundTrip {
    /// What the message passes.
    pub transport: LocalTransport,
    /// Where the two threads are, and how they wait.
    pub waiting: RoundTripWaiting,
    /// The processors of the two threads, as the kernel numbers them: one, or two.
    pub cpus: Vec<u32>,
    /// Time of a round trip.
    pub latency: Latency,
}

/// What a message to another thread or process of the same host passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LocalTransport {
    /// Two pipes.
    Pipe,
    /// A Unix socket.
    UnixSocket,
    /// TCP over the loopback interface, without delay (TCP_NODELAY).
    Tcp,
}

/// Where two threads that send each other messages are, and how each waits for that of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoundTripWaiting {
    /// Both sleep, on one processor: it is never idle.
    OneProcessor,
    /// Both sleep, on two processors that are idle meanwhile: each message wakes one up.
    Idle,
    /// Both poll, on two processors: nothing sleeps, and nothing is woken up.
    Busy,
}

impl LocalRoundTrips {
    /// The case of `transport` and `waiting`.
    pub fn case(&self, transport: LocalTransport, waiting: RoundTripWaiting) -> Option<&LocalRoundTrip> {
        self.cases.iter().find(|case| case.transport == transport && case.waiting == waiting)
    }
}
