//! Reads of tables larger than the cache of the engine: made to reach the device.
//!
//! Nothing is needed where the engine opens its files with `O_DIRECT`, or can be told to. For a server that dbdyno
//! started and that reads through the page cache, a thread drops the files from the page cache at short intervals, so
//! that little of the data is cached at any time. What is still read from the page cache is seen by the page cache
//! check.

use std::collections::BTreeMap;
use std::fs::File;
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use engine::Node;
use record::{CacheFit, DataReads, PageCached, Ratio, Run, Sweep};

use crate::bench::Bench;
use crate::caches::files_of_data;

/// Interval of the drops: adapted to how much of the data is cached again.
const PERIOD_MIN: Duration = Duration::from_millis(2);
const PERIOD_MAX: Duration = Duration::from_millis(100);
const PERIOD_FIRST: Duration = Duration::from_millis(20);
/// Share of the data that may be cached again between two drops of a run with random reads; half of it is served by the
/// page cache.
const CACHED_MAX_RANDOM: Ratio = Ratio(0.04);
/// The same for a run that scans whole tables: the next scan reaches a page after all others. Pages that were read
/// ahead and dropped unused are read twice, so drops are no more frequent than needed.
const CACHED_MAX_SCAN: Ratio = Ratio(0.4);
/// The part of a file that is held begins at a multiple of this.
const HELD_UNIT: u64 = 64 << 10;
/// Bytes of a read that fills the page cache.
const READ_UNIT: usize = 1 << 20;
/// Interval at which the files are listed again.
const FILES_PERIOD: Duration = Duration::from_secs(1);

/// Keeps as much of the files of a node in the page cache as a proof wants, for as long as the value lives.
pub(crate) struct PageCacheShare {
    _dropper: Option<Dropper>,
}

impl PageCacheShare {
    /// Reads what is to be held of the files in `directory` into the page cache, drops the rest, and goes on dropping it.
    ///
    /// What is held is at the end: a block that is not cached, but has many cached ones before it, is taken for the next one
    /// of a sequential read, and the kernel reads ahead as much as it may (`try_context_readahead`).
    pub(crate) fn hold(directory: &Path, held: PageCached) -> std::io::Result<PageCacheShare> {
        let held_share = match held {
            PageCached::All => Ratio(1.0),
            PageCached::Half => Ratio(0.5),
            PageCached::Nothing => Ratio(0.0),
        };
        for path in files_of_data(directory) {
            // A file may disappear meanwhile, and sockets are no files of data.
            let Ok(file) = File::open(path) else { continue };
            let length = file.metadata()?.len();
            read_into_page_cache(&file, held_from(length, held_share), length)?;
        }
        let dropper = (held != PageCached::All)
            .then(|| Dropper::start(directory.to_owned(), CACHED_MAX_RANDOM, held_share))
            .transpose()?;
        Ok(PageCacheShare { _dropper: dropper })
    }
}

/// Where the part of a file of `length` that is held begins: at whole blocks of any engine.
fn held_from(length: u64, held: Ratio) -> u64 {
    let offset = (length as f64 * (1.0 - held.0)) as u64;
    if held == Ratio(0.0) { length } else { offset - offset % HELD_UNIT }
}

fn read_into_page_cache(file: &File, from: u64, length: u64) -> std::io::Result<()> {
    let mut buffer = vec![0; READ_UNIT];
    let mut offset = from;
    while offset < length {
        let wanted = READ_UNIT.min((length - offset) as usize);
        match file.read_at(&mut buffer[..wanted], offset)? {
            0 => break,
            read => offset += read as u64,
        }
    }
    Ok(())
}

/// Bypasses the page cache on the nodes of a run, for as long as the value lives.
pub(crate) struct PageCacheBypass<'a> {
    nodes: Vec<&'a dyn Node>,
    _droppers: Vec<Dropper>,
}

