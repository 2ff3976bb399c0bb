//! Initialises the data directory, checks settings, starts the server and waits until it is ready.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Child;
use std::sync::Arc;
use std::time::Duration;

use engine::{Kind, Result, Value};
use server::{Readiness, Reason, Runner, State, Wait};
use transport::connect_socket;

use super::find::Programs;
use super::galera::Position;
use super::spec::{ServerSpec, TEMPORARY_DIRECTORY};
use crate::connect::Login;
use crate::session::{MysqlSession, SessionCounts};
use crate::state::log_files;

/// The superuser that the initialisation creates, without password.
pub(crate) const USER: &str = "root";

/// A killed server recovers first, and does not respond until it has.
const START: Wait = Wait {
    what: "accept connections",
    connect_timeout: Duration::from_secs(600),
    recovery_timeout: Duration::from_secs(600),
    poll_interval: Duration::from_millis(10),
};

/// After a node accepts connections, until it accepts statements.
const JOIN: Wait = Wait {
    what: "join the cluster",
    connect_timeout: Duration::from_secs(120),
    recovery_timeout: Duration::from_secs(120),
    poll_interval: Duration::from_millis(20),
};

/// How long one probe may take to connect, and to each piece of an answer.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// The programs, and the user and paths they run with.
#[derive(Clone, Debug)]
pub(super) struct Launcher<'a> {
    pub(super) spec: &'static ServerSpec,
    pub(super) programs: &'a Programs,
    pub(super) runner: Runner<'a>,
}

