//! Checks of the hosts of server and storage on other machines, where agents observed them: what disturbs them disturbs
//! the run as much as what disturbs the client.

use record::{Finding, ObservedHost, Run};

use super::{Context, foreign_cpu, foreign_io, steal, swapping, throttling};
use crate::observed_side::{server_sides, storage_sides};

/// The findings of the hosts of server and storage of `run`, each with its name; none of those that were not observed,
/// or are the machine of the client, whose checks are those of the run.
pub(super) fn findings(run: &Run, context: &Context<'_>) -> Vec<Finding> {
    let (mut servers, mut sides) = (server_sides(run), storage_sides(run));
    let server = context.server_hosts.iter().filter_map(|host| Some((host, servers.remove(host.name.as_str())?)));
    let storage = context.storage_hosts.iter().filter_map(|host| Some((host, sides.remove(host.name.as_str())?)));
    let elsewhere = server.chain(storage).filter(|(host, _)| !host.is_same_machine);
    elsewhere.flat_map(|(host, side)| of_host(host, &side, context)).collect()
}

/// The findings of `host`, on which `side` is the run.
fn of_host(host: &ObservedHost, side: &Run, context: &Context<'_>) -> Vec<Finding> {
    // The jobs are on the client: only a busy host has no processor left for others.
    let context = &Context { engine: None, host_threads: u32::MAX, ..*context };
    let found = [
        steal::check(side, context),
        foreign_cpu::check(side, context),
        // Whose I/O the kernel carries out is not known.
        host.program.as_ref().and_then(|_| foreign_io::check(side, context)),
        throttling::check(side),
        swapping::check(side),
    ];
    found.into_iter().flatten().map(|finding| Finding { agent: Some(host.name.clone()), ..finding }).collect()
}

#[cfg(test)]
mod tests {
    use record::{Check, ForeignLoad, Location, Nanos, ObservedHost, ObservedRun, Verdict, name};

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
        let host = ObservedRun { readings, time_error_ns: Nanos(1), foreign_load: Some(load) };
        Run { server_hosts: [("db1".to_owned(), host)].into(), ..run("T611", 1) }
    }

    fn of_host(run: &Run, is_same_machine: bool) -> Vec<(Check, Verdict)> {
        let (name, program) = ("db1".to_owned(), Some("server".to_owned()));
        let host = ObservedHost { name, program, is_same_machine, directory: None, host: record(Vec::new()).host };
        let (mut engine, instrument) = (engine(), instrument());
        engine.location = Location::Remote;
        let context = Context {
            engine: Some(&engine),
            server_hosts: std::slice::from_ref(&host),
            ..fixture::context(&instrument)
        };
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

    #[test]
    fn other_programs_on_a_host_of_storage_invalidate_the_run_and_its_io_is_not_judged() {
        let busy = Run {
            storage_hosts: [("filer".to_owned(), observed(0.6).server_hosts["db1"].clone())].into(),
            ..run("io", 1)
        };
        let (instrument, hosts) = (instrument(), [fixture::storage_host("filer", false)]);
        let found = all(&busy, &Context { storage_hosts: &hosts, ..fixture::context(&instrument) });
        let named = |check: Check| {
            let is_of_host = |finding: &&Finding| finding.agent.as_deref() == Some("filer") && finding.check() == check;
            found.iter().find(is_of_host).map(|finding| finding.verdict)
        };
        assert_eq!(named(Check::ForeignCpu), Some(Verdict::Fail), "{found:?}");
        assert_eq!(named(Check::ForeignIo), None);
    }
}
