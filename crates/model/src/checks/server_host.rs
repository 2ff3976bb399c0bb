//! Checks of the host of a server on another machine, where an agent observed it: what disturbs the server disturbs the
//! run as much as what disturbs the client.

use record::{Finding, Run};

use super::{Context, foreign_cpu, foreign_io, steal, swapping, throttling};
use crate::server_side::server_side;

/// The findings of the host of the server of `run`, each with its name; none where it was not observed, or is the machine
/// of the client, whose checks are those of the run.
pub(super) fn findings(run: &Run, context: &Context<'_>) -> Vec<Finding> {
    let (Some(observed), Some(side)) = (&run.server_host, server_side(run)) else { return Vec::new() };
    if observed.is_same_machine {
        return Vec::new();
    }
    // The jobs are on the client: only a busy host has no processor left for others.
    let context = &Context { engine: None, host_threads: u32::MAX, ..*context };
    let found = [
        steal::check(&side, context),
        foreign_cpu::check(&side, context),
        foreign_io::check(&side, context),
        throttling::check(&side),
        swapping::check(&side),
    ];
    found.into_iter().flatten().map(|finding| Finding { agent: Some(observed.name.clone()), ..finding }).collect()
}

#[cfg(test)]
mod tests {
    use record::{ForeignLoad, Location, Nanos, ServerHostRun, Verdict, name};

    use super::*;
    use crate::checks::findings as all;
    use crate::fixture::{counted, engine, instrument, run};

    const SECOND: u64 = 1_000_000_000;

    /// Ten seconds of a server on two processors, `others` of which other programs used.
    fn observed(others: f64, is_same_machine: bool) -> Run {
        let counters = [
            (name::HOST_CPU_USER_NS, 15 * SECOND),
            (name::HOST_CPU_SYSTEM_NS, 0),
            (name::HOST_CPU_IDLE_NS, 5 * SECOND),
            (name::HOST_CPU_STEAL_NS, 0),
            (name::SERVER_CPU_NS, ((1.5 - others) * 10e9) as u64),
            (name::CLIENT_CPU_NS, 0),
        ];
        let readings = counted(run("T611", 1), &counters).readings;
        let load = ForeignLoad { observed_ns: Nanos(10 * SECOND), processors: others, ..ForeignLoad::default() };
        let (name, time_error_ns) = ("db1".to_owned(), Nanos(1));
        let host = ServerHostRun { name, is_same_machine, readings, time_error_ns, foreign_load: Some(load) };
        Run { server_host: Some(Box::new(host)), ..run("T611", 1) }
    }

    fn of_host(run: &Run) -> Vec<(record::Check, Verdict)> {
        let (mut engine, instrument) = (engine(), instrument());
        engine.location = Location::Remote;
        let context = Context {
            engine: Some(&engine),
            host_threads: 2,
            makes_claims: true,
            instrument: &instrument,
            write_cache: None,
            flush_probe: None,
        };
        let found = all(run, &context);
        let named = found.iter().filter(|finding| finding.agent.as_deref() == Some("db1"));
        named.map(|finding| (finding.check(), finding.verdict)).collect()
    }

    #[test]
    fn other_programs_beside_the_server_invalidate_the_run() {
        let calm = of_host(&observed(0.0, false));
        assert!(calm.contains(&(record::Check::ForeignCpu, Verdict::Pass)), "{calm:?}");
        assert!(calm.contains(&(record::Check::Steal, Verdict::Pass)), "{calm:?}");
        let busy = of_host(&observed(0.6, false));
        assert!(busy.contains(&(record::Check::ForeignCpu, Verdict::Fail)), "{busy:?}");
        assert_eq!(of_host(&observed(0.6, true)), [], "one machine has one set of checks");
    }
}
