//! Other sessions in an engine that dbdyno did not start, as far as they commit.
//!
//! Detected only by the engine's commit count: read-only sessions stay undetected, so that it never passes.

use record::evidence::OtherSessions;
use record::{Evidence, Finding, Ratio, Run, Verdict};

use super::{Context, commit_count, finding};
use crate::rules::RULES;

pub(super) fn check(run: &Run, context: &Context<'_>) -> Option<Finding> {
    let engine = context.engine.filter(|engine| !engine.temporary)?;
    let more = commit_count::surplus(run).filter(|more| *more > i128::from(RULES.commit_surplus_count))?;
    let share = more as f64 / run.commits_expected.unwrap_or(0).max(1) as f64;
    if share <= RULES.commit_gap {
        return None;
    }
    let commits = u64::try_from(more).unwrap_or(u64::MAX);
    let others = OtherSessions { commits, share: Ratio(share), engine: engine.name.clone() };
    finding(Verdict::Warn, Evidence::OtherSessions(others))
}

#[cfg(test)]
mod tests {
    use record::name;

    use super::*;
    use crate::fixture::{self, counted, engine, instrument, run};

    #[test]
    fn commits_of_other_sessions_are_a_warning() {
        let instrument = instrument();
        let mut engine = engine();
        let mut busy = counted(run("T716", 1), &[(name::COMMIT_COUNT, 20_000)]);
        busy.commits_expected = Some(10_000);
        let asked = |engine: &record::EngineInventory, run: &Run| {
            check(run, &Context { engine: Some(engine), ..fixture::context(&instrument) })
        };
        assert_eq!(asked(&engine, &busy), None, "a temporary server has no other sessions");
        engine.temporary = false;
        let found = asked(&engine, &busy).unwrap();
        let others = OtherSessions { commits: 10_000, share: Ratio(1.0), engine: "engine".to_owned() };
        assert_eq!((found.verdict, found.evidence), (Verdict::Warn, Evidence::OtherSessions(others)));
        busy.commits_expected = Some(19_999);
        assert_eq!(asked(&engine, &busy), None);
    }
}
