//! CPU time of other programs.
//!
//! The limit is low where the run uses all processors, and higher where it leaves some idle, whose users still share
//! caches, memory and clock. CPU time not attributed to a process never invalidates a run, nor do processes that may
//! belong to a remote engine, nor anything in a run that makes no claims or is short.

use record::evidence::{ForeignCpuShare, ProgramCpu};
use record::{BackgroundProgram, Evidence, Finding, Location, Ratio, Run, Verdict};

use super::{Context, finding, is_probe};
use crate::cpu::cpu_shares;
use crate::foreign::foreign_cpu;
use crate::rules::RULES;

/// Minimum CPUs of a listed program.
const NAMED_PROCESSORS_MIN: f64 = 0.005;

pub(super) fn check(run: &Run, context: &Context<'_>) -> Option<Finding> {
    let Some(found) = foreign_cpu(run) else {
        return finding(Verdict::Unknown, Evidence::ForeignCpu(None));
    };
    let needs_all = uses_all(run, context);
    let (warn, fail) = match needs_all {
        true => (RULES.foreign_cpu_crowded_warn, RULES.foreign_cpu_crowded_fail),
        false => (RULES.foreign_cpu_warn, RULES.foreign_cpu_fail),
    };
    // Where an agent observes its host, and that is another machine, the engine is known to be there.
    let is_there = !run.server_hosts.is_empty() && context.server_hosts.iter().all(|host| !host.is_same_machine);
    let is_remote = context.engine.is_some_and(|engine| engine.location == Location::Remote);
    let may_be_engine = !is_probe(run) && is_remote && !is_there;
    let verdict = match found {
        _ if found.used.0 > fail && may_invalidate(run, context) && !may_be_engine => Verdict::Fail,
        _ if found.all().0 > warn => warning(context),
        _ => Verdict::Pass,
    };
    let share = ForeignCpuShare {
        share: found.all(),
        limit: Ratio(if verdict == Verdict::Fail { fail } else { warn }),
        needs_all,
        processors: found.processors,
        programs: if verdict == Verdict::Pass { Vec::new() } else { programs(run) },
        unseen_processors: found.unseen.0 * found.processors,
        may_be_engine,
    };
    finding(verdict, Evidence::ForeignCpu(Some(Box::new(share))))
}

/// The verdict above the warning limit: unknown for a run that makes no claims.
pub(super) fn warning(context: &Context<'_>) -> Verdict {
    if context.makes_claims { Verdict::Warn } else { Verdict::Unknown }
}

/// Whether foreign load may invalidate the run: it makes claims, and its window is not too short.
pub(super) fn may_invalidate(run: &Run, context: &Context<'_>) -> bool {
    context.makes_claims && run.window_ns.0 >= RULES.foreign_window_ns_min
}

/// Whether the run needs all processors: at least as many jobs, or hardly any idle time.
fn uses_all(run: &Run, context: &Context<'_>) -> bool {
    let workers = run.dop.jobs.saturating_mul(run.dop.threads);
    let busy = cpu_shares(run).map_or(0.0, |shares| shares.busy().0);
    workers >= context.host_threads || busy >= RULES.foreign_cpu_crowded
}

/// The listed programs.
fn programs(run: &Run) -> Vec<ProgramCpu> {
    let programs = run.foreign_load.as_ref().map_or(&[][..], |load| &load.programs);
    let program = |one: &BackgroundProgram| ProgramCpu { name: one.name.clone(), processors: one.processors };
    programs.iter().filter(|one| one.processors >= NAMED_PROCESSORS_MIN).map(program).collect()
}

#[cfg(test)]
mod tests {
    use record::{ForeignLoad, Nanos, name};

    use super::*;
    use crate::fixture::{self, counted, engine, instrument, run};

    const SECOND: u64 = 1_000_000_000;

    /// Ten seconds on `processors` processors, of which `busy` were used in total and `others` by other programs.
    fn beside(jobs: u32, processors: u64, busy: f64, others: f64) -> Run {
        let busy_ns = (busy * 10e9) as u64;
        let counters = [
            (name::HOST_CPU_USER_NS, busy_ns),
            (name::HOST_CPU_SYSTEM_NS, 0),
            (name::HOST_CPU_IDLE_NS, processors * 10 * SECOND - busy_ns),
            (name::CLIENT_CPU_NS, ((busy - others) * 10e9) as u64),
        ];
        let load = ForeignLoad {
            observed_ns: Nanos(10 * SECOND),
            processors: others,
            programs: vec![BackgroundProgram {
                name: "cc".to_owned(),
                processors: others,
                ..BackgroundProgram::default()
            }],
            ..ForeignLoad::default()
        };
        Run { foreign_load: Some(Box::new(load)), ..counted(run("C11", jobs), &counters) }
    }

    fn judged(
        run: &Run,
        threads: u32,
        makes_claims: bool,
        engine: Option<&record::EngineInventory>,
    ) -> (Verdict, Option<ForeignCpuShare>) {
        let instrument = instrument();
        let context = Context { engine, host_threads: threads, makes_claims, ..fixture::context(&instrument) };
        let finding = check(run, &context).unwrap();
        match finding.evidence {
            Evidence::ForeignCpu(share) => (finding.verdict, share.map(|share| *share)),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_busy_loop_beside_all_processors_invalidates() {
        let (verdict, share) = judged(&beside(2, 2, 2.0, 0.7), 2, true, None);
        let share = share.unwrap();
        assert_eq!((verdict, share.limit, share.needs_all), (Verdict::Fail, Ratio(0.1), true));
        assert_eq!((share.share, share.processors, share.unseen_processors), (Ratio(0.35), 2.0, 0.0));
        assert_eq!(share.programs, [ProgramCpu { name: "cc".to_owned(), processors: 0.7 }]);
        assert_eq!(judged(&beside(2, 2, 2.0, 0.1), 2, true, None).0, Verdict::Warn);
        let (verdict, share) = judged(&beside(2, 2, 2.0, 0.02), 2, true, None);
        assert_eq!((verdict, share.map(|share| share.share)), (Verdict::Pass, Some(Ratio(0.01))));
        assert_eq!(judged(&beside(2, 2, 2.0, 0.7), 2, false, None).0, Verdict::Unknown, "makes no claims");
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
    fn unattributed_time_and_a_possible_engine_only_warn() {
        let mut hidden = beside(2, 2, 2.0, 0.7);
        hidden.foreign_load = Some(Box::new(ForeignLoad { observed_ns: Nanos(10 * SECOND), ..ForeignLoad::default() }));
        let (verdict, share) = judged(&hidden, 2, true, None);
        let share = share.unwrap();
        assert!(verdict == Verdict::Warn && share.programs.is_empty(), "{share:?}");
        assert!((share.unseen_processors - 0.7).abs() < 1e-9, "{share:?}");
        let mut engine = engine();
        engine.location = Location::Remote;
        let mut test = beside(2, 2, 2.0, 0.7);
        test.test = "T611".to_owned();
        test.kind = record::RunKind::Test;
        let (verdict, share) = judged(&test, 2, true, Some(&engine));
        assert_eq!((verdict, share.map(|share| share.may_be_engine)), (Verdict::Warn, Some(true)));
    }

    #[test]
    fn without_foreign_load_data_it_is_unknown() {
        assert_eq!(judged(&Run { foreign_load: None, ..run("C11", 1) }, 2, true, None).0, Verdict::Unknown);
    }
}
