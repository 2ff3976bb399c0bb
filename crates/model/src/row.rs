//! One row of the result table: the columns of a run, derived from what was counted and read.

use record::evidence::Steady;
use record::{Dop, Evidence, Layer, Nanos, Rate, Ratio, Run, SteadyVerdict, Unit, Verdict, name};

use crate::cpu::{CpuShares, CpuUse, cpu_shares, cpu_use, host_cpu_ns};
use crate::delta::{per_second, rate, share};
use crate::foreign::{foreign_cpu, processors};
use crate::observed_side::{server_cpu_ratio, server_side, storage_cpu_ns, storage_sides};
use crate::times::{Times, times};
use crate::verdict::run_verdict;

/// The columns of one run, absent without a source. Rates are per second of the window, byte rates in bytes per second.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Position in the plan.
    pub number: u32,
    /// The code of the test.
    pub test: String,
    /// The title.
    pub title: String,
    /// The layer that it tests.
    pub layer: Layer,
    /// The unit of an operation.
    pub unit: Unit,
    /// Degree of parallelism.
    pub dop: Dop,
    /// The verdict of the run, see [`crate::run_verdict`]. A row with `Fail` is invalid: its figures are not a result.
    pub verdict: Verdict,
    /// Length of the window.
    pub window_ns: Nanos,
    /// Operations, in `unit`.
    pub operations_per_second: Option<Rate>,
    /// Rows; absent where the test counts none.
    pub rows_per_second: Option<Rate>,
    /// Transactions; absent where the test makes none.
    pub transactions_per_second: Option<Rate>,
    /// Bytes that the test counts itself.
    pub bytes_per_second: Option<Rate>,
    /// CPU utilisation of the host.
    pub cpu: Option<CpuShares>,
    /// CPU time of dbdyno, an embedded engine included.
    pub client_cpu: Option<CpuUse>,
    /// CPU time of the engine's processes; of several observed hosts that of all of them, and the largest share of one's
    /// processors.
    pub server_cpu: Option<CpuUse>,
    /// CPU time of the observed hosts of storage on behalf of the run: of all of them, and the largest share of one's
    /// processors.
    pub storage_cpu: Option<CpuUse>,
    /// CPU time of other programs, unattributed time included.
    pub foreign_cpu: Option<CpuUse>,
    /// Physical I/O of the engine, page cache hits included.
    pub engine_io: Io,
    /// Physical I/O of the block layer, of all programs: on the host of the server, where it was observed.
    pub device_io: Io,
    /// Redo (write-ahead log).
    pub redo_bytes_per_second: Option<Rate>,
    /// Log syncs of the engine.
    pub redo_syncs_per_second: Option<Rate>,
    /// Cache flush requests of the block device.
    pub flushes_per_second: Option<Rate>,
    /// Logical reads of the engine.
    pub logical_reads_per_second: Option<Rate>,
    /// Service time, from start to end; absent where no step succeeded.
    pub service: Option<Times>,
    /// Response time, from intended start to end; absent without steps.
    pub response: Option<Times>,
}

/// Physical I/O of data.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Io {
    /// Reads.
    pub reads_per_second: Option<Rate>,
    /// Writes.
    pub writes_per_second: Option<Rate>,
    /// Bytes read.
    pub read_bytes_per_second: Option<Rate>,
    /// Bytes written.
    pub write_bytes_per_second: Option<Rate>,
}

impl Io {
    /// Reads and writes; absent where one of them is not known.
    pub fn total_per_second(&self) -> Option<Rate> {
        sum(self.reads_per_second, self.writes_per_second)
    }

    /// Bytes read and written; absent where one of them is not known.
    pub fn total_bytes_per_second(&self) -> Option<Rate> {
        sum(self.read_bytes_per_second, self.write_bytes_per_second)
    }
}

