//! An empty directory with the program in it.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use serde_json::Value;
use tempfile::TempDir;

/// The processors and the devices of the machine, which tests share unless one needs them for itself.
static MACHINE: RwLock<()> = RwLock::new(());

/// How a test has the machine, to the end of its thread.
#[derive(Default)]
enum Machine {
    #[default]
    NotYet,
    Shared {
        _guard: RwLockReadGuard<'static, ()>,
    },
    Alone {
        _guard: RwLockWriteGuard<'static, ()>,
    },
}

thread_local! {
    static MINE: RefCell<Machine> = const { RefCell::new(Machine::NotYet) };
}

/// Waits until no test has the machine for itself.
fn share_the_machine() {
    MINE.with_borrow_mut(|mine| {
        if matches!(mine, Machine::NotYet) {
            *mine = Machine::Shared { _guard: MACHINE.read().unwrap_or_else(PoisonError::into_inner) };
        }
    });
}

/// An empty directory of a test's own.
pub struct Bench {
    directory: TempDir,
}

/// What the program said.
pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Bench {
    pub fn new() -> Bench {
        share_the_machine();
        // Unix socket paths are short: the default place of temporary directories is, too.
        Bench { directory: tempfile::Builder::new().prefix("dbdyno-test").tempdir().unwrap() }
    }

    /// The same on a disk: where the tests are built there is one, and temporary directories may lie in memory.
    pub fn on_disk() -> Bench {
        share_the_machine();
        Bench { directory: tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap() }
    }

    /// The same while no other test does anything: what others use of the machine is foreign load, which changes verdicts.
    pub fn alone(self) -> Bench {
        MINE.take();
        let guard = MACHINE.write().unwrap_or_else(PoisonError::into_inner);
        MINE.set(Machine::Alone { _guard: guard });
        self
    }

    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// The program with `arguments`, not yet started.
    pub fn command(&self, arguments: &[&str]) -> Command {
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
    pub fn run(&self, arguments: &[&str]) -> Said {
        said(self.command(arguments).output().unwrap())
    }

    /// Runs it and demands success.
    pub fn succeed(&self, arguments: &[&str]) -> Said {
        let said = self.run(arguments);
        assert_eq!(said.code, 0, "dbdyno {}\n{}\n{}", arguments.join(" "), said.out, said.err);
        said
    }

    /// Starts it and leaves it running.
    pub fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().unwrap()
    }

    /// The record at `name`.
    pub fn record(&self, name: &str) -> Value {
        serde_json::to_value(store::read(&self.path().join(name)).unwrap()).unwrap()
    }

    /// Makes a record of `value` at `name`, in the place of one that is there.
    pub fn write_record(&self, name: &str, value: &Value) {
        let path = self.path().join(name);
        let _ = std::fs::remove_file(&path);
        store::Writer::create(&path, &serde_json::from_value(value.clone()).unwrap()).unwrap();
    }

    /// Everything that lies in the directory.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self.path().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        files.into_iter().map(|path| path.strip_prefix(self.path()).unwrap().to_owned()).collect()
    }
}

/// What a process said until its end.
pub fn said(output: Output) -> Said {
    Said {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The runs of `record` that are about `test`.
pub fn runs<'a>(record: &'a Value, test: &str) -> Vec<&'a Value> {
    record["runs"].as_array().unwrap().iter().filter(|run| run["test"] == test).collect()
}

/// The growth of a counter over the window of a run.
pub fn growth(run: &Value, counter: &str) -> Option<u64> {
    let readings = run["readings"].as_array()?;
    let value = |reading: &Value| reading["values"][counter].as_u64();
    Some(value(readings.last()?)? - value(readings.first()?)?)
}
