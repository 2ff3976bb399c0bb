//! Processor time that the hypervisor gave to others.
//!
//! Its share of the time of all processors, over the window and over each interval between two readings. A share
//! above the limit that is only a few ticks of the kernel's accounting is not judged. One bad interval is a warning; only
//! where there are so many that their 0.99 quantile is known does it void the run. A window that is no longer than such an
//! interval is judged as one: it is warned of. So is one that makes no claims.

use record::{Check, Finding, Run, Verdict, name};

use super::{Context, finding, percent};
use crate::cpu::host_cpu_ns;
use crate::delta::{delta, share};
use crate::rules::RULES;

pub(super) fn check(run: &Run, context: &Context<'_>) -> Option<Finding> {
    let stolen = delta(run, name::HOST_CPU_STEAL_NS);
    let Some((stolen, ratio)) = stolen.and_then(|stolen| Some((stolen, share(stolen as f64, host_cpu_ns(run)?)?)))
    else {
        return finding(Check::Steal, Verdict::Unknown, "what the hypervisor took is not known");
    };
    let intervals = intervals(run);
    let peak = quantile_99(&intervals).unwrap_or(0.0);
    let gist = format!("the hypervisor took {} of the processors", percent(ratio));
    let limit = percent(RULES.steal_warn);
    if stolen < RULES.steal_ns_min {
        let [few, enough] = [stolen, RULES.steal_ns_min].map(|nanos| nanos / 1_000_000);
        return match ratio > RULES.steal_warn {
            true => finding(
                Check::Steal,
                Verdict::Unknown,
                format!("{gist}, {few} ms in all; limit {limit}, not judged below {enough} ms: ticks of the kernel"),
            ),
            false => finding(Check::Steal, Verdict::Pass, gist),
        };
    }
    let may_void = context.makes_claims && run.window_ns.0 >= RULES.steal_window_ns_min;
    let bad_interval = peak > RULES.steal_interval;
    let verdict = match ratio {
        ratio if may_void && ratio > RULES.steal_fail => Verdict::Fail,
        _ if may_void && bad_interval && intervals.len() >= RULES.steal_intervals_min => Verdict::Fail,
        ratio if ratio > RULES.steal_warn || bad_interval => Verdict::Warn,
        _ => Verdict::Pass,
    };
    let worst = if bad_interval { format!(", {} in the worst second", percent(peak)) } else { String::new() };
    finding(Check::Steal, verdict, format!("{gist}{worst}; limit {limit}"))
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

/// Of sorted values; the largest where there are fewer than a hundred.
fn quantile_99(sorted: &[f64]) -> Option<f64> {
    sorted.get(((sorted.len() as f64 * 0.99).ceil() as usize).saturating_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use record::Nanos;

    use super::*;
    use crate::fixture::{counted, instrument, reading, run};

    /// Two processors, one reading per second, so many milliseconds stolen in each.
    fn says(stolen_ms: &[u64]) -> (Verdict, String) {
        let (mut idle, mut steal) = (0, 0);
        let mut run = run("T611", 1);
        run.window_ns = Nanos(stolen_ms.len() as u64 * 1_000_000_000);
        run.readings = vec![reading(0, &states(0, 0))];
        for (stolen, second) in stolen_ms.iter().zip(1..) {
            idle += 2_000_000_000 - stolen * 1_000_000;
            steal += stolen * 1_000_000;
            run.readings.push(reading(second, &states(idle, steal)));
        }
        judged(&run, true)
    }

    fn judged(run: &Run, makes_claims: bool) -> (Verdict, String) {
        let instrument = instrument();
        let context = Context {
            engine: None,
            host_threads: 2,
            makes_claims,
            instrument: &instrument,
            write_cache: None,
            flush_probe: None,
        };
        let finding = check(run, &context).unwrap();
        (finding.verdict, finding.detail)
    }

    fn states(idle: u64, steal: u64) -> [(&'static str, u64); 4] {
        [
            (name::HOST_CPU_USER_NS, 0),
            (name::HOST_CPU_SYSTEM_NS, 0),
            (name::HOST_CPU_IDLE_NS, idle),
            (name::HOST_CPU_STEAL_NS, steal),
        ]
    }

    #[test]
    fn the_share_of_all_processors_decides() {
        assert_eq!(says(&[0; 10]), (Verdict::Pass, "the hypervisor took 0 % of the processors".to_owned()));
        assert_eq!(says(&[8; 10]).0, Verdict::Pass, "0.4 %");
        assert_eq!(
            says(&[12; 10]),
            (Verdict::Warn, "the hypervisor took 0.6 % of the processors; limit 0.5 %".to_owned())
        );
        assert_eq!(says(&[50; 10]).0, Verdict::Fail, "2.5 %");
    }

    #[test]
    fn a_tick_is_not_judged_and_that_is_said() {
        assert_eq!(
            says(&[20]),
            (
                Verdict::Unknown,
                "the hypervisor took 1.0 % of the processors, 20 ms in all; limit 0.5 %, not judged below 30 ms: ticks \
                 of the kernel"
                    .to_owned()
            )
        );
        assert_eq!(says(&[30]).0, Verdict::Warn, "three ticks");
        assert_eq!(says(&[10]), (Verdict::Pass, "the hypervisor took 0.5 % of the processors".to_owned()), "the limit");
    }

    #[test]
    fn one_bad_second_is_said_and_voids_only_a_long_run() {
        let mut seconds = vec![0; 20];
        seconds[7] = 300;
        let (verdict, detail) = says(&seconds);
        assert_eq!((verdict, detail.contains("15 % in the worst second")), (Verdict::Warn, true), "{detail}");
        let mut seconds = vec![0; 200];
        (0..4).for_each(|at| seconds[at * 50] = 300);
        assert_eq!(says(&seconds).0, Verdict::Fail, "four of two hundred");
    }

    #[test]
    fn a_window_of_one_second_is_one_interval() {
        assert_eq!(
            says(&[184]),
            (Verdict::Warn, "the hypervisor took 9.2 % of the processors; limit 0.5 %".to_owned())
        );
        assert_eq!(says(&[184, 184]).0, Verdict::Fail);
    }

    #[test]
    fn where_nothing_is_claimed_nothing_is_spoilt() {
        let stolen = states(18_000_000_000, 2_000_000_000).into_iter().chain([(name::HOST_CPU_SYSTEM_NS, 0)]);
        let stolen: Vec<_> = stolen.collect();
        let run = counted(run("T611", 1), &stolen);
        assert_eq!((judged(&run, true).0, judged(&run, false).0), (Verdict::Fail, Verdict::Warn));
    }

    #[test]
    fn without_the_counter_nothing_is_known() {
        assert_eq!(judged(&run("T611", 1), true).0, Verdict::Unknown);
    }
}
