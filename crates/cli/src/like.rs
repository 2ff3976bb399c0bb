//! A production load in kind, from its files.

use std::path::Path;

use ::history::Names;
use model::sizing::{NotInKind, expected_times, history, in_kind};
use record::{LoadInKind, LoadLevel, Nanos, StepInKind};
use run::{Error, Result};

use crate::arguments::like::LikeArguments;
use crate::load_files::load;
use crate::subject::unreadable;

/// Steps of each role in a window that nobody has asked for: their number then differs from its mean by 5 % at most, but for one run of
/// several hundred.
const STEPS_WANTED: f64 = 3_600.0;
/// That window at most.
const WINDOW_MAX: Nanos = Nanos(60_000_000_000);

/// The load that `arguments` name, if they do.
///
/// # Errors
/// Where it cannot be read, and where it asks nothing at that level.
pub fn load_in_kind(arguments: &LikeArguments) -> Result<Option<LoadInKind>> {
    let LikeArguments { like, at, times, on } = arguments;
    if like.is_empty() {
        return Ok(None);
    }
    let history = history(&load(like, Names::Hidden)?);
    let mut found = in_kind(&history, *at, *times, workload::ROW_BYTES).map_err(|why| refused(why, *at))?;
    if let Some(path) = on {
        let record = store::read_without_series(Path::new(path), &model::thin).map_err(unreadable)?;
        found.expected = expected_times(&found, &record);
    }
    Ok(Some(found))
}

fn refused(why: NotInKind, level: LoadLevel) -> Error {
    match why {
        NotInKind::TooFewIntervals { intervals, least } => {
            let share = if level == LoadLevel::P95 { "95 %" } else { "99 %" };
            let message =
                format!("the load has {intervals} intervals: what {share} of them do not exceed takes {least}");
            Error::user(message).hint("give --at max or --at peak, or the files of more intervals")
        }
        NotInKind::NothingToAsk => {
            Error::user("the load tells neither reads nor writes, commits, log or processor time")
                .hint("give files that do: `dbdyno size` says what is missing in these")
        }
    }
}

/// The window in which the slowest role of `load` has enough steps; at least `least`. Of computations there are as many as the
/// processors of the platform take, which is not known yet.
pub fn window(load: &LoadInKind, least: Nanos) -> Nanos {
    let known = load.roles.iter().filter(|role| !matches!(role.step, StepInKind::Compute { .. }));
    let slowest = known.map(|role| role.steps_per_second).fold(STEPS_WANTED, f64::min);
    let seconds = (STEPS_WANTED / slowest).ceil().min(WINDOW_MAX.seconds());
    least.max(Nanos((seconds * 1e9) as u64))
}
