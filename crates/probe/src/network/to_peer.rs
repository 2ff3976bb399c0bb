//! N21  Network bandwidth to a peer.
//!
//! Answers:         bytes per second that arrive at a host on that path, over one TCP stream per job: the ceiling of loads
//!                  into a server there.
//! Does not answer: what the interface carries with headers; the other direction, see N22; both at the same time.
//! Cost:            a connection and a thread at each end per job; the path is full.
//! Limits:          bytes are counted by the peer as it receives them, and counted here when its count arrives: half a
//!                  round trip later, at both ends of the window. The time of a step is that until the kernel has taken a
//!                  block, and no time on the path. After the last step the counts of both ends must agree.

use std::collections::BTreeMap;

use measure::{Broken, Done, Work};
use record::{Layer, Unit};

use super::{BLOCK_BYTES, Lazy};
use crate::peer::Service;
use crate::probe::{named, one_per_job};
use crate::{Context, Form, Probe};

const CODE: &str = "N21";

pub(crate) const PROBE: Probe = Probe {
    code: CODE,
    title: "network, bandwidth to the peer",
    layer: Layer::Network,
    unit: Unit::Byte,
    form: Form::Steps(|context| {
        one_per_job(context, |job| ToPeer {
            lazy: Lazy::new(CODE, context.peer, Service::Receive, BLOCK_BYTES, context.job_seed(job)),
            is_warm: false,
        })
    }),
    parameters,
};

fn parameters(_context: &Context) -> BTreeMap<String, i64> {
    named(&[("block_bytes", u64::from(BLOCK_BYTES))])
}

struct ToPeer {
    lazy: Lazy,
    /// Whether the warm-up is over.
    is_warm: bool,
}

impl Work for ToPeer {
    fn step(&mut self, _number: u64) -> Result<Done, Broken> {
        let bytes = self.lazy.with(|connection| connection.send())?;
        Ok(Done { operations: bytes, bytes, ..Done::default() })
    }

    /// The first end is that of the warm-up: an empty path would have to be filled again within the window.
    fn finish(&mut self) -> Result<(), Broken> {
        match std::mem::replace(&mut self.is_warm, true) {
            true => self.lazy.with(|connection| connection.settle()),
            false => Ok(()),
        }
    }
}
