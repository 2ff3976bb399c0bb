//! P323  Random writes of 8 KiB past the page cache, 32 in flight per job.
//!
//! Answers:         writes per second that storage takes when it is kept busy, as by a checkpoint: the ceiling of T721.
//! Does not answer: how fast they are safe: nothing is flushed, a volatile cache of the device may hold the last of
//!                  them; see P331.
//! Cost:            writes as fast as it can for warm-up and window of each run, over and over the same file: flash
//!                  wears by that. The file that all probes of storage share.
//! Limits:          a drive that was idle takes more for a while than it can keep up: windows of seconds show the
//!                  former. Random bytes are written: nothing is gained by compression.

use record::{Layer, Unit};

use super::{Access, BLOCK_BYTES, DEPTH, job, parameters};
use crate::{Form, Probe};

const CODE: &str = "P323";
const TITLE: &str = "storage, random write 8 KiB, 32 in flight per job";
const ACCESS: Access = Access { writes: true, random: true, block: BLOCK_BYTES, depth: DEPTH };

pub(crate) const PROBE: Probe = Probe {
    code: CODE,
    title: TITLE,
    layer: Layer::Storage,
    unit: Unit::Block,
    form: Form::Io(|context| job(context, CODE, TITLE, &ACCESS)),
    parameters: |context| parameters(context, &ACCESS),
};
