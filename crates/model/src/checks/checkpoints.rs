//! Whether a run whose test wants checkpoints in its window saw them.

use record::evidence::SeenCheckpoints;
use record::{Evidence, Finding, Run, Verdict};

use super::{Context, finding};
use crate::steadiness::checkpoints;

/// The engine's own count decides where it has one; otherwise those count that were asked for and ended in the window.
pub(super) fn check(run: &Run, context: &Context<'_>) -> Option<Finding> {
    let requested = run.checkpoints.as_ref().filter(|_| context.makes_claims)?;
    let counted = checkpoints(run);
    let seen = counted.unwrap_or(requested.completed.into());
    let wanted = requested.wanted;
    let verdict = match (seen >= wanted.into(), counted, &requested.refusal) {
        (true, _, _) => Verdict::Pass,
        (false, None, Some(_)) => Verdict::Unknown,
        (false, _, _) => Verdict::Warn,
    };
    let refusal = requested.refusal.clone();
    finding(verdict, Evidence::Checkpoints(SeenCheckpoints { seen, wanted, is_counted: counted.is_some(), refusal }))
}

#[cfg(test)]
mod tests {
    use record::RequestedCheckpoints;

    use super::*;
    use crate::fixture::{context, counted, instrument, run};

    fn says(completed: u32, refusal: Option<&str>, own_count: Option<u64>) -> Option<(Verdict, u64)> {
        let refusal = refusal.map(str::to_owned);
        let mut run = run("T722", 1);
        run.checkpoints = Some(Box::new(RequestedCheckpoints { wanted: 3, completed, refusal }));
        let run = match own_count {
            Some(count) => counted(run, &[("engine_checkpoint_count", count)]),
            None => run,
        };
        check(&run, &context(&instrument())).map(|finding| match finding.evidence {
            Evidence::Checkpoints(found) => (finding.verdict, found.seen),
            other => panic!("{other:?}"),
        })
    }

    #[test]
    fn the_count_of_the_engine_decides_and_else_what_ended_in_the_window() {
        assert_eq!(says(3, None, None), Some((Verdict::Pass, 3)));
        assert_eq!(says(2, None, None), Some((Verdict::Warn, 2)));
        assert_eq!(says(3, None, Some(2)), Some((Verdict::Warn, 2)));
        assert_eq!(says(0, None, Some(4)), Some((Verdict::Pass, 4)), "the engine made them by itself");
        assert_eq!(says(0, Some("none"), None), Some((Verdict::Unknown, 0)));
        assert_eq!(says(0, Some("none"), Some(1)), Some((Verdict::Warn, 1)));
    }

    #[test]
    fn a_test_that_wants_none_and_a_smoke_run_are_not_asked() {
        let instrument = instrument();
        assert_eq!(check(&run("T721", 1), &context(&instrument)), None);
        let mut run = run("T722", 1);
        run.checkpoints = Some(Box::default());
        assert_eq!(check(&run, &Context { makes_claims: false, ..context(&instrument) }), None);
    }
}