impl<'a> PageCacheBypass<'a> {
    /// Starts it on `nodes` where the tables of `run` are meant to exceed the cache of the engine, and notes in the run
    /// how data are read.
    pub(crate) fn start(bench: &Bench<'a>, run: &mut Run, nodes: Vec<&'a dyn Node>) -> Option<PageCacheBypass<'a>> {
        if run.cache_fit != Some(CacheFit::Outside) {
            return None;
        }
        Some(PageCacheBypass::on(bench, run, nodes))
    }

    /// The same for any run.
    pub(crate) fn on(bench: &Bench<'a>, run: &mut Run, nodes: Vec<&'a dyn Node>) -> PageCacheBypass<'a> {
        let mut droppers = Vec::new();
        for node in &nodes {
            let cached_max = if run.sweep == Sweep::Threads { CACHED_MAX_SCAN } else { CACHED_MAX_RANDOM };
            let (how, dropper) = start(bench, *node, cached_max);
            droppers.extend(dropper);
            // With several nodes, the weakest method counts.
            run.data_reads = match run.data_reads.take() {
                Some(DataReads::PageCache { reason }) => Some(DataReads::PageCache { reason }),
                Some(DataReads::Dropped) if how == DataReads::Direct => Some(DataReads::Dropped),
                _ => Some(how),
            };
        }
        PageCacheBypass { nodes, _droppers: droppers }
    }
}

impl Drop for PageCacheBypass<'_> {
    fn drop(&mut self) {
        self.nodes.iter().for_each(|node| drop(node.data_reads(false)));
    }
}

fn start(bench: &Bench<'_>, node: &dyn Node, cached_max: Ratio) -> (DataReads, Option<Dropper>) {
    let how = node.data_reads(true);
    let inventory = bench.subject.map(|subject| &subject.inventory);
    if inventory.is_some_and(|inventory| inventory.direct_reads == Some(true)) {
        return (DataReads::Direct, None);
    }
    if how != DataReads::Dropped {
        return (how, None);
    }
    let page_cache = |reason: &str| (DataReads::PageCache { reason: reason.to_owned() }, None);
    match node.data_directory() {
        _ if !inventory.is_some_and(|inventory| inventory.temporary) => {
            page_cache("dbdyno did not start the server, and the server reads through the page cache")
        }
        None => page_cache("the location of its files is unknown"),
        Some(directory) => match Dropper::start(directory.to_owned(), cached_max, Ratio(0.0)) {
            Ok(dropper) => (DataReads::Dropped, Some(dropper)),
            Err(error) => {
                page_cache(&format!("its files cannot be dropped from it, because no thread could be started: {error}"))
            }
        },
    }
}

