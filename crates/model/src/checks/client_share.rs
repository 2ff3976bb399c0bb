//! CPU utilisation of dbdyno itself.
//!
//! With an engine in other processes: CPU time of dbdyno over window times the processors that its jobs can occupy,
//! min(jobs or the threads that they share, hardware threads). Above the limit the client is the bottleneck. In a short
//! window the timer resolution and the reading of counters matter: only a share that is within the limit with these added
//! passes; others are unknown.
//!
//! An I/O generator is compared with the processors of its clones, with a higher limit, since it does nothing else.
//! With polling it uses all of them by design; its own ceiling has a separate check.
//!
//! With an embedded engine the counters do not separate the two. There the overhead of a step, calibrated on empty
//! work, is compared with the service time: own share = step cost x steps / sum of service times. It is that of a test
//! with one statement, so that it is a lower bound for more.

use record::evidence::ClientShare;
use record::{Evidence, Finding, Location, Ratio, Run, Verdict, name};

use super::{Context, failed_steps, finding, is_probe};
use crate::delta::{delta, share};
use crate::queue::{Queue, queues};
use crate::rules::RULES;

pub(super) fn check(run: &Run, context: &Context<'_>) -> Option<Finding> {
    if run.load.is_some() {
        // Parsing and conversion are part of a load, and their cost is one of its figures.
        return None;
    }
    let (verdict, share) = match context.engine {
        _ if run.storage.is_some() => generator(run, context),
        Some(engine) if !is_probe(run) && engine.location != Location::InProcess => outside(run, context),
        Some(_) if !is_probe(run) => inside(run, context.instrument.null_engine_step_ns, true),
        _ => inside(run, context.instrument.loop_step_ns, false),
    };
    finding(verdict, Evidence::ClientShare(share))
}

fn outside(run: &Run, context: &Context<'_>) -> (Verdict, ClientShare) {
    let threads = run.client_threads.map_or(run.dop.jobs, |client| client.threads);
    let occupied = f64::from(threads.min(context.host_threads).max(1));
    let used = delta(run, name::CLIENT_CPU_NS).map(|used| used as f64);
    let ratio = used.and_then(|used| share(used, run.window_ns.0 as f64 * occupied));
    let limit = RULES.client_share_warn;
    let (verdict, is_coarse) = match ratio {
        None => (Verdict::Unknown, false),
        Some(ratio) => in_short_window(run, ratio, occupied, limit)
            .unwrap_or((graded(ratio, limit, RULES.client_share_fail), false)),
    };
    let server = delta(run, name::SERVER_CPU_NS).zip(used);
    let of_both = server.and_then(|(server, used)| share(used, used + server as f64)).map(Ratio);
    let share = ratio.map(Ratio);
    let limit = Ratio(limit);
    (verdict, ClientShare::Processors { share, of_storage: false, of_both, limit, polls: false, is_coarse })
}

fn generator(run: &Run, context: &Context<'_>) -> (Verdict, ClientShare) {
    let clones = queues(run).iter().map(Queue::clones).fold(0, u32::saturating_add);
    let occupied = f64::from(clones.min(context.host_threads).max(1));
    let ratio = delta(run, name::CLIENT_CPU_NS).and_then(|used| share(used as f64, run.window_ns.0 as f64 * occupied));
    // Modes of the generator: `polled completion`, `polled submission`.
    let polls = run.storage.iter().flat_map(|storage| &storage.modes).any(|mode| mode.contains("polled"));
    let limit = RULES.clones_share_warn;
    let (verdict, is_coarse) = match ratio {
        None => (Verdict::Unknown, false),
        Some(_) if polls => (Verdict::Pass, false),
        Some(ratio) => {
            in_short_window(run, ratio, occupied, limit).unwrap_or((graded(ratio, limit, f64::INFINITY), false))
        }
    };
    let (share, limit) = (ratio.map(Ratio), Ratio(limit));
    (verdict, ClientShare::Processors { share, of_storage: true, of_both: None, limit, polls, is_coarse })
}

/// The verdict on `ratio` in a short window, and whether the timer resolution is too coarse.
fn in_short_window(run: &Run, ratio: f64, occupied: f64, limit: f64) -> Option<(Verdict, bool)> {
    let window = run.window_ns.0;
    let error = share(RULES.client_share_error_ns, window as f64 * occupied)?;
    (window < RULES.client_share_window_ns_min).then_some(match ratio + error <= limit {
        true => (Verdict::Pass, false),
        false => (Verdict::Unknown, true),
    })
}

fn inside(run: &Run, step_ns: f64, with_interpreter: bool) -> (Verdict, ClientShare) {
    let service: f64 = run.seconds.iter().map(|second| second.service_ns_sum.0 as f64).sum();
    let steps = run.totals.steps.saturating_sub(failed_steps(run)) as f64;
    let ratio = share(step_ns * steps, service).filter(|_| step_ns > 0.0);
    let verdict = ratio.map_or(Verdict::Unknown, |ratio| graded(ratio, RULES.own_share_warn, RULES.own_share_fail));
    let limit = Ratio(RULES.own_share_warn);
    (verdict, ClientShare::PerStep { share: ratio.map(Ratio), with_interpreter, limit })
}

fn graded(ratio: f64, warn: f64, fail: f64) -> Verdict {
    match ratio {
        ratio if ratio > fail => Verdict::Fail,
        ratio if ratio > warn => Verdict::Warn,
        _ => Verdict::Pass,
    }
}

