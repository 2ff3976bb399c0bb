//! The kinds of runs: a folder or file each, and what it gives to callers. The steps of an invocation are the same for all of them
//! ([`crate::invocation`]).

pub(crate) mod blocks;
pub(crate) mod catalogue;
pub(crate) mod device;
pub(crate) mod durability;
pub(crate) mod io;
pub(crate) mod load;
pub(crate) mod nfs;
pub(crate) mod numa;
pub(crate) mod pair;
pub(crate) mod part;
pub(crate) mod streams;
pub(crate) mod tiers;

pub use blocks::{BlocksRequest, measure_blocks};
pub use catalogue::{dry_run, measure, resume};
pub use durability::{
    ByHandRequest, DurabilityRequest, LYING_STORAGE, crashes_of, measure_by_hand, measure_durability,
    resume_durability, target_as_given, why_out,
};
pub use io::{
    Goal, IoRequest, Permission, ProofParts, ProofSizes, calibration_phases, is_foreign, measure_io, not_found,
    survey_io,
};
pub use load::{LoadPlan, LoadRequest, PlannedLoad, PlannedScan, ScanRequest, dry_run_load, measure_load};
pub use nfs::{NfsRequest, measure_nfs};
pub use numa::{NumaRequest, has_several_nodes, measure_numa};
pub use pair::{MeasuredPair, PairRequest, dry_run_pair, pair};
pub use part::AgentBench;
pub use streams::{StreamsRequest, measure_streams};
pub use tiers::{TiersRequest, measure_tiers};
