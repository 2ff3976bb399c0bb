//! The kinds of runs: a folder and a line each. The steps of an invocation are the same for all of them
//! ([`crate::invocation`]).

pub(crate) mod blocks;
pub(crate) mod catalogue;
pub(crate) mod device;
pub(crate) mod io;
pub(crate) mod load;
pub(crate) mod nfs;
pub(crate) mod numa;
pub(crate) mod pair;
pub(crate) mod part;
pub(crate) mod streams;
pub(crate) mod tiers;
