//! The kinds of runs: a folder and a line each. What an invocation does, in which order, is one way for all of them
//! ([`crate::invocation`]).

pub(crate) mod blocks;
pub(crate) mod catalogue;
pub(crate) mod io;
pub(crate) mod load;
pub(crate) mod pair;
pub(crate) mod streams;
