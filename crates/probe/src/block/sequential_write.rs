//! S12  Sequential direct writes of 256 KiB.
//!
//! Answers:         the bandwidth of large writes: the ceiling of T211.
//! Does not answer: durable writes: nothing is flushed, a volatile cache of the device may hold the last of them; see
//!                  S31. Writes to a growing file: allocated blocks are overwritten.
//! Cost:            writes continuously for warm-up and window of each run, always to the same file: wears flash. The
//!                  file that all storage probes share.
//! Limits:          each job writes its own part of the file with 32 writes in flight (fewer where more than 32 jobs
//!                  would take too much memory). An idle drive accepts more writes for a while than it can sustain:
//!                  windows of seconds show the burst rate. The written bytes are random and not compressible.

use record::{Layer, Unit};

use super::{Access, DEPTH, SCAN_BYTES, job, parameters};
use crate::{Form, Probe};

const CODE: &str = "S12";
const TITLE: &str = "storage, sequential write 256 KiB";
const ACCESS: Access = Access { writes: true, random: false, block: SCAN_BYTES, depth: DEPTH };

pub(crate) const PROBE: Probe = Probe {
    code: CODE,
    title: TITLE,
    layer: Layer::Storage,
    unit: Unit::Block,
    form: Form::Io(|context| job(context, CODE, TITLE, &ACCESS)),
    parameters: |context| parameters(context, &ACCESS),
};
