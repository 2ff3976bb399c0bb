//! P311  Sequential reads of 256 KiB past the page cache.
//!
//! Answers:         bytes per second that storage gives to scans: the ceiling of T426.
//! Does not answer: what a scan gets that the page cache or its read-ahead serves; single blocks, see P321 and P322.
//! Cost:            reads only; the file that all probes of storage share, written once, in the measured directory.
//! Limits:          each job reads a part of the file of its own, over and over, with 32 reads in flight (fewer where
//!                  more than 32 jobs would take too much memory). A cache of the device, the array or the host of a
//!                  virtual machine that holds `region_bytes` serves a part, which cannot be told from inside.

use record::{Layer, Unit};

use super::{Access, DEPTH, PIECE_BYTES, job, parameters};
use crate::{Form, Probe};

const CODE: &str = "P311";
const TITLE: &str = "storage, sequential read 256 KiB";
const ACCESS: Access = Access { writes: false, random: false, block: PIECE_BYTES, depth: DEPTH };

pub(crate) const PROBE: Probe = Probe {
    code: CODE,
    title: TITLE,
    layer: Layer::Storage,
    unit: Unit::Block,
    form: Form::Io(|context| job(context, CODE, TITLE, &ACCESS)),
    parameters: |context| parameters(context, &ACCESS),
};
