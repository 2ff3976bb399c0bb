//! Sessions of others in an engine that dbdyno did not start, as far as they commit.
//!
//! Seen only through the engine's count of commits: a session that reads where reads are not counted stays unseen, so
//! nothing here ever passes.

use record::{Check, Finding, Run, Verdict};

use super::{Context, commit_count, finding, percent};
use crate::rules::RULES;

pub(super) fn check(run: &Run, context: &Context<'_>) -> Option<Finding> {
    let engine = context.engine.filter(|engine| !engine.throwaway)?;
    let more = commit_count::surplus(run).filter(|more| *more > i128::from(RULES.commit_surplus_count))?;
    let ours = run.commits_expected.unwrap_or(0);
    let share = more as f64 / ours.max(1) as f64;
    if share <= RULES.commit_gap {
        return None;
    }
    let detail = format!("others made {more} commits in {} meanwhile, {} of ours", engine.name, percent(share));
    finding(Check::OtherSessions, Verdict::Warn, detail)
}

#[cfg(test)]
mod tests {
    use record::name;

    use super::*;
    use crate::fixture::{counted, engine, instrument, run};

    #[test]
    fn commits_of_others_are_said_where_others_can_be() {
        let instrument = instrument();
        let mut engine = engine();
        let mut busy = counted(run("T716", 1), &[(name::COMMIT_COUNT, 20_000)]);
        busy.commits_expected = Some(10_000);
        let asked = |engine: &record::EngineInventory, run: &Run| {
            check(
                run,
                &Context {
                    engine: Some(engine),
                    host_threads: 2,
                    makes_claims: true,
                    instrument: &instrument,
                    write_cache: None,
                    flush_probe: None,
                },
            )
        };
        assert_eq!(asked(&engine, &busy), None, "nobody else is in a server of our own");
        engine.throwaway = false;
        let found = asked(&engine, &busy).unwrap();
        assert_eq!(
            (found.verdict, found.detail.as_str()),
            (Verdict::Warn, "others made 10000 commits in engine meanwhile, 100 % of ours")
        );
        busy.commits_expected = Some(19_999);
        assert_eq!(asked(&engine, &busy), None);
    }
}
