//! CPU steal.
//!
//! Its share of the time of all processors, over the window and over each interval between two readings. Below the
//! timer resolution it is not judged. One bad interval is a warning; it invalidates the run only with enough intervals
//! for their 0.99 quantile. A window no longer than an interval, or without claims, is only warned of.

use record::evidence::Steal;
use record::{Evidence, Finding, Nanos, Ratio, Run, Verdict, name};

use super::{Context, finding};
use crate::cpu::counted_host_cpu_ns;
use crate::delta::{delta, share};
use crate::rules::RULES;

pub(super) fn check(run: &Run, context: &Context<'_>) -> Option<Finding> {
    let stolen = delta(run, name::HOST_CPU_STEAL_NS);
    let Some((stolen, ratio)) =
        stolen.and_then(|stolen| Some((stolen, share(stolen as f64, counted_host_cpu_ns(run)?)?)))
    else {
        return finding(Verdict::Unknown, Evidence::Steal(None));
    };
    let intervals = intervals(run);
    let peak = quantile_99(&intervals).unwrap_or(0.0);
    let bad_interval = peak > RULES.steal_interval;
    let may_invalidate = context.makes_claims && run.window_ns.0 >= RULES.steal_window_ns_min;
    let verdict = match ratio {
        ratio if stolen < RULES.steal_ns_min && ratio > RULES.steal_warn => Verdict::Unknown,
        _ if stolen < RULES.steal_ns_min => Verdict::Pass,
        ratio if may_invalidate && ratio > RULES.steal_fail => Verdict::Fail,
        _ if may_invalidate && bad_interval && intervals.len() >= RULES.steal_intervals_min => Verdict::Fail,
        ratio if ratio > RULES.steal_warn || bad_interval => Verdict::Warn,
        _ => Verdict::Pass,
    };
    let steal = Steal {
        share: Ratio(ratio),
        limit: Ratio(RULES.steal_warn),
        stolen_ns: Nanos(stolen),
        judged_ns_min: Nanos(RULES.steal_ns_min),
        worst_interval: bad_interval.then_some(Ratio(peak)),
    };
    finding(verdict, Evidence::Steal(Some(steal)))
}

/// The share of steal in each interval between two readings of the host that is long enough, sorted.
fn intervals(run: &Run) -> Vec<f64> {
    let states = [
        name::HOST_CPU_USER_NS,
        name::HOST_CPU_SYSTEM_NS,
        name::HOST_CPU_IDLE_NS,
        name::HOST_CPU_IOWAIT_NS,
        name::HOST_CPU_STEAL_NS,
    ];
    let mut readings: Vec<_> =
        run.readings.iter().filter(|reading| reading.get(name::HOST_CPU_STEAL_NS).is_some()).collect();
    readings.sort_by_key(|reading| reading.at_ns);
    let mut shares: Vec<f64> = readings
        .windows(2)
        .filter(|pair| pair[1].at_ns.since(pair[0].at_ns).0 >= RULES.interval_ns_min)
        .filter_map(|pair| {
            let rise = |name: &str| pair[1].get(name)?.checked_sub(pair[0].get(name)?);
            let all: f64 = states.iter().filter_map(|name| rise(name)).map(|part| part as f64).sum();
            share(rise(name::HOST_CPU_STEAL_NS)? as f64, all)
        })
        .collect();
    shares.sort_by(f64::total_cmp);
    shares
}

/// The 0.99 quantile of sorted values; the largest of fewer than a hundred.
fn quantile_99(sorted: &[f64]) -> Option<f64> {
    sorted.get(((sorted.len() as f64 * 0.99).ceil() as usize).saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use record::Nanos;

    use super::*;
    use crate::fixture::{self, counted, instrument, reading, run};

    /// Two processors, one reading per second, with these milliseconds of steal in each.
    fn says(stolen_ms: &[u64]) -> (Verdict, Steal) {
        let (mut idle, mut steal) = (0, 0);
        let mut run = run("T611", 1);
        run.window_ns = Nanos(stolen_ms.len() as u64 * 1_000_000_000);
        run.readings = vec![reading(0, &states(0, 0))];
        for (stolen, second) in stolen_ms.iter().zip(1..) {
            idle += 2_000_000_000 - stolen * 1_000_000;
            steal += stolen * 1_000_000;
            run.readings.push(reading(second, &states(idle, steal)));
        }
        let found = judged(&run, true);
        match found.evidence {
            Evidence::Steal(Some(steal)) => (found.verdict, steal),
            other => panic!("{other:?}"),
        }
    }

    fn judged(run: &Run, makes_claims: bool) -> Finding {
        let instrument = instrument();
        let context = Context { makes_claims, ..fixture::context(&instrument) };
        check(run, &context).unwrap()
    }

    fn states(idle: u64, steal: u64) -> [(&'static str, u64); 4] {
        [
            (name::HOST_CPU_USER_NS, 0),
            (name::HOST_CPU_SYSTEM_NS, 0),
            (name::HOST_CPU_IDLE_NS, idle),
            (name::HOST_CPU_STEAL_NS, steal),
        ]
    }

    fn steal(share: f64, stolen_ms: u64) -> Steal {
        Steal {
            share: Ratio(share),
            limit: Ratio(0.005),
            stolen_ns: Nanos(stolen_ms * 1_000_000),
            judged_ns_min: Nanos(30_000_000),
            worst_interval: None,
        }
    }

    #[test]
    fn the_share_of_all_processors_decides() {
        assert_eq!(says(&[0; 10]), (Verdict::Pass, steal(0.0, 0)));
        assert_eq!(says(&[8; 10]).0, Verdict::Pass, "0.4 %");
        assert_eq!(says(&[12; 10]), (Verdict::Warn, steal(0.006, 120)));
        assert_eq!(says(&[50; 10]).0, Verdict::Fail, "2.5 %");
    }

    #[test]
    fn a_tick_is_not_judged() {
        assert_eq!(says(&[20]), (Verdict::Unknown, steal(0.01, 20)));
        assert_eq!(says(&[30]).0, Verdict::Warn, "three ticks");
        assert_eq!(says(&[10]), (Verdict::Pass, steal(0.005, 10)), "the limit");
    }

    #[test]
    fn one_bad_second_warns_and_invalidates_only_a_long_run() {
        let mut seconds = vec![0; 20];
        seconds[7] = 300;
        let (verdict, found) = says(&seconds);
        assert_eq!((verdict, found.worst_interval), (Verdict::Warn, Some(Ratio(0.15))));
        let mut seconds = vec![0; 200];
        (0..4).for_each(|at| seconds[at * 50] = 300);
        assert_eq!(says(&seconds).0, Verdict::Fail, "four of two hundred");
    }

    #[test]
    fn a_window_of_one_second_is_one_interval() {
        assert_eq!(says(&[184]), (Verdict::Warn, steal(0.092, 184)));
        assert_eq!(says(&[184, 184]).0, Verdict::Fail);
    }

    #[test]
    fn without_claims_steal_only_warns() {
        let stolen = states(18_000_000_000, 2_000_000_000).into_iter().chain([(name::HOST_CPU_SYSTEM_NS, 0)]);
        let stolen: Vec<_> = stolen.collect();
        let run = counted(run("T611", 1), &stolen);
        assert_eq!((judged(&run, true).verdict, judged(&run, false).verdict), (Verdict::Fail, Verdict::Warn));
    }

    #[test]
    fn without_the_counter_it_is_unknown() {
        let unknown = Finding::new(Verdict::Unknown, Evidence::Steal(None));
        assert_eq!(judged(&run("T611", 1), true), unknown);
    }
}
