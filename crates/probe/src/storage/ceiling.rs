//! The maximum rate of the I/O generator: the same lane, with I/O that does nothing.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use measure::{JobSettings, Observer, run_jobs};
use record::{IoJob, IoMode, JobShare, Nanos, Rate, Verification};

use super::address::Region;
use super::ledger::Ledger;
use super::setting::{LaneSetting, kinds};
use super::work::work;

const WINDOW: Nanos = Nanos(50_000_000);
const WARM_UP: Nanos = Nanos(5_000_000);

/// Operations per second of one lane of `job` whose I/O does nothing: io_uring NOPs at the same depth, or no system
/// call where the job does not use io_uring. Without syncs and commits.
pub fn generator_per_second(job: &IoJob) -> Option<Rate> {
    let mut job = job.clone();
    (job.commit, job.sync_every, job.end_sync, job.io_count) = (false, None, false, None);
    (job.batch_complete_min, job.ring.polled, job.verification) = (1, false, Verification::None);
    if job.mode == IoMode::Synchronous {
        job.mode = IoMode::Null;
    }
    let streams = kinds(&job).into_iter().zip(0..).collect();
    let setting = LaneSetting {
        unit: super::unit_bytes([&job]),
        job: Arc::new(job),
        lane: 0,
        files: Vec::new(),
        regions: vec![Region { offset: 0, length: 1 << 30 }],
        generations: Vec::new(),
        writer: 0,
        seed: 0,
        streams,
        bytes_max: None,
        log_room: 0,
        idle: true,
    };
    let mut works = [work(setting, Arc::new(Ledger::default()))];
    let settings = JobSettings { window: WINDOW, warm_up: WARM_UP, ..JobSettings::default() };
    let outcome = run_jobs(&mut works, JobShare::whole(1), &settings, &Unwatched, &AtomicBool::new(false));
    let seconds = outcome.tally.window().seconds();
    (outcome.broken.is_none() && seconds > 0.0).then(|| Rate(outcome.tally.totals().operations as f64 / seconds))
}

struct Unwatched;

impl Observer for Unwatched {}