/// The row of `run`.
pub fn row(run: &Run) -> Row {
    let totals = &run.totals;
    let counted = |count: u64| per_second(run, Some(count).filter(|count| *count > 0)?);
    // The server and the device of its data are on its own host.
    let observed = server_side(run);
    let server = observed.as_ref().unwrap_or(run);
    Row {
        number: run.number,
        test: run.test.clone(),
        title: run.title.clone(),
        layer: run.layer,
        unit: run.unit,
        dop: run.dop,
        verdict: run_verdict(run),
        window_ns: run.window_ns,
        operations_per_second: per_second(run, totals.operations),
        rows_per_second: counted(totals.rows),
        transactions_per_second: counted(totals.transactions),
        bytes_per_second: totals.bytes.and_then(|bytes| per_second(run, bytes.0)),
        cpu: cpu_shares(run),
        client_cpu: cpu_use(run, name::CLIENT_CPU_NS),
        server_cpu: server_cpu(run, server),
        storage_cpu: storage_cpu(run),
        foreign_cpu: foreign_cpu(run)
            .map(|found| CpuUse { cores: found.all().0 * found.processors, of_host: Some(found.all()) }),
        engine_io: Io {
            reads_per_second: rate(run, name::PHYSICAL_READ_COUNT),
            writes_per_second: rate(run, name::PHYSICAL_WRITE_COUNT),
            read_bytes_per_second: rate(run, name::PHYSICAL_READ_BYTES),
            write_bytes_per_second: rate(run, name::PHYSICAL_WRITE_BYTES),
        },
        device_io: Io {
            reads_per_second: rate(server, name::DEVICE_READ_COUNT),
            writes_per_second: rate(server, name::DEVICE_WRITE_COUNT),
            read_bytes_per_second: rate(server, name::DEVICE_READ_BYTES),
            write_bytes_per_second: rate(server, name::DEVICE_WRITE_BYTES),
        },
        redo_bytes_per_second: rate(run, name::REDO_WRITE_BYTES),
        redo_syncs_per_second: rate(run, name::REDO_SYNC_COUNT),
        flushes_per_second: rate(server, name::DEVICE_FLUSH_COUNT),
        logical_reads_per_second: rate(run, name::LOGICAL_READ_COUNT),
        service: times(&run.service),
        response: times(&run.response),
    }
}

/// The steadiness verdict of `run` as found when it was measured; None for storage runs and too short runs.
pub fn steady_verdict(run: &Run) -> Option<SteadyVerdict> {
    run.findings.iter().find_map(|finding| match &finding.evidence {
        Evidence::Steady(Steady::Window { verdict, .. }) => Some(*verdict),
        _ => None,
    })
}

fn sum(one: Option<Rate>, other: Option<Rate>) -> Option<Rate> {
    Some(Rate(one?.0 + other?.0))
}

/// CPU time of the server, by `side`, the run as the hosts of the server saw it.
fn server_cpu(run: &Run, side: &Run) -> Option<CpuUse> {
    let of_all = cpu_use(side, name::SERVER_CPU_NS)?;
    let shares = run.server_hosts.keys().filter_map(|host| server_cpu_ratio(run, host));
    Some(CpuUse { of_host: shares.max_by(|one, other| one.0.total_cmp(&other.0)).or(of_all.of_host), ..of_all })
}

