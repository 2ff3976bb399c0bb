//! Runs the programs of a server: as its user, in its place, and waits until the server answers.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use engine::{Error, Kind, Result};

use super::running::{end, log_tail, open_log};
use super::{Identity, Place, Process, Reason, Signal, State};

/// Who runs the programs of a server, and where.
#[derive(Clone, Debug)]
pub struct Runner<'a> {
    /// Who.
    pub identity: Identity,
    /// Where.
    pub place: &'a Place,
}

/// What a server answers to who asks whether it is ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is.
    Ready,
    /// It is there and refuses: starting up, recovering.
    NotYet,
    /// Nothing is there, or it does not answer.
    Silence,
}

/// What is waited for, and how long.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// What the server is to do, as it stands behind "the server did not".
    pub what: &'static str,
    /// How long it may be silent.
    pub silence_max: Duration,
    /// How long it may take once it has said that it is not ready yet.
    pub recovery_max: Duration,
    /// How long between two questions.
    pub pause: Duration,
}

impl<'a> Runner<'a> {
    /// For the server at `place`: run by the owner of data that were `kept`, else by the user that is `asked` for, else as
    /// [`Identity::choose`] says.
    ///
    /// # Errors
    /// As [`Identity::choose`] and [`Identity::of_owner`].
    pub fn of(place: &'a Place, kept: bool, asked: Option<&str>) -> Result<Runner<'a>> {
        let identity = if kept { Identity::of_owner(place, asked)? } else { Identity::choose(place.product, asked)? };
        Ok(Runner { identity, place })
    }

    /// Lets the user pass to the place. `state` holds at every moment what would have to be undone, here and below.
    ///
    /// # Errors
    /// `Space` or `Usage` where that cannot be.
    pub fn let_in(&self, state: &mut State) -> Result<()> {
        state.workspace_mode = self.identity.let_through(&self.place.workspace)?;
        state.write(self.place)
    }

    /// Makes the directory of the socket, which nobody but the user may enter.
    ///
    /// # Errors
    /// As [`Place::make_socket_directory`].
    pub fn make_socket_directory(&self, state: &mut State) -> Result<PathBuf> {
        let directory = self.place.make_socket_directory(&shared_socket_parents(self.identity.other))?;
        state.socket = Some(directory.clone());
        state.write(self.place)?;
        self.identity.give(&directory)?;
        Ok(directory)
    }

    /// Makes `directory`, which must be absent, for the user.
    ///
    /// # Errors
    /// `Space` or `Usage` where it cannot be created.
    pub fn make_directory(&self, directory: &Path) -> Result<()> {
        fs::create_dir(directory).map_err(|error| Error::of_path("create", directory, &error))?;
        self.identity.give(directory)
    }

    /// A command that runs `program` as the user, see [`Identity::command`].
    pub fn command(&self, program: &Path) -> Command {
        self.identity.command(program, &self.place.root)
    }

    /// Runs `command` to its end, whatever that is.
    ///
    /// # Errors
    /// `Missing` or `Usage` where it cannot be started.
    pub fn output(&self, mut command: Command) -> Result<Output> {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.output().map_err(|error| self.spawn_error(&command, &error))
    }

    /// Runs `command` to a good end.
    ///
    /// # Errors
    /// `kind`, with the reason that its output gives, where it fails: `what` failed; and as [`Self::output`].
    pub fn succeed(&self, command: Command, kind: Kind, what: &str, hint: &str) -> Result<Output> {
        let output = self.output(command)?;
        if output.status.success() {
            return Ok(output);
        }
        let said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes)).concat();
        Err(Reason::of(self.place.product.speech, &said).error(kind, what, hint))
    }

    /// Starts a server by `command`, with its output in the log, which is of this start only, and waits until `ready` finds
    /// that it is. One that is not ready is ended with `stop`.
    ///
    /// # Errors
    /// What `ready` says, and where the server cannot be started.
    pub fn launch(
        &self,
        mut command: Command,
        state: &mut State,
        stop: Signal,
        ready: impl FnOnce(&mut Child) -> Result<()>,
    ) -> Result<Child> {
        let log = open_log(self.place)?;
        let copy = log.try_clone().map_err(|error| Error::of_path("write", &self.place.log, &error))?;
        command.stdout(log).stderr(copy);
        let mut child = command.spawn().map_err(|error| self.spawn_error(&command, &error))?;
        state.server = Process::of(child.id());
        match state.write(self.place).and_then(|()| ready(&mut child)) {
            Ok(()) => Ok(child),
            Err(error) => {
                end(&mut child, stop);
                Err(error)
            }
        }
    }

    /// Asks until `answer` is that the server is ready. `asked` are the settings of the target: where there are some, a
    /// server that ends is put down to them.
    ///
    /// # Errors
    /// `Unreachable` or `Usage`, with the reason that its log gives.
    pub fn wait(
        &self,
        server: &mut Child,
        wait: Wait,
        asked: &[(String, String)],
        mut answer: impl FnMut() -> Answer,
    ) -> Result<()> {
        let begun = Instant::now();
        let mut limit = wait.silence_max;
        loop {
            if !matches!(server.try_wait(), Ok(None)) {
                return Err(self.start_error(asked));
            }
            match answer() {
                Answer::Ready => return Ok(()),
                Answer::NotYet => limit = wait.recovery_max,
                Answer::Silence => {}
            }
            if begun.elapsed() > limit {
                let message = format!("the server did not {} within {} s", wait.what, limit.as_secs());
                return Err(Error::new(Kind::Unreachable, format!("{message}: {}", self.log_reason().message)));
            }
            thread::sleep(wait.pause);
        }
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
        Reason::of(self.place.product.speech, &log_tail(self.place))
    }

    fn spawn_error(&self, command: &Command, error: &io::Error) -> Error {
        self.identity.spawn_error(Path::new(command.get_program()), &self.place.root, error)
    }
}

