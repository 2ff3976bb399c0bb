//! The rate of a run with the time in which what it left was written back.

use record::{Rate, Run};

use crate::delta::share;

/// Operations of `run` per second of its window and of the time that the engine needed to write back what the run had left: what
/// it can sustain is at most the rate of the window and, where the engine could not have written beside the work, this. None where what
/// is owed is not known.
pub fn settled_rate(run: &Run) -> Option<Rate> {
    let owed = run.owed.as_ref()?;
    let seconds = run.window_ns.seconds() + owed.settle_ns.seconds();
    share(run.totals.operations as f64, seconds).map(Rate)
}

#[cfg(test)]
mod tests {
    use record::{Nanos, Owed};

    use super::*;
    use crate::fixture::run;

    #[test]
    fn a_quarter_of_the_window_is_owed() {
        let mut measured = run("T716", 1);
        (measured.window_ns, measured.totals.operations) = (Nanos::from_seconds(4.0), 1_000);
        assert_eq!(settled_rate(&measured), None);
        measured.owed = Some(Owed { settle_ns: Nanos::from_seconds(1.0), device_write_bytes: None });
        assert_eq!(settled_rate(&measured), Some(Rate(200.0)));
    }
}
