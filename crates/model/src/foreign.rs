//! Foreign load during a run: other programs on the processors and on the measured device.
//!
//! Processors: CPU time of their processes between two process scans, and unattributed time: busy time of the host less
//! that of dbdyno, its server, other programs, kernel threads and interrupts. The latter includes hidden programs (of
//! another container) and timer resolution. Kernel threads and interrupts are attributed by the foreign share of the
//! device's bytes.
//!
//! The device: reads of the block layer less those of dbdyno and its server. Writes in the same way, but with an
//! allowance for journal, metadata and delayed buffered writes: writes of other programs count as far as the block
//! layer wrote more than ours, unattributed ones only beyond the allowance.

use record::{Bytes, Check, Ratio, Run, Verdict, name};

use crate::cpu::{between_readings, host_cpu_ns};
use crate::delta::{delta, share};
use crate::rules::RULES;

/// CPU time of other programs, as shares of all processors of the host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForeignCpu {
    /// Known programs, with their share of the kernel.
    pub used: Ratio,
    /// Unattributed; 0 below timer resolution.
    pub unseen: Ratio,
    /// Processors of the host.
    pub processors: f64,
}

impl ForeignCpu {
    /// Both together.
    pub fn all(&self) -> Ratio {
        Ratio(self.used.0 + self.unseen.0)
    }
}

/// I/O of other programs on the measured device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForeignIo {
    /// Bytes of known programs.
    pub used_bytes: f64,
    /// Unattributed bytes.
    pub unseen_bytes: f64,
    /// Share of all bytes of the device.
    pub share: Ratio,
    /// Bytes per second.
    pub bytes_per_second: f64,
}

/// Whether foreign load on `run` is too high for it to be a ceiling. False for a run that is too short to be judged.
pub fn is_under_foreign_load(run: &Run) -> bool {
    let is_foreign = |check: Check| matches!(check, Check::ForeignCpu | Check::ForeignIo);
    let is_judged = run.window_ns.0 >= RULES.foreign_window_ns_min;
    is_judged && run.findings.iter().any(|finding| is_foreign(finding.check()) && finding.verdict >= Verdict::Warn)
}

/// Foreign CPU load during `run`; None where not measured, and in a window too short for clock ticks.
pub fn foreign_cpu(run: &Run) -> Option<ForeignCpu> {
    let load = run.foreign_load.as_ref()?;
    let processors = processors(run)?;
    let observed_ns = load.observed_ns.0 as f64;
    let for_others = foreign_io(run).map_or(0.0, |io| io.share.0);
    let kernel_ns = kernel_cpu_ns(run)?;
    let used_ns = load.processors * observed_ns + kernel_ns * for_others;
    let all_ns = host_cpu_ns(run)?;
    // Both over the time between the readings; the process scans are slightly further apart.
    let [user, system] =
        [name::HOST_CPU_USER_NS, name::HOST_CPU_SYSTEM_NS].map(|name| delta(run, name).unwrap_or(0) as f64);
    let own: f64 =
        [name::CLIENT_CPU_NS, name::SERVER_CPU_NS].iter().filter_map(|name| delta(run, name)).map(|ns| ns as f64).sum();
    let seen_ns = own + load.processors * observed_ns + kernel_ns;
    let unseen = share(user + system - seen_ns, all_ns)?;
    Some(ForeignCpu {
        used: Ratio(share(used_ns, processors * observed_ns)?.min(1.0)),
        unseen: Ratio(if unseen >= RULES.foreign_cpu_unseen_min { unseen.min(1.0) } else { 0.0 }),
        processors,
    })
}

/// Processor time of dbdyno with that of kernel threads and interrupts on its behalf, nanoseconds: what a network file
/// system or a software array costs is mostly theirs. Their time is shared as the bytes of the device are between dbdyno
/// and others. None where the threads of the kernel were not read.
pub fn cpu_ns_with_kernel(run: &Run) -> Option<f64> {
    let own = 1.0 - foreign_io(run).map_or(0.0, |io| io.share.0);
    Some(delta(run, name::CLIENT_CPU_NS)? as f64 + kernel_cpu_ns(run)? * own)
}

