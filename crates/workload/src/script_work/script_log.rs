//! A log with a line for each execution of a script, in the format of pgbench ("Per-Transaction Logging").

use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use measure::{Done, StepStart, clock};
use record::Nanos;

use crate::script::Random;

/// Bytes that a job holds before it writes them.
const HELD_BYTES: usize = 64 << 10;

/// What a log has in its lines.
#[derive(Clone, Debug, PartialEq)]
pub struct LogFormat {
    /// Its file, which is not there before.
    pub path: PathBuf,
    /// Share of the executions that have a line, each chosen at random: in [0, 1].
    pub sampled: f64,
    /// Whether the lines have the delay from the scheduled start, as under a rate.
    pub has_lag: bool,
    /// Whether they have the number of retries, as where executions are tried again.
    pub has_retries: bool,
}

/// The log of one run.
#[derive(Debug)]
pub struct ScriptLog {
    format: LogFormat,
    file: Mutex<File>,
    /// What the time of the system is ahead of the clock of the loop.
    epoch: Nanos,
}

impl ScriptLog {
    /// Creates the file.
    ///
    /// # Errors
    /// Why it cannot be created, such as that it is there.
    pub fn create(format: LogFormat) -> std::io::Result<ScriptLog> {
        let file = Mutex::new(File::create_new(&format.path)?);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Ok(ScriptLog { format, file, epoch: Nanos::from(now).since(clock::now()) })
    }

    /// The path of its file.
    pub fn path(&self) -> &Path {
        &self.format.path
    }
}

/// The lines of one job.
pub(crate) struct JobLog {
    log: Arc<ScriptLog>,
    job: u32,
    /// Executions so far, those without a line included.
    count: u64,
    random: Random,
    /// Lines that are not written yet.
    held: String,
    /// Why a line could not be written.
    broken: Option<String>,
    /// Whether the window has begun: what was done before has no line.
    is_open: bool,
}

impl JobLog {
    /// That of job `job`; which executions have a line follows from `seed`.
    pub(crate) fn new(log: Arc<ScriptLog>, job: u32, seed: u64) -> JobLog {
        let held = String::with_capacity(HELD_BYTES + 200);
        JobLog { log, job, count: 0, random: Random::new(seed), held, broken: None, is_open: false }
    }

    /// Adds the line of an execution that ended at `ended`.
    pub(crate) fn add(&mut self, turn: &StepStart, ended: Nanos, done: &Done) {
        if !self.is_open {
            return;
        }
        let number = self.count;
        self.count += 1;
        let LogFormat { sampled, has_lag, has_retries, .. } = self.log.format;
        if sampled < 1.0 && self.random.unit() >= sampled {
            return;
        }
        let at = self.log.epoch + ended;
        // Writing to a string does not fail.
        let _ = match done.failure {
            None => write!(self.held, "{} {number} {}", self.job, micros(ended.since(turn.due))),
            Some(_) => write!(self.held, "{} {number} failed", self.job),
        };
        let _ = write!(self.held, " {} {} {}", done.stream, at.0 / 1_000_000_000, micros(at) % 1_000_000);
        if has_lag {
            let _ = write!(self.held, " {}", micros(turn.begun.since(turn.due)));
        }
        if has_retries {
            let _ = write!(self.held, " {}", done.retries);
        }
        self.held.push('\n');
        if self.held.len() >= HELD_BYTES {
            self.write();
        }
    }

    /// The warm-up or the window has ended: what follows has lines, and those that are held are written.
    ///
    /// # Errors
    /// Why a line could not be written, with the path.
    pub(crate) fn publish(&mut self) -> Result<(), String> {
        self.write();
        self.is_open = true;
        match self.broken.take() {
            None => Ok(()),
            Some(why) => Err(format!("script log {} cannot be written: {why}", self.log.path().display())),
        }
    }

    fn write(&mut self) {
        let mut file = self.log.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.write_all(self.held.as_bytes()) {
            self.broken.get_or_insert(error.to_string());
        }
        self.held.clear();
    }
}

fn micros(time: Nanos) -> u64 {
    time.0 / 1_000
}

#[cfg(test)]
mod tests {
    use record::FailureKind;

    use super::*;

    fn lines(has_lag: bool, has_retries: bool) -> Vec<Vec<String>> {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let format = LogFormat { path: path.clone(), sampled: 1.0, has_lag, has_retries };
        let log = Arc::new(ScriptLog::create(format).unwrap());
        let mut job = JobLog::new(log, 3, 1);
        let turn = |due: u64, begun: u64| StepStart { due: Nanos(due), begun: Nanos(begun), ..StepStart::default() };
        let done = Done { stream: 1, retries: 2, ..Done::default() };
        job.add(&turn(0, 0), Nanos(5_000), &done);
        job.publish().unwrap();
        job.add(&turn(1_000_000, 1_200_999), Nanos(4_000_000), &done);
        job.add(&turn(5_000_000, 5_000_000), Nanos(6_000_000), &Done::failed(FailureKind::Deadlock));
        job.publish().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().map(|line| line.split(' ').map(str::to_owned).collect()).collect()
    }

    #[test]
    fn a_line_is_as_pgbench_has_it() {
        let plain = lines(false, false);
        assert_eq!(plain.len(), 2, "the warm-up has none");
        assert_eq!((&plain[0][..4], plain[0].len()), (&["3", "0", "3000", "1"].map(str::to_owned)[..], 6));
        assert_eq!(&plain[1][..4], &["3", "1", "failed", "0"]);
        let seconds: u64 = plain[0][4].parse().unwrap();
        let micros: u64 = plain[0][5].parse().unwrap();
        assert!(seconds > 1_700_000_000 && micros < 1_000_000, "{seconds}.{micros}");
        let whole = lines(true, true);
        assert_eq!(&whole[0][6..], &["200", "2"]);
    }

    #[test]
    fn a_file_that_is_there_is_left_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        std::fs::write(&path, "mine").unwrap();
        let format = LogFormat { path: path.clone(), sampled: 1.0, has_lag: false, has_retries: false };
        assert!(ScriptLog::create(format).is_err());
        assert_eq!(std::fs::read_to_string(path).unwrap(), "mine");
    }

    #[test]
    fn a_share_of_the_executions_has_lines_with_their_numbers() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let format = LogFormat { path: path.clone(), sampled: 0.25, has_lag: false, has_retries: false };
        let mut job = JobLog::new(Arc::new(ScriptLog::create(format).unwrap()), 0, 7);
        job.publish().unwrap();
        (0..10_000).for_each(|_| job.add(&StepStart::default(), Nanos(1), &Done::default()));
        job.publish().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let numbers: Vec<u64> = text.lines().map(|line| line.split(' ').nth(1).unwrap().parse().unwrap()).collect();
        assert!((2_250..2_750).contains(&numbers.len()) && numbers.is_sorted(), "{}", numbers.len());
        assert!(numbers.last() > Some(&9_900));
    }
}
