//! N11  Network round trip: a small message to a peer and back, one at a time per connection.
//!
//! Answers:         how long a request to a server on that host takes before the server does anything: the least time of
//!                  a statement, and what each further statement of a transaction adds.
//! Does not answer: the cost of the protocol of an engine, of encryption, of large results; bandwidth, see N21 and N22.
//! Cost:            a connection and a thread at each end per job; 64 bytes each way per round trip.
//! Limits:          the peer is a thread that waits for the message, as a server does: waking it is part of the time. On
//!                  one host both ends share the processors. TCP without delay (TCP_NODELAY); the addresses and the path are
//!                  those of the first answer of the name.

use std::collections::BTreeMap;

use measure::{Broken, Done, Work};
use record::{Layer, Unit};

use super::Lazy;
use crate::peer::Service;
use crate::probe::{named, one_per_job};
use crate::{Context, Form, Probe};

const CODE: &str = "N11";
/// About that of a statement that is prepared, with a key.
const MESSAGE_BYTES: u32 = 64;

pub(crate) const PROBE: Probe = Probe {
    code: CODE,
    title: "network, round trip",
    layer: Layer::Network,
    unit: Unit::RoundTrip,
    form: Form::Steps(|context| {
        one_per_job(context, |job| RoundTrip {
            lazy: Lazy::new(CODE, context.peer, Service::Echo, MESSAGE_BYTES, context.job_seed(job)),
            answer: [0; MESSAGE_BYTES as usize],
        })
    }),
    parameters,
};

fn parameters(_context: &Context) -> BTreeMap<String, i64> {
    named(&[("message_bytes", u64::from(MESSAGE_BYTES))])
}

struct RoundTrip {
    lazy: Lazy,
    answer: [u8; MESSAGE_BYTES as usize],
}

impl Work for RoundTrip {
    fn step(&mut self, number: u64) -> Result<Done, Broken> {
        self.lazy.with(|connection| connection.exchange(number, &mut self.answer))?;
        Ok(Done { operations: 1, ..Done::default() })
    }
}
