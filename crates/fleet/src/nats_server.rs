//! A message server of our own: `nats-server` on loopback, with one account, in which every user has a key and may use
//! its own subjects only.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use rustix::process::{Signal, set_parent_process_death_signal};

use crate::error::{Error, Result};
use crate::subject::Subjects;

/// The largest message: what its documentation advises at most.
pub(crate) const MESSAGE_BYTES_MAX: usize = 8 << 20;

/// How long the server may take to listen.
const LISTEN_TIMEOUT: Duration = Duration::from_secs(10);

/// What the server writes before the address on which it listens.
const LISTENS: &str = "Listening for client connections on ";

/// Directories of packages, after those of `PATH`.
const PACKAGE_DIRECTORIES: [&str; 2] = ["/usr/sbin", "/usr/local/sbin"];

/// A user of the server, by its public key.
#[derive(Clone, Debug)]
pub(crate) enum User {
    Coordinator { key: String },
    Agent { name: String, key: String },
}

/// A running server; it is stopped when this is dropped, and by the kernel when the thread that started it ends.
#[derive(Debug)]
pub(crate) struct NatsServer {
    child: Child,
    url: String,
}

impl NatsServer {
    /// Starts a server for the fleet of `subjects`. It has no file: its settings go through a pipe, and it says on which
    /// port it listens. The calling thread must live as long as it.
    ///
    /// # Errors
    /// Where there is no such program, and where it does not listen.
    pub(crate) fn start(subjects: &Subjects, users: &[User]) -> Result<NatsServer> {
        let program = program()?;
        let mut command = Command::new(&program);
        command.args(["--config", "/dev/stdin"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
        // Ctrl-C reaches the coordinator alone, which ends the fleet in order.
        command.process_group(0);
        // SAFETY: prctl(PR_SET_PDEATHSIG) is async-signal-safe and allocates nothing.
        unsafe { command.pre_exec(|| Ok(set_parent_process_death_signal(Some(Signal::KILL))?)) };
        let failed = |error| Error::new(format!("{} cannot be started: {error}", program.display()));
        let mut child = command.spawn().map_err(failed)?;
        let (settings, log) = (child.stdin.take(), child.stderr.take());
        let mut server = NatsServer { child, url: String::new() };
        let written = settings.map_or(Ok(()), |mut pipe| pipe.write_all(settings_text(subjects, users).as_bytes()));
        let address = log.and_then(listened_at);
        server.url = match (written, address) {
            (Ok(()), Some(Ok(address))) => format!("nats://{address}"),
            (Err(error), _) => return Err(failed(error)),
            (Ok(()), Some(Err(said))) => return Err(Error::new(format!("nats-server does not listen: {said}"))),
            (Ok(()), None) => return Err(Error::new("nats-server has no output")),
        };
        Ok(server)
    }

    /// Its process.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Its address.
    pub(crate) fn address(&self) -> &str {
        self.url.trim_start_matches("nats://")
    }

    /// Its URL.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        // It keeps nothing that is worth an orderly end.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The address on which a server says that it listens, or the last line of one that ends before. The rest of what it
/// says is read, so that it never waits for a reader.
fn listened_at(log: ChildStderr) -> Option<std::result::Result<String, String>> {
    let (found, address) = channel();
    let read = move || {
        let mut last = "it said nothing".to_owned();
        for line in BufReader::new(log).lines().map_while(std::result::Result::ok) {
            if let Some((_, address)) = line.split_once(LISTENS) {
                let _ = found.send(Ok(address.trim().to_owned()));
            }
            last = line;
        }
        let _ = found.send(Err(last));
    };
    std::thread::Builder::new().name("nats-server".to_owned()).spawn(read).ok()?;
    let late = || Err(format!("it said nothing of it within {} s", LISTEN_TIMEOUT.as_secs()));
    Some(address.recv_timeout(LISTEN_TIMEOUT).unwrap_or_else(|_| late()))
}

/// The program `nats-server`.
fn program() -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories = std::env::split_paths(&path).chain(PACKAGE_DIRECTORIES.map(PathBuf::from));
    let mut programs = directories.filter(|directory| directory.is_absolute()).map(|at| at.join("nats-server"));
    programs.find(|program| program.is_file()).ok_or_else(|| {
        Error::new("no program nats-server in PATH, /usr/sbin, /usr/local/sbin").hint("install the package nats-server")
    })
}

/// The settings: one explicit account, users with keys, no listener but one on loopback.
fn settings_text(subjects: &Subjects, users: &[User]) -> String {
    let list = |names: &[String]| names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let mut text =
        format!("listen: \"127.0.0.1:-1\"\nmax_payload: {MESSAGE_BYTES_MAX}\naccounts: {{ FLEET: {{ users: [\n");
    for user in users {
        let (key, publish, subscribe) = match user {
            User::Coordinator { key } => (key, vec![subjects.all()], vec![subjects.all()]),
            User::Agent { name, key } => (key, subjects.published_by(name), subjects.of_agent(name)),
        };
        let (publish, subscribe) = (list(&publish), list(&subscribe));
        let _ = writeln!(
            text,
            "  {{ nkey: {key}, permissions: {{ publish: {{ allow: [{publish}] }}, subscribe: {{ allow: [{subscribe}] }} }} }}"
        );
    }
    text + "] } }\n"
}