/// Processor time of kernel threads and interrupts during `run`, nanoseconds; None where the threads were not read.
pub(crate) fn kernel_cpu_ns(run: &Run) -> Option<f64> {
    let load = run.foreign_load.as_ref()?;
    let interrupts = delta(run, name::HOST_CPU_INTERRUPT_NS).unwrap_or(0) as f64;
    Some(load.kernel_processors * load.observed_ns.0 as f64 + interrupts)
}

/// Processors of the host: the sum of its CPU times over the time between the readings.
pub(crate) fn processors(run: &Run) -> Option<f64> {
    share(host_cpu_ns(run)?, between_readings(run)?.0 as f64).map(|processors| processors.round().max(1.0))
}

/// Bytes that dbdyno and its server read from devices during `run`; None where those of the server are not known.
pub(crate) fn own_read_bytes(run: &Run) -> Option<f64> {
    let own = delta(run, name::CLIENT_READ_BYTES)? as f64;
    if delta(run, name::SERVER_CPU_NS).is_none() {
        return Some(own);
    }
    let load = run.foreign_load.as_ref()?;
    Some(own + load.server_read_bytes?.0 as f64)
}

/// Foreign I/O during `run`; None where not known: with several devices, or where the server's own bytes are not known.
pub fn foreign_io(run: &Run) -> Option<ForeignIo> {
    let load = run.foreign_load.as_ref()?;
    let has_server = delta(run, name::SERVER_CPU_NS).is_some();
    let of_server = |bytes: Option<Bytes>| match has_server {
        true => bytes.map(|bytes| bytes.0 as f64),
        false => Some(0.0),
    };
    let own_read = own_read_bytes(run)?;
    let own_written = delta(run, name::CLIENT_WRITE_BYTES)? as f64 + of_server(load.server_write_bytes)?;
    let read = delta(run, name::DEVICE_READ_BYTES)? as f64;
    let written = delta(run, name::DEVICE_WRITE_BYTES)? as f64;
    let flushes = delta(run, name::DEVICE_FLUSH_COUNT).unwrap_or(0) as f64;
    let seen = |bytes: Option<Bytes>| bytes.map_or(0.0, |bytes| bytes.0 as f64);

    let more_read = (read - own_read).max(0.0);
    let used_read = more_read.min(seen(load.read_bytes));
    let more_written = (written - own_written).max(0.0);
    let used_written = more_written.min(seen(load.write_bytes));
    let journal = own_written + flushes * RULES.foreign_io_flush_bytes;
    let unseen_written = (more_written - used_written - journal).max(0.0);
    let (used_bytes, unseen_bytes) = (used_read + used_written, more_read - used_read + unseen_written);
    Some(ForeignIo {
        used_bytes,
        unseen_bytes,
        share: Ratio(share(used_bytes + unseen_bytes, read + written).unwrap_or(0.0)),
        bytes_per_second: share(used_bytes + unseen_bytes, run.window_ns.seconds())?,
    })
}

#[cfg(test)]
mod tests {
    use record::{ForeignLoad, Nanos};

    use super::*;
    use crate::cpu::cpu_shares;
    use crate::fixture::{counted, run};

    const SECOND: u64 = 1_000_000_000;

    /// Ten seconds on two processors; dbdyno used one of them.
    fn beside(busy_seconds: u64, load: ForeignLoad) -> Run {
        let counters = [
            (name::HOST_CPU_USER_NS, busy_seconds * SECOND),
            (name::HOST_CPU_SYSTEM_NS, 0),
            (name::HOST_CPU_IDLE_NS, (20 - busy_seconds) * SECOND),
            (name::CLIENT_CPU_NS, 10 * SECOND),
        ];
        let load = ForeignLoad { observed_ns: Nanos(10 * SECOND), ..load };
        Run { foreign_load: Some(Box::new(load)), ..counted(run("C11", 1), &counters) }
    }

    fn io(run: Run, counters: [u64; 5]) -> Run {
        let names = [
            name::CLIENT_READ_BYTES,
            name::CLIENT_WRITE_BYTES,
            name::DEVICE_READ_BYTES,
            name::DEVICE_WRITE_BYTES,
            name::DEVICE_FLUSH_COUNT,
        ];
        counted(run, &names.into_iter().zip(counters).collect::<Vec<_>>())
    }