fn storage_cpu(run: &Run) -> Option<CpuUse> {
    let of_host = |side: &Run| {
        let (used, all) = (storage_cpu_ns(side)?, host_cpu_ns(side)?);
        let processors = processors(side)?;
        let share = Ratio(share(used, all)?.min(1.0));
        Some(CpuUse { cores: share.0 * processors, of_host: Some(share) })
    };
    let add = |one: CpuUse, other: CpuUse| CpuUse {
        cores: one.cores + other.cores,
        of_host: [one.of_host, other.of_host].into_iter().flatten().max_by(|one, other| one.0.total_cmp(&other.0)),
    };
    storage_sides(run).values().filter_map(of_host).reduce(add)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use record::{Bytes, Ratio};

    use super::*;
    use crate::fixture::{counted, reading, run};

    #[test]
    fn a_row_by_hand() {
        let mut run = counted(
            run("T721", 2),
            &[
                (name::HOST_CPU_USER_NS, 8_000_000_000),
                (name::HOST_CPU_SYSTEM_NS, 4_000_000_000),
                (name::HOST_CPU_IOWAIT_NS, 1_000_000_000),
                (name::HOST_CPU_IDLE_NS, 6_800_000_000),
                (name::HOST_CPU_STEAL_NS, 200_000_000),
                (name::CLIENT_CPU_NS, 5_000_000_000),
                (name::PHYSICAL_READ_COUNT, 1_000),
                (name::PHYSICAL_WRITE_COUNT, 500),
                (name::PHYSICAL_READ_BYTES, 8_192_000),
                (name::DEVICE_READ_BYTES, 81_920),
                (name::DEVICE_FLUSH_COUNT, 120),
                (name::REDO_WRITE_BYTES, 20_000_000),
                (name::LOGICAL_READ_COUNT, 60_000),
            ],
        );
        run.totals.bytes = Some(Bytes(70_000_000));
        let row = row(&run);
        assert_eq!(row.operations_per_second, Some(Rate(2_000.0)));
        assert_eq!(row.rows_per_second, Some(Rate(2_000.0)));
        assert_eq!(row.bytes_per_second, Some(Rate(7_000_000.0)));
        // 20 s of processor time in all: two processors for ten seconds.
        let cpu = row.cpu.unwrap();
        assert_eq!((cpu.user, cpu.system, cpu.iowait, cpu.steal), (Ratio(0.4), Ratio(0.2), Ratio(0.05), Ratio(0.01)));
        assert!((cpu.busy().0 - 0.6).abs() < 1e-12);
        assert_eq!(row.client_cpu, Some(CpuUse { cores: 0.5, of_host: Some(Ratio(0.25)) }));
        assert_eq!(row.server_cpu, None);
        assert_eq!(row.engine_io.total_per_second(), Some(Rate(150.0)));
        assert_eq!(row.engine_io.read_bytes_per_second, Some(Rate(819_200.0)));
        assert_eq!(row.engine_io.total_bytes_per_second(), None, "bytes written are not known");
        assert_eq!(row.device_io.read_bytes_per_second, Some(Rate(8_192.0)));
        assert_eq!(row.flushes_per_second, Some(Rate(12.0)));
        assert_eq!(row.redo_bytes_per_second, Some(Rate(2_000_000.0)));
        assert_eq!(row.logical_reads_per_second, Some(Rate(6_000.0)));
        assert_eq!(row.service, times(&run.service));
        assert_eq!(row.verdict, Verdict::Pass);
    }

    #[test]
    fn what_a_test_does_not_count_is_absent_and_not_zero() {
        let mut run = run("T131", 1);
        (run.totals.rows, run.totals.transactions) = (0, 0);
        (run.service, run.response) = Default::default();
        let row = row(&run);
        assert_eq!((row.rows_per_second, row.transactions_per_second, row.bytes_per_second), (None, None, None));
        assert_eq!((row.service, row.response), (None, None));
        assert_eq!((row.cpu, row.client_cpu, row.engine_io), (None, None, Io::default()));
    }

    #[test]
    fn an_empty_window_has_no_rates() {
        let row = row(&Run { window_ns: Nanos(0), ..counted(run("T611", 1), &[(name::CLIENT_CPU_NS, 5)]) });
        assert_eq!((row.operations_per_second, row.rows_per_second, row.client_cpu), (None, None, None));
    }

    fn rates(row: &Row) -> Vec<Option<Rate>> {
        let io = |io: &Io| {
            let (total, bytes) = (io.total_per_second(), io.total_bytes_per_second());
            [
                io.reads_per_second,
                io.writes_per_second,
                io.read_bytes_per_second,
                io.write_bytes_per_second,
                total,
                bytes,
            ]
        };
        let mut rates = vec![
            row.operations_per_second,
            row.rows_per_second,
            row.transactions_per_second,
            row.redo_bytes_per_second,
            row.redo_syncs_per_second,
            row.flushes_per_second,
            row.logical_reads_per_second,
        ];
        rates.extend(io(&row.engine_io));
        rates.extend(io(&row.device_io));
        rates
    }

    const COUNTERS: [&str; 8] = [
        name::PHYSICAL_READ_COUNT,
        name::PHYSICAL_WRITE_COUNT,
        name::DEVICE_READ_BYTES,
        name::DEVICE_WRITE_BYTES,
        name::REDO_WRITE_BYTES,
        name::HOST_CPU_USER_NS,
        name::HOST_CPU_SYSTEM_NS,
        name::HOST_CPU_IDLE_NS,
    ];

    proptest! {
        #[test]
        fn rates_are_never_negative_and_shares_never_above_one(
            values in prop::collection::vec(prop::array::uniform8(0u64..1 << 60), 1..5),
            window in 0u64..20_000_000_000,
            reversed in any::<bool>(),
        ) {
            let mut run = run("T611", 1);
            run.window_ns = Nanos(window);
            run.readings = values.iter().zip(0..).map(|(values, at)| {
                let named: Vec<_> = COUNTERS.into_iter().zip(*values).collect();
                reading(at, &named)
            }).collect();
            let straight = row(&run);
            for rate in rates(&straight).into_iter().flatten() {
                prop_assert!(rate.0 >= 0.0 && rate.0.is_finite());
            }
            if let Some(cpu) = straight.cpu {
                prop_assert!(cpu.busy().0 + cpu.iowait.0 + cpu.steal.0 <= 1.0 + 1e-9);
            }
            if reversed {
                run.readings.reverse();
            }
            prop_assert_eq!(row(&run), straight);
        }

        #[test]
        fn a_counter_that_is_missing_takes_no_other_column_with_it(missing in 0usize..5) {
            let all: Vec<(&str, u64)> = COUNTERS.into_iter().map(|name| (name, 1_000)).collect();
            let mut fewer = all.clone();
            fewer.remove(missing);
            let (all, fewer) = (rates(&row(&counted(run("T1", 1), &all))), rates(&row(&counted(run("T1", 1), &fewer))));
            let gone = all.iter().zip(&fewer).filter(|(with, without)| with.is_some() && without.is_none()).count();
            prop_assert!((1..=2).contains(&gone), "the column and the total that it is part of");
            prop_assert!(all.iter().zip(&fewer).all(|(with, without)| without.is_none() || with == without));
        }
    }
}
