//! P322  Random reads of 8 KiB past the page cache, 32 in flight per job.
//!
//! Answers:         reads per second that storage gives when it is kept busy.
//! Does not answer: how long a read takes that nobody competes with: see P321. The most that keeps a latency:
//!                  `dbdyno calibrate` searches for it.
//! Cost:            reads only; the file that all probes of storage share, written once, in the measured directory.
//! Limits:          no block is read twice by a job before it has read all. A cache of the device, the array or the host
//!                  of a virtual machine that holds `region_bytes` serves a part, which cannot be told from inside.

use record::{Layer, Unit};

use super::{Access, BLOCK_BYTES, DEPTH, job, parameters};
use crate::{Form, Probe};

const CODE: &str = "P322";
const TITLE: &str = "storage, random read 8 KiB, 32 in flight per job";
const ACCESS: Access = Access { writes: false, random: true, block: BLOCK_BYTES, depth: DEPTH };

pub(crate) const PROBE: Probe = Probe {
    code: CODE,
    title: TITLE,
    layer: Layer::Storage,
    unit: Unit::Block,
    form: Form::Io(|context| job(context, CODE, TITLE, &ACCESS)),
    parameters: |context| parameters(context, &ACCESS),
};