/// A thread that drops the data files below a directory from the page cache until it is dropped.
struct Dropper {
    is_over: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Dropper {
    /// Drops what is before the share `held` at the end of each file.
    fn start(directory: PathBuf, cached_max: Ratio, held: Ratio) -> std::io::Result<Dropper> {
        let is_over = Arc::new((Mutex::new(false), Condvar::new()));
        let seen = Arc::clone(&is_over);
        let thread = std::thread::Builder::new()
            .name("page cache".to_owned())
            .spawn(move || drop_until(&seen, &directory, cached_max, held))?;
        Ok(Dropper { is_over, thread: Some(thread) })
    }
}

impl Drop for Dropper {
    fn drop(&mut self) {
        *self.is_over.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.is_over.1.notify_all();
        self.thread.take().map(JoinHandle::join);
    }
}

fn drop_until(is_over: &(Mutex<bool>, Condvar), directory: &Path, cached_max: Ratio, held: Ratio) {
    let mut files = BTreeMap::new();
    let mut listed: Option<Instant> = None;
    let mut period = PERIOD_FIRST;
    loop {
        if listed.is_none_or(|listed| listed.elapsed() >= FILES_PERIOD) {
            files = open_files(directory, files);
            listed = Some(Instant::now());
        }
        period = next_period(period, drop_all(&files, held), cached_max);
        let over = is_over.0.lock().unwrap_or_else(PoisonError::into_inner);
        let over = is_over.1.wait_timeout_while(over, period, |over| !*over).unwrap_or_else(PoisonError::into_inner).0;
        if *over {
            return;
        }
    }
}

/// Open files are kept: opening thousands of them each second has a cost.
fn open_files(directory: &Path, mut open: BTreeMap<PathBuf, File>) -> BTreeMap<PathBuf, File> {
    let found = files_of_data(directory).into_iter().filter_map(|path| {
        let file = open.remove(&path).or_else(|| File::open(&path).ok())?;
        Some((path, file))
    });
    found.collect()
}

/// Drops the files but for the share `held` of each; the share of the other bytes that was cached, where that is known.
fn drop_all(files: &BTreeMap<PathBuf, File>, held: Ratio) -> Option<Ratio> {
    let (mut cached, mut bytes) = (0.0, 0.0);
    for file in files.values() {
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        let Some(dropped) = NonZeroU64::new(held_from(length, held)) else { continue };
        if let Some(Ratio(share)) = host::cached_share(file, 0, dropped.get()) {
            (cached, bytes) = (cached + share * dropped.get() as f64, bytes + dropped.get() as f64);
        }
        // To the end with the page that is not full.
        let _ = host::drop_clean(file, Some(dropped).filter(|dropped| dropped.get() < length));
    }
    (bytes > 0.0).then(|| Ratio(cached / bytes))
}

fn next_period(period: Duration, cached: Option<Ratio>, cached_max: Ratio) -> Duration {
    let next = match cached {
        Some(Ratio(share)) if share > cached_max.0 => period / 2,
        Some(Ratio(share)) if share < cached_max.0 / 4.0 => period * 2,
        _ => period,
    };
    next.clamp(PERIOD_MIN, PERIOD_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_are_more_frequent_the_more_is_cached_again() {
        let share = |share| Some(Ratio(share));
        let next_period = |period, cached| next_period(period, cached, CACHED_MAX_RANDOM);
        assert_eq!(next_period(PERIOD_FIRST, share(0.1)), PERIOD_FIRST / 2);
        assert_eq!(next_period(PERIOD_FIRST, share(0.02)), PERIOD_FIRST);
        assert_eq!(next_period(PERIOD_FIRST, share(0.0)), PERIOD_FIRST * 2);
        assert_eq!(next_period(PERIOD_MIN, share(1.0)), PERIOD_MIN);
        assert_eq!(next_period(PERIOD_MAX, share(0.0)), PERIOD_MAX);
        assert_eq!(next_period(PERIOD_FIRST, None), PERIOD_FIRST);
    }

    #[test]
    fn files_do_not_stay_in_the_page_cache() {
        let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("a directory");
        let path = directory.path().join("table");
        std::fs::write(&path, vec![7; 4 << 20]).expect("a file");
        let file = File::open(&path).expect("the file");
        file.sync_all().expect("on the device");
        let share = || host::cached_share(&file, 0, 4 << 20).expect("known").0;
        assert!(share() > 0.9, "it was just written");
        let dropper = Dropper::start(directory.path().to_owned(), CACHED_MAX_RANDOM, Ratio(0.0)).expect("a thread");
        let start = Instant::now();
        while share() > 0.0 && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(share(), 0.0);
        std::fs::read(&path).expect("read again");
        let start = Instant::now();
        while share() > 0.0 && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(share(), 0.0, "and dropped again");
        drop(dropper);
    }

    #[test]
    fn half_of_a_file_is_held() {
        let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("a directory");
        let path = directory.path().join("table");
        std::fs::write(&path, vec![7; 4 << 20]).expect("a file");
        let file = File::open(&path).expect("the file");
        file.sync_all().expect("on the device");
        host::drop_cache(&file, 0, 4 << 20).expect("dropped");
        let share = |offset| host::cached_share(&file, offset, 2 << 20).expect("known").0;
        let held = PageCacheShare::hold(directory.path(), PageCached::Half).expect("a thread");
        std::fs::read(&path).expect("read by others");
        let start = Instant::now();
        while share(0) > 0.0 && start.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!((share(0), share(2 << 20)), (0.0, 1.0));
        drop(held);
        let all = PageCacheShare::hold(directory.path(), PageCached::All).expect("no thread");
        assert_eq!((share(0), share(2 << 20)), (1.0, 1.0));
        drop(all);
    }
}
