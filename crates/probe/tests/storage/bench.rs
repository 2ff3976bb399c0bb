//! A file in an empty directory and lanes that use it.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use dbdyno_probe::storage::{
    Account, Generations, LaneSetting, Ledger, Region, kinds, lay_out, unit_bytes, work, work_that_loses,
};
use measure::{Broken, Done, JobSettings, Observer, Queue, Tally, Work, Worker, run_workers};
use record::{Bytes, IoJob, IoKind, IoLogEntry, IoMix, IoMode, IoOrder, Layout, Nanos, OpenSync};
use tempfile::TempDir;

pub const BLOCK: u64 = 4096;
/// Long enough for every job with an amount of I/O.
pub const LONG: Nanos = Nanos(60_000_000_000);

/// The I/O engines. Every test runs with both; a failed test prints which one, and a kernel without io_uring fails.
pub const MODES: [IoMode; 2] = [IoMode::Ring, IoMode::Synchronous];

/// A directory with one file.
pub struct Bench {
    directory: TempDir,
    pub size: u64,
    /// Shared by all runs on the file.
    pub generations: Arc<Generations>,
}

/// Result of a run.
#[derive(Debug)]
pub struct Ran {
    pub kinds: Vec<IoKind>,
    pub tallies: Vec<Tally>,
    pub accounts: Vec<Account>,
    pub log: Vec<IoLogEntry>,
    pub broken: Option<Broken>,
    pub mode: String,
    /// Bytes that the threads of the lanes read from and wrote to the block layer in the window.
    pub device_bytes: (u64, u64),
}

impl Bench {
    /// A file of `size` bytes, written, in a directory on a real file system.
    pub fn new(size: u64) -> Bench {
        Bench::laid_out(size, Layout::Written)
    }

    pub fn laid_out(size: u64, layout: Layout) -> Bench {
        // The build directory is on a disk; temporary directories may be in memory.
        let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let generations = Arc::new(Generations::new(Bytes(size), Bytes(BLOCK), Bytes(1 << 20)));
        let bench = Bench { directory, size, generations };
        let never = AtomicBool::new(false);
        lay_out(&bench.path(), Bytes(size), layout, Bytes(BLOCK), 7, &never, &|_| ()).unwrap();
        bench
    }

    pub fn path(&self) -> PathBuf {
        self.directory.path().join("file")
    }

    /// Runs one lane of `job` on the whole file, for at most `window`.
    pub fn run(&self, job: &IoJob, window: Nanos) -> Ran {
        self.run_lanes(job, window, &[Region { offset: 0, length: self.size }])
    }

    /// One lane per region.
    pub fn run_lanes(&self, job: &IoJob, window: Nanos, regions: &[Region]) -> Ran {
        run_lanes(&self.path(), job, window, regions, (Some(&self.generations), None))
    }

    /// The same on storage that loses write number `lost` of each lane, from 0.
    pub fn run_losing(&self, job: &IoJob, lost: u64, regions: &[Region]) -> Ran {
        run_lanes(&self.path(), job, LONG, regions, (Some(&self.generations), Some(lost)))
    }
}

/// Runs one lane of `job` per region of the file at `path`.
pub fn run_on(path: &Path, job: &IoJob, window: Nanos, regions: &[Region]) -> Ran {
    run_lanes(path, job, window, regions, (None, None))
}

fn run_lanes(
    path: &Path,
    job: &IoJob,
    window: Nanos,
    regions: &[Region],
    (generations, lost): (Option<&Arc<Generations>>, Option<u64>),
) -> Ran {
    let ledger = Arc::new(Ledger::default());
    let shared = Arc::new(job.clone());
    let kinds = kinds(job);
    let device = Mutex::new((0, 0));
    let lane = |(region, lane): (&Region, u32)| {
        let setting = LaneSetting {
            job: Arc::clone(&shared),
            lane,
            files: vec![Arc::new(open(path, job))],
            regions: vec![*region],
            unit: unit_bytes([job]),
            generations: vec![generations.cloned()],
            writer: 7,
            seed: 11,
            streams: kinds.iter().copied().zip(0..).collect(),
            bytes_max: (!job.time_based).then_some(Bytes(region.length * u64::from(job.loops))),
            log_room: 1 << 20,
            idle: false,
        };
        let ledger = Arc::clone(&ledger);
        let work = match lost {
            Some(lost) => work_that_loses(lost, setting, ledger),
            None => work(setting, ledger),
        };
        Counted { work, before: (0, 0), total: &device }
    };
    let mut works: Vec<Counted<'_>> = regions.iter().zip(0..).map(lane).collect();
    let settings = JobSettings { pace: job.pace, window, drain: LONG, ..JobSettings::default() };
    let settings = JobSettings { warm_up: job.ramp_time, ..settings };
    let count = works.len() as u32;
    let members = works.iter_mut().zip(0..);
    let members = members.map(|(work, place)| Worker { work, settings, place: (place, count), meter: None }).collect();
    let outcome = run_workers(members, &Unwatched, &AtomicBool::new(false));
    drop(works);
    let pages = ledger.pages();
    let mut accounts: BTreeMap<usize, Account> = BTreeMap::new();
    for (number, account) in pages.values().flat_map(|page| &page.streams) {
        accounts.entry(*number).or_default().add(account);
    }
    Ran {
        kinds,
        tallies: outcome.streams,
        accounts: accounts.into_values().collect(),
        log: pages.values().flat_map(|page| page.log.clone()).collect(),
        broken: outcome.broken,
        mode: pages.values().next().map(|page| page.mode.clone()).unwrap_or_default(),
        device_bytes: *device.lock().unwrap(),
    }
}