impl Launcher<'_> {
    /// Grants the server's user access, checks `settings` and creates the directory of the socket; returns the socket.
    /// `state` records at every moment what has to be undone.
    pub(super) fn prepare(&self, state: &mut State, settings: &[(String, String)]) -> Result<PathBuf> {
        self.runner.grant_access(state)?;
        self.check_settings(settings)?;
        let directory = self.runner.create_socket_directory(state)?;
        Ok(directory.join(self.runner.paths.product.socket_name))
    }

    /// Initialises the data directory, which must not exist; with a `log_size`, the log is made of that size and written once.
    /// `requested` are the settings of the target.
    pub(super) fn init(&self, requested: &[(String, String)], log_size: Option<&str>) -> Result<()> {
        let temporary = self.temporary_directory();
        self.runner.create_directory(self.data())?;
        self.runner.create_directory(&temporary)?;
        let mut command = self.runner.command(&self.programs.installer);
        command.arg("--no-defaults").arg(format!("--datadir={}", self.data().display()));
        command.args(self.spec.init).arg(format!("--tmpdir={}", temporary.display()));
        let init_settings = |setting: &&(String, String)| self.spec.init_settings.contains(&setting.0.as_str());
        let requested: Vec<&(String, String)> = requested.iter().filter(init_settings).collect();
        command.args(requested.iter().map(|(name, value)| format!("--{name}={value}")));
        command.args(self.spec.kept_log_size.zip(log_size).map(|(name, size)| format!("--{name}={size}")));
        let (kind, hint) = match requested.is_empty() {
            true => (Kind::Unreachable, "run it manually to see more"),
            false => (Kind::Usage, "omit settings of the target"),
        };
        let what = format!("{} cannot initialise the data directory", self.spec.installer);
        self.runner.run(command, kind, &what, hint)?;
        if log_size.is_some() { self.write_log() } else { Ok(()) }
    }

    /// Writes the log once, with what it holds. The server only reserved it, and the flush of a commit into a part that was never
    /// written also changes the metadata of the file system; a log in production was filled long ago.
    fn write_log(&self) -> Result<()> {
        for path in log_files(self.data()) {
            if File::open(&path).and_then(|file| server::is_written(&file)).unwrap_or(true) {
                continue;
            }
            // As the user of the server, who might have replaced the file by a link.
            let dd = |arguments: &[&str]| {
                let mut command = self.runner.command(Path::new("dd"));
                command
                    .arg(format!("of={}", path.display()))
                    .args(["conv=notrunc,fdatasync", "status=none"])
                    .args(arguments);
                let what = format!("log {} cannot be written", path.display());
                self.runner.run(command, Kind::Space, &what, "give another --dir, or a smaller log in the target")
            };
            dd(&[&format!("if={}", path.display()), "bs=1M"])?;
            // Nothing of it stays in the page cache.
            dd(&["if=/dev/null", "oflag=nocache"])?;
        }
        Ok(())
    }

    /// Copies the data directory of a stopped server; the target must not exist.
    pub(super) fn copy(&self, from: &Path) -> Result<()> {
        self.runner.create_directory(self.data())?;
        self.copy_into(from)
    }

    fn copy_into(&self, from: &Path) -> Result<()> {
        let data = self.data();
        let mut command = self.runner.command(Path::new("cp"));
        command.arg("-a").arg(from.join(".")).arg(data);
        let what = format!("{} cannot be copied to {}", from.display(), data.display());
        self.runner.run(command, Kind::Unreachable, &what, "give another --dir").map(drop)
    }

    /// Replaces what is in the data directory by a copy of that of a stopped server. The directory itself stays.
    pub(super) fn copy_again(&self, from: &Path) -> Result<()> {
        let data = self.data();
        let mut remove = self.runner.command(Path::new("find"));
        remove.arg(data).args(["-mindepth", "1", "-delete"]);
        let what = format!("{} cannot be emptied", data.display());
        self.runner.run(remove, Kind::Unreachable, &what, "give another --dir")?;
        self.copy_into(from)
    }

    /// The position in the history of a cluster at which a stopped server is, whatever way it has ended.
    pub(super) fn position(&self) -> Result<Position> {
        if let Ok(position) = Position::of(self.data()) {
            return Ok(position);
        }
        // It recovers, says where it is, and ends.
        let mut command = self.runner.command(&self.programs.server);
        command.arg(format!("--defaults-file={}", self.option_file().display()));
        command.arg(format!("--datadir={}", self.data().display()));
        command.arg(format!("--tmpdir={}", self.temporary_directory().display()));
        // The directory of its socket is made with the start: this one has a name and no file.
        command.args(self.spec.launch).arg("--wsrep-recover");
        command.arg(format!("--socket=@dbdyno-recover-{}", std::process::id()));
        let output = self.runner.output(command)?;
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
        Position::recovered(&said).ok_or_else(|| {
            let what = format!("the position of {} cannot be recovered", self.data().display());
            Reason::of(self.runner.paths.product.error_patterns, &said).error(Kind::Unreachable, &what, "see its log")
        })
    }

    /// Writes an executable script into the data directory.
    pub(super) fn write_script(&self, name: &str, text: &str) -> Result<()> {
        let path = self.data().join(name);
        self.runner.identity.replace(&path, text)?;
        let mut command = self.runner.command(Path::new("chmod"));
        command.arg("0700").arg(&path);
        let what = format!("{} cannot be made executable", path.display());
        self.runner.run(command, Kind::Usage, &what, "give another --dir").map(drop)
    }

    /// Writes the option file.
    pub(super) fn configure(&self, options: &str) -> Result<()> {
        self.runner.identity.replace(&self.option_file(), options)
    }

    /// A directory per server: a starting server removes temporary files of others from a common one.
    fn temporary_directory(&self) -> PathBuf {
        self.data().join(TEMPORARY_DIRECTORY)
    }

    fn option_file(&self) -> PathBuf {
        self.data().join(self.spec.option_file)
    }

    /// Validates each of `settings` with the server program. It needs no data for that.
    fn check_settings(&self, settings: &[(String, String)]) -> Result<()> {
        for (name, value) in settings {
            let mut command = self.runner.command(&self.programs.server);
            command.arg("--no-defaults").args(self.spec.check).arg(format!("--{name}={value}"));
            command.arg(format!("--datadir={}", self.runner.paths.root.display()));
            let output = self.runner.output(command)?;
            let errors = String::from_utf8_lossy(&output.stderr);
            if !output.status.success() || errors.contains("Error while setting value") {
                let what = format!("server setting {name}={value} is rejected");
                let (target, parameters) = (self.spec.target(), self.spec.parameters);
                let hint = format!("{target} accepts {parameters} and the settings of the server");
                return Err(Reason::of(self.runner.paths.product.error_patterns, &errors).error(
                    Kind::Usage,
                    &what,
                    &hint,
                ));
            }
        }
        Ok(())
    }

    /// Starts the server with `more` arguments, and waits until `ready` succeeds. If it fails and data were `kept`, the
    /// server is shut down cleanly.
    pub(super) fn launch(
        &self,
        state: &mut State,
        more: &[&str],
        kept: bool,
        ready: impl FnOnce(&mut Child) -> Result<()>,
    ) -> Result<Child> {
        let mut command = self.runner.command(&self.programs.server);
        command.arg(format!("--defaults-file={}", self.option_file().display()));
        // On the command line, because the server process is found by this argument.
        command.arg(format!("--datadir={}", self.data().display()));
        command.arg(format!("--pid-file={}", self.data().join("pid").display()));
        command.arg(format!("--tmpdir={}", self.temporary_directory().display()));
        command.args(self.spec.launch).args(more);
        // The SST script is in the data directory.
        let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
        let path = std::iter::once(self.data().to_owned()).chain(std::env::split_paths(&path));
        if let Ok(path) = std::env::join_paths(path) {
            command.env("PATH", path);
        }
        let product = self.runner.paths.product;
        let stop = if kept { product.shutdown_signal } else { product.immediate_signal };
        self.runner.launch(command, state, stop, ready)
    }

    /// Waits until the server accepts connections on `socket`. `requested` are the settings of the target: if there are
    /// any, they are named as the cause of a failure.
    pub(super) fn await_ready(&self, server: &mut Child, socket: &Path, requested: &[(String, String)]) -> Result<()> {
        self.runner.wait(server, START, requested, || {
            if sends_greeting(socket) { Readiness::Ready } else { Readiness::NoResponse }
        })
    }

    /// As [`Self::await_ready`], and waits until the server has joined the cluster and accepts statements.
    pub(super) fn await_joined(&self, server: &mut Child, socket: &Path, requested: &[(String, String)]) -> Result<()> {
        self.await_ready(server, socket, requested)?;
        self.runner
            .wait(server, JOIN, requested, || if has_joined(socket) { Readiness::Ready } else { Readiness::NoResponse })
    }

    fn data(&self) -> &Path {
        &self.runner.paths.data
    }
}

