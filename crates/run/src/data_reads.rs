//! Reads of tables that do not fit the engine's cache: made to reach the device.
//!
//! Where the engine opens its files with `O_DIRECT`, or can be told to, that is all. Of a server that dbdyno started and
//! that reads through the page cache, the files are dropped out of it again all the while: so often that little of the
//! data lies there at a time. What then still came from the page cache is seen by the check of the page cache.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use engine::Node;
use record::{CacheFit, DataReads, Ratio, Run, Sweep};

use crate::bench::Bench;
use crate::caches::files_of_data;

/// Distance of two drops: it follows how much of the data has come back meanwhile.
const PERIOD_MIN: Duration = Duration::from_millis(2);
const PERIOD_MAX: Duration = Duration::from_millis(100);
const PERIOD_FIRST: Duration = Duration::from_millis(20);
/// Share of the data that may come back between two drops of a run that reads at random: half of it is served by the page
/// cache.
const CACHED_MAX_RANDOM: Ratio = Ratio(0.04);
/// The same of one that reads whole tables: the next scan comes to a page after all others. What the kernel has read
/// ahead and is dropped unused is read twice, so that it is not done more often than needed.
const CACHED_MAX_SCAN: Ratio = Ratio(0.4);
/// After so long it is looked which files there are.
const FILES_PERIOD: Duration = Duration::from_secs(1);

/// How the sessions of a run read data, for as long as the value lives.
pub(crate) struct PastPageCache<'a> {
    nodes: Vec<&'a dyn Node>,
    _droppers: Vec<Dropper>,
}

impl<'a> PastPageCache<'a> {
    /// Begins it on `nodes` where the tables of `run` are to lie outside the engine's cache, and says in the run how.
    pub(crate) fn begin(bench: &Bench<'a>, run: &mut Run, nodes: Vec<&'a dyn Node>) -> Option<PastPageCache<'a>> {
        if run.cache_fit != Some(CacheFit::Outside) {
            return None;
        }
        Some(PastPageCache::on(bench, run, nodes))
    }

    /// The same of any run.
    pub(crate) fn on(bench: &Bench<'a>, run: &mut Run, nodes: Vec<&'a dyn Node>) -> PastPageCache<'a> {
        let mut droppers = Vec::new();
        for node in &nodes {
            let cached_max = if run.sweep == Sweep::Threads { CACHED_MAX_SCAN } else { CACHED_MAX_RANDOM };
            let (how, dropper) = begin(bench, *node, cached_max);
            droppers.extend(dropper);
            // Of several nodes, the one that does least.
            run.data_reads = match run.data_reads.take() {
                Some(DataReads::PageCache { reason }) => Some(DataReads::PageCache { reason }),
                Some(DataReads::Dropped) if how == DataReads::Direct => Some(DataReads::Dropped),
                _ => Some(how),
            };
        }
        PastPageCache { nodes, _droppers: droppers }
    }
}

impl Drop for PastPageCache<'_> {
    fn drop(&mut self) {
        self.nodes.iter().for_each(|node| drop(node.data_reads(false)));
    }
}

fn begin(bench: &Bench<'_>, node: &dyn Node, cached_max: Ratio) -> (DataReads, Option<Dropper>) {
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
            page_cache("the server is not one that dbdyno started, and reads through the page cache")
        }
        None => page_cache("where its files lie is not known"),
        Some(directory) => match Dropper::begin(directory.to_owned(), cached_max) {
            Ok(dropper) => (DataReads::Dropped, Some(dropper)),
            Err(error) => page_cache(&format!("no thread drops its files out of it: {error}")),
        },
    }
}

/// A thread that drops the files of data below a directory out of the page cache, again and again until it goes.
struct Dropper {
    is_over: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl Dropper {
    fn begin(directory: PathBuf, cached_max: Ratio) -> std::io::Result<Dropper> {
        let is_over = Arc::new((Mutex::new(false), Condvar::new()));
        let seen = Arc::clone(&is_over);
        let thread = std::thread::Builder::new()
            .name("page cache".to_owned())
            .spawn(move || drop_until(&seen, &directory, cached_max))?;
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

fn drop_until(is_over: &(Mutex<bool>, Condvar), directory: &Path, cached_max: Ratio) {
    let mut files = BTreeMap::new();
    let mut listed: Option<Instant> = None;
    let mut period = PERIOD_FIRST;
    loop {
        if listed.is_none_or(|listed| listed.elapsed() >= FILES_PERIOD) {
            files = open_files(directory, files);
            listed = Some(Instant::now());
        }
        period = next_period(period, drop_all(&files), cached_max);
        let over = is_over.0.lock().unwrap_or_else(PoisonError::into_inner);
        let over = is_over.1.wait_timeout_while(over, period, |over| !*over).unwrap_or_else(PoisonError::into_inner).0;
        if *over {
            return;
        }
    }
}

/// Those that were open stay so: opening thousands each second is not free.
fn open_files(directory: &Path, mut open: BTreeMap<PathBuf, File>) -> BTreeMap<PathBuf, File> {
    let found = files_of_data(directory).into_iter().filter_map(|path| {
        let file = open.remove(&path).or_else(|| File::open(&path).ok())?;
        Some((path, file))
    });
    found.collect()
}

/// Drops them; the share of their bytes that lay in the page cache, where that is known.
fn drop_all(files: &BTreeMap<PathBuf, File>) -> Option<Ratio> {
    let (mut cached, mut bytes) = (0.0, 0.0);
    for file in files.values() {
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        if length == 0 {
            continue;
        }
        if let Some(Ratio(share)) = host::cached_share(file, 0, length) {
            (cached, bytes) = (cached + share * length as f64, bytes + length as f64);
        }
        let _ = host::drop_clean(file);
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
    fn it_is_dropped_more_often_the_more_comes_back() {
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
    fn what_is_read_does_not_stay_in_the_page_cache() {
        let place = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).expect("a place");
        let path = place.path().join("table");
        std::fs::write(&path, vec![7; 4 << 20]).expect("a file");
        let file = File::open(&path).expect("the file");
        file.sync_all().expect("on the device");
        let share = || host::cached_share(&file, 0, 4 << 20).expect("known").0;
        assert!(share() > 0.9, "it was just written");
        let dropper = Dropper::begin(place.path().to_owned(), CACHED_MAX_RANDOM).expect("a thread");
        let begun = Instant::now();
        while share() > 0.0 && begun.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(share(), 0.0);
        std::fs::read(&path).expect("read again");
        let begun = Instant::now();
        while share() > 0.0 && begun.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(share(), 0.0, "and dropped again");
        drop(dropper);
    }
}
