//! Starts a server in an empty or kept directory, and stops it.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::process::Child;

use base::Process;

use super::paths::{Lock, Paths};
use super::process;
use super::{Product, Signal, State, leftover};
use engine::{Error, Kind, Result, Workspace};

/// The part of the log that is read after a failure.
const LOG_TAIL_BYTES: u64 = 16 << 10;

/// A running server that dbdyno started. It is stopped when this is dropped.
#[derive(Debug)]
pub struct RunningServer {
    /// Its main process.
    pub pid: u32,
    /// Its paths.
    pub paths: Paths,
    /// The contents of its state file.
    pub state: State,
    /// Whether a drop keeps the data.
    keep: bool,
    /// Present until the server is stopped.
    alive: Option<(Child, Lock)>,
}

impl RunningServer {
    /// Starts a server in `workspace.directory`: on new data, or on data that were kept there. `build` starts it; its
    /// last argument is whether data were kept, and its state must record at every moment what has to be undone.
    ///
    /// # Errors
    /// `Usage` if the directory is in use, `NotOurs` if it contains something else, `Space` if it cannot be written;
    /// errors of `build`.
    pub fn start(
        product: &'static Product,
        workspace: &Workspace,
        build: impl FnOnce(&Paths, &mut State, bool) -> Result<Child>,
    ) -> Result<RunningServer> {
        let paths = Paths::of(product, &workspace.directory)?;
        let lock = paths.claim()?;
        let kept = match take_kept(&paths) {
            Ok(kept) => kept.is_some(),
            Err(error) => {
                paths.release(lock);
                return Err(error);
            }
        };
        let mut state = State {
            boot: process::boot(),
            owner: Process::own(),
            data: paths.data.clone(),
            kept: kept && workspace.keep,
            ..State::default()
        };
        match build(&paths, &mut state, kept) {
            Ok(child) => {
                Ok(RunningServer { pid: child.id(), paths, state, keep: workspace.keep, alive: Some((child, lock)) })
            }
            Err(error) => {
                // Kept data are not removed because this start failed.
                let removed = leftover::remove_leftovers(&paths, &State { kept, ..state });
                paths.release(lock);
                Err(match removed {
                    Ok(_) => error,
                    Err(other) => Error { message: format!("{}; then {}", error.message, other.message), ..error },
                })
            }
        }
    }

    /// Stops the server; removes the data, or with `keep` keeps them for a later start in the same directory.
    ///
    /// # Errors
    /// If the server cannot be stopped or something cannot be removed.
    pub fn stop(mut self, keep: bool) -> Result<()> {
        self.shut_down(keep)
    }

    fn shut_down(&mut self, keep: bool) -> Result<()> {
        let Some((mut child, lock)) = self.alive.take() else { return Ok(()) };
        let product = self.paths.product;
        let ended = terminate(&mut child, if keep { product.shutdown_signal } else { product.immediate_signal });
        let swept = match ended {
            true => leftover::remove_leftovers(&self.paths, &State { kept: keep, ..self.state.clone() }).map(|_| ()),
            false => {
                let message = format!("server process {} cannot be stopped", self.pid);
                Err(Error::new(Kind::Lost, message).hint("stop it manually; the next start removes its data"))
            }
        };
        self.paths.release(lock);
        swept
    }

    /// For tests: simulates a crash of the owning dbdyno. The server keeps running, the recorded owner does not exist,
    /// the lock is released. Returns the server process, so that its exit status can be collected.
    ///
    /// # Panics
    /// On any error.
    pub fn simulate_owner_crash(mut self) -> Child {
        let (child, lock) = self.alive.take().expect("running");
        // No running process has this start time.
        self.state.owner = Process::own().map(|own| Process { start_ticks: 1, ..own });
        self.state.write(&self.paths).expect("state");
        drop(lock);
        child
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        // An error cannot be returned here; the next start finds and reports what could not be removed.
        let _ = self.shut_down(self.keep);
    }
}

/// The state of kept data; `None` for a new directory. Removes what a crashed invocation left.
fn take_kept(paths: &Paths) -> Result<Option<State>> {
    let Some(state) = State::read(paths)? else { return Ok(None) };
    if state.owner_is_alive() {
        let pid = state.owner.map_or(0, |owner| owner.pid);
        let message = format!("directory {} is in use by process {pid}", paths.root.display());
        return Err(Error::new(Kind::Usage, message).hint("wait until it has exited, or give another --dir"));
    }
    if !state.is_kept_and_stopped() {
        leftover::remove_leftovers(paths, &state)?;
    }
    Ok(state.kept.then_some(state))
}

/// Terminates a server, with the signal `first` at first, and waits for it; false if it still runs.
pub fn terminate(child: &mut Child, first: Signal) -> bool {
    let has_exited = Process::of(child.id()).is_none_or(|process| process::terminate_process(process, first));
    if has_exited {
        // Only collects its exit status.
        let _ = child.wait();
    }
    has_exited
}

/// The truncated log of a start, opened for appending.
pub(crate) fn open_log(paths: &Paths) -> Result<File> {
    let path = &paths.log;
    let open = || -> io::Result<File> {
        OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(path)?;
        OpenOptions::new().append(true).open(path)
    };
    open().map_err(|error| Error::of_path("write", path, &error))
}

/// The last complete lines of the log; empty if there is no log.
pub(crate) fn log_tail(paths: &Paths) -> String {
    let read = || -> io::Result<String> {
        let mut file = File::open(&paths.log)?;
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
    fn the_tail_of_a_long_log_starts_with_a_complete_line() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        let paths = Paths::of(&PRODUCT, scratch.path()).expect("place");
        assert_eq!(log_tail(&paths), "");
        fs::create_dir(&paths.root).expect("root");
        let lines: String = (0..2000).map(|number| format!("line {number:06}\n")).collect();
        fs::write(&paths.log, &lines).expect("log");
        let tail = log_tail(&paths);
        assert!(tail.len() as u64 <= LOG_TAIL_BYTES && tail.starts_with("line "));
        assert!(tail.ends_with("line 001999\n"));
    }
}