impl Ran {
    /// Operations that succeeded, of one kind.
    pub fn operations(&self, kind: IoKind) -> u64 {
        self.of(kind).map_or(0, |place| self.tallies[place].totals().operations)
    }

    /// Operations that failed, of one kind.
    pub fn failures(&self, kind: IoKind) -> u64 {
        self.of(kind).map_or(0, |place| self.tallies[place].totals().failures.values().sum())
    }

    /// The I/Os of one kind in the log.
    pub fn logged(&self, kind: IoKind) -> Vec<IoLogEntry> {
        let Some(place) = self.of(kind) else { return Vec::new() };
        self.log.iter().filter(|mark| mark.stream as usize == place).copied().collect()
    }

    /// Maximum in flight, from the times in the log.
    pub fn in_flight_max(&self) -> i64 {
        let starts = self.log.iter().map(|mark| (mark.start_ns.0, 1));
        let ends = self.log.iter().map(|mark| (mark.end_ns.0, -1));
        // An end sorts before a start at the same time.
        let mut edges: Vec<(u64, i64)> = starts.chain(ends).collect();
        edges.sort_unstable();
        edges
            .iter()
            .scan(0, |level, (_, step)| {
                *level += step;
                Some(*level)
            })
            .max()
            .unwrap_or(0)
    }

    fn of(&self, kind: IoKind) -> Option<usize> {
        self.kinds.iter().position(|one| *one == kind)
    }
}

/// A lane, with the block layer bytes of its thread.
struct Counted<'a> {
    work: Box<dyn Work>,
    before: (u64, u64),
    total: &'a Mutex<(u64, u64)>,
}

impl Work for Counted<'_> {
    fn step(&mut self, number: u64) -> Result<Done, Broken> {
        self.work.step(number)
    }

    /// Called after the warm-up and after the last step: the window is between the two.
    fn finish(&mut self) -> Result<(), Broken> {
        let now = thread_bytes();
        *self.total.lock().unwrap() = (now.0 - self.before.0, now.1 - self.before.1);
        self.before = now;
        self.work.finish()
    }

    fn queue(&mut self) -> Option<&mut dyn Queue> {
        self.work.queue()
    }

    fn streams(&self) -> Vec<usize> {
        self.work.streams()
    }
}

/// Bytes that this thread read from and wrote to the block layer.
fn thread_bytes() -> (u64, u64) {
    let text = std::fs::read_to_string("/proc/thread-self/io").unwrap();
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().parse().unwrap()
    };
    (value("read_bytes:"), value("write_bytes:"))
}

fn open(path: &Path, job: &IoJob) -> File {
    let flags = if job.direct { libc::O_DIRECT } else { 0 };
    let sync = if job.open_sync == OpenSync::Dsync { libc::O_DSYNC } else { 0 };
    OpenOptions::new().read(true).write(true).custom_flags(flags | sync).open(path).unwrap()
}

struct Unwatched;

impl Observer for Unwatched {}

/// Random direct reads of 4 KiB, every block once.
pub fn reading(mode: IoMode, depth: u32) -> IoJob {
    IoJob { name: "job".to_owned(), mode, depth, files: vec!["file".to_owned()], ..IoJob::default() }
}

pub fn writing(mode: IoMode, depth: u32) -> IoJob {
    IoJob { mix: IoMix::WRITE, ..reading(mode, depth) }
}

/// Sequential instead of random.
pub fn in_order(job: IoJob) -> IoJob {
    IoJob { order: IoOrder::SEQUENTIAL, ..job }
}
