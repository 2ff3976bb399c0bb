//! Makes a cluster, checks its settings, starts its server and waits until it answers.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use engine::server::{Identity, Place, log_tail, open_log, refused};
use engine::{Error, Kind, Result};

use super::find::Programs;
use super::log::Reason;
use super::{DATABASE, USER};

/// How long a server may be silent after its start.
const SILENT_LIMIT: Duration = Duration::from_secs(60);
/// How long a server may say that it is not ready yet: a kept cluster may have to repeat hours of log.
const RECOVERY_LIMIT: Duration = Duration::from_secs(600);

/// The programs, who runs them and where they run.
#[derive(Clone, Debug)]
pub(super) struct Crew<'a> {
    pub(super) programs: &'a Programs,
    pub(super) identity: &'a Identity,
    pub(super) place: &'a Place,
}

impl Crew<'_> {
    /// Makes a cluster in the data directory, which must be absent. Only one that is to be kept is worth syncing; the
    /// server itself, when it runs, syncs all that it writes.
    pub(super) fn make(&self, data_checksums: bool, keep: bool) -> Result<()> {
        let data = &self.place.data;
        fs::create_dir(data).map_err(|error| refused("create", data, &error))?;
        self.identity.give(data)?;
        let mut command = self.command("initdb");
        command.arg("-D").arg(data).args(["--encoding=UTF8", "--locale=C", "--username", USER]);
        // Whoever reaches the socket has passed the mode of its directory; nobody reaches it another way.
        command.args(["--auth-local=trust", "--auth-host=reject"]);
        if !keep {
            command.arg("--no-sync");
        }
        match (data_checksums, self.programs.major) {
            (true, _) => command.arg("--data-checksums"),
            (false, 18..) => command.arg("--no-data-checksums"),
            (false, _) => &mut command,
        };
        let output = self.output(command, "initdb")?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(Reason::of(&said).error(Kind::Unreachable, "initdb failed", "run it by hand to see more"))
    }

    /// Copies the running cluster behind the socket in `primary` into the data directory, which must be absent, and
    /// has the primary keep the log in `slot` until the copy has read it.
    pub(super) fn copy(&self, primary: &Path, slot: &str) -> Result<()> {
        let data = &self.place.data;
        fs::create_dir(data).map_err(|error| refused("create", data, &error))?;
        self.identity.give(data)?;
        fs::set_permissions(data, fs::Permissions::from_mode(0o700)).map_err(|error| refused("write", data, &error))?;
        let mut command = self.command("pg_basebackup");
        command.arg("-D").arg(data).arg("-h").arg(primary).args(["-p", "5432", "-U", USER]);
        command.args(["--checkpoint=fast", "--wal-method=stream", "--no-sync", "--create-slot", "--slot", slot]);
        let output = self.output(command, "pg_basebackup")?;
        if output.status.success() {
            return self.identity.replace(&data.join("standby.signal"), "");
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(Reason::of(&said).error(Kind::Unreachable, "pg_basebackup failed", "see the log of the primary"))
    }

    /// Forgets the replicas of an earlier start: their log would be kept for ever. The server must not run.
    pub(super) fn forget_replicas(&self) -> Result<()> {
        let slots = self.place.data.join("pg_replslot");
        let entries = fs::read_dir(&slots).map_err(|error| refused("read", &slots, &error))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            fs::remove_dir_all(&path).map_err(|error| refused("remove", &path, &error))?;
        }
        Ok(())
    }

    /// Checks that a cluster that was kept can be taken: version and checksums as asked for.
    pub(super) fn check_kept(&self, data_checksums: Option<bool>) -> Result<()> {
        let data = &self.place.data;
        let refuse = |what: String| {
            let message = format!("the kept cluster {} {what}", data.display());
            Err(Error::new(Kind::Usage, message).hint("remove it, give another --dir, or change the target"))
        };
        let major = kept_major(data)?;
        if major != self.programs.major {
            return refuse(format!("is of version {major}, the programs found are of {}", self.programs.major));
        }
        let Some(asked) = data_checksums else { return Ok(()) };
        let mut command = self.command("pg_controldata");
        command.arg("-D").arg(data);
        let output = self.output(command, "pg_controldata")?;
        let said = String::from_utf8_lossy(&output.stdout);
        let version = said.lines().find_map(|line| line.strip_prefix("Data page checksum version:"));
        match version.map(|version| version.trim() != "0") {
            Some(found) if found == asked => Ok(()),
            Some(found) => refuse(format!("has data_checksums={}", if found { "on" } else { "off" })),
            None => refuse("does not say whether it has data_checksums".to_owned()),
        }
    }

    /// Writes the configuration. What a session may have changed for good in a kept cluster is forgotten.
    pub(super) fn configure(&self, configuration: &str) -> Result<()> {
        for (name, text) in [("postgresql.conf", configuration), ("postgresql.auto.conf", "")] {
            let path = self.place.data.join(name);
            self.identity.replace(&path, text)?;
        }
        Ok(())
    }

    /// Asks the server's own program whether each of `settings` exists and its value can be. It needs no cluster for
    /// that, only a directory and a configuration file, which may be empty.
    pub(super) fn check_settings(&self, settings: &[(String, String)]) -> Result<()> {
        for (name, value) in settings {
            let mut command = self.command("postgres");
            command.arg("-D").arg(&self.place.root).args(["-c", "config_file=/dev/null", "-C", "port"]);
            command.arg("-c").arg(format!("{name}={value}"));
            let output = self.output(command, "postgres")?;
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stderr).into_owned();
                let what = format!("server setting {name}={value} is refused");
                let hint = "local:postgres takes bin, version, os_user, data_checksums, replicas, synchronous and the settings of \
                            the server";
                return Err(Reason::of(&said).error(Kind::Usage, &what, hint));
            }
        }
        Ok(())
    }

    /// Starts the server. Its output goes to the log, which is of this start only.
    pub(super) fn launch(&self) -> Result<Child> {
        let log = open_log(self.place)?;
        let copy = log.try_clone().map_err(|error| refused("write", &self.place.log, &error))?;
        let mut command = self.command("postgres");
        command.arg("-D").arg(&self.place.data).stdout(log).stderr(copy);
        command.spawn().map_err(|error| self.spawn_error("postgres", &error))
    }

    /// Waits until the server takes connections on the socket in `directory`. `asked` are the settings of the target:
    /// where there are some, a failure is put down to them.
    pub(super) fn await_ready(&self, server: &mut Child, directory: &Path, asked: &[(String, String)]) -> Result<()> {
        let begun = Instant::now();
        let mut answered = false;
        loop {
            match server.try_wait() {
                Ok(None) => {}
                _ => return Err(self.start_error(asked)),
            }
            match greet(directory) {
                Greeting::Ready => return Ok(()),
                Greeting::NotYet => answered = true,
                Greeting::Silence => {}
            }
            let limit = if answered { RECOVERY_LIMIT } else { SILENT_LIMIT };
            if begun.elapsed() > limit {
                let message = format!("the server did not take connections within {} s", limit.as_secs());
                return Err(Error::new(Kind::Unreachable, format!("{message}: {}", self.log_reason().message)));
            }
            thread::sleep(Duration::from_millis(10));
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
        Reason::of(&log_tail(self.place))
    }

    fn command(&self, program: &str) -> Command {
        self.identity.command(&self.programs.directory.join(program), &self.place.root)
    }

    fn output(&self, mut command: Command, program: &str) -> Result<Output> {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.output().map_err(|error| self.spawn_error(program, &error))
    }

    fn spawn_error(&self, program: &str, error: &io::Error) -> Error {
        self.identity.spawn_error(&self.programs.directory.join(program), &self.place.root, error)
    }
}

