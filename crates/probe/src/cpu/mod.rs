//! CPU probes.

pub(crate) mod float;
pub(crate) mod integer;
pub(crate) mod string;