/// Whether a server sends a greeting on `socket`. A server that is not ready yet sends an error packet instead.
fn sends_greeting(socket: &Path) -> bool {
    let greeting = || -> io::Result<bool> {
        let mut stream = connect_socket(socket, Some(PROBE_TIMEOUT))?;
        stream.set_read_timeout(Some(PROBE_TIMEOUT))?;
        let mut head = [0; 5];
        stream.read_exact(&mut head)?;
        // After length and sequence number: the protocol version.
        Ok(head[4] == 10)
    };
    greeting().unwrap_or(false)
}

/// Whether the server at `socket` is a synced node.
fn has_joined(socket: &Path) -> bool {
    let login = Arc::new(Login::of_socket(socket, USER));
    let state = || -> Result<bool> {
        let mut session = MysqlSession::start(login.open(None)?, login.clone(), &SessionCounts::default())?;
        let rows = session.query_sql("show global status like 'wsrep_local_state_comment'")?;
        Ok(matches!(rows.first().map(Vec::as_slice), Some([_, Value::Text(state)]) if state == "Synced"))
    };
    state().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixListener;
    use std::sync::mpsc::channel;
    use std::thread;

    use engine_kit::impostor::full_at;

    use super::*;

    #[test]
    fn a_server_is_ready_when_it_sends_a_greeting() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        for (number, (output, expected)) in
            [(&b"\x4a\0\0\0\x0a10.11"[..], true), (b"\x17\0\0\0\xff\x10\x04", false), (b"", false)]
                .into_iter()
                .enumerate()
        {
            let socket = scratch.path().join(number.to_string());
            let listener = UnixListener::bind(&socket).expect("listen");
            let server = thread::spawn(move || {
                let (mut stream, _) = listener.accept().expect("accept");
                stream.write_all(output).expect("send");
            });
            assert_eq!(sends_greeting(&socket), expected, "{output:?}");
            server.join().expect("server");
        }
        assert!(!sends_greeting(Path::new("/nonexistent")));
    }

    #[test]
    fn a_server_that_takes_no_more_connections_sends_no_greeting() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        let socket = scratch.path().join("socket");
        let full = full_at(&socket);
        // Not joined: where it waits for ever, this test fails and does not.
        let (sender, sent) = channel();
        thread::spawn(move || sender.send(sends_greeting(&socket)));
        assert_eq!(sent.recv_timeout(Duration::from_secs(60)), Ok(false));
        drop(full);
    }
}
