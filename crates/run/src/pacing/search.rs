//! Rate searches: the highest rate that meets a service level.

use model::{Bound, Ending, Purpose, RateAnswer, RateSearch, Visit};
use record::evidence::{Bound as KeptLevel, Confirmation, RateInterval, SearchAnswer, SearchEnding};
use record::{Arrival, Evidence, Finding, Pace, Rate, Run, Variation, Verdict};

use crate::Result;
use crate::bench::Bench;

/// Measures the rates of `search` until it ends. `measured` is what an earlier invocation measured of the same search,
/// in order. `measure` carries out one run at a pace.
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

/// The note when a search changes its purpose; `unit` is that of its rates.
pub(crate) fn phase_note(last: Purpose, next: Purpose, search: &RateSearch, unit: &str) -> Option<String> {
    let answer = search.answer();
    let near = answer.limit.map(|limit| {
        let [low, high] = [limit.low.rate, limit.high.rate];
        format!("near {:.1} {unit}, {low:.1} to {high:.1}", limit.estimate)
    });
    match (last, next) {
        (Purpose::Bracket | Purpose::AtLimit | Purpose::AboveLimit, Purpose::Round(_)) => {
            Some(format!("{}: rounds around it, in randomized order", near?))
        }
        (Purpose::Bracket | Purpose::Round(_), Purpose::AtLimit | Purpose::AboveLimit) => {
            Some(format!("{}: confirming it there and 10 % above", near?))
        }
        _ => None,
    }
}

/// Marks `run` as a confirmation of an answer, if it is one.
pub(crate) fn set_purpose(run: &mut Run, purpose: Purpose) {
    let confirmation = match purpose {
        Purpose::AboveLimit => Confirmation::AboveLimit,
        Purpose::AtLimit => Confirmation::AtLimit,
        Purpose::Bracket | Purpose::Round(_) => return,
    };
    for finding in &mut run.findings {
        if let Evidence::Bound(KeptLevel::Level { confirms, .. }) = &mut finding.evidence {
            *confirms = Some(confirmation);
        }
    }
}

/// The answer as a finding, for the last run of the search.
pub(crate) fn answer_finding(answer: &RateAnswer, bound: &Bound, of_storage: bool) -> Finding {
    let rate = answer.limit.map(|limit| RateInterval {
        estimate: Rate(limit.estimate),
        low: Rate(limit.low.rate),
        low_is_outermost: !limit.low.is_told,
        high: Rate(limit.high.rate),
        high_is_outermost: !limit.high.is_told,
    });
    let (verdict, ending) = match answer.ending {
        Some(Ending::Confirmed) => (Verdict::Pass, SearchEnding::Confirmed),
        Some(Ending::NotConfirmed) => (Verdict::Unknown, SearchEnding::NotConfirmed),
        Some(Ending::OneSided) | None => (Verdict::Unknown, SearchEnding::OneSided),
    };
    let answer = SearchAnswer { level: bound.to_string(), of_storage, rate, ending };
    Finding::new(verdict, Evidence::Bound(KeptLevel::Search(Box::new(answer))))
}

/// The finding about the service level of `run`, if it belongs to a search.
pub(crate) fn level_finding(bench: &Bench<'_>, run: &Run) -> Option<Finding> {
    let until = bench.plan.until.as_ref().filter(|_| is_paced(run))?;
    Some(model::level_finding(run, &until.level))
}

/// Whether `run` has a pace of its own, such as those of a search.
pub(crate) fn is_paced(run: &Run) -> bool {
    matches!(run.variation, Some(Variation::Paced { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A platform that meets the level up to 400 steps per second.
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
    fn an_aborted_search_continues_where_it_was() {
        let (search, all) = go(&[], usize::MAX);
        let answer = search.as_ref().unwrap().answer();
        let limit = answer.limit.unwrap();
        assert_eq!(answer.ending, Some(Ending::Confirmed));
        assert!(limit.low.rate <= 400.0 && limit.high.rate >= 400.0 && limit.is_within(0.1), "{limit:?}");
        for most in 0..all.len() {
            let (aborted, some) = go(&[], most);
            assert_eq!((aborted, some.as_slice()), (None, &all[..most]));
            assert_eq!(go(&some, usize::MAX), (search.clone(), all.clone()));
        }
    }
}
