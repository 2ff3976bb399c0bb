//! Per-operation averages of a run of random blocks, as of SLOB.

use record::{BlockOperation, Bytes, CacheState, Rate, Ratio, Record, Run, WaitClass, name};

use crate::activity::{ActivityMethod, EventLine, own_activity};
use crate::delta::{delta, per_second};

/// Per-operation averages; absent without a source.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PerOperation {
    /// Logical reads of the engine.
    pub logical_reads: Option<f64>,
    /// Physical reads of the engine.
    pub physical_reads: Option<f64>,
    /// Physical data writes of the engine.
    pub physical_writes: Option<f64>,
    /// Read requests of the block layer.
    pub device_reads: Option<f64>,
    /// Write requests of the block layer, the log included.
    pub device_writes: Option<f64>,
    /// Rows changed, one per block; absent where operations were not timed separately.
    pub changes: Option<f64>,
}

impl PerOperation {
    /// Physical reads over physical writes of the engine; None without writes.
    pub fn read_write_ratio(&self) -> Option<f64> {
        let writes = self.physical_writes.filter(|writes| *writes > 0.0)?;
        Some(self.physical_reads? / writes)
    }
}

/// The averages of `run`; None unless random blocks with operations.
pub fn per_operation(run: &Run) -> Option<PerOperation> {
    let blocks = run.blocks.as_deref()?;
    let operations = run.totals.operations;
    if operations == 0 {
        return None;
    }
    let each = |counter: &str| delta(run, counter).map(|count| count as f64 / operations as f64);
    let are_separate = blocks.operations.iter().all(|kind| kind.operation != BlockOperation::Batch);
    let changed = |kind: BlockOperation| {
        let of_kind = blocks.operations.iter().find(|one| one.operation == kind);
        of_kind.map_or(0, |one| one.rows) as f64 / operations as f64
    };
    Some(PerOperation {
        logical_reads: each(name::LOGICAL_READ_COUNT),
        physical_reads: each(name::PHYSICAL_READ_COUNT),
        physical_writes: each(name::PHYSICAL_WRITE_COUNT),
        device_reads: each(name::DEVICE_READ_COUNT),
        device_writes: each(name::DEVICE_WRITE_COUNT),
        changes: are_separate.then(|| changed(BlockOperation::Update)),
    })
}

/// Whether the operations of `run` only visited blocks, so that its reads are those of its work units. None unless
/// random blocks with these parameters.
pub fn only_visits(run: &Run) -> Option<bool> {
    run.blocks.as_deref()?;
    let parameter = |name: &str| run.parameters.get(name).copied();
    Some(parameter("update_pct")? == 0 && parameter("scan_pct")? == 0)
}

/// What a run scanned whose operations are all scans of whole tables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scans {
    /// Scans.
    pub per_second: Rate,
    /// Rows that were visited; each block of a scanned table has one.
    pub rows_per_second: Rate,
    /// Their blocks; absent if the engine does not report the size of a block.
    pub bytes_per_second: Option<Rate>,
}

/// The scans of `run`; None unless random blocks of which all operations are scans.
pub fn scans(run: &Run) -> Option<Scans> {
    let blocks = run.blocks.as_deref()?;
    let parameter = |name: &str| run.parameters.get(name).copied();
    // The percentage of scans is that among operations that do not update.
    if (parameter("scan_pct"), parameter("update_pct")) != (Some(100), Some(0)) {
        return None;
    }
    let Rate(rows) = per_second(run, run.totals.rows)?;
    Some(Scans {
        per_second: per_second(run, run.totals.operations)?,
        rows_per_second: Rate(rows),
        bytes_per_second: blocks.block_bytes.map(|Bytes(block)| Rate(rows * block as f64)),
    })
}

/// Mean reads per operation of a run that reads although all blocks were preloaded. For a run that only visits blocks,
/// reads below 1 % of its work unit are ignored: sessions read the engine's own tables.
pub fn reads_though_filled(run: &Run) -> Option<f64> {
    let blocks = run.blocks.as_deref().filter(|blocks| blocks.caches == CacheState::Preloaded)?;
    let reads = per_operation(run)?.physical_reads?;
    let least = if only_visits(run) == Some(true) { 0.01 * blocks.work_unit as f64 } else { 0.0 };
    (reads > least).then_some(reads)
}

