//! A message server of our own: `nats-server` on loopback, with one account, in which every user has a key and may use
//! its own subjects only.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use rustix::fs::{Access, MemfdFlags, access, memfd_create};
use rustix::process::getuid;

use crate::error::{Error, Result};
use crate::host_lines::next_line;
use crate::subject::Subjects;

/// The largest message: what its documentation advises at most.
pub(crate) const MESSAGE_BYTES_MAX: usize = 8 << 20;

/// How long the server may take to listen.
const LISTEN_TIMEOUT: Duration = Duration::from_secs(10);

/// What the server writes before the address on which it listens.
const LISTENS: &str = "Listening for client connections on ";

/// Directories of packages, after those of `PATH`.
const PACKAGE_DIRECTORIES: [&str; 2] = ["/usr/sbin", "/usr/local/sbin"];

/// The longest line of the log that is read.
const LOG_LINE_BYTES_MAX: usize = 4 << 10;

/// How long a client may take from its connection to its name: an agent connects through its host as soon as it has its ticket, and
/// says its name when it has read what its host is.
const LOGIN_TIMEOUT: Duration = Duration::from_secs(60);

/// Connections beside those of the users: one that ends while its successor begins, and one that is turned away.
const MORE_CONNECTIONS: usize = 2;

/// User and group of a server that a privileged user starts: nobody.
const UNPRIVILEGED: u32 = 65_534;

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
    /// Starts a server for the fleet of `subjects`. Its settings are no file of a directory, and it says on which port it
    /// listens. The calling thread must live as long as it. Where this process is privileged, the server is not.
    pub(crate) fn start(subjects: &Subjects, users: &[User]) -> Result<NatsServer> {
        let program = program()?;
        let failed = |error| Error::new(format!("{} cannot be started: {error}", program.display()));
        let text = settings_text(subjects, users);
        let spawn = |uid: Option<u32>| settings(&text).and_then(|settings| command(&program, settings, uid).spawn());
        let child = match getuid().is_root() {
            // A program in a directory of root's own is not reached by others.
            true => spawn(Some(UNPRIVILEGED)).or_else(|_| spawn(None)),
            false => spawn(None),
        };
        let mut child = child.map_err(failed)?;
        let log = child.stderr.take();
        let mut server = NatsServer { child, url: String::new() };
        server.url = match log.and_then(listened_at) {
            Some(Ok(address)) => format!("nats://{address}"),
            Some(Err(said)) => return Err(Error::new(format!("nats-server does not listen: {said}"))),
            None => return Err(Error::new("nats-server has no output")),
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

/// The command of a server with these settings, as the user `uid` if there is one.
fn command(program: &Path, settings: File, uid: Option<u32>) -> Command {
    let mut command = Command::new(program);
    command.args(["--config", "/dev/stdin"]).stdin(settings).stdout(Stdio::null()).stderr(Stdio::piped());
    // What this process was told in variables, such as a password of a database, is none of its business.
    command.env_clear().env("PATH", "/usr/bin:/bin");
    if let Some(uid) = uid {
        command.uid(uid).gid(uid).current_dir("/");
    }
    // Ctrl-C reaches the coordinator alone, which ends the fleet in order.
    command.process_group(0);
    base::die_with_parent(&mut command);
    command
}

/// A file in memory that any user can open who has it, with `text`.
fn settings(text: &str) -> io::Result<File> {
    let mut file = File::from(memfd_create("nats-server.conf", MemfdFlags::CLOEXEC)?);
    file.write_all(text.as_bytes())?;
    io::Seek::rewind(&mut file)?;
    Ok(file)
}

/// The address on which a server says that it listens, or the last line of one that ends before. The rest of what it
/// says is read, so that it never waits for a reader.
fn listened_at(log: ChildStderr) -> Option<std::result::Result<String, String>> {
    let (found, address) = channel();
    let read = move || {
        let mut last = "it said nothing".to_owned();
        let mut log = BufReader::new(log);
        while let Ok(Some(line)) = next_line(&mut log, LOG_LINE_BYTES_MAX) {
            if let Some((_, address)) = line.text.split_once(LISTENS) {
                let _ = found.send(Ok(address.trim().to_owned()));
            }
            last = line.text;
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
    program_in(directories).ok_or_else(|| {
        Error::new("no program nats-server in PATH, /usr/sbin, /usr/local/sbin").hint("install the package nats-server")
    })
}

/// The first of `directories` with such a program that this process may execute.
fn program_in(directories: impl Iterator<Item = PathBuf>) -> Option<PathBuf> {
    let mut programs = directories.filter(|directory| directory.is_absolute()).map(|at| at.join("nats-server"));
    programs.find(|program| program.is_file() && access(program, Access::EXEC_OK).is_ok())
}

/// The settings: one explicit account, users with keys, no listener but one on loopback.
fn settings_text(subjects: &Subjects, users: &[User]) -> String {
    let list = |names: &[String]| names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    let connections = users.len() + MORE_CONNECTIONS;
    let login = LOGIN_TIMEOUT.as_secs();
    let mut text = format!(
        "listen: \"127.0.0.1:-1\"\nmax_payload: {MESSAGE_BYTES_MAX}\nmax_connections: {connections}\n\
         authorization: {{ timeout: {login} }}\n\
         accounts: {{ FLEET: {{ users: [\n"
    );
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

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn server(agents: usize) -> NatsServer {
        let pair = nkeys::KeyPair::new_user;
        let agent = |number| User::Agent { name: format!("a{number}"), key: pair().public_key() };
        let users: Vec<User> =
            std::iter::once(User::Coordinator { key: pair().public_key() }).chain((0..agents).map(agent)).collect();
        NatsServer::start(&Subjects::of("f"), &users).unwrap()
    }

    #[test]
    fn a_server_of_a_privileged_user_is_not_privileged_and_knows_no_variables() {
        let server = server(1);
        let of = |file: &str| fs::read_to_string(format!("/proc/{}/{file}", server.process())).unwrap();
        if getuid().is_root() {
            let user = of("status").lines().find_map(|line| line.strip_prefix("Uid:").map(str::to_owned)).unwrap();
            assert_eq!(user.split_whitespace().collect::<Vec<_>>(), ["65534"; 4]);
        }
        assert_eq!(of("environ"), "PATH=/usr/bin:/bin\0");
    }

    #[test]
    fn a_server_takes_as_many_connections_as_there_are_users_and_two_more() {
        let server = server(2);
        let connect = || {
            use std::io::Read;
            let mut stream = std::net::TcpStream::connect(server.address()).unwrap();
            let mut said = [0; 4];
            stream.read_exact(&mut said).unwrap();
            (stream, said)
        };
        let connections: Vec<_> = (0..5).map(|_| connect()).collect();
        assert!(connections.iter().all(|(_, said)| said == b"INFO"));
        // It greets before it counts: the last one of these may not be counted yet. It says why, and ends the connection.
        let mut more = Vec::new();
        let refused = (0..5).find_map(|_| {
            let (mut stream, _) = connect();
            stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
            let mut rest = String::new();
            let _ = std::io::Read::read_to_string(&mut stream, &mut rest);
            more.push(stream);
            rest.contains("maximum connections exceeded").then_some(())
        });
        assert!(refused.is_some() && more.len() <= 2, "{} more were taken", more.len());
    }

    #[test]
    fn who_is_slow_to_prove_a_key_is_waited_for() {
        use std::io::Read;
        let server = server(1);
        let mut stream = std::net::TcpStream::connect(server.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(4))).unwrap();
        let mut said = String::new();
        let ended = stream.read_to_string(&mut said);
        assert!(ended.is_err() && said.starts_with("INFO ") && !said.contains("Timeout"), "{ended:?} {said}");
    }

    #[test]
    fn a_file_that_cannot_be_executed_is_no_program() {
        let folder = tempfile::tempdir().unwrap();
        let directories: Vec<PathBuf> = ["a", "b"].iter().map(|name| folder.path().join(name)).collect();
        for (directory, mode) in directories.iter().zip([0o644, 0o755]) {
            fs::create_dir(directory).unwrap();
            fs::write(directory.join("nats-server"), "").unwrap();
            fs::set_permissions(directory.join("nats-server"), fs::Permissions::from_mode(mode)).unwrap();
        }
        assert_eq!(program_in(directories.iter().cloned()), Some(directories[1].join("nats-server")));
        assert_eq!(program_in([PathBuf::from("relative")].into_iter()), None);
    }
}
