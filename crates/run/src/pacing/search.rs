//! Searches for the highest rate that keeps a service level: they ask, runs answer.

use model::{Purpose, RateSearch, Visit};
use record::{Arrival, Pace};

use crate::Result;

/// Measures what `search` asks for until it asks for nothing more. `measured` is what an earlier invocation measured of the
/// same search, in its order. `measure` carries out one run at a pace.
///
/// # Errors
/// Those of `measure`.
pub(crate) fn search_rate(
    search: &mut RateSearch,
    arrival: Arrival,
    measured: &[Visit],
    measure: &mut dyn FnMut(Pace, Purpose, &RateSearch) -> Result<Visit>,
) -> Result<()> {
    let mut measured = measured.iter().copied();
    while let Some((rate, purpose)) = search.next() {
        let visit = match measured.next() {
            Some(visit) => visit,
            None => measure(arrival.pace(rate), purpose, search)?,
        };
        search.record(visit);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use model::Ending;

    use super::*;

    /// A platform that keeps the level up to 400 steps per second.
    fn go(measured: &[Visit], most: usize) -> (Option<RateSearch>, Vec<Visit>) {
        let mut all = measured.to_vec();
        let mut search = RateSearch::new(1_000.0, 0.1, 42);
        let result = search_rate(&mut search, Arrival::Poisson, measured, &mut |pace, _, _| {
            let Pace::Poisson { steps_per_second: rate } = pace else { panic!("{pace:?}") };
            if all.len() == most {
                return Err(crate::Error::interrupted());
            }
            let visit = Visit { rate, kept: Some(rate <= 400.0), is_disturbed: false };
            all.push(visit);
            Ok(visit)
        });
        (result.ok().map(|()| search), all)
    }

    #[test]
    fn a_search_that_was_broken_off_goes_on_where_it_was() {
        let (search, all) = go(&[], usize::MAX);
        let answer = search.as_ref().unwrap().answer();
        let limit = answer.limit.unwrap();
        assert_eq!(answer.ending, Some(Ending::Confirmed));
        assert!(limit.low.rate <= 400.0 && limit.high.rate >= 400.0 && limit.is_within(0.1), "{limit:?}");
        for most in 0..all.len() {
            let (broken_off, some) = go(&[], most);
            assert_eq!((broken_off, some.as_slice()), (None, &all[..most]));
            assert_eq!(go(&some, usize::MAX), (search.clone(), all.clone()));
        }
    }
}
