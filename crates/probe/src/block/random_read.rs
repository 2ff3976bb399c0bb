//! P321  Random reads of 8 KiB past the page cache, one at a time in each job.
//!
//! Answers:         how long one read takes, and how many a second as many sessions get that wait for each of theirs:
//!                  the ceiling of T626.
//! Does not answer: what the device gives when it is kept busy: see P322.
//! Cost:            reads only; the file that all probes of storage share, written once, in the measured directory.
//! Limits:          no block is read twice by a job before it has read all. A cache of the device, the array or the host
//!                  of a virtual machine that holds `region_bytes` serves a part, which cannot be told from inside.
//!                  Processors that fall asleep between two reads are part of the latency.

use record::{Layer, Unit};

use super::{Access, BLOCK_BYTES, job, parameters};
use crate::{Form, Probe};

const CODE: &str = "P321";
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
