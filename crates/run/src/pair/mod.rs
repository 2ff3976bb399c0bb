//! Two targets on one machine, measured in turns: the only measurement from which a strong verdict may follow.
//!
//! Each side is opened once, in a place of its own, and loaded with the same rows. Then, pair by pair, each test at
//! each degree of parallelism is measured on one side and at once on the other; the lot decides which is first. What
//! drifts on the machine meanwhile is the same for both of a pair (randomised multiple interleaved trials, Abedi and
//! Brecht 2017); a probe before the first pair and after the last one tells whether the machine itself changed. While
//! one side is measured the other idles, settled, and nothing reads its counters. Each side has a record like any other,
//! written after each of its runs; each names the other.

mod agreement;
mod contest;
mod plan_hash;
mod stand;
mod yardstick;

use std::path::PathBuf;

use engine::{Engine, Target};
use measure::clock;
use record::{Plan, Record, Side};

use self::agreement::{agree, contested};
use self::contest::contest;
use self::stand::{Stand, is_same_database};
use crate::directory::MeasuredDirectory;
use crate::invocation::{Workplace, test_files};
use crate::opening::{Setting, claim};
use crate::plan::Item;
use crate::{Error, Interrupt, Listener, Request, Result};

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

/// One side: an engine, and where it is.
#[derive(Clone, Copy)]
pub struct Contender<'a> {
    /// The engine.
    pub engine: &'a dyn Engine,
    /// Where it is.
    pub target: &'a Target,
}

/// What a comparison in pairs works with.
pub struct PairWorkplace<'a> {
    /// Side A, which the other is held against.
    pub a: Contender<'a>,
    /// Side B.
    pub b: Contender<'a>,
    /// All engines: each cleans up what a dead invocation of it left.
    pub engines: &'a [&'a dyn Engine],
    /// Hears what happens.
    pub listener: &'a dyn Listener,
    /// The user's wish to break off.
    pub interrupt: &'a Interrupt,
}

impl<'a> PairWorkplace<'a> {
    /// The workplace of one side.
    fn of(&self, side: Side) -> Workplace<'a> {
        let Contender { engine, target } = match side {
            Side::A => self.a,
            Side::B => self.b,
        };
        let PairWorkplace { engines, listener, interrupt, .. } = self;
        Workplace { engine, target, engines, listener: *listener, interrupt }
    }
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

/// Measures two targets in pairs.
///
/// # Errors
/// Only where there is no record yet; later errors stand in [`MeasuredPair::error`] beside the records so far.
pub fn pair(request: &PairRequest, workplace: &PairWorkplace<'_>) -> Result<MeasuredPair> {
    let own = test_files(&request.request.tests.words)?;
    let items = contested(&request.request, &own)?;
    let origin = clock::now();
    let directory = claim(&request.request, &workplace.of(Side::A))?;
    let setting = Setting::find_out(directory.path())?;
    let stands = both(request, workplace, &directory, &setting, Stand::open)?;
    let plans = match agree(request, &stands, directory.path(), &items) {
        Ok(plans) => plans,
        Err(error) => {
            // The first error is the one to tell.
            for stand in stands {
                let _ = stand.close();
            }
            return Err(error);
        }
    };
    contest(request, stands, plans, &items, origin)
}

/// The plan of both sides, without carrying it out. The engines are opened to ask what they can do, and closed again.
///
/// # Errors
/// As for [`pair()`].
pub fn dry_run_pair(request: &PairRequest, workplace: &PairWorkplace<'_>) -> Result<[Plan; 2]> {
    let own = test_files(&request.request.tests.words)?;
    let items: Vec<Item<'_>> = contested(&request.request, &own)?;
    let directory = claim(&request.request, &workplace.of(Side::A))?;
    let setting = Setting::find_out(directory.path())?;
    let stands = both(request, workplace, &directory, &setting, Stand::look)?;
    let plans = agree(request, &stands, directory.path(), &items);
    let [a, b] = stands.map(Stand::close);
    plans.and_then(|plans| a.and(b).map(|()| plans.map(|(plan, _sizes)| plan)))
}

/// How the engine of a side is reached.
type Reach<'a> = fn(Workplace<'a>, &Request, PathBuf, &Setting) -> Result<Stand<'a>>;

/// Both sides, each reached in a place of its own; none stays open where one is not to be had.
fn both<'a>(
    request: &PairRequest,
    workplace: &PairWorkplace<'a>,
    directory: &MeasuredDirectory,
    setting: &Setting,
    reach: Reach<'a>,
) -> Result<[Stand<'a>; 2]> {
    let one = |side: Side| -> Result<Stand<'a>> {
        let place = directory.make_side(side)?;
        reach(workplace.of(side), &request.request, place, setting).map_err(|error| of_side(side, error))
    };
    let a = one(Side::A)?;
    let b = match is_same_database(&a, workplace.b.target) {
        true => Err(Error::user(format!("both sides are the same database, {}", workplace.b.target))
            .hint("give two targets; dbdyno works in one schema of a database")),
        false => one(Side::B),
    };
    match b {
        Ok(b) => Ok([a, b]),
        Err(error) => {
            // The first error is the one to tell.
            let _ = a.close();
            Err(error)
        }
    }
}

/// `error`, saying which side it is about. That the user has broken off is about neither.
pub(crate) fn of_side(side: Side, error: Error) -> Error {
    let name = match side {
        Side::A => "A",
        Side::B => "B",
    };
    match error.fault {
        crate::Fault::Interrupted => error,
        _ => Error { message: format!("side {name}: {}", error.message), ..error },
    }
}
