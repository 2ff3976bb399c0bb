//! The conformance kit (to be written).
