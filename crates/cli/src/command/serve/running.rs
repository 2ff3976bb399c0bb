//! Runs that readers start: one at a time, of targets in the file of the server, each by a process of this program.
//!
//! What a form says chooses from lists and gives numbers; it names no file, no host, no option and no program, and no
//! shell reads it. The process is stopped as by Ctrl-C where a reader wants that and where the server ends, also where it
//! is killed, so that it removes what it made.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use report::{RunState, ServerRun};
use run::{Error, Fault};
use rustix::process::{Pid, Signal, kill_process};
use serve::{PlanQuery, Problem, ProblemKind, Runs};
use tempfile::NamedTempFile;

use super::listed::{ListedTarget, ListedTargets};
use super::planning;

/// The lock of a directory in which a server runs something.
const LOCK_FILE: &str = ".dbdyno-serve-run.lock";

/// How often it is looked whether a process has ended or is to be stopped.
const POLL: Duration = Duration::from_millis(50);

/// How long a process that was told to stop may clean up.
const STOP_TIME_MAX: Duration = Duration::from_secs(120);

/// The last bytes of what a process that failed has said.
const SAID_BYTES_MAX: u64 = 2000;

/// What carries out runs.
pub struct Runner {
    directory: PathBuf,
    targets: ListedTargets,
    state: Arc<Mutex<State>>,
    supervisor: Mutex<Option<JoinHandle<()>>>,
}

/// The run that goes on, or the last one.
#[derive(Default)]
struct State {
    /// How many there were.
    number: u64,
    words: String,
    started_at: String,
    /// Whether one goes on.
    is_running: bool,
    stop: Arc<AtomicBool>,
    /// What the last one ended with; an error as its process said it.
    ended: Option<Result<String, String>>,
}

impl Runner {
    /// For `targets`, with records in `directory`.
    pub fn new(directory: &Path, targets: ListedTargets) -> Runner {
        Runner { directory: directory.to_owned(), targets, state: Arc::default(), supervisor: Mutex::default() }
    }

    /// The targets.
    pub fn targets(&self) -> &ListedTargets {
        &self.targets
    }

    /// The run that goes on, or the last one; none before the first.
    pub fn now(&self) -> Option<ServerRun> {
        let state = self.state();
        let run = |of| ServerRun {
            number: state.number,
            words: state.words.clone(),
            started_at: state.started_at.clone(),
            state: of,
        };
        match (&state.ended, state.is_running, state.stop.load(Ordering::Relaxed)) {
            (_, true, false) => Some(run(RunState::Running)),
            (_, true, true) => Some(run(RunState::Stopping)),
            (Some(Ok(text)), false, _) => Some(run(RunState::Finished(text.clone()))),
            (Some(Err(text)), false, _) => Some(run(RunState::Failed(text.clone()))),
            (None, false, _) => None,
        }
    }

    /// Stops what goes on, and waits until it has cleaned up.
    pub fn end(&self) {
        self.state().stop.store(true, Ordering::Relaxed);
        let supervisor = self.supervisor.lock().unwrap_or_else(PoisonError::into_inner).take();
        // One that has panicked waits for nothing.
        let _ = supervisor.map(JoinHandle::join);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The lock of the directory, which another server may hold.
    fn lock(&self) -> Result<File, Problem> {
        let path = self.directory.join(LOCK_FILE);
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(|error| failed(format!("{} cannot be made: {error}", path.display())))?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(_) => Err(busy("another server runs something in this directory")),
        }
    }
}

impl Runs for Runner {
    fn start(&self, query: &PlanQuery) -> Result<(), Problem> {
        let (target, words) = planning::run_words(query, &self.targets).map_err(|error| problem(&error))?;
        let mut state = self.state();
        if state.is_running {
            return Err(busy("another run goes on"));
        }
        let lock = self.lock()?;
        let (command, target_file) = command(&self.directory, target, &words)?;
        let said = tempfile::tempfile().map_err(|error| failed(format!("no file for what it says: {error}")))?;
        state.number += 1;
        state.words = format!("target {} {}", query.target, words.join(" "));
        state.started_at = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        (state.is_running, state.ended, state.stop) = (true, None, Arc::default());
        let (shared, stop) = (Arc::clone(&self.state), Arc::clone(&state.stop));
        let supervise = move || {
            let ended = supervise(command, said, &stop);
            // The files are there until it has ended.
            drop((lock, target_file));
            let mut state = shared.lock().unwrap_or_else(PoisonError::into_inner);
            (state.is_running, state.ended) = (false, Some(ended));
        };
        *self.supervisor.lock().unwrap_or_else(PoisonError::into_inner) = Some(std::thread::spawn(supervise));
        Ok(())
    }

