//! N22  Network bandwidth from a peer.
//!
//! Answers:         bytes per second that arrive from a host on that path, over one TCP stream per job: the ceiling of
//!                  results of a server there, and of reads of a device behind a fabric.
//! Does not answer: what the interface carries with headers; the other direction, see N21; both at the same time.
//! Cost:            a connection and a thread at each end per job; the path is full.
//! Limits:          bytes are counted here, as they are received in whole blocks; each block says how many bytes were sent
//!                  before it, which must be the count of this end.

use std::collections::BTreeMap;

use measure::{Broken, Done, Work};
use record::{Layer, Unit};

use super::{BLOCK_BYTES, Lazy};
use crate::peer::Service;
use crate::probe::{named, one_per_job};
use crate::{Context, Form, Probe};

const CODE: &str = "N22";

pub(crate) const PROBE: Probe = Probe {
    code: CODE,
    title: "network, bandwidth from the peer",
    layer: Layer::Network,
    unit: Unit::Byte,
    form: Form::Steps(|context| {
        one_per_job(context, |job| FromPeer {
            lazy: Lazy::new(CODE, context.peer, Service::Send, BLOCK_BYTES, context.job_seed(job)),
        })
    }),
    parameters,
};

fn parameters(_context: &Context) -> BTreeMap<String, i64> {
    named(&[("block_bytes", u64::from(BLOCK_BYTES))])
}

struct FromPeer {
    lazy: Lazy,
}

impl Work for FromPeer {
    fn step(&mut self, _number: u64) -> Result<Done, Broken> {
        let bytes = self.lazy.with(|connection| connection.receive())?;
        Ok(Done { operations: bytes, bytes, ..Done::default() })
    }
}
