//! Makes the data, checks settings, starts the server and waits until it answers.

use std::io::{self, Read};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Arc;
use std::time::Duration;

use engine::{Kind, Result, Value};
use server::{Answer, Reason, Runner, State, Wait};

use super::USER;
use super::blueprint::{Blueprint, TEMPORARY};
use super::find::Programs;
use crate::connect::Login;
use crate::session::{MysqlSession, SessionCounts};

/// A server that was killed repeats its log first, and says nothing before it has.
const START: Wait = Wait {
    what: "take connections",
    silence_max: Duration::from_secs(600),
    recovery_max: Duration::from_secs(600),
    pause: Duration::from_millis(10),
};

/// What a server that takes connections does before it takes statements.
const JOIN: Wait = Wait {
    what: "join the others",
    silence_max: Duration::from_secs(120),
    recovery_max: Duration::from_secs(120),
    pause: Duration::from_millis(20),
};

/// What is run, the programs, who runs them and where they run.
#[derive(Clone, Debug)]
pub(super) struct Launcher<'a> {
    pub(super) blueprint: &'static Blueprint,
    pub(super) programs: &'a Programs,
    pub(super) runner: Runner<'a>,
}

impl Launcher<'_> {
    /// Makes the data directory, which must be absent. `asked` are the settings of the target.
    pub(super) fn make(&self, asked: &[(String, String)]) -> Result<()> {
        let temporary = self.temporary_directory();
        self.runner.make_directory(self.data())?;
        self.runner.make_directory(&temporary)?;
        let mut command = self.runner.command(&self.programs.maker);
        command.arg("--no-defaults").arg(format!("--datadir={}", self.data().display()));
        command.args(self.blueprint.make).arg(format!("--tmpdir={}", temporary.display()));
        let of_the_data = |setting: &&(String, String)| self.blueprint.of_the_data.contains(&setting.0.as_str());
        let asked: Vec<&(String, String)> = asked.iter().filter(of_the_data).collect();
        command.args(asked.iter().map(|(name, value)| format!("--{name}={value}")));
        let (kind, hint) = match asked.is_empty() {
            true => (Kind::Unreachable, "run it by hand to see more"),
            false => (Kind::Usage, "leave settings of the target away"),
        };
        let what = format!("the data of the server cannot be made by {}", self.blueprint.maker);
        self.runner.succeed(command, kind, &what, hint).map(drop)
    }

    /// Makes the data directory, which must be absent, of those of a server that does not run.
    pub(super) fn copy(&self, from: &Path) -> Result<()> {
        let data = self.data();
        self.runner.make_directory(data)?;
        let mut command = self.runner.command(Path::new("cp"));
        command.arg("-a").arg(from.join(".")).arg(data);
        let what = format!("{} cannot be copied to {}", from.display(), data.display());
        self.runner.succeed(command, Kind::Unreachable, &what, "give another --dir").map(drop)
    }

    /// Puts a program for the server among the data.
    pub(super) fn write_script(&self, name: &str, text: &str) -> Result<()> {
        let path = self.data().join(name);
        self.runner.identity.replace(&path, text)?;
        let mut command = self.runner.command(Path::new("chmod"));
        command.arg("0700").arg(&path);
        let what = format!("{} cannot be made a program", path.display());
        self.runner.succeed(command, Kind::Usage, &what, "give another --dir").map(drop)
    }

    /// Writes the option file.
    pub(super) fn configure(&self, options: &str) -> Result<()> {
        self.runner.identity.replace(&self.option_file(), options)
    }

    /// A directory of its own: a server that starts removes what it takes for leftovers of another in the common one.
    fn temporary_directory(&self) -> PathBuf {
        self.data().join(TEMPORARY)
    }

    fn option_file(&self) -> PathBuf {
        self.data().join(self.blueprint.option_file)
    }

    /// Asks the server's own program whether each of `settings` exists and its value can be. It needs no data for that.
    pub(super) fn check_settings(&self, settings: &[(String, String)]) -> Result<()> {
        for (name, value) in settings {
            let mut command = self.runner.command(&self.programs.server);
            command.arg("--no-defaults").args(self.blueprint.check).arg(format!("--{name}={value}"));
            command.arg(format!("--datadir={}", self.runner.place.root.display()));
            let output = self.runner.output(command)?;
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            if !output.status.success() || said.contains("Error while setting value") {
                let what = format!("server setting {name}={value} is refused");
                let (target, parameters) = (self.blueprint.target(), self.blueprint.parameters);
                let hint = format!("{target} takes {parameters} and the settings of the server");
                return Err(Reason::of(self.runner.place.product.speech, &said).error(Kind::Usage, &what, &hint));
            }
        }
        Ok(())
    }

    /// Starts the server, with `more` arguments, and waits until `ready` finds that it is. Where it is not, data that were
    /// `kept` stay as they should be.
    pub(super) fn launch(
        &self,
        state: &mut State,
        more: &[&str],
        kept: bool,
        ready: impl FnOnce(&mut Child) -> Result<()>,
    ) -> Result<Child> {
        let mut command = self.runner.command(&self.programs.server);
        command.arg(format!("--defaults-file={}", self.option_file().display()));
        // Said here and not in the file: by it the server is found among all processes.
        command.arg(format!("--datadir={}", self.data().display()));
        command.arg(format!("--pid-file={}", self.data().join("pid").display()));
        command.arg(format!("--tmpdir={}", self.temporary_directory().display()));
        command.args(self.blueprint.launch).args(more);
        // Programs of ours that it calls lie among the data.
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
        let places = std::iter::once(self.data().to_owned()).chain(std::env::split_paths(&path));
        if let Ok(places) = std::env::join_paths(places) {
            command.env("PATH", places);
        }
        let product = self.runner.place.product;
        let stop = if kept { product.stop_in_order } else { product.stop_at_once };
        self.runner.launch(command, state, stop, ready)
    }

    /// Waits until the server takes connections on `socket`. `asked` are the settings of the target: where there are
    /// some, a failure is put down to them.
    pub(super) fn await_ready(&self, server: &mut Child, socket: &Path, asked: &[(String, String)]) -> Result<()> {
        self.runner.wait(server, START, asked, || if greets(socket) { Answer::Ready } else { Answer::Silence })
    }

    /// Waits until the server has joined the others and takes statements, as [`Self::await_ready`] waits.
    pub(super) fn await_joined(&self, server: &mut Child, socket: &Path, asked: &[(String, String)]) -> Result<()> {
        self.await_ready(server, socket, asked)?;
        self.runner.wait(server, JOIN, asked, || if has_joined(socket) { Answer::Ready } else { Answer::Silence })
    }

    fn data(&self) -> &Path {
        &self.runner.place.data
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
    use std::thread;

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