/// The table size of `run` for comparability. None for random blocks, where the number of blocks is a parameter and
/// block size is a difference between engines.
pub(crate) fn compared_bytes(run: &Run) -> Option<Bytes> {
    run.data_bytes.filter(|bytes| run.blocks.is_none() && *bytes > Bytes(0))
}

/// What a cache has to hold of the tables of `run`: whole blocks, where each holds little else than what fills it.
pub(crate) fn bytes_to_cache(run: &Run) -> Option<Bytes> {
    let Some(blocks) = run.blocks.as_deref() else { return run.data_bytes };
    let schemas = run.parameters.get("schemas").and_then(|count| u64::try_from(*count).ok()).unwrap_or(1);
    Some(Bytes(blocks.block_bytes?.0.saturating_mul(blocks.blocks_per_schema).saturating_mul(schemas)))
}

/// The top wait event of sessions in `run` of `record`, and its share of the time of all sessions, timed by the engine
/// or sampled. Background waits and waits for the client do not count. None without waits.
pub fn top_wait(record: &Record, run: &Run) -> Option<(String, Ratio)> {
    let time_ns = run.window_ns.0 as f64 * f64::from(run.dop.jobs);
    let is_wait = |event: &&EventLine| {
        !matches!(event.class, WaitClass::Cpu | WaitClass::Idle | WaitClass::Network)
            && !matches!(event.method, ActivityMethod::Rest | ActivityMethod::Called)
    };
    let activity = own_activity(record, run)?;
    let most = activity.events.iter().find(is_wait)?;
    (time_ns > 0.0).then(|| (most.event.clone(), Ratio(most.total_ns / time_ns)))
}

#[cfg(test)]
mod tests {
    use record::{Activity, BlockOperations, Latency, LoopLocation, Nanos, RandomBlocks, SampledWait};

    use super::*;
    use crate::fixture::{counted, record, run};

    fn of_blocks(counters: &[(&str, u64)]) -> Run {
        let mut run = counted(run("B100", 2), counters);
        run.totals.operations = 100;
        let kind = |operation, steps, rows| BlockOperations { operation, steps, rows, service: Latency::default() };
        run.blocks = Some(Box::new(RandomBlocks {
            loop_location: LoopLocation::Client,
            operations_per_step: 1,
            caches: CacheState::Cold,
            cache_bytes: Some(Bytes(1 << 24)),
            block_bytes: Some(Bytes(8192)),
            page_cached: None,
            blocks_per_schema: 10_240,
            work_unit: 64,
            operations: vec![kind(BlockOperation::Read, 70, 4_480), kind(BlockOperation::Update, 30, 1_920)],
        }));
        run
    }

    #[test]
    fn scans_are_those_of_a_run_that_does_nothing_else() {
        let mut run = of_blocks(&[]);
        (run.totals.rows, run.window_ns) = (204_800, Nanos(2_000_000_000));
        let mut with = |scan: i64, update: i64| {
            run.parameters =
                [("scan_pct", scan), ("update_pct", update)].map(|(name, of)| (name.to_owned(), of)).into();
            scans(&run)
        };
        assert_eq!((with(0, 0), with(99, 0), with(100, 10)), (None, None, None));
        let found = with(100, 0).expect("only scans");
        assert_eq!((found.per_second, found.rows_per_second), (Rate(50.0), Rate(102_400.0)));
        assert_eq!(found.bytes_per_second, Some(Rate(102_400.0 * 8_192.0)));
    }

    #[test]
    fn figures_by_hand() {
        let run = of_blocks(&[
            (name::LOGICAL_READ_COUNT, 13_000),
            (name::PHYSICAL_READ_COUNT, 6_400),
            (name::PHYSICAL_WRITE_COUNT, 1_600),
            (name::DEVICE_READ_COUNT, 6_420),
            ("example_wait_data_read_ns", 5_000_000_000),
            ("example_wait_data_read_count", 9_000_000_000),
            ("example_wal_sync_time_ns", 1_000_000_000),
        ]);
        let each = per_operation(&run).expect("figures");
        assert_eq!((each.logical_reads, each.physical_reads), (Some(130.0), Some(64.0)));
        assert_eq!((each.physical_writes, each.device_reads, each.device_writes), (Some(16.0), Some(64.2), None));
        assert_eq!((each.changes, each.read_write_ratio()), (Some(19.2), Some(4.0)));
        let (event, Ratio(share)) = top_wait(&record(vec![run.clone()]), &run).expect("a wait");
        assert_eq!(event, "data read");
        assert!((share - 5.0 / (run.window_ns.seconds() * 2.0)).abs() < 1e-9);
    }

