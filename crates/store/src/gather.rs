//! Reads a long record run by run, on all processors, so that it need not lie in memory as a whole.

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use record::{Record, Run, SCHEMA_VERSION};

use crate::possible::{self, Demand};
use crate::split::{Batch, Fields, Rest, Splitter};

/// Bytes that are read at once.
const PIECE_BYTES: usize = 1 << 20;

/// Bytes of a record beside its runs, or of one run, that are held: a record as large as one may be has less.
const HELD_BYTES_MAX: usize = 1 << 30;

/// Bytes beside the runs up to which a file in a directory is taken for a record: the plan of half a million runs.
pub(crate) const REST_BYTES_MAX: usize = 128 << 20;

/// What is done with each run as soon as it is read: takes out of it what its reader does not need.
pub(crate) type Thin<'a> = &'a (dyn Fn(&mut Run) + Sync);

/// Runs that follow each other, and the index of the first.
type Parsed = (usize, Vec<Run>);

/// What one worker read, and what that asks of the rest of the record.
type Share = (Vec<Parsed>, Demand);

/// The record in `file`, each run thinned, and where its runs lie in the file; none where it is not a record of today's
/// version from its first byte to its last, or holds what cannot be: who wants to know what is wrong with it looks at
/// it once more.
pub(crate) fn gather(file: &File, fields: Fields, thin: Thin<'_>) -> Option<(Record, Vec<Range<u64>>)> {
    let (rest, runs, demand) = parse_runs(file, fields, thin)?;
    let mut record: Record = serde_json::from_slice(&rest.text).ok()?;
    let whole = record.schema_version == SCHEMA_VERSION && runs.len() == rest.places.len();
    // A list of the right length would pass for the fields in their order.
    let object = rest.text.trim_ascii_start().first() == Some(&b'{');
    // Runs below a key that is written with escapes were not found, and lie in the rest.
    let whole = whole && record.runs.is_empty();
    let whole = whole && possible::rest(&record).and_then(|()| demand.met(&record)).is_ok();
    record.runs = runs;
    (whole && object).then_some((record, rest.places))
}

/// The run at `place` in `file`; none where there is none.
pub(crate) fn run_at(file: &File, place: &Range<u64>) -> Option<Run> {
    let length = usize::try_from(place.end.checked_sub(place.start)?).ok()?;
    let mut text = vec![0; length];
    file.read_exact_at(&mut text, place.start).ok()?;
    serde_json::from_slice(&text).ok().filter(|run| possible::run(run).is_ok())
}

/// The runs in `file`, in their order, the rest of the record, and what they ask of it.
fn parse_runs(file: &File, fields: Fields, thin: Thin<'_>) -> Option<(Rest, Vec<Run>, Demand)> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let (sender, receiver) = sync_channel(workers);
    let receiver = Mutex::new(receiver);
    let (rest, parsed) = thread::scope(|scope| {
        let work = || parse_all(&receiver, thin);
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let rest = split(file, fields, &sender);
        drop(sender);
        let parsed: Vec<Option<Share>> = workers.into_iter().map(|worker| worker.join().ok().flatten()).collect();
        (rest, parsed)
    });
    let rest = rest?;
    let (parsed, demands): (Vec<_>, Vec<_>) = parsed.into_iter().collect::<Option<Vec<_>>>()?.into_iter().unzip();
    let mut parsed: Vec<Parsed> = parsed.into_iter().flatten().collect();
    let demand = demands.into_iter().fold(Demand::default(), Demand::and);
    parsed.sort_unstable_by_key(|(first, _)| *first);
    let mut runs = Vec::with_capacity(parsed.iter().map(|(_, runs)| runs.len()).sum());
    runs.extend(parsed.into_iter().flat_map(|(_, runs)| runs));
    Some((rest, runs, demand))
}

/// Reads `file` to its end and hands out its runs. None where it ends in the middle, and where nobody takes them.
fn split(mut file: &File, fields: Fields, sender: &SyncSender<Batch>) -> Option<Rest> {
    let mut splitter = Splitter::new(fields, HELD_BYTES_MAX);
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let length = file.read(&mut piece).ok()?;
        if length == 0 {
            break;
        }
        splitter.feed(&piece[..length]);
        if splitter.is_broken() {
            return None;
        }
        if let Some(batch) = splitter.full_batch() {
            sender.send(batch).ok()?;
        }
    }
    let mut rest = splitter.finish()?;
    sender.send(std::mem::take(&mut rest.last)).ok()?;
    Some(rest)
}

/// What a worker does until there are no more batches. None where a run is not one.
fn parse_all(receiver: &Mutex<Receiver<Batch>>, thin: Thin<'_>) -> Option<Share> {
    let mut demand = Demand::default();
    let mut parse = |text: &[u8]| {
        let mut run: Run = serde_json::from_slice(text).ok()?;
        // Before anything is taken out of it.
        possible::run(&run).ok()?;
        demand = demand.and(Demand::of(&run));
        thin(&mut run);
        Some(run)
    };
    let next = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
    let mut parsed = Some(Vec::new());
    while let Ok(batch) = next() {
        // After a fault batches are still taken, so that nobody waits for room.
        if let Some(done) = &mut parsed {
            let texts = batch.runs.iter().map(|place| &batch.text[place.clone()]);
            match texts.map(&mut parse).collect() {
                Some(runs) => done.push((batch.first, runs)),
                None => parsed = None,
            }
        }
    }
    parsed.map(|parsed| (parsed, demand))
}

/// What a file is without a look at its runs.
pub(crate) enum Survey {
    /// How many runs it has, and its text without them.
    Whole(usize, Vec<u8>),
    /// It ends in the middle, cannot be read, or is no record.
    Broken,
    /// It is no object, or holds more beside runs than any record.
    Foreign,
}

/// Reads `file` and keeps nothing of its runs.
pub(crate) fn survey(mut file: File) -> Survey {
    let mut splitter = Splitter::new(Fields::NoSeries, REST_BYTES_MAX);
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        match file.read(&mut piece) {
            Err(_) => return Survey::Broken,
            Ok(0) => break,
            Ok(length) => splitter.feed(&piece[..length]),
        }
        match (splitter.is_foreign(), splitter.is_broken()) {
            (true, _) => return Survey::Foreign,
            (false, true) => return Survey::Broken,
            (false, false) => splitter.full_batch(),
        };
    }
    splitter.finish().map_or(Survey::Broken, |rest| Survey::Whole(rest.places.len(), rest.text))
}
