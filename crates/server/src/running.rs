//! From an empty or kept place to a running server, and back.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::process::Child;

use base::Process;

use super::place::{Lock, Place};
use super::process;
use super::{Product, Signal, State, leftover};
use engine::{Error, Kind, Result, Workspace};

/// The part of the log that is read after a failure.
const LOG_TAIL_BYTES: u64 = 16 << 10;

/// A running server that dbdyno started. It is stopped when this is dropped.
#[derive(Debug)]
pub struct Running {
    /// Its first process.
    pub pid: u32,
    /// Where it lies.
    pub place: Place,
    /// What is written down about it.
    pub state: State,
    /// What a drop is to do with the data.
    keep: bool,
    /// Both are there until the server is stopped.
    alive: Option<(Child, Lock)>,
}

impl Running {
    /// Starts a server in `site.directory`: on new data, or on data that were kept there. `build` does it; it is told
    /// whether data were kept, and its state must hold at every moment what would have to be undone.
    ///
    /// # Errors
    /// `Usage` where the place is in use, `NotOurs` where it holds something else, `Space` where it cannot be written,
    /// and what `build` says.
    pub fn start(
        product: &'static Product,
        workspace: &Workspace,
        build: impl FnOnce(&Place, &mut State, bool) -> Result<Child>,
    ) -> Result<Running> {
        let place = Place::of(product, &workspace.directory)?;
        let lock = place.claim()?;
        let kept = match take_over(&place) {
            Ok(kept) => kept.is_some(),
            Err(error) => {
                place.leave(lock);
                return Err(error);
            }
        };
        let mut state = State {
            boot: process::boot(),
            owner: Process::own(),
            data: place.data.clone(),
            kept: kept && workspace.keep,
            ..State::default()
        };
        match build(&place, &mut state, kept) {
            Ok(child) => {
                Ok(Running { pid: child.id(), place, state, keep: workspace.keep, alive: Some((child, lock)) })
            }
            Err(error) => {
                // Kept data stay as they were: what failed is this start.
                let undone = leftover::sweep(&place, &State { kept, ..state });
                place.leave(lock);
                Err(match undone {
                    Ok(_) => error,
                    Err(other) => Error { message: format!("{}; then {}", error.message, other.message), ..error },
                })
            }
        }
    }

    /// Stops the server; removes the data, or with `keep` leaves them for a later start in the same directory.
    ///
    /// # Errors
    /// Where the server cannot be stopped or something cannot be removed.
    pub fn stop(mut self, keep: bool) -> Result<()> {
        self.shut_down(keep)
    }

    fn shut_down(&mut self, keep: bool) -> Result<()> {
        let Some((mut child, lock)) = self.alive.take() else { return Ok(()) };
        let product = self.place.product;
        let ended = end(&mut child, if keep { product.stop_in_order } else { product.stop_at_once });
        let swept = match ended {
            true => leftover::sweep(&self.place, &State { kept: keep, ..self.state.clone() }).map(|_| ()),
            false => {
                let message = format!("server process {} cannot be stopped", self.pid);
                Err(Error::new(Kind::Lost, message).hint("stop it by hand; the next start removes what it leaves"))
            }
        };
        self.place.leave(lock);
        swept
    }

    /// Makes the server look as if its dbdyno had died, for the tests of what is done then: the server lives on, the
    /// owner that is written down has ended, nobody holds the lock. Returns the server, so that its exit status can be
    /// taken.
    ///
    /// # Panics
    /// As tests do.
    pub fn abandon(mut self) -> Child {
        let (child, lock) = self.alive.take().expect("running");
        // No process of now began with the machine.
        self.state.owner = Process::own().map(|own| Process { start_ticks: 1, ..own });
        self.state.write(&self.place).expect("state");
        drop(lock);
        child
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Nobody is left to hear of an error; the next start finds what could not be removed and says so.
        let _ = self.shut_down(self.keep);
    }
}

/// What is there already: none for a new place, the state of data that were kept. Removes what a dead invocation left.
fn take_over(place: &Place) -> Result<Option<State>> {
    let Some(state) = State::read(place)? else { return Ok(None) };
    if state.owner_is_alive() {
        let pid = state.owner.map_or(0, |owner| owner.pid);
        let message = format!("directory {} is in use by process {pid}", place.root.display());
        return Err(Error::new(Kind::Usage, message).hint("wait until it has ended, or give another --dir"));
    }
    if !state.is_put_away() {
        leftover::sweep(place, &state)?;
    }
    Ok(state.kept.then_some(state))
}

/// Ends a server, with `first` to begin with, and waits for it; false if it outlives every signal.
pub fn end(child: &mut Child, first: Signal) -> bool {
    let ended = Process::of(child.id()).is_none_or(|process| process::end_process(process, first));
    if ended {
        // It has ended, so this only takes its exit status away.
        let _ = child.wait();
    }
    ended
}

/// The log of a start, emptied; whoever writes into it writes behind the others.
///
/// # Errors
/// `Space` where it cannot be written.
pub(crate) fn open_log(place: &Place) -> Result<File> {
    let path = &place.log;
    let open = || -> io::Result<File> {
        OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path)?;
        OpenOptions::new().append(true).open(path)
    };
    open().map_err(|error| Error::of_path("write", path, &error))
}

/// The end of the log, without the line that it begins in the middle of; empty where there is none.
pub(crate) fn log_tail(place: &Place) -> String {
    let read = || -> io::Result<String> {
        let mut file = File::open(&place.log)?;
        let skipped = file.metadata()?.len().saturating_sub(LOG_TAIL_BYTES);
        file.seek(SeekFrom::Start(skipped))?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(if skipped == 0 { text } else { text.split_once('\n').map_or(String::new(), |(_, rest)| rest.to_owned()) })
    };
    read().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::fixture::PRODUCT;

    #[test]
    fn a_long_log_is_read_from_a_whole_line_on() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        let place = Place::of(&PRODUCT, scratch.path()).expect("place");
        assert_eq!(log_tail(&place), "");
        fs::create_dir(&place.root).expect("root");
        let lines: String = (0..2000).map(|number| format!("line {number:06}\n")).collect();
        fs::write(&place.log, &lines).expect("log");
        let tail = log_tail(&place);
        assert!(tail.len() as u64 <= LOG_TAIL_BYTES && tail.starts_with("line "));
        assert!(tail.ends_with("line 001999\n"));
    }
}
