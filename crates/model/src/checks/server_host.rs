//! Checks of the host of a server on another machine, where an agent observed it: what disturbs the server disturbs the
//! run as much as what disturbs the client.

use record::{Finding, Run};

use super::{Context, foreign_cpu, foreign_io, steal, swapping, throttling};
use crate::server_side::server_side;

/// The findings of the host of the server of `run`, each with its name; none where it was not observed, or is the machine
/// of the client, whose checks are those of the run.
pub(super) fn findings(run: &Run, context: &Context<'_>) -> Vec<Finding> {
    let observed = context.server_host.filter(|host| !host.is_same_machine);
    let (Some(observed), Some(side)) = (observed, server_side(run)) else { return Vec::new() };
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
    use record::{Check, ForeignLoad, Location, Nanos, ServerHost, ServerHostRun, Verdict, name};

    use super::*;
    use crate::checks::findings as all;
    use crate::fixture::{self, counted, engine, instrument, record, run};

    const SECOND: u64 = 1_000_000_000;

    /// Ten seconds of a server on two processors, `others` of which other programs used.
    fn observed(others: f64) -> Run {
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
        let host = ServerHostRun { readings, time_error_ns: Nanos(1), foreign_load: Some(load) };
        Run { server_host: Some(Box::new(host)), ..run("T611", 1) }
    }

    fn of_host(run: &Run, is_same_machine: bool) -> Vec<(Check, Verdict)> {
        let (name, program) = ("db1".to_owned(), "server".to_owned());
        let host = ServerHost { name, program, is_same_machine, directory: None, host: record(Vec::new()).host };
        let (mut engine, instrument) = (engine(), instrument());
        engine.location = Location::Remote;
        let context = Context { engine: Some(&engine), server_host: Some(&host), ..fixture::context(&instrument) };
        let found = all(run, &context);
        let named = found.iter().filter(|finding| finding.agent.as_deref() == Some("db1"));
        named.map(|finding| (finding.check(), finding.verdict)).collect()
    }

    #[test]
    fn other_programs_beside_the_server_invalidate_the_run() {
        let calm = of_host(&observed(0.0), false);
        assert!(calm.contains(&(Check::ForeignCpu, Verdict::Pass)), "{calm:?}");
        assert!(calm.contains(&(Check::Steal, Verdict::Pass)), "{calm:?}");
        let busy = of_host(&observed(0.6), false);
        assert!(busy.contains(&(Check::ForeignCpu, Verdict::Fail)), "{busy:?}");
        assert_eq!(of_host(&observed(0.6), true), [], "one machine has one set of checks");
    }
}
