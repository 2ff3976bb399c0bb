//! The highest rate that keeps a service level: a search, and a staircase that says how well it is known.

use model::{Answer, Bound, STAIRCASE_RUNS, Search, Step, next_step};
use record::{Arrival, Pace, Run};

use crate::Result;

/// Measures at rates until the highest one is found that keeps a level, to within `tolerance`, and then around it, so that
/// there is an interval. `capacity` is what a closed loop gives, in steps per second; `measured` is what an earlier
/// invocation measured of the same search, in its order: rates and whether they kept the level. `measure` carries out one
/// run at a pace and tells whether it did.
///
/// # Errors
/// Those of `measure`.
pub(crate) fn search(
    capacity: f64,
    arrival: Arrival,
    tolerance: f64,
    measured: &[(f64, Option<bool>)],
    measure: &mut dyn FnMut(Pace) -> Result<Option<bool>>,
) -> Result<Answer> {
    let mut measured = measured.iter().copied();
    let mut tell = |rate: f64| match measured.next() {
        Some(told) => Ok(told),
        None => measure(arrival.pace(rate)).map(|kept| (rate, kept)),
    };
    let mut search = Search::of_rates(capacity, tolerance);
    let answer = loop {
        match search.next() {
            Step::Done(answer) => break answer,
            Step::Measure(rate) => {
                let (rate, kept) = tell(rate)?;
                search.record(rate, kept);
            }
        }
    };
    if let (Some(kept), Some(not_kept)) = search.bracket() {
        let mut last = None;
        for _ in 0..STAIRCASE_RUNS {
            last = Some(tell(next_step((kept * not_kept).sqrt(), last))?);
        }
    }
    Ok(answer)
}

/// The rate of `run` and whether it kept `bound`; nothing of a run without a rate.
pub(crate) fn told(run: &Run, bound: &Bound) -> Option<(f64, Option<bool>)> {
    Some((run.pace.rate()?, model::keeps_level(run, bound)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A platform that keeps the level up to 400 steps per second.
    fn go(measured: &[(f64, Option<bool>)], most: usize) -> (Option<Answer>, Vec<(f64, Option<bool>)>) {
        let mut all = measured.to_vec();
        let answer = search(1_000.0, Arrival::Poisson, 0.05, measured, &mut |pace| {
            let Pace::Poisson { steps_per_second } = pace else { panic!("{pace:?}") };
            if all.len() == most {
                return Err(crate::Error::interrupted());
            }
            all.push((steps_per_second, Some(steps_per_second <= 400.0)));
            Ok(Some(steps_per_second <= 400.0))
        });
        (answer.ok(), all)
    }

    #[test]
    fn a_search_that_was_broken_off_goes_on_where_it_was() {
        let (answer, all) = go(&[], usize::MAX);
        let Some(Answer::Between { kept, not_kept }) = answer else { panic!("{answer:?}") };
        assert!(kept <= 400.0 && not_kept > 400.0 && not_kept <= kept * 1.05 * 1.000_001);
        for most in 0..all.len() {
            let (broken_off, some) = go(&[], most);
            assert_eq!((broken_off, some.as_slice()), (None, &all[..most]));
            assert_eq!(go(&some, usize::MAX), (answer, all.clone()));
        }
    }
}