/// The major version of the cluster in `data`.
pub(super) fn kept_major(data: &Path) -> Result<u32> {
    let path = data.join("PG_VERSION");
    let text = fs::read_to_string(&path).map_err(|error| refused("read", &path, &error))?;
    text.trim().parse().map_err(|_| {
        let message = format!("file {} does not hold a version", path.display());
        Error::new(Kind::NotOurs, message).hint("remove the cluster, or give another --dir")
    })
}

/// What a server answers to a start-up packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Greeting {
    /// It asks who we are, or lets us in.
    Ready,
    /// It is there and refuses: starting up, recovering.
    NotYet,
    /// Nothing is there, or it does not answer.
    Silence,
}

fn greet(directory: &Path) -> Greeting {
    let exchange = || -> io::Result<u8> {
        let mut stream = UnixStream::connect(directory.join(".s.PGSQL.5432"))?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        stream.set_write_timeout(Some(Duration::from_secs(1)))?;
        stream.write_all(&startup_packet())?;
        let mut kind = [0];
        stream.read_exact(&mut kind)?;
        // Terminate, so that the server does not log a connection that broke off. It may have closed it already.
        let _ = stream.write_all(b"X\0\0\0\x04");
        Ok(kind[0])
    };
    match exchange() {
        Ok(b'R') => Greeting::Ready,
        Ok(_) => Greeting::NotYet,
        Err(_) => Greeting::Silence,
    }
}

/// The first packet of protocol 3.0: length, version, names and values.
fn startup_packet() -> Vec<u8> {
    let body = format!("user\0{USER}\0database\0{DATABASE}\0\0");
    let length = u32::try_from(body.len() + 8).unwrap_or(u32::MAX);
    [&length.to_be_bytes()[..], &196_608_u32.to_be_bytes()[..], body.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    /// A server that answers one connection with `answer`; what it read.
    fn answer(answer: &'static [u8]) -> (Greeting, Vec<u8>) {
        let scratch = tempfile::tempdir().expect("temporary directory");
        let listener = UnixListener::bind(scratch.path().join(".s.PGSQL.5432")).expect("listen");
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("accept");
            let mut packet = vec![0; startup_packet().len()];
            stream.read_exact(&mut packet).expect("packet");
            stream.write_all(answer).expect("answer");
            packet
        });
        (greet(scratch.path()), server.join().expect("server"))
    }

    #[test]
    fn a_server_is_ready_when_it_asks_who_we_are() {
        let (greeting, packet) = answer(b"R\0\0\0\x08\0\0\0\0");
        assert_eq!(greeting, Greeting::Ready);
        assert_eq!(packet[..8], [0, 0, 0, packet.len() as u8, 0, 3, 0, 0]);
        assert_eq!(answer(b"E\0\0\0\x04").0, Greeting::NotYet);
        assert_eq!(answer(b"").0, Greeting::Silence);
        assert_eq!(greet(Path::new("/nonexistent")), Greeting::Silence);
    }

    #[test]
    fn a_version_file_with_something_else_is_not_ours() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        assert!(kept_major(scratch.path()).is_err());
        fs::write(scratch.path().join("PG_VERSION"), "15\n").expect("version");
        assert_eq!(kept_major(scratch.path()).expect("version"), 15);
        fs::write(scratch.path().join("PG_VERSION"), "nine\n").expect("version");
        assert_eq!(kept_major(scratch.path()).expect_err("no version").kind, Kind::NotOurs);
    }
}
