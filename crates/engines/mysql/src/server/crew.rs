//! Makes the data, checks settings, starts the server and waits until it answers.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use engine::server::{Identity, Place, log_tail, open_log, refused};
use engine::{Error, Kind, Result, Value};

use super::USER;
use super::blueprint::{Blueprint, TEMPORARY};
use super::find::Programs;
use super::log::Reason;
use crate::connect::Login;
use crate::session::{MysqlSession, SessionCounts};

/// How long a server may take to start: one that was killed repeats its log first.
const START_LIMIT: Duration = Duration::from_secs(600);

/// How long it may take to join others.
const JOIN_LIMIT: Duration = Duration::from_secs(120);

/// What is run, the programs, who runs them and where they run.
#[derive(Clone, Debug)]
pub(super) struct Crew<'a> {
    pub(super) blueprint: &'static Blueprint,
    pub(super) programs: &'a Programs,
    pub(super) identity: &'a Identity,
    pub(super) place: &'a Place,
}

impl Crew<'_> {
    /// Makes the data directory, which must be absent. `asked` are the settings of the target.
    pub(super) fn make(&self, asked: &[(String, String)]) -> Result<()> {
        let data = &self.place.data;
        std::fs::create_dir(data).map_err(|error| refused("create", data, &error))?;
        self.identity.give(data)?;
        let temporary = self.temporary_directory();
        std::fs::create_dir(&temporary).map_err(|error| refused("create", &temporary, &error))?;
        self.identity.give(&temporary)?;
        let mut command = self.command(&self.programs.maker);
        command.arg("--no-defaults").arg(format!("--datadir={}", data.display()));
        command.args(self.blueprint.make).arg(format!("--tmpdir={}", temporary.display()));
        let of_the_data = |setting: &&(String, String)| self.blueprint.of_the_data.contains(&setting.0.as_str());
        let asked: Vec<&(String, String)> = asked.iter().filter(of_the_data).collect();
        command.args(asked.iter().map(|(name, value)| format!("--{name}={value}")));
        let output = self.output(command, &self.programs.maker)?;
        if output.status.success() {
            return Ok(());
        }
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        let (kind, hint) = match asked.is_empty() {
            true => (Kind::Unreachable, "run it by hand to see more"),
            false => (Kind::Usage, "leave settings of the target away"),
        };
        let what = format!("the data of the server cannot be made by {}", self.blueprint.maker);
        Err(Reason::of(&said).error(kind, &what, hint))
    }

    /// Makes the data directory, which must be absent, of those of a server that does not run.
    pub(super) fn copy(&self, from: &Path) -> Result<()> {
        let data = &self.place.data;
        std::fs::create_dir(data).map_err(|error| refused("create", data, &error))?;
        self.identity.give(data)?;
        let mut command = self.command(Path::new("cp"));
        command.arg("-a").arg(from.join(".")).arg(data);
        let output = self.output(command, Path::new("cp"))?;
        if output.status.success() {
            return Ok(());
        }
        let what = format!("{} cannot be copied to {}", from.display(), data.display());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(Reason::of(&said).error(Kind::Unreachable, &what, "give another --dir"))
    }

    /// Puts a program for the server among the data.
    pub(super) fn write_script(&self, name: &str, text: &str) -> Result<()> {
        let path = self.place.data.join(name);
        self.identity.replace(&path, text)?;
        let mut command = self.command(Path::new("chmod"));
        command.arg("0700").arg(&path);
        let output = self.output(command, Path::new("chmod"))?;
        match output.status.success() {
            true => Ok(()),
            false => Err(Error::new(Kind::Usage, format!("{} cannot be made a program", path.display()))
                .hint("give another --dir")),
        }
    }

    /// Writes the option file.
    pub(super) fn configure(&self, options: &str) -> Result<()> {
        self.identity.replace(&self.option_file(), options)
    }

    /// A directory of its own: a server that starts removes what it takes for leftovers of another in the common one.
    fn temporary_directory(&self) -> PathBuf {
        self.place.data.join(TEMPORARY)
    }

    fn option_file(&self) -> PathBuf {
        self.place.data.join(self.blueprint.option_file)
    }

    /// Asks the server's own program whether each of `settings` exists and its value can be. It needs no data for that.
    pub(super) fn check_settings(&self, settings: &[(String, String)]) -> Result<()> {
        for (name, value) in settings {
            let mut command = self.command(&self.programs.server);
            command.arg("--no-defaults").args(self.blueprint.check).arg(format!("--{name}={value}"));
            command.arg(format!("--datadir={}", self.place.root.display()));
            let output = self.output(command, &self.programs.server)?;
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            if !output.status.success() || said.contains("Error while setting value") {
                let what = format!("server setting {name}={value} is refused");
                let (target, parameters) = (self.blueprint.target(), self.blueprint.parameters);
                let hint = format!("{target} takes {parameters} and the settings of the server");
                return Err(Reason::of(&said).error(Kind::Usage, &what, &hint));
            }
        }
        Ok(())
    }

    /// Starts the server, with `more` arguments. Its output goes to the log, which is of this start only.
    pub(super) fn launch(&self, more: &[&str]) -> Result<Child> {
        let log = open_log(self.place)?;
        let copy = log.try_clone().map_err(|error| refused("write", &self.place.log, &error))?;
        let mut command = self.command(&self.programs.server);
        command.arg(format!("--defaults-file={}", self.option_file().display()));
        // Said here and not in the file: by it the server is found among all processes.
        command.arg(format!("--datadir={}", self.place.data.display()));
        command.arg(format!("--pid-file={}", self.place.data.join("pid").display()));
        command.arg(format!("--tmpdir={}", self.temporary_directory().display()));
        command.args(self.blueprint.launch).args(more);
        // Programs of ours that it calls lie among the data.
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
        let places = std::iter::once(self.place.data.clone()).chain(std::env::split_paths(&path));
        if let Ok(places) = std::env::join_paths(places) {
            command.env("PATH", places);
        }
        command.stdout(log).stderr(copy);
        command.spawn().map_err(|error| self.spawn_error(&self.programs.server, &error))
    }

    /// Waits until the server takes connections on `socket`. `asked` are the settings of the target: where there are
    /// some, a failure is put down to them.
    pub(super) fn await_ready(&self, server: &mut Child, socket: &Path, asked: &[(String, String)]) -> Result<()> {
        let begun = Instant::now();
        while !greets(socket) {
            if !matches!(server.try_wait(), Ok(None)) {
                return Err(self.start_error(asked));
            }
            if begun.elapsed() > START_LIMIT {
                let message = format!("the server did not take connections within {} s", START_LIMIT.as_secs());
                return Err(Error::new(Kind::Unreachable, format!("{message}: {}", self.log_reason().message)));
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// Waits until the server has joined the others and takes statements, as [`Self::await_ready`] waits.
    pub(super) fn await_joined(&self, server: &mut Child, socket: &Path, asked: &[(String, String)]) -> Result<()> {
        let begun = Instant::now();
        self.await_ready(server, socket, asked)?;
        while !has_joined(socket) {
            if !matches!(server.try_wait(), Ok(None)) {
                return Err(self.start_error(asked));
            }
            if begun.elapsed() > JOIN_LIMIT {
                let message = format!("the server did not join the others within {} s", JOIN_LIMIT.as_secs());
                return Err(Error::new(Kind::Unreachable, format!("{message}: {}", self.log_reason().message)));
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn start_error(&self, asked: &[(String, String)]) -> Error {
        let reason = self.log_reason();
        if asked.is_empty() {
            return reason.error(Kind::Unreachable, "the server did not start", "give other settings in the target");
        }
        let asked: Vec<String> = asked.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let what = format!("the server did not start with {}", asked.join(" "));
        reason.error(Kind::Usage, &what, "leave settings of the target away")
    }

    fn log_reason(&self) -> Reason {
        Reason::of(&log_tail(self.place))
    }

    fn command(&self, program: &Path) -> Command {
        self.identity.command(program, &self.place.root)
    }

    fn output(&self, mut command: Command, program: &Path) -> Result<Output> {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.output().map_err(|error| self.spawn_error(program, &error))
    }

    fn spawn_error(&self, program: &Path, error: &io::Error) -> Error {
        self.identity.spawn_error(program, &self.place.root, error)
    }
}

/// Whether a server says hello on `socket`. A refusal is said the same way, by a server that is not ready yet.
fn greets(socket: &Path) -> bool {
    let hello = || -> io::Result<bool> {
        let mut stream = UnixStream::connect(socket)?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        let mut head = [0; 5];
        stream.read_exact(&mut head)?;
        // Behind the length and the sequence: the version of the protocol.
        Ok(head[4] == 10)
    };
    hello().unwrap_or(false)
}

/// Whether the server behind `socket` is a node that has all that the others have.
fn has_joined(socket: &Path) -> bool {
    let login = Arc::new(Login::of_socket(socket, USER));
    let state = || -> Result<bool> {
        let mut session = MysqlSession::start(login.open(None)?, login.clone(), &SessionCounts::default())?;
        let rows = session.ask("show global status like 'wsrep_local_state_comment'")?;
        Ok(matches!(rows.first().map(Vec::as_slice), Some([_, Value::Text(state)]) if state == "Synced"))
    };
    state().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn a_server_is_ready_when_it_says_hello() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        for (number, (said, expected)) in
            [(&b"\x4a\0\0\0\x0a10.11"[..], true), (b"\x17\0\0\0\xff\x10\x04", false), (b"", false)]
                .into_iter()
                .enumerate()
        {
            let socket = scratch.path().join(number.to_string());
            let listener = UnixListener::bind(&socket).expect("listen");
            let server = thread::spawn(move || {
                let (mut stream, _) = listener.accept().expect("accept");
                stream.write_all(said).expect("say");
            });
            assert_eq!(greets(&socket), expected, "{said:?}");
            server.join().expect("server");
        }
        assert!(!greets(Path::new("/nonexistent")));
    }
}
