//! What one processor does per second, without a database.

pub(crate) mod float;
pub(crate) mod integer;
pub(crate) mod string;
