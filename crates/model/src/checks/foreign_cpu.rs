//! Processor time that other programs took.
//!
//! Where a run uses all processors, what others take is missing in its figure: the limit is low. Where it leaves some
//! idle, others may use those, and still share caches, memory and clock with it: the limit is higher. What no process
//! accounts for never voids a run, and neither do processes among which an engine out of sight may be, nor anything in
//! a run that makes no claims or is short.

use record::{Bystander, Check, Finding, Location, Run, Verdict};

use super::{Context, finding, is_probe, percent};
use crate::cpu::cpu_shares;
use crate::foreign::{ForeignCpu, foreign_cpu};
use crate::rules::RULES;

pub(super) fn check(run: &Run, context: &Context<'_>) -> Option<Finding> {
    let Some(found) = foreign_cpu(run) else {
        return finding(Check::ForeignCpu, Verdict::Unknown, "what other programs used of the processors is not known");
    };
    let is_crowded = uses_all(run, context);
    let (warn, fail) = match is_crowded {
        true => (RULES.foreign_cpu_crowded_warn, RULES.foreign_cpu_crowded_fail),
        false => (RULES.foreign_cpu_warn, RULES.foreign_cpu_fail),
    };
    let may_be_ours = !is_probe(run) && context.engine.is_some_and(|engine| engine.location == Location::Remote);
    let may_void = may_void(run, context) && !may_be_ours;
    let verdict = match found {
        _ if found.used.0 > fail && may_void => Verdict::Fail,
        _ if found.all().0 > warn => doubt(context),
        _ => Verdict::Pass,
    };
    let gist = format!("other programs used {} of the processors", percent(found.all().0));
    if verdict == Verdict::Pass {
        return finding(Check::ForeignCpu, verdict, gist);
    }
    let limit = if verdict == Verdict::Fail { fail } else { warn };
    let limit = match is_crowded {
        true => format!("limit {} for a run that uses all of them", percent(limit)),
        false => format!("limit {}", percent(limit)),
    };
    let engine = if may_be_ours { "; the engine's own processes may be among them" } else { "" };
    finding(Check::ForeignCpu, verdict, format!("{gist}{}; {limit}{engine}", named(run, &found)))
}

/// What is said of others where they do not void the run: where nothing is claimed, it is not judged.
pub(super) fn doubt(context: &Context<'_>) -> Verdict {
    if context.makes_claims { Verdict::Warn } else { Verdict::Unknown }
}

/// Whether others may void the run: not where nothing is claimed, and not in a window as short as what they do once in
/// a while.
pub(super) fn may_void(run: &Run, context: &Context<'_>) -> bool {
    context.makes_claims && run.window_ns.0 >= RULES.foreign_window_ns_min
}

/// Whether the run needs every processor: as many jobs as there are, or hardly any time left idle.
fn uses_all(run: &Run, context: &Context<'_>) -> bool {
    let workers = run.dop.jobs.saturating_mul(run.dop.threads);
    let busy = cpu_shares(run).map_or(0.0, |shares| shares.busy().0);
    workers >= context.host_threads || busy >= RULES.foreign_cpu_crowded
}

/// Which, in processors.
fn named(run: &Run, found: &ForeignCpu) -> String {
    let programs = run.foreign_load.as_ref().map_or(&[][..], |load| &load.programs);
    let program = |one: &Bystander| format!("{} {:.2}", one.name, one.processors);
    let seen = programs.iter().filter(|one| one.processors >= 0.005).map(program);
    let unseen = (found.unseen.0 > 0.0)
        .then(|| format!("programs that cannot be seen from here {:.2}", found.unseen.0 * found.processors));
    let parts: Vec<String> = seen.chain(unseen).collect();
    match parts.is_empty() {
        true => String::new(),
        false => format!(" ({}; of {} processors)", parts.join(", "), found.processors),
    }
}

#[cfg(test)]
mod tests {
    use record::{ForeignLoad, Nanos, name};

    use super::*;
    use crate::fixture::{counted, engine, instrument, run};

    const SECOND: u64 = 1_000_000_000;