    #[test]
    fn reads_of_a_preloaded_run_are_detected() {
        let with = |reads: u64, updates: i64, caches: CacheState| {
            let mut run = of_blocks(&[(name::PHYSICAL_READ_COUNT, reads)]);
            run.parameters = [("update_pct", updates), ("scan_pct", 0)].map(|(name, n)| (name.to_owned(), n)).into();
            run.blocks.iter_mut().for_each(|blocks| blocks.caches = caches);
            run
        };
        assert_eq!(reads_though_filled(&with(31, 10, CacheState::Preloaded)), Some(0.31));
        assert_eq!(reads_though_filled(&with(31, 0, CacheState::Preloaded)), None, "less than a hundredth of 64");
        assert_eq!(reads_though_filled(&with(640, 0, CacheState::Preloaded)), Some(6.4));
        assert_eq!(reads_though_filled(&with(0, 10, CacheState::Preloaded)), None);
        assert_eq!(reads_though_filled(&with(640, 10, CacheState::Warm)), None);
        assert_eq!(only_visits(&with(0, 0, CacheState::Cold)), Some(true));
        assert_eq!(only_visits(&with(0, 1, CacheState::Cold)), Some(false));
        assert_eq!(only_visits(&of_blocks(&[])), None, "without parameters");
    }

    #[test]
    fn blocks_are_compared_by_their_number() {
        let mut run = of_blocks(&[]);
        run.data_bytes = Some(Bytes::GIB);
        assert_eq!(compared_bytes(&run), None);
        assert_eq!(bytes_to_cache(&run), Some(Bytes(83_886_080)), "10,240 blocks of 8 KiB");
        run.blocks = None;
        assert_eq!(compared_bytes(&run), Some(Bytes::GIB));
        run.data_bytes = Some(Bytes(0));
        assert_eq!(compared_bytes(&run), None);
    }

    #[test]
    fn the_top_wait_may_be_sampled() {
        let mut run = of_blocks(&[]);
        let found = |class, event: &str, session_count| SampledWait { class, event: event.to_owned(), session_count };
        run.activity = Some(Activity {
            period_ns: Nanos(1),
            sample_count: 10,
            observed_ns: Nanos(10),
            cost_ns: Nanos(1),
            waits: vec![found(WaitClass::Cpu, "", 9), found(WaitClass::Commit, "Commit", 4)],
        });
        assert_eq!(top_wait(&record(vec![run.clone()]), &run), Some(("Commit".to_owned(), Ratio(0.2))));
    }

    #[test]
    fn background_waits_are_no_top_wait() {
        let mut run = of_blocks(&[
            ("example_wait_data_write_ns", 9_000_000_000),
            ("example_wait_data_write_count", 9),
            ("example_wait_row_lock_ns", 1_000_001),
            ("example_wait_row_lock_count", 1),
        ]);
        assert_eq!(top_wait(&record(vec![run.clone()]), &run).map(|(event, _)| event), Some("row lock".to_owned()));
        let found = SampledWait { class: WaitClass::Commit, event: "Commit".to_owned(), session_count: 10 };
        let (period_ns, observed_ns) = (Nanos(1), run.window_ns);
        run.activity =
            Some(Activity { period_ns, sample_count: 10, observed_ns, cost_ns: Nanos(1), waits: vec![found] });
        assert_eq!(top_wait(&record(vec![run.clone()]), &run), Some(("Commit".to_owned(), Ratio(0.5))));
    }

    #[test]
    fn averages_without_a_source_are_absent() {
        let mut run = of_blocks(&[]);
        let each = per_operation(&run).expect("operations were done");
        assert_eq!(
            (each.physical_reads, each.read_write_ratio(), top_wait(&record(vec![run.clone()]), &run)),
            (None, None, None)
        );
        if let Some(blocks) = &mut run.blocks {
            blocks.operations[0].operation = BlockOperation::Batch;
        }
        assert_eq!(per_operation(&run).expect("operations").changes, None);
        run.totals.operations = 0;
        assert_eq!(per_operation(&run), None);
        run.blocks = None;
        assert_eq!(per_operation(&run), None);
    }
}