    fn cancel(&self, number: u64) -> Result<(), Problem> {
        let state = self.state();
        match state.is_running && state.number == number {
            true => {
                state.stop.store(true, Ordering::Relaxed);
                Ok(())
            }
            false => Err(Problem::refused(format!("run {number} does not go on"))),
        }
    }
}

/// The command that measures `target` with `words`, and the private file by which it gets a target with a host.
fn command(
    directory: &Path,
    target: &ListedTarget,
    words: &[String],
) -> Result<(Command, Option<NamedTempFile>), Problem> {
    let program = std::env::current_exe().map_err(|error| failed(format!("this program is not found: {error}")))?;
    let file = target.has_host.then(|| {
        let file = tempfile::Builder::new().prefix("dbdyno-target").tempfile();
        file.and_then(|mut file| writeln!(file, "{}", target.words).map(|()| file))
    });
    let file = file.transpose().map_err(|error| failed(format!("no file for the target: {error}")))?;
    let named = match &file {
        Some(file) => format!("--target=@{}", file.path().display()),
        None => format!("--target={}", target.words),
    };
    let mut command = Command::new(program);
    command.arg("run").arg(named).args(words).args(["--quiet", "--no-html"]).current_dir(directory);
    command.stdin(Stdio::null()).stdout(Stdio::null()).process_group(0);
    Ok((command, file))
}

/// Starts `command`, waits for its end, and stops it where that is wanted. The thread that starts it stays until it has
/// ended, because the kernel stops it with that thread.
fn supervise(mut command: Command, mut said: File, stop: &AtomicBool) -> Result<String, String> {
    base::stop_with_parent(&mut command);
    let said_by_it = said.try_clone().map_err(|error| error.to_string())?;
    let mut child = command.stderr(said_by_it).spawn().map_err(|error| format!("it cannot be started: {error}"))?;
    let status = wait(&mut child, stop);
    let text = last(&mut said);
    match status {
        Ok(status) if status.success() => Ok("its record is in the list".to_owned()),
        Ok(status) => Err(format!("{status}\n{text}")),
        Err(error) => Err(error.to_string()),
    }
}

fn wait(child: &mut Child, stop: &AtomicBool) -> std::io::Result<ExitStatus> {
    let mut stopped_at: Option<Instant> = None;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        match stopped_at {
            None if stop.load(Ordering::Relaxed) => {
                kill_process(Pid::from_child(child), Signal::INT)?;
                stopped_at = Some(Instant::now());
            }
            // The next start in the directory cleans up after it.
            Some(stopped) if stopped.elapsed() > STOP_TIME_MAX => child.kill()?,
            _ => {}
        }
        std::thread::sleep(POLL);
    }
}

/// The end of what was written into `file`, as text.
fn last(file: &mut File) -> String {
    let length = file.metadata().map_or(0, |data| data.len());
    let mut bytes = Vec::new();
    let from = file.seek(SeekFrom::Start(length.saturating_sub(SAID_BYTES_MAX)));
    let read = from.and_then(|_| file.take(SAID_BYTES_MAX).read_to_end(&mut bytes));
    read.map(|_| String::from_utf8_lossy(&bytes).trim().to_owned()).unwrap_or_default()
}

fn busy(what: &str) -> Problem {
    let message = format!("{what}\nhint: one run at a time; the live page shows it");
    Problem { kind: ProblemKind::Busy, message }
}

fn failed(message: String) -> Problem {
    Problem { kind: ProblemKind::Failed, message }
}

fn problem(error: &Error) -> Problem {
    match error.fault {
        Fault::User => Problem::refused(error.to_string()),
        Fault::Environment | Fault::Interrupted => failed(error.to_string()),
    }
}
