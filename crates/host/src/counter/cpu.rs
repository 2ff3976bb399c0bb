//! CPU time of the host and of this process.

use base::process::ticks_ns;
use record::name;
use rustix::time::{ClockId, clock_gettime};

/// The first line of `/proc/stat`, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Times {
    user: u64,
    nice: u64,
    system: u64,
    idle: u64,
    iowait: u64,
    irq: u64,
    softirq: u64,
    steal: u64,
}

/// Parses the sum over all processors. Guest time is contained in user and nice.
pub(super) fn parse(text: &str) -> Option<Times> {
    let mut fields = text.lines().next()?.strip_prefix("cpu ")?.split_ascii_whitespace().map(str::parse);
    let mut next = || fields.next()?.ok();
    Some(Times {
        user: next()?,
        nice: next()?,
        system: next()?,
        idle: next()?,
        iowait: next()?,
        irq: next()?,
        softirq: next()?,
        steal: next()?,
    })
}

impl Times {
    /// The times as counters, by name, nanoseconds.
    pub(super) fn counters(self) -> [(&'static str, u64); 6] {
        let sum = |parts: &[u64]| ticks_ns(parts.iter().fold(0, |sum: u64, part| sum.saturating_add(*part)));
        [
            (name::HOST_CPU_USER_NS, sum(&[self.user, self.nice])),
            (name::HOST_CPU_SYSTEM_NS, sum(&[self.system, self.irq, self.softirq])),
            (name::HOST_CPU_INTERRUPT_NS, sum(&[self.irq, self.softirq])),
            (name::HOST_CPU_IDLE_NS, sum(&[self.idle])),
            (name::HOST_CPU_IOWAIT_NS, sum(&[self.iowait])),
            (name::HOST_CPU_STEAL_NS, sum(&[self.steal])),
        ]
    }
}

/// User and system time of all threads of this process, including ended ones: like `getrusage`, without its rounding to
/// microseconds.
pub(super) fn own_ns() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    u64::try_from(time.tv_sec).unwrap_or(0) * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nice_is_user_and_interrupts_are_system() {
        let tick = ticks_ns(1);
        let times = parse("cpu  100 20 30 400 5 6 7 8 90 1\ncpu0 1 1 1 1 1 1 1 1 1 1\n").expect("times");
        let expected = [120, 43, 13, 400, 5, 8].map(|ticks| ticks * tick);
        assert_eq!(times.counters().map(|(_, value)| value), expected);
    }

    #[test]
    fn only_the_sum_of_all_processors_is_parsed() {
        for text in ["", "cpu0 1 2 3 4 5 6 7 8\n", "cpu  1 2 3\n", "cpu  1 2 3 4 5 6 7 x\n", "intr 1\n"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
