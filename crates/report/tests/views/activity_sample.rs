//! The sample record with the activity of one run: three seconds of four jobs that wait for the log and for rows.

use record::{Activity, Nanos, Reading, Record, SampledWait, WaitClass, name};

use crate::sample;

const SECOND: u64 = 1_000_000_000;

/// What was sampled.
pub fn wait(class: WaitClass, event: &str, session_count: u64) -> SampledWait {
    SampledWait { class, event: event.to_owned(), session_count }
}

/// The record that the views of the tests are of.
pub fn record() -> Record {
    let mut record = sample::record();
    let run = record.runs.iter_mut().find(|run| run.test == "T311" && run.dop.jobs == 4).unwrap();
    run.window_ns = Nanos(3 * SECOND);
    let counters = [
        (name::DATABASE_TIME_NS, 7_515_000_000),
        (name::SERVER_CPU_NS, 2_400_000_000),
        (name::COMMIT_COUNT, 3_015),
        (name::BOOKKEEPING_COMMIT_COUNT, 15),
        (name::REDO_WRITE_BYTES, 6_000_000),
        (name::REDO_SYNC_COUNT, 1_200),
        (name::LOGICAL_READ_COUNT, 150_000),
        ("example_wait_wal_sync_ns", 3_600_000_000),
        ("example_wait_wal_sync_count", 1_200),
        ("example_wait_data_write_ns", 300_000_000),
        ("example_wait_data_write_count", 100),
        ("example_checkpoint_count", 1),
        ("example_checkpoint_block_count", 900),
        ("example_wait_single_block_read_under_64us_count", 30),
        ("example_wait_single_block_read_under_128us_count", 10),
    ];
    let reading = |at: u64, grown: bool| Reading {
        at_ns: Nanos(at),
        values: counters.iter().map(|(name, by)| ((*name).to_owned(), if grown { 7 + by } else { 7 })).collect(),
    };
    run.readings = vec![reading(0, false), reading(3 * SECOND, true)];
    run.activity = Some(Activity {
        period_ns: Nanos(SECOND / 10),
        sample_count: 30,
        observed_ns: Nanos(3 * SECOND),
        cost_ns: Nanos(15_000_000),
        waits: vec![
            wait(WaitClass::Cpu, "", 18),
            wait(WaitClass::Commit, "wal_sync", 30),
            wait(WaitClass::Application, "Lock:transactionid", 9),
        ],
    });
    record
}
