//! S21  Random direct reads of 8 KiB, one at a time in each job.
//!
//! Answers:         the latency of one read, and how many reads per second as many sessions get that wait for each of
//!                  theirs: the ceiling of T626.
//! Does not answer: the throughput of a busy device: see S22.
//! Cost:            reads only; the file that all storage probes share, written once, in the measured directory.
//! Limits:          no job reads a block again before it has read all blocks. A cache of the device, the array or the
//!                  host of a virtual machine that holds `region_bytes` serves a part, which is not visible here.
//!                  The wake-up from processor idle states between two reads is part of the latency.

use record::{Layer, Unit};

use super::{Access, BLOCK_BYTES, job, parameters};
use crate::{Form, Probe};

const CODE: &str = "S21";
const TITLE: &str = "storage, random read 8 KiB, one at a time";
const ACCESS: Access = Access { writes: false, random: true, block: BLOCK_BYTES, depth: 1 };

pub(crate) const PROBE: Probe = Probe {
    code: CODE,
    title: TITLE,
    layer: Layer::Storage,
    unit: Unit::Block,
    form: Form::Io(|context| job(context, CODE, TITLE, &ACCESS)),
    parameters: |context| parameters(context, &ACCESS),
};
