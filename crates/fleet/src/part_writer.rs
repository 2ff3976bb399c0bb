//! Writes the results of an agent in a thread of its own beside the one of its messages: a slow disk does not hold them up.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;

use record::{Attempt, KeptPart};

use crate::error::{Error, Result};
use crate::kept_parts::KeptParts;

/// What writes the results of an agent. None of this waits but [`PartWriter::finish`].
pub(crate) trait PartWriter: Send {
    /// Where they are.
    fn folder(&self) -> &Path;

    /// Begins to keep `part`.
    fn keep(&mut self, part: KeptPart);

    /// What became of the part that was to be kept last, told once: it is on stable storage, or could not be kept. None
    /// before that.
    fn outcome(&mut self) -> Option<Result<()>>;

    /// Begins to remove a part, after all that was begun before.
    fn remove(&mut self, fleet: &str, attempt: Attempt, agent: &str);

    /// Waits for the end of all that was begun.
    fn finish(&mut self);
}

/// Keeps parts in files. Its thread begins with the first part.
pub(crate) struct PartWriterThread {
    kept: KeptParts,
    thread: Option<(Sender<Change>, JoinHandle<()>)>,
    outcome: Option<Receiver<Result<()>>>,
}

/// What its thread does.
enum Change {
    Keep(Box<KeptPart>, Sender<Result<()>>),
    Remove { fleet: String, attempt: Attempt, agent: String },
}

impl PartWriterThread {
    pub(crate) fn new(kept: KeptParts) -> PartWriterThread {
        PartWriterThread { kept, thread: None, outcome: None }
    }

    /// The changes that its thread makes, which begins if there is none.
    fn changes(&mut self) -> Result<&Sender<Change>> {
        if self.thread.is_none() {
            let (sender, changes) = channel();
            let kept = self.kept.clone();
            let thread = std::thread::Builder::new().name("parts".to_owned()).spawn(move || make(&kept, &changes));
            let thread = thread.map_err(|error| Error::new(format!("no thread to keep a part: {error}")))?;
            self.thread = Some((sender, thread));
        }
        self.thread.as_ref().map(|(changes, _)| changes).ok_or_else(is_over)
    }
}

fn is_over() -> Error {
    Error::new("the thread that writes parts has ended")
}

/// Makes `changes` one after the other, until there are no more.
fn make(kept: &KeptParts, changes: &Receiver<Change>) {
    for change in changes {
        match change {
            // Where nobody waits for the outcome any more, it is of no use.
            Change::Keep(part, outcome) => drop(outcome.send(kept.keep(&part))),
            Change::Remove { fleet, attempt, agent } => kept.remove(&fleet, attempt, &agent),
        }
    }
}

impl PartWriter for PartWriterThread {
    fn folder(&self) -> &Path {
        self.kept.folder()
    }

    fn keep(&mut self, part: KeptPart) {
        let (sender, outcome) = channel();
        self.outcome = Some(outcome);
        let failed = match self.changes() {
            Ok(changes) => changes.send(Change::Keep(Box::new(part), sender.clone())).err().map(|_| is_over()),
            Err(error) => Some(error),
        };
        failed.into_iter().for_each(|error| drop(sender.send(Err(error))));
    }

    fn outcome(&mut self) -> Option<Result<()>> {
        let outcome = match self.outcome.as_ref()?.try_recv() {
            Err(TryRecvError::Empty) => return None,
            // It panicked.
            Err(TryRecvError::Disconnected) => Err(is_over()),
            Ok(outcome) => outcome,
        };
        self.outcome = None;
        Some(outcome)
    }

    fn remove(&mut self, fleet: &str, attempt: Attempt, agent: &str) {
        // Without a thread nothing was kept; a part that is not removed is found again.
        if let Some((changes, _)) = &self.thread {
            let (fleet, agent) = (fleet.to_owned(), agent.to_owned());
            let _ = changes.send(Change::Remove { fleet, attempt, agent });
        }
    }

    fn finish(&mut self) {
        if let Some((changes, thread)) = self.thread.take() {
            drop(changes);
            // What it panicked with was told as the outcome.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{kept_part, nowhere};

    /// The outcome, once it is there.
    fn awaited(writer: &mut PartWriterThread) -> Result<()> {
        loop {
            if let Some(outcome) = writer.outcome() {
                return outcome;
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn a_part_is_there_when_its_outcome_is_told_and_gone_when_what_was_begun_has_ended() {
        let directory = tempfile::tempdir().unwrap();
        let kept = KeptParts::below(directory.path());
        let mut writer = PartWriterThread::new(kept.clone());
        let part = kept_part("r", 1, "a");
        writer.remove(&part.fleet, part.attempt, &part.agent);
        assert!(writer.outcome().is_none() && writer.thread.is_none(), "nothing was begun");
        writer.keep(part.clone());
        assert_eq!(awaited(&mut writer), Ok(()));
        assert!(writer.outcome().is_none(), "it is told once");
        assert_eq!(kept.of_record("r").parts.len(), 1);
        let other = kept_part("r", 2, "a");
        writer.keep(other.clone());
        [&part, &other].iter().for_each(|part| writer.remove(&part.fleet, part.attempt, &part.agent));
        writer.finish();
        assert!(!kept.folder().exists(), "what is removed was kept before");
        assert_eq!(awaited(&mut writer), Ok(()));
    }

    #[test]
    fn why_a_part_is_not_kept_is_told() {
        let mut writer = PartWriterThread::new(nowhere());
        writer.keep(kept_part("r", 1, "a"));
        let error = awaited(&mut writer).unwrap_err();
        assert!(error.message.contains("cannot be written"), "{error}");
    }
}
