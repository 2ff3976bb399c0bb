//! Two targets on one machine, measured in turns: the only measurement from which a strong verdict may follow.
//!
//! Each side is opened once, in a place of its own, and loaded with the same rows. Then, pair by pair, each test at
//! each degree of parallelism is measured on one side and at once on the other; which is first is random. What
//! drifts on the machine meanwhile is the same for both of a pair (randomised multiple interleaved trials, Abedi and
//! Brecht 2017); a probe before the first pair and after the last one tells whether the machine itself changed. While
//! one side is measured the other idles, settled, and nothing reads its counters. Each side has a record like any other,
//! written after each of its runs; each names the other.

mod agreement;
mod control_probe;
mod plan_hash;
mod same_database;
mod turns;

use std::path::PathBuf;

use record::{Plan, Record, Side};
use workload::Sizes;

use self::agreement::{agree, contested};
use self::same_database::is_same_database;
use self::turns::take_turns;
use crate::directory::MeasuredDirectory;
use crate::invocation::{Context, Ended, Kind, invoke, survey};
use crate::item::Item;
use crate::kind::catalogue::test_files;
use crate::platform::{OpenOptions, Platform};
use crate::recorder::Recorder;
use crate::{Error, Fault, Request, Result};

/// The sides, in the order in which everything that has two is kept.
pub(crate) const SIDES: [Side; 2] = [Side::A, Side::B];

/// What is asked of a comparison in pairs.
#[derive(Clone, Debug)]
pub struct PairRequest {
    /// What both sides have in common; its record, its repeats and whether the database stays are not asked.
    pub request: Request,
    /// How many pairs of runs each test gets at each degree of parallelism; at least 1.
    pub pairs: u32,
    /// Where the records go, that of side A first.
    pub records: [PathBuf; 2],
    /// The codes of tests of which something is asked by name, and which therefore have to be planned.
    pub judged: Vec<String>,
}

/// What came of a comparison in pairs.
#[derive(Debug)]
pub struct MeasuredPair {
    /// The records as they were written last, that of side A first.
    pub records: [Record; 2],
    /// Where they lie.
    pub paths: [PathBuf; 2],
    /// Why it was broken off, if it was.
    pub error: Option<Error>,
}

/// Measures two targets in pairs; `contexts` are those of side A and side B.
///
/// # Errors
/// Only where there is no record yet; later errors are in [`MeasuredPair::error`] beside the records so far.
pub fn pair(request: &PairRequest, contexts: [Context<'_>; 2]) -> Result<MeasuredPair> {
    let own = test_files(&request.request.tests.words)?;
    let items = contested(&request.request, &own)?;
    let Ended { records, error } = invoke(&mut Pair { request, items, sizes: Vec::new() }, contexts, None)?;
    Ok(MeasuredPair { records, paths: request.records.clone(), error })
}

/// The plan of both sides, without carrying it out. The engines are opened to ask what they can do, and closed again.
///
/// # Errors
/// As for [`pair()`].
pub fn dry_run_pair(request: &PairRequest, contexts: [Context<'_>; 2]) -> Result<[Plan; 2]> {
    let own = test_files(&request.request.tests.words)?;
    let items = contested(&request.request, &own)?;
    survey(&mut Pair { request, items, sizes: Vec::new() }, contexts)
}

struct Pair<'r> {
    request: &'r PairRequest,
    items: Vec<Item<'r>>,
    /// Sizes of the tables of both sides, planned.
    sizes: Vec<Sizes>,
}

impl Kind<2> for Pair<'_> {
    fn request(&self) -> Request {
        self.request.request.clone()
    }

    fn records(&self) -> [PathBuf; 2] {
        self.request.records.clone()
    }

    /// Each side has a place of its own, whose files never stay.
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
        Ok(OpenOptions { directory, keep: false, cache: None })
    }

    fn plan(&mut self, directory: &MeasuredDirectory, platforms: &mut [Platform<'_>; 2]) -> Result<[Plan; 2]> {
        let [(plan_a, a), (plan_b, b)] = agree(self.request, platforms, directory.path(), &self.items)?;
        self.sizes = vec![a, b];
        Ok([plan_a, plan_b])
    }

    fn measure(&mut self, platforms: &mut [Platform<'_>; 2], records: &mut [Recorder; 2]) -> Result<()> {
        take_turns(&self.request.records, &self.items, &self.sizes, platforms, records)
    }

    fn of_side(&self, side: usize, error: Error) -> Error {
        of_side(SIDES[side], error)
    }
}

/// `error`, saying which side it is about. That the user has broken off is about neither.
pub(crate) fn of_side(side: Side, error: Error) -> Error {
    let name = match side {
        Side::A => "A",
        Side::B => "B",
    };
    match error.fault {
        Fault::Interrupted => error,
        _ => Error { message: format!("side {name}: {}", error.message), ..error },
    }
}