    /// Ten seconds on `processors` processors, of which others used `others` and everybody `busy`.
    fn beside(jobs: u32, processors: u64, busy: f64, others: f64) -> Run {
        let busy_ns = (busy * 10e9) as u64;
        let counters = [
            (name::HOST_CPU_USER_NS, busy_ns),
            (name::HOST_CPU_SYSTEM_NS, 0),
            (name::HOST_CPU_IDLE_NS, processors * 10 * SECOND - busy_ns),
            (name::CLIENT_CPU_NS, ((busy - others) * 10e9) as u64),
        ];
        let load = ForeignLoad {
            watched_ns: Nanos(10 * SECOND),
            processors: others,
            programs: vec![Bystander { name: "cc".to_owned(), processors: others, ..Bystander::default() }],
            ..ForeignLoad::default()
        };
        Run { foreign_load: Some(Box::new(load)), ..counted(run("P111", jobs), &counters) }
    }

    fn judged(
        run: &Run,
        threads: u32,
        makes_claims: bool,
        engine: Option<&record::EngineInventory>,
    ) -> (Verdict, String) {
        let instrument = instrument();
        let context = Context {
            engine,
            host_threads: threads,
            makes_claims,
            instrument: &instrument,
            write_cache: None,
            flush_probe: None,
        };
        let finding = check(run, &context).unwrap();
        (finding.verdict, finding.detail)
    }

    #[test]
    fn a_busy_loop_beside_all_processors_voids() {
        assert_eq!(
            judged(&beside(2, 2, 2.0, 0.7), 2, true, None),
            (
                Verdict::Fail,
                "other programs used 35 % of the processors (cc 0.70; of 2 processors); limit 10 % for a run that \
                 uses all of them"
                    .to_owned()
            )
        );
        assert_eq!(judged(&beside(2, 2, 2.0, 0.1), 2, true, None).0, Verdict::Warn);
        assert_eq!(
            judged(&beside(2, 2, 2.0, 0.02), 2, true, None),
            (Verdict::Pass, "other programs used 1.0 % of the processors".to_owned())
        );
        assert_eq!(judged(&beside(2, 2, 2.0, 0.7), 2, false, None).0, Verdict::Unknown, "nothing is claimed");
        let short = Run { window_ns: Nanos(SECOND), ..beside(2, 2, 2.0, 0.7) };
        assert_eq!(judged(&short, 2, true, None).0, Verdict::Warn);
    }

    #[test]
    fn idle_processors_may_be_used_by_others_a_little() {
        assert_eq!(judged(&beside(1, 64, 2.0, 1.0), 64, true, None).0, Verdict::Pass, "1 of 64");
        assert_eq!(judged(&beside(1, 2, 2.0, 1.0), 2, true, None).0, Verdict::Fail, "the other of two");
        assert_eq!(judged(&beside(1, 8, 1.5, 0.5), 8, true, None).0, Verdict::Warn, "6 %");
        assert_eq!(judged(&beside(1, 8, 7.6, 0.5), 8, true, None).0, Verdict::Warn, "a server that uses all");
    }

    #[test]
    fn what_cannot_be_seen_or_may_be_the_engine_warns() {
        let mut hidden = beside(2, 2, 2.0, 0.7);
        hidden.foreign_load = Some(Box::new(ForeignLoad { watched_ns: Nanos(10 * SECOND), ..ForeignLoad::default() }));
        let (verdict, detail) = judged(&hidden, 2, true, None);
        assert_eq!(verdict, Verdict::Warn);
        assert!(detail.contains("(programs that cannot be seen from here 0.70; of 2 processors)"), "{detail}");
        let mut engine = engine();
        engine.location = Location::Remote;
        let mut test = beside(2, 2, 2.0, 0.7);
        test.test = "T611".to_owned();
        let (verdict, detail) = judged(&test, 2, true, Some(&engine));
        assert_eq!(verdict, Verdict::Warn, "{detail}");
        assert!(detail.ends_with("may be among them"), "{detail}");
    }

    #[test]
    fn nobody_looked() {
        assert_eq!(judged(&Run { foreign_load: None, ..run("P111", 1) }, 2, true, None).0, Verdict::Unknown);
    }
}
