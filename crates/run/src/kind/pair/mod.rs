//! Two targets on one machine, measured in interleaved pairs: the only measurement that allows a strong verdict.
//!
//! Each side is opened once, in a directory of its own, and loaded with the same rows. Then, pair by pair, each test at
//! each degree of parallelism is measured on one side and immediately on the other; which is first is random. Drift of
//! the machine is the same for both runs of a pair (randomised multiple interleaved trials, Abedi and Brecht 2017); a
//! probe before the first pair and after the last one shows whether the machine changed. While one side is measured the
//! other is idle and settled, and its counters are not read. Each side has a normal record, written after each of its
//! runs; each names the other.

mod common_plan;
mod control_probe;
mod pair_runs;
mod plan_hash;
mod request;
mod side;

use std::path::PathBuf;

use engine::Target;
use record::{Location, Plan, Record};
use workload::{Sizes, Test};

use self::common_plan::{plan_sides, select_tests};
use self::pair_runs::{PairWorkload, measure_pairs};
use self::side::{SIDES, of_side};
use crate::bench::LoadBesideTest;
use crate::directory::MeasuredDirectory;
use crate::invocation::{InvocationResult, Kind, invoke, survey};
use crate::item::Item;
use crate::kind::catalogue::{files_beside, loads_beside, own_tests, sessions_of};
use crate::platform::{Context, OpenOptions, Platform};
use crate::recorder::Recorder;
use crate::{Error, Result, Setup};

pub use self::request::PairRequest;

/// The result of a comparison in pairs.
#[derive(Debug)]
pub struct MeasuredPair {
    /// The records as last written, that of side A first.
    pub records: [Record; 2],
    /// Paths of the records.
    pub paths: [PathBuf; 2],
    /// Why it was aborted, if it was.
    pub error: Option<Error>,
}

/// Measures two targets in pairs; `contexts` are those of side A and side B.
///
/// # Errors
/// Only where there is no record yet; later errors are in [`MeasuredPair::error`] beside the records so far.
pub fn pair(request: &PairRequest, contexts: [Context<'_>; 2]) -> Result<MeasuredPair> {
    let files = TestFiles::read(request)?;
    let InvocationResult { records, error } = invoke(&mut Pair::new(request, &files)?, contexts, None)?;
    Ok(MeasuredPair { records, paths: request.records.clone(), error })
}

/// The plan of both sides, without carrying it out. The engines are opened to query their capabilities, and closed
/// again.
///
/// # Errors
/// As for [`pair()`].
pub fn dry_run_pair(request: &PairRequest, contexts: [Context<'_>; 2]) -> Result<[Plan; 2]> {
    let files = TestFiles::read(request)?;
    survey(&mut Pair::new(request, &files)?, contexts)
}

/// The tests of the user.
struct TestFiles {
    own: Vec<Test>,
    /// Those of the loads of each side.
    loads_beside: [Vec<Test>; 2],
}

impl TestFiles {
    fn read(request: &PairRequest) -> Result<TestFiles> {
        let [a, b] = &request.loads_beside;
        Ok(TestFiles { own: own_tests(&request.request)?, loads_beside: [files_beside(a)?, files_beside(b)?] })
    }
}

struct Pair<'r> {
    request: &'r PairRequest,
    items: Vec<Item<'r>>,
    /// The loads of each side.
    loads_beside: [Vec<LoadBesideTest<'r>>; 2],
    /// Table sizes of both sides, once planned.
    sizes: Vec<Sizes>,
}

impl<'r> Pair<'r> {
    fn new(request: &'r PairRequest, files: &'r TestFiles) -> Result<Pair<'r>> {
        let items = select_tests(&request.request, &files.own)?;
        let of = |side: usize| {
            let loads = loads_beside(&request.loads_beside[side], &files.loads_beside[side], &items);
            loads.map_err(|error| of_side(SIDES[side], error))
        };
        let loads_beside = [of(0)?, of(1)?];
        Ok(Pair { request, items, loads_beside, sizes: Vec::new() })
    }
}

impl Kind<2> for Pair<'_> {
    fn setup(&self) -> Setup {
        self.request.request.setup.clone()
    }

    fn jobs_max(&self) -> u32 {
        let of = |side: &Vec<_>| sessions_of(self.request.request.jobs_max(), side);
        self.request.loads_beside.iter().map(of).max().unwrap_or(0)
    }

    fn records(&self) -> [PathBuf; 2] {
        self.request.records.clone()
    }

    /// Each side has a directory of its own, whose files are never kept.
    fn options(
        &self,
        directory: &MeasuredDirectory,
        context: &Context<'_>,
        opened: &[Platform<'_>],
    ) -> Result<OpenOptions> {
        if opened.iter().any(|other| is_same_database(other, context.target)) {
            return Err(Error::user(format!("both sides are the same database, {}", context.target))
                .hint("give two targets; dbdyno works in one schema of a database"));
        }
        let directory = directory.make_side(SIDES[opened.len()])?;
        Ok(OpenOptions { directory, keep: false, keeps_each_node: false, cache: None })
    }

    fn plan(&mut self, directory: &MeasuredDirectory, platforms: &mut [Platform<'_>; 2]) -> Result<[Plan; 2]> {
        let [(plan_a, a), (plan_b, b)] =
            plan_sides(self.request, platforms, directory.path(), &self.items, &self.loads_beside)?;
        self.sizes = vec![a, b];
        Ok([plan_a, plan_b])
    }

    fn measure(&mut self, platforms: &mut [Platform<'_>; 2], records: &mut [Recorder; 2]) -> Result<()> {
        let workload = PairWorkload {
            items: &self.items,
            loads_beside: self.loads_beside.each_ref().map(Vec::as_slice),
            sizes: &self.sizes,
        };
        measure_pairs(&self.request.records, &workload, platforms, records)
    }

    fn of_side(&self, side: usize, error: Error) -> Error {
        of_side(SIDES[side], error)
    }
}

/// Whether `other` is the database that `platform` works in. An in-process engine has a file for each side, and a
/// temporary server is started for each.
pub(super) fn is_same_database(platform: &Platform<'_>, other: &Target) -> bool {
    let location = platform.engine.as_ref().map(|opened| opened.inventory.location);
    location.is_some_and(|here| here != Location::InProcess) && is_same_location(platform.context.target, other)
}

/// As far as targets tell: two spellings of the same location are found by the lock of the schema.
fn is_same_location(one: &Target, other: &Target) -> bool {
    let location = |target: &Target| (target.scheme.clone(), target.addresses.clone(), target.database.clone());
    !one.local && !other.local && location(one) == location(other) && one.parameters == other.parameters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_location_is_distinguished_from_two_servers() {
        let same = |one: &str, other: &str| {
            is_same_location(&one.parse().expect("a target"), &other.parse().expect("a target"))
        };
        assert!(same("example://db1/shop", "example://me@db1/shop"), "as any user");
        assert!(!same("example://db1/shop", "example://db2/shop"));
        assert!(!same("example://db1/shop", "example://db1/other"));
        assert!(!same("example://db1/shop?host=a", "example://db1/shop?host=b"));
        assert!(!same("local:example", "local:example"), "two servers are started");
    }
}
