//! The thread that writes: what cannot be written is kept and tried again, and probing goes on.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::thread::JoinHandle;

use model::promise::{AlertChange, Control, Event, UnixMillis};

use super::History;
use super::prune::BYTES_MAX;
use crate::trouble::Trouble;

/// Entries that wait for the thread, and entries that wait for the file.
const WAITING_MAX: usize = 10_000;

/// Something to write.
#[derive(Clone, Debug)]
pub(crate) enum Entry {
    /// Events of a start.
    Events { target: i64, events: Vec<Event> },
    /// An alert begins or ends.
    Alert { target: i64, change: AlertChange, why: String },
    /// An hour is complete.
    Hour { target: i64, hour: i64, controls: BTreeMap<Control, f64> },
    /// Old data may go.
    Prune { now: UnixMillis },
}

/// Hands entries to the thread.
pub(crate) struct Writer {
    entries: SyncSender<Entry>,
    thread: JoinHandle<()>,
    trouble: Arc<Trouble>,
}

impl Writer {
    /// Starts the thread, which writes `history`, the file at `path`.
    pub(crate) fn start(history: History, path: PathBuf) -> Writer {
        let (sender, entries) = sync_channel(WAITING_MAX);
        let trouble = Arc::<Trouble>::default();
        let met = Arc::clone(&trouble);
        let thread = std::thread::spawn(move || write(history, &path, &entries, &met));
        Writer { entries: sender, thread, trouble }
    }

    /// Hands over `entry`, without waiting.
    pub(crate) fn write(&self, entry: Entry) {
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) = self.entries.try_send(entry) {
            self.trouble.note("the history cannot be written as fast as events come".to_owned());
        }
    }

    /// What kept it from writing since this was asked last.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.take()
    }

    /// Writes what is waiting, and ends.
    pub(crate) fn end(self) {
        drop(self.entries);
        // A thread that panicked has said so.
        let _ = self.thread.join();
    }
}

fn write(mut history: History, path: &Path, entries: &Receiver<Entry>, trouble: &Trouble) {
    let mut waiting: VecDeque<Entry> = VecDeque::new();
    let mut was_refused = false;
    while let Ok(entry) = entries.recv() {
        if waiting.len() == WAITING_MAX {
            waiting.pop_front();
        }
        waiting.push_back(entry);
        let refused = drain(&mut history, &mut waiting).err();
        // It is said once, until something is written again.
        if let Some(error) = refused.as_ref().filter(|_| !was_refused) {
            trouble.note(super::tables::refused(path, error).message);
        }
        was_refused = refused.is_some();
    }
    // The last try: nothing can be said any more.
    let _ = drain(&mut history, &mut waiting);
}

fn drain(history: &mut History, waiting: &mut VecDeque<Entry>) -> rusqlite::Result<()> {
    while let Some(entry) = waiting.front() {
        match entry {
            Entry::Events { target, events } => history.append(*target, events)?,
            Entry::Alert { target, change, why } => history.change(*target, change, why)?,
            Entry::Hour { target, hour, controls } => history.end_hour(*target, *hour, controls)?,
            Entry::Prune { now } => history.prune(*now, BYTES_MAX)?,
        }
        waiting.pop_front();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use model::promise::{HOUR_MS, Objective, Operation, Outcome, Promise};
    use record::Nanos;

    use super::*;

    fn event(at_ms: i64, outcome: Outcome) -> Event {
        let time = (outcome == Outcome::Good).then_some(Nanos(1_000_000));
        Event { at: UnixMillis(at_ms), operation: Operation::Read, outcome, slowest_ns: time, median_ns: time }
    }

    #[test]
    fn what_one_process_wrote_the_next_one_knows() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("monitor.db");
        let promise = Promise {
            operation: Operation::Read,
            threshold_ns: Some(Nanos(2_000_000)),
            baseline_p50_ns: None,
            objective: Objective::default(),
        };
        let mut history = History::to_write(&path).unwrap();
        let target = history.enter(&path, "shop", "r1", &[promise]).unwrap();
        let writer = Writer::start(history, path.clone());
        let begin = 500_000 * HOUR_MS;
        let events: Vec<Event> = (0..180)
            .map(|number| event(begin + number * 30_000, if number == 5 { Outcome::Failed } else { Outcome::Good }))
            .collect();
        events.chunks(3).for_each(|events| writer.write(Entry::Events { target, events: events.to_vec() }));
        let controls = BTreeMap::from([(Control::Timer, 7.0)]);
        writer.write(Entry::Hour { target, hour: 500_000, controls });
        assert_eq!(writer.trouble(), None);
        writer.end();

        let now = UnixMillis(begin + 180 * 30_000);
        let mut history = History::to_write(&path).unwrap();
        let recalled = history.recall(&path, target, &[promise], now).unwrap();
        let judge = &recalled.judges[&Operation::Read];
        assert_eq!((judge.window(now).good, judge.window(now).bad), (179, 1));
        assert_eq!(recalled.medians[&Operation::Read].len(), 60, "of the half hour that goes on");
        assert_eq!(recalled.controls[&Control::Timer][&500_000], 7.0);
        // Two hours later the one that was not complete is.
        let recalled = history.recall(&path, target, &[promise], UnixMillis(begin + 3 * HOUR_MS)).unwrap();
        assert_eq!(recalled.judges[&Operation::Read].window(UnixMillis(begin + 3 * HOUR_MS)).good, 179);
    }

    #[test]
    fn a_file_that_cannot_be_written_is_said_and_what_waited_is_written_later() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("monitor.db");
        let history = History::to_write(&path).unwrap();
        // A full device is the same to the writer: its statement fails.
        history.connection.pragma_update(None, "max_page_count", 1).unwrap();
        history.connection.execute_batch("pragma query_only = on").unwrap();
        let mut waiting = VecDeque::from([Entry::Events { target: 1, events: vec![event(1, Outcome::Good)] }]);
        let mut history = history;
        assert!(drain(&mut history, &mut waiting).is_err() && waiting.len() == 1);
        history.connection.execute_batch("pragma query_only = off").unwrap();
        assert!(drain(&mut history, &mut waiting).is_ok() && waiting.is_empty());
    }
}
