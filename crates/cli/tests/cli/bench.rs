//! An empty directory with the program in it.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use serde_json::Value;
use tempfile::TempDir;

/// Processors and devices of the machine, which tests share unless one needs exclusive use.
static MACHINE: RwLock<()> = RwLock::new(());

/// How a test uses the machine, until its thread ends.
#[derive(Default)]
enum Machine {
    #[default]
    NotYet,
    Shared {
        _guard: RwLockReadGuard<'static, ()>,
    },
    Exclusive {
        _guard: RwLockWriteGuard<'static, ()>,
    },
}

thread_local! {
    static MINE: RefCell<Machine> = const { RefCell::new(Machine::NotYet) };
}

/// Waits until no test has exclusive use of the machine.
fn share_the_machine() {
    MINE.with_borrow_mut(|mine| {
        if matches!(mine, Machine::NotYet) {
            *mine = Machine::Shared { _guard: MACHINE.read().unwrap_or_else(PoisonError::into_inner) };
        }
    });
}

/// An empty directory of one test.
pub struct Bench {
    directory: TempDir,
}

/// Exit code and output of a process.
pub struct Finished {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Bench {
    pub fn new() -> Bench {
        share_the_machine();
        // Unix socket paths are limited in length, so the default temporary directory is used.
        Bench { directory: tempfile::Builder::new().prefix("dbdyno-test").tempdir().unwrap() }
    }

    /// The same on a disk: the build directory is on one, while temporary directories may be in memory.
    pub fn on_disk() -> Bench {
        share_the_machine();
        Bench { directory: tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap() }
    }

    /// The same with exclusive use of the machine: other tests would be foreign load, which changes verdicts.
    pub fn alone(self) -> Bench {
        MINE.take();
        let guard = MACHINE.write().unwrap_or_else(PoisonError::into_inner);
        MINE.set(Machine::Exclusive { _guard: guard });
        self
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The program with `arguments`, not yet started. Tests read all that can be printed, and need no page: verbs that
    /// have the options get `--details` and `--no-html` where `arguments` choose nothing else.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let has = |options: &[&str]| arguments.iter().any(|argument| options.contains(argument));
        let verb = arguments.first().copied().unwrap_or_default();
        let measures = ["run", "io", "calibrate", "blocks", "load", "streams", "pair", "prove"].contains(&verb);
        let shows = measures || ["report", "compare"].contains(&verb);
        let details = (shows && !has(&["--details", "--quiet", "-q"])).then_some("--details");
        let no_html = (measures && !has(&["--html", "--no-html"])).then_some("--no-html");
        let all: Vec<&str> = arguments.iter().copied().chain(details).chain(no_html).collect();
        self.as_given(&all)
    }

    /// The program with exactly these arguments, not yet started.
    pub fn as_given(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_dbdyno"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env("NO_COLOR", "1")
            .env_remove("COLUMNS")
            .env_remove("PGPASSWORD")
            .env_remove("PGHOST")
            .env_remove("PGUSER")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, arguments: &[&str]) -> Finished {
        finished(self.command(arguments).output().unwrap())
    }

    /// Runs it and expects success. Where the host of a virtual machine gives its processors to others, no run may be valid,
    /// which is no fault of the program.
    pub fn succeed(&self, arguments: &[&str]) -> Finished {
        let output = self.run(arguments);
        let succeeded = output.code == 0 || (output.code == 1 && self.is_stolen(&output));
        assert!(succeeded, "exit {} of dbdyno {}\n{}\n{}", output.code, arguments.join(" "), output.out, output.err);
        output
    }

    /// Whether there is no valid run in the records here for stolen processor time alone.
    fn is_stolen(&self, output: &Finished) -> bool {
        let records = self.files().into_iter().filter_map(|name| store::read(&self.path().join(name)).ok());
        let runs: Vec<Value> =
            records.flat_map(|record| record.runs).map(|run| serde_json::to_value(run).unwrap()).collect();
        let mut fails = runs.iter().flat_map(failed_checks).peekable();
        output.err.contains("no run is valid") && fails.peek().is_some() && fails.all(|check| check == "steal")
    }

    /// Starts it and leaves it running.
    pub fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().unwrap()
    }

    /// The record at `name`.
    pub fn record(&self, name: &str) -> Value {
        serde_json::to_value(store::read(&self.path().join(name)).unwrap()).unwrap()
    }

    /// Writes `value` as a record at `name`, overwriting an existing one.
    pub fn write_record(&self, name: &str, value: &Value) {
        let path = self.path().join(name);
        let _ = std::fs::remove_file(&path);
        store::Writer::create(&path, &serde_json::from_value(value.clone()).unwrap()).unwrap();
    }

    /// All entries of the directory.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self.path().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files.into_iter().map(|path| path.strip_prefix(self.path()).unwrap().to_owned()).collect()
    }
}

/// Exit code and output of a finished process.
pub fn finished(output: Output) -> Finished {
    Finished {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The runs of `test` in `record`.
pub fn runs<'a>(record: &'a Value, test: &str) -> Vec<&'a Value> {
    record["runs"].as_array().unwrap().iter().filter(|run| run["test"] == test).collect()
}

/// The checks that `run` fails.
fn failed_checks(run: &Value) -> Vec<&str> {
    let failed = run["findings"].as_array().unwrap().iter().filter(|finding| finding["verdict"] == "fail");
    failed.flat_map(|finding| finding["evidence"].as_object().unwrap().keys()).map(String::as_str).collect()
}

/// Whether `run` is invalid.
pub fn is_invalid(run: &Value) -> bool {
    !failed_checks(run).is_empty()
}

/// The increase of a counter over the window of a run.
pub fn growth(run: &Value, counter: &str) -> Option<u64> {
    let readings = run["readings"].as_array()?;
    let value = |reading: &Value| reading["values"][counter].as_u64();
    Some(value(readings.last()?)? - value(readings.first()?)?)
}
