//! What a run left to be written back after its window, in words.

use record::{Run, Unit};

use crate::fact::size_text;
use crate::figure::{duration, number};
use crate::words::unit_per_second;

/// Of the window, what writing back has to take to be said.
const OWED_MIN: f64 = 0.01;

/// The rate with the time in which what the run left was written back.
pub(crate) fn owed_text(run: &Run, unit: Unit) -> Option<String> {
    let owed = run.owed.as_ref().filter(|owed| owed.settle_ns.seconds() >= OWED_MIN * run.window_ns.seconds())?;
    let bytes = owed.device_write_bytes.map(|bytes| format!(" ({} written)", size_text(bytes))).unwrap_or_default();
    let rate = number(model::settled_rate(run)?.0);
    let time = duration(owed.settle_ns);
    Some(format!("with the {time} in which the rest was written back{bytes}: {rate} {}", unit_per_second(unit)))
}
