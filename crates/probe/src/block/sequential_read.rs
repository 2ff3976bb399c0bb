//! S11  Sequential direct reads of 256 KiB.
//!
//! Answers:         the scan bandwidth of storage: the ceiling of T426.
//! Does not answer: scans through the page cache and its read-ahead; single blocks, see S21 and S22.
//! Cost:            reads only; the file that all storage probes share, written once, in the measured directory.
//! Limits:          each job reads its own part of the file repeatedly, with 32 reads in flight (fewer where more than
//!                  32 jobs would take too much memory). A cache of the device, the array or the host of a virtual
//!                  machine that holds `region_bytes` serves a part, which is not visible here.

use record::{Layer, Unit};

use super::{Access, DEPTH, SCAN_BYTES, job, parameters};
use crate::{Form, Probe};

const CODE: &str = "S11";
const TITLE: &str = "storage, sequential read 256 KiB";
const ACCESS: Access = Access { writes: false, random: false, block: SCAN_BYTES, depth: DEPTH };

pub(crate) const PROBE: Probe = Probe {
    code: CODE,
    title: TITLE,
    layer: Layer::Storage,
    unit: Unit::Block,
    form: Form::Io(|context| job(context, CODE, TITLE, &ACCESS)),
    parameters: |context| parameters(context, &ACCESS),
};
