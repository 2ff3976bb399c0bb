//! S22  Random direct reads of 8 KiB, 32 in flight per job.
//!
//! Answers:         reads per second of a busy storage.
//! Does not answer: the latency of a read without contention: see S21. The highest rate that keeps a latency:
//!                  `dbdyno calibrate` searches for it.
//! Cost:            reads only; the file that all storage probes share, written once, in the measured directory.
//! Limits:          no job reads a block again before it has read all blocks. A cache of the device, the array or the
//!                  host of a virtual machine that holds `region_bytes` serves a part, which is not visible here.

use record::{Layer, Unit};

use super::{Access, BLOCK_BYTES, DEPTH, job, parameters};
use crate::{Form, Probe};

const CODE: &str = "S22";
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