    #[test]
    fn known_programs_and_unattributed_time() {
        let found = foreign_cpu(&beside(20, ForeignLoad { processors: 1.0, ..ForeignLoad::default() })).unwrap();
        assert_eq!((found.used.0, found.unseen.0, found.processors), (0.5, 0.0, 2.0));
        let found = foreign_cpu(&beside(20, ForeignLoad::default())).unwrap();
        assert_eq!((found.used.0, found.unseen.0, found.all().0), (0.0, 0.5, 0.5), "of another container");
        let found = foreign_cpu(&beside(11, ForeignLoad::default())).unwrap();
        assert_eq!(found.all().0, 0.0, "ticks");
        let found = foreign_cpu(&beside(20, ForeignLoad { kernel_processors: 1.0, ..ForeignLoad::default() })).unwrap();
        assert_eq!(found.all().0, 0.0, "the kernel works for dbdyno");
        assert_eq!(foreign_cpu(&Run { foreign_load: None, ..beside(20, ForeignLoad::default()) }), None);
    }

    #[test]
    fn ticks_are_no_processors_in_a_short_window() {
        let tick = 10_000_000;
        let counters = [
            (name::HOST_CPU_USER_NS, 15 * tick / 10),
            (name::HOST_CPU_SYSTEM_NS, 0),
            (name::HOST_CPU_IDLE_NS, 0),
            (name::CLIENT_CPU_NS, tick / 10),
        ];
        let load = ForeignLoad { observed_ns: Nanos(1_000_000), ..ForeignLoad::default() };
        let mut run = Run { foreign_load: Some(Box::new(load)), ..counted(run("L100", 1), &counters) };
        run.readings[1].at_ns = run.readings[0].at_ns + Nanos(1_000_000);
        assert_eq!((foreign_cpu(&run), processors(&run)), (None, None), "one tick in 1 ms is no 15 processors");
        assert_eq!(cpu_shares(&run), None, "and no utilisation");
        run.readings[1].at_ns = run.readings[0].at_ns + Nanos(100_000_000);
        assert_eq!(processors(&run), Some(1.0));
    }

    #[test]
    fn the_kernel_that_writes_for_others_is_foreign() {
        let load = ForeignLoad {
            kernel_processors: 1.0,
            read_bytes: Some(Bytes(0)),
            write_bytes: Some(Bytes(1 << 30)),
            ..ForeignLoad::default()
        };
        let found = foreign_cpu(&io(beside(20, load), [0, 0, 0, 1 << 30, 0])).unwrap();
        assert_eq!(found.used.0, 0.5);
    }

    #[test]
    fn device_io_beyond_ours_is_foreign() {
        let load = |read, written| ForeignLoad {
            read_bytes: Some(Bytes(read)),
            write_bytes: Some(Bytes(written)),
            ..ForeignLoad::default()
        };
        let found = foreign_io(&io(beside(12, load(0, 0)), [1_000, 0, 1_000, 0, 0])).unwrap();
        assert_eq!((found.used_bytes, found.unseen_bytes, found.share.0), (0.0, 0.0, 0.0));
        let found = foreign_io(&io(beside(12, load(0, 9_000)), [1_000, 0, 1_000, 3_000, 0])).unwrap();
        assert_eq!(
            (found.used_bytes, found.unseen_bytes, found.share.0),
            (3_000.0, 0.0, 0.75),
            "limited by the device"
        );
        let found = foreign_io(&io(beside(12, load(0, 0)), [1_000, 0, 4_000, 0, 0])).unwrap();
        assert_eq!((found.used_bytes, found.unseen_bytes, found.share.0), (0.0, 3_000.0, 0.75), "unattributed");
    }

    #[test]
    fn a_journal_is_no_foreign_writer() {
        let commits = io(beside(12, ForeignLoad::default()), [0, 4_096 * 1_000, 0, 4_096 * 5_000, 1_000]);
        assert_eq!(foreign_io(&commits).unwrap().share.0, 0.0);
    }

    #[test]
    fn unknown_bytes_of_the_server_make_it_unknown() {
        let run = io(beside(12, ForeignLoad::default()), [0, 0, 4_000, 0, 0]);
        assert_eq!(foreign_io(&counted(run, &[(name::SERVER_CPU_NS, 1)])), None);
    }
}
