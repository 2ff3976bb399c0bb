//! Which seeds are tried: few of each kind of history, or those that `DBDYNO_SEEDS` names.

use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many histories of each kind are tried where no others are asked for.
const SEEDS: u64 = 500;

/// Names others, such as `500..100000`.
const SEEDS_ASKED: &str = "DBDYNO_SEEDS";

/// The seeds to be tried.
fn seeds() -> Range<u64> {
    let Ok(asked) = std::env::var(SEEDS_ASKED) else { return 0..SEEDS };
    let range = asked.split_once("..").and_then(|(first, end)| Some(first.parse().ok()?..end.parse().ok()?));
    range.unwrap_or_else(|| panic!("{SEEDS_ASKED}={asked} is no range, such as 500..100000"))
}

/// Lets `live` try one of `one_of` seeds, on all processors.
///
/// # Panics
/// Where one fails, with the first that does.
pub(crate) fn each_seed(one_of: u64, live: impl Fn(u64) + Sync) {
    let seeds = seeds();
    let (next, failed) = (AtomicU64::new(seeds.start.next_multiple_of(one_of)), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let seed = next.fetch_add(one_of, Ordering::Relaxed);
            if seed >= seeds.end {
                return;
            }
            if let Err(reason) = catch_unwind(AssertUnwindSafe(|| live(seed))) {
                failed.lock().unwrap().push((seed, text(&*reason)));
                // Those before it are tried to their end: it may not be the first.
                next.store(seeds.end, Ordering::Relaxed);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    if let Some((seed, reason)) = failed.into_inner().unwrap().into_iter().min() {
        panic!("seed {seed}: {reason}");
    }
}

/// The words of a panic.
fn text(reason: &(dyn Any + Send)) -> String {
    let words = reason.downcast_ref::<String>().map(String::as_str);
    words.or_else(|| reason.downcast_ref::<&str>().copied()).unwrap_or("it panicked").to_owned()
}
