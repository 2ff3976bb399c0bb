//! A plan of I/O with jobs of every kind.

use record::{
    Amount, BlockShare, Blocks, Bytes, Distribution, IoJob, IoMix, IoMode, IoOrder, IoPhase, IoPlan, Layout, Nanos,
    Pace, Ratio, SyncEvery, Verification,
};

const KIB: u64 = 1 << 10;

/// A job that reads at random, as `dbdyno io` plans it.
pub fn job(name: &str) -> IoJob {
    IoJob {
        name: name.to_owned(),
        clones: 16,
        depth: 16,
        batch_submit: 1,
        files: vec!["test".to_owned()],
        file_size: Some(Bytes::GIB.times(10)),
        time_based: true,
        run_time: Some(Nanos(30_000_000_000)),
        ramp_time: Nanos(5_000_000_000),
        ..IoJob::default()
    }
}

/// A job that mixes reads with writes of other sizes, each clone on a file of its own, at a rate.
fn mixed(name: &str) -> IoJob {
    let share = |size_bytes, share| BlockShare { size_bytes: Bytes(size_bytes), share: Ratio(share) };
    IoJob {
        description: Some("data files of a database".to_owned()),
        clones: 2,
        report_group: 1,
        grouped: false,
        mix: IoMix { read: Ratio(0.7), write: Ratio(0.3), trim: Ratio(0.0) },
        read_blocks: Blocks::Split(vec![share(8 * KIB, 0.9), share(32 * KIB, 0.1)]),
        write_blocks: Blocks::Range { min_bytes: Bytes(4 * KIB), max_bytes: Bytes(128 * KIB) },
        distribution: Distribution::Zipf { theta: 1.2 },
        files: vec!["data.$jobnum".to_owned()],
        file_size: None,
        size: Some(Amount::Bytes(Bytes::GIB)),
        pace: Pace::Poisson { steps_per_second: 3_000.0 },
        sync_every: Some(SyncEvery { writes: 32, data_only: true }),
        verification: Verification::After,
        cpus_allowed: vec![0, 1],
        cpus_split: true,
        ..job(name)
    }
}

/// A log: appends that are each forced to stable storage, until so much is written.
fn log(name: &str) -> IoJob {
    IoJob {
        clones: 1,
        depth: 1,
        report_group: 2,
        order: IoOrder::SEQUENTIAL,
        mix: IoMix::WRITE,
        mode: IoMode::Synchronous,
        sync_every: Some(SyncEvery { writes: 1, data_only: true }),
        commit: true,
        files: vec!["log".to_owned()],
        layout: Layout::Allocated,
        file_size: None,
        size: Some(Amount::Bytes(Bytes::GIB)),
        time_based: false,
        run_time: None,
        ramp_time: Nanos(0),
        ..job(name)
    }
}

/// A device that is trimmed, found where it is.
fn trim(name: &str) -> IoJob {
    IoJob {
        clones: 1,
        report_group: 3,
        mix: IoMix { read: Ratio(0.0), write: Ratio(0.0), trim: Ratio(1.0) },
        files: vec!["/dev/nvme9n1".to_owned()],
        file_size: None,
        size: Some(Amount::Share(Ratio(0.25))),
        time_based: false,
        io_count: Some(100_000),
        ..job(name)
    }
}

/// Four phases: reads as published reports have them, a database, a log, trims.
pub fn plan() -> IoPlan {
    let phase = |name: &str, jobs: Vec<IoJob>| IoPhase { name: name.to_owned(), jobs };
    IoPlan {
        phases: vec![
            phase("nvme-rand-read", vec![job("nvme")]),
            phase("database", vec![mixed("data"), log("redo")]),
            phase("trim", vec![trim("trim")]),
            phase("memory", vec![job("nvme")]),
        ],
        ignored: vec!["exitall (database.fio:7): jobs of a phase end by themselves".to_owned()],
        lints: vec![
            "job data (database.fio:12): verify with a rate says little of the device".to_owned(),
            "job redo (database.fio:20): a file of 1 GiB may fit the cache of an array".to_owned(),
        ],
    }
}
