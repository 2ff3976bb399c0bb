//! Storage without an engine: a plan of I/O is carried out, a service level is searched for, a device is calibrated.
//! Each run goes into the record like any other.

mod calibrate;
mod folder;
mod geometry;
mod ground;
mod invocation;
mod log;
mod permission;
mod phase;
mod precondition;
mod preparation;
mod probes;
mod request;
mod stall;
mod stream;
mod until;
mod verification;

pub use calibrate::calibration_phases;
pub use invocation::{measure_io, survey_io};
pub use permission::{Permission, is_foreign};
pub(crate) use probes::{Offer, ProbeGround, add_jobs, same_device};
pub use request::{Goal, IoRequest};