/// Where socket directories lie that do not fit beside the data, the best first. Another user cannot enter the
/// run-time directory of this one.
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
        silence_max: Duration::from_millis(30),
        recovery_max: Duration::from_millis(300),
        pause: Duration::from_millis(1),
    };

    /// Starts `script` as a server that is asked by `answer`.
    fn launch(script: &str, asked: &[(String, String)], answer: impl FnMut() -> Answer) -> Result<()> {
        let scratch = tempfile::Builder::new().prefix("dd").tempdir_in("/tmp").expect("temporary directory");
        let place = Place::of(&PRODUCT, scratch.path()).expect("place");
        fs::create_dir(&place.root).expect("root");
        for path in [scratch.path(), &place.root] {
            fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("mode");
        }
        let identity = Identity::choose(&PRODUCT, None).expect("somebody");
        let runner = Runner { identity, place: &place };
        let mut command = runner.command(Path::new("/bin/sh"));
        command.args(["-c", script]);
        let mut state = State { data: place.data.clone(), ..State::default() };
        let launched =
            runner.launch(command, &mut state, Signal::KILL, |child| runner.wait(child, WAIT, asked, answer));
        assert_eq!(State::read(&place).expect("state").expect("written").server, state.server);
        launched.map(|mut child| assert!(end(&mut child, Signal::KILL)))
    }

    #[test]
    fn a_server_is_waited_for_as_long_as_it_says_that_it_is_not_ready() {
        launch("exec sleep 60", &[], || Answer::Ready).expect("ready");
        let error = launch("exec sleep 60", &[], || Answer::Silence).expect_err("silent");
        assert_eq!((error.kind, error.message.as_str()), (Kind::Unreachable, "the server did not answer within 0 s: "));
        let begun = Instant::now();
        let ready = || if begun.elapsed() < Duration::from_millis(90) { Answer::NotYet } else { Answer::Ready };
        launch("exec sleep 60", &[], ready).expect("ready at last");
    }

    #[test]
    fn a_server_that_ends_gives_the_reason_of_its_log() {
        let script = "echo 'error: no such page size' >&2";
        let error = launch(script, &[], || Answer::Silence).expect_err("ended");
        assert_eq!(
            (error.kind, error.message.as_str()),
            (Kind::Unreachable, "the server did not start: no such page size")
        );
        let asked = [("page".to_owned(), "5k".to_owned())];
        let error = launch(script, &asked, || Answer::Silence).expect_err("ended");
        assert_eq!(error.kind, Kind::Usage);
        assert_eq!(error.message, "the server did not start with page=5k: no such page size");
    }
}
