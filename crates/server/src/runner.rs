//! Runs the programs of a server as its user in its directory, and waits until the server is ready.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use engine::{Error, Kind, Result};

use super::running::{log_tail, open_log, terminate};
use super::{Identity, Paths, Process, Reason, Signal, State};

/// User and paths of the programs of a server.
#[derive(Clone, Debug)]
pub struct Runner<'a> {
    /// The user.
    pub identity: Identity,
    /// The paths.
    pub paths: &'a Paths,
}

/// Result of a readiness probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// It accepts connections.
    Ready,
    /// It responds and rejects connections: starting up, recovering.
    Starting,
    /// Nothing listens, or there is no response.
    NoResponse,
}

/// Timeouts of a wait for readiness.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// What the server is to do, as a continuation of "the server did not".
    pub what: &'static str,
    /// Timeout without any response.
    pub connect_timeout: Duration,
    /// Timeout once it has responded that it is starting.
    pub recovery_timeout: Duration,
    /// Time between two probes.
    pub poll_interval: Duration,
}

impl<'a> Runner<'a> {
    /// For the server at `paths`: run by the owner of data that were `kept`, else by the user that is `requested`, else
    /// as by [`Identity::choose`].
    ///
    /// # Errors
    /// As [`Identity::choose`] and [`Identity::of_owner`].
    pub fn of(paths: &'a Paths, kept: bool, requested: Option<&str>) -> Result<Runner<'a>> {
        let identity =
            if kept { Identity::of_owner(paths, requested)? } else { Identity::choose(paths.product, requested)? };
        Ok(Runner { identity, paths })
    }

    /// Grants the user access to the workspace. `state` records at every moment what has to be undone, here and below.
    ///
    /// # Errors
    /// `Space` or `Usage` if that fails.
    pub fn grant_access(&self, state: &mut State) -> Result<()> {
        state.workspace_mode = self.identity.allow_traversal(&self.paths.workspace)?;
        state.write(self.paths)
    }

    /// Creates the directory of the socket, which only the user may enter.
    ///
    /// # Errors
    /// As [`Paths::create_socket_directory`].
    pub fn create_socket_directory(&self, state: &mut State) -> Result<PathBuf> {
        let directory = self.paths.create_socket_directory(&shared_socket_parents(self.identity.is_other_user))?;
        state.socket = Some(directory.clone());
        state.write(self.paths)?;
        self.identity.chown(&directory)?;
        Ok(directory)
    }

    /// Creates `directory`, which must not exist, for the user.
    ///
    /// # Errors
    /// `Space` or `Usage` if it cannot be created.
    pub fn create_directory(&self, directory: &Path) -> Result<()> {
        fs::create_dir(directory).map_err(|error| Error::of_path("create", directory, &error))?;
        self.identity.chown(directory)
    }

    /// A command that runs `program` as the user, see [`Identity::command`].
    pub fn command(&self, program: &Path) -> Command {
        self.identity.command(program, &self.paths.root)
    }

    /// Runs `command` and waits for it, whatever its exit status. It ends with dbdyno, however that ends: a copy of gigabytes would go
    /// on in a directory that the next invocation removes.
    ///
    /// # Errors
    /// `Missing` or `Usage` if it cannot be started.
    pub fn output(&self, mut command: Command) -> Result<Output> {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        base::die_with_parent(&mut command);
        command.output().map_err(|error| self.spawn_error(&command, &error))
    }

    /// Runs `command`, which must succeed.
    ///
    /// # Errors
    /// `kind` with `what` and the reason in its output if it fails; errors of [`Self::output`].
    pub fn run(&self, command: Command, kind: Kind, what: &str, hint: &str) -> Result<Output> {
        let output = self.output(command)?;
        if output.status.success() {
            return Ok(output);
        }
        let messages = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)).concat();
        Err(Reason::of(self.paths.product.error_patterns, &messages).error(kind, what, hint))
    }

    /// Starts a server by `command`, with its output in a new log, and waits until `ready` succeeds. If it fails, the
    /// server is terminated with the signal `stop`.
    ///
    /// # Errors
    /// Errors of `ready`, and if the server cannot be started.
    pub fn launch(
        &self,
        mut command: Command,
        state: &mut State,
        stop: Signal,
        ready: impl FnOnce(&mut Child) -> Result<()>,
    ) -> Result<Child> {
        let log = open_log(self.paths)?;
        let copy = log.try_clone().map_err(|error| Error::of_path("write", &self.paths.log, &error))?;
        command.stdout(log).stderr(copy);
        let mut child = command.spawn().map_err(|error| self.spawn_error(&command, &error))?;
        state.server = Process::of(child.id());
        match state.write(self.paths).and_then(|()| ready(&mut child)) {
            Ok(()) => Ok(child),
            Err(error) => {
                terminate(&mut child, stop);
                Err(error)
            }
        }
    }

    /// Polls `probe` until the server is ready. `requested` are the settings of the target: if there are any, they are
    /// named as the cause when the server exits.
    ///
    /// # Errors
    /// `Unreachable` or `Usage`, with the reason in its log.
    pub fn wait(
        &self,
        server: &mut Child,
        wait: Wait,
        requested: &[(String, String)],
        mut probe: impl FnMut() -> Readiness,
    ) -> Result<()> {
        let start = Instant::now();
        let mut limit = wait.connect_timeout;
        loop {
            if !matches!(server.try_wait(), Ok(None)) {
                return Err(self.start_error(requested));
            }
            match probe() {
                Readiness::Ready => return Ok(()),
                Readiness::Starting => limit = wait.recovery_timeout,
                Readiness::NoResponse => {}
            }
            if start.elapsed() > limit {
                let message = format!("the server did not {} within {} s", wait.what, limit.as_secs());
                return Err(Error::new(Kind::Unreachable, format!("{message}: {}", self.log_reason().message)));
            }
            thread::sleep(wait.poll_interval);
        }
    }

    fn start_error(&self, requested: &[(String, String)]) -> Error {
        let reason = self.log_reason();
        if requested.is_empty() {
            return reason.error(Kind::Unreachable, "the server did not start", "give other settings in the target");
        }
        let requested: Vec<String> = requested.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let what = format!("the server did not start with {}", requested.join(" "));
        reason.error(Kind::Usage, &what, "omit settings of the target")
    }

    fn log_reason(&self) -> Reason {
        Reason::of(self.paths.product.error_patterns, &log_tail(self.paths))
    }

    fn spawn_error(&self, command: &Command, error: &io::Error) -> Error {
        self.identity.spawn_error(Path::new(command.get_program()), &self.paths.root, error)
    }
}

