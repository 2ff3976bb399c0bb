//! The request, parsed.

use std::path::PathBuf;

use crate::{LoadBesideRequest, Request};

/// The request of a comparison in pairs.
#[derive(Clone, Debug)]
pub struct PairRequest {
    /// What both sides share; its record, repeats and `keep` are not used.
    pub request: Request,
    /// The loads beside the tests of each side, that of side A first.
    pub loads_beside: [Vec<LoadBesideRequest>; 2],
    /// Pairs of runs of each test at each degree of parallelism; at least 1.
    pub pairs: u32,
    /// Paths of the records, that of side A first.
    pub records: [PathBuf; 2],
    /// Codes of tests that are named elsewhere in the request, and must therefore be planned.
    pub judged: Vec<String>,
}