#[cfg(test)]
mod tests {
    use record::{Instrument, Nanos};

    use super::*;
    use crate::fixture::{self, counted, engine, instrument, io_run, latency, run, storage};

    fn says(run: &Run, location: Location, instrument: &Instrument) -> (Verdict, ClientShare) {
        let mut engine = engine();
        engine.location = location;
        let context = Context { engine: Some(&engine), ..fixture::context(instrument) };
        let finding = check(run, &context).unwrap();
        match finding.evidence {
            Evidence::ClientShare(share) => (finding.verdict, share),
            other => panic!("{other:?}"),
        }
    }

    fn is_coarse(share: &ClientShare) -> bool {
        matches!(share, ClientShare::Processors { is_coarse: true, .. })
    }

    fn of_clones(share: f64) -> ClientShare {
        let (share, limit) = (Some(Ratio(share)), Ratio(0.9));
        ClientShare::Processors { share, of_storage: true, of_both: None, limit, polls: false, is_coarse: false }
    }

    #[test]
    fn a_client_is_compared_with_the_processors_it_can_occupy() {
        let used = |jobs: u32, seconds: u64| {
            let counters = [(name::CLIENT_CPU_NS, seconds * 1_000_000_000), (name::SERVER_CPU_NS, 6_000_000_000)];
            says(&counted(run("T611", jobs), &counters), Location::UnixSocket, &instrument())
        };
        let (share, of_both, limit) = (Some(Ratio(0.4)), Some(Ratio(0.4)), Ratio(0.6));
        let four = ClientShare::Processors { share, of_storage: false, of_both, limit, polls: false, is_coarse: false };
        assert_eq!(used(1, 4), (Verdict::Pass, four));
        assert_eq!(used(1, 7).0, Verdict::Warn);
        assert_eq!(used(1, 9).0, Verdict::Fail);
        assert_eq!(used(8, 9).0, Verdict::Pass, "nine of twenty processor seconds");
    }

    #[test]
    fn a_short_window_is_not_judged() {
        let mut short = counted(run("T611", 1), &[(name::CLIENT_CPU_NS, 190_000_000)]);
        short.window_ns = Nanos(199_999_999);
        let (verdict, share) = says(&short, Location::UnixSocket, &instrument());
        assert_eq!((verdict, is_coarse(&share)), (Verdict::Unknown, true));
        short.window_ns = Nanos(200_000_000);
        assert_eq!(says(&short, Location::UnixSocket, &instrument()).0, Verdict::Fail);
    }

    #[test]
    fn a_share_far_within_the_limit_passes_in_a_short_window() {
        let over_100_ms =
            |run: Run| says(&Run { window_ns: Nanos(100_000_000), ..run }, Location::Remote, &instrument());
        let io = |used_ns: u64| {
            over_100_ms(counted(io_run("io", record::IoKind::Read, 1), &[(name::CLIENT_CPU_NS, used_ns)]))
        };
        assert_eq!(io(2_900_000), (Verdict::Pass, of_clones(0.029)));
        assert_eq!(io(69_000_000).0, Verdict::Pass, "69 %, and two ticks");
        let (verdict, share) = io(71_000_000);
        assert_eq!((verdict, is_coarse(&share)), (Verdict::Unknown, true));
        let statements = |used_ns: u64| over_100_ms(counted(run("T611", 1), &[(name::CLIENT_CPU_NS, used_ns)])).0;
        assert_eq!([statements(39_000_000), statements(41_000_000)], [Verdict::Pass, Verdict::Unknown]);
    }

    #[test]
    fn embedded_the_cost_of_a_step_is_compared_with_its_service_time() {
        // 1 ms each: 200 ns are 0.02 %.
        let cost = ClientShare::PerStep { share: Some(Ratio(0.0002)), with_interpreter: true, limit: Ratio(0.05) };
        assert_eq!(says(&run("T611", 1), Location::InProcess, &instrument()), (Verdict::Pass, cost));
        let mut fast = run("T611", 1);
        fast.service = latency(10_000, 1_000);
        fast.seconds.iter_mut().for_each(|second| second.service_ns_sum = Nanos(1_000_000));
        assert_eq!(says(&fast, Location::InProcess, &instrument()).0, Verdict::Warn, "200 ns of 1 µs");
        let slow = Instrument { null_engine_step_ns: 600.0, ..instrument() };
        assert_eq!(says(&fast, Location::InProcess, &slow).0, Verdict::Fail);
    }

    #[test]
    fn a_source_that_is_missing_is_unknown() {
        assert_eq!(says(&run("T611", 1), Location::Remote, &instrument()).0, Verdict::Unknown);
        assert_eq!(says(&run("T611", 1), Location::InProcess, &Instrument::default()).0, Verdict::Unknown);
    }

    #[test]
    fn a_generator_is_compared_with_its_clones_unless_it_polls() {
        let used = |seconds: u64| {
            counted(io_run("io", record::IoKind::Read, 1), &[(name::CLIENT_CPU_NS, seconds * 1_000_000_000)])
        };
        let remote = |run: &Run| says(run, Location::Remote, &instrument());
        assert_eq!(remote(&used(9)), (Verdict::Pass, of_clones(0.9)));
        let mut busy = used(10);
        assert_eq!(remote(&busy).0, Verdict::Warn);
        storage(&mut busy).modes = vec!["io_uring, polled completion".to_owned()];
        assert_eq!(remote(&busy).0, Verdict::Pass);
    }
}