/// Parents of socket directories that do not fit next to the data, in order of preference. Another user cannot enter
/// the run-time directory of this one.
fn shared_socket_parents(other_user: bool) -> Vec<PathBuf> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|_| !other_user);
    runtime.into_iter().chain([PathBuf::from("/tmp")]).filter(|path| path.is_absolute() && path.is_dir()).collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::fixture::PRODUCT;

    const WAIT: Wait = Wait {
        what: "answer",
        connect_timeout: Duration::from_millis(30),
        recovery_timeout: Duration::from_millis(300),
        poll_interval: Duration::from_millis(1),
    };

    /// Starts `script` as a server that is polled by `answer`.
    fn launch(script: &str, requested: &[(String, String)], answer: impl FnMut() -> Readiness) -> Result<()> {
        let scratch = tempfile::Builder::new().prefix("dd").tempdir_in("/tmp").expect("temporary directory");
        let paths = Paths::of(&PRODUCT, scratch.path()).expect("place");
        fs::create_dir(&paths.root).expect("root");
        for path in [scratch.path(), &paths.root] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("mode");
        }
        let identity = Identity::choose(&PRODUCT, None).expect("a user");
        let runner = Runner { identity, paths: &paths };
        let mut command = runner.command(Path::new("/bin/sh"));
        command.args(["-c", script]);
        let mut state = State { data: paths.data.clone(), ..State::default() };
        let launched =
            runner.launch(command, &mut state, Signal::KILL, |child| runner.wait(child, WAIT, requested, answer));
        assert_eq!(State::read(&paths).expect("state").expect("written").server, state.server);
        launched.map(|mut child| assert!(terminate(&mut child, Signal::KILL)))
    }

    #[test]
    fn a_starting_server_gets_the_recovery_timeout() {
        launch("exec sleep 60", &[], || Readiness::Ready).expect("ready");
        let error = launch("exec sleep 60", &[], || Readiness::NoResponse).expect_err("silent");
        assert_eq!((error.kind, error.message.as_str()), (Kind::Unreachable, "the server did not answer within 0 s: "));
        let start = Instant::now();
        let ready = || if start.elapsed() < Duration::from_millis(90) { Readiness::Starting } else { Readiness::Ready };
        launch("exec sleep 60", &[], ready).expect("ready at last");
    }

    #[test]
    fn the_reason_of_an_exited_server_is_in_its_log() {
        let script = "echo 'error: no such page size' >&2";
        let error = launch(script, &[], || Readiness::NoResponse).expect_err("ended");
        assert_eq!(
            (error.kind, error.message.as_str()),
            (Kind::Unreachable, "the server did not start: no such page size")
        );
        let requested = [("page".to_owned(), "5k".to_owned())];
        let error = launch(script, &requested, || Readiness::NoResponse).expect_err("ended");
        assert_eq!(error.kind, Kind::Usage);
        assert_eq!(error.message, "the server did not start with page=5k: no such page size");
    }
}
