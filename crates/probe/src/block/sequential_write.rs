//! P312  Sequential writes of 256 KiB past the page cache.
//!
//! Answers:         bytes per second that storage takes in large pieces: the ceiling of T211.
//! Does not answer: how fast they are safe: nothing is flushed, a volatile cache of the device may hold the last of
//!                  them; see P331. What a file system gives while a file grows: blocks that are there are overwritten.
//! Cost:            writes as fast as it can for warm-up and window of each run, over and over the same file: flash
//!                  wears by that. The file that all probes of storage share.
//! Limits:          each job writes a part of the file of its own with 32 writes in flight (fewer where more than 32
//!                  jobs would take too much memory). A drive that was idle takes more for a while than it can keep
//!                  up: windows of seconds show the former. Random bytes are written: nothing is gained by compression.

use record::{Layer, Unit};

use super::{Access, DEPTH, PIECE_BYTES, job, parameters};
use crate::{Form, Probe};

const CODE: &str = "P312";
const TITLE: &str = "storage, sequential write 256 KiB";
const ACCESS: Access = Access { writes: true, random: false, block: PIECE_BYTES, depth: DEPTH };

pub(crate) const PROBE: Probe = Probe {
    code: CODE,
    title: TITLE,
    layer: Layer::Storage,
    unit: Unit::Block,
    form: Form::Io(|context| job(context, CODE, TITLE, &ACCESS)),
    parameters: |context| parameters(context, &ACCESS),
};
