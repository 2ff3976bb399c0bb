//! The null engine (to be written).
