//! S23  Random direct writes of 8 KiB, 32 in flight per job.
//!
//! Answers:         writes per second of a busy storage, as during a checkpoint: the ceiling of T721.
//! Does not answer: durable writes: nothing is flushed, a volatile cache of the device may hold the last of them; see
//!                  S31.
//! Cost:            writes continuously for warm-up and window of each run, always to the same file: wears flash. The
//!                  file that all storage probes share.
//! Limits:          an idle drive accepts more writes for a while than it can sustain: windows of seconds show the
//!                  burst rate. The written bytes are random and not compressible.

use record::{Layer, Unit};

use super::{Access, BLOCK_BYTES, DEPTH, job, parameters};
use crate::{Form, Probe};

const CODE: &str = "S23";
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
