//! Makes a cluster, checks its settings, starts its server and waits until it answers.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use engine::{Error, Kind, Result};
use server::{Answer, Runner, State, Wait};

use super::find::Programs;
use super::{DATABASE, USER};

/// A kept cluster may have to repeat hours of log.
const WAIT: Wait = Wait {
    what: "take connections",
    silence_max: Duration::from_secs(60),
    recovery_max: Duration::from_secs(600),
    pause: Duration::from_millis(10),
};

/// The programs, who runs them and where they run.
#[derive(Clone, Debug)]
pub(super) struct Launcher<'a> {
    pub(super) programs: &'a Programs,
    pub(super) runner: Runner<'a>,
}

impl Launcher<'_> {
    /// Makes a cluster in the data directory, which must be absent. Only one that is to be kept is worth syncing; the
    /// server itself, when it runs, syncs all that it writes.
    pub(super) fn make(&self, data_checksums: bool, keep: bool) -> Result<()> {
        let data = self.data();
        self.runner.make_directory(data)?;
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
        self.runner.succeed(command, Kind::Unreachable, "initdb failed", "run it by hand to see more").map(drop)
    }

    /// Copies the running cluster behind the socket in `primary` into the data directory, which must be absent, and
    /// has the primary keep the log in `slot` until the copy has read it.
    pub(super) fn copy(&self, primary: &Path, slot: &str) -> Result<()> {
        let data = self.data();
        self.runner.make_directory(data)?;
        fs::set_permissions(data, fs::Permissions::from_mode(0o700))
            .map_err(|error| Error::of_path("write", data, &error))?;
        let mut command = self.command("pg_basebackup");
        command.arg("-D").arg(data).arg("-h").arg(primary).args(["-p", "5432", "-U", USER]);
        command.args(["--checkpoint=fast", "--wal-method=stream", "--no-sync", "--create-slot", "--slot", slot]);
        self.runner.succeed(command, Kind::Unreachable, "pg_basebackup failed", "see the log of the primary")?;
        self.runner.identity.replace(&data.join("standby.signal"), "")
    }

    /// Forgets the replicas of an earlier start: their log would be kept for ever. The server must not run.
    pub(super) fn forget_replicas(&self) -> Result<()> {
        let slots = self.data().join("pg_replslot");
        let entries = fs::read_dir(&slots).map_err(|error| Error::of_path("read", &slots, &error))?;
        for path in entries.flatten().map(|entry| entry.path()) {
            fs::remove_dir_all(&path).map_err(|error| Error::of_path("remove", &path, &error))?;
        }
        Ok(())
    }

    /// Checks that a cluster that was kept can be taken: version and checksums as asked for.
    pub(super) fn check_kept(&self, data_checksums: Option<bool>) -> Result<()> {
        let data = self.data();
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
        let output = self.runner.output(command)?;
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
            self.runner.identity.replace(&self.data().join(name), text)?;
        }
        Ok(())
    }

    /// Asks the server's own program whether each of `settings` exists and its value can be. It needs no cluster for
    /// that, only a directory and a configuration file, which may be empty.
    pub(super) fn check_settings(&self, settings: &[(String, String)]) -> Result<()> {
        for (name, value) in settings {
            let mut command = self.command("postgres");
            command.arg("-D").arg(&self.runner.place.root).args(["-c", "config_file=/dev/null", "-C", "port"]);
            command.arg("-c").arg(format!("{name}={value}"));
            let what = format!("server setting {name}={value} is refused");
            let hint = "local:postgres takes bin, version, os_user, data_checksums, replicas, synchronous and the settings of \
                        the server";
            self.runner.succeed(command, Kind::Usage, &what, hint)?;
        }
        Ok(())
    }

    /// Starts the server and waits until it takes connections on the socket in `directory`. `asked` are the settings of the
    /// target.
    pub(super) fn launch(&self, state: &mut State, directory: &Path, asked: &[(String, String)]) -> Result<Child> {
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.data());
        let stop = self.runner.place.product.stop_at_once;
        self.runner.launch(command, state, stop, |child| self.runner.wait(child, WAIT, asked, || greet(directory)))
    }

    fn data(&self) -> &Path {
        &self.runner.place.data
    }

    fn command(&self, program: &str) -> Command {
        self.runner.command(&self.programs.directory.join(program))
    }
}

/// The major version of the cluster in `data`.
pub(super) fn kept_major(data: &Path) -> Result<u32> {
    let path = data.join("PG_VERSION");
    let text = fs::read_to_string(&path).map_err(|error| Error::of_path("read", &path, &error))?;
    text.trim().parse().map_err(|_| {
        let message = format!("file {} does not hold a version", path.display());
        Error::new(Kind::NotOurs, message).hint("remove the cluster, or give another --dir")
    })
}

/// What the server whose socket lies in `directory` answers to a start-up packet.
fn greet(directory: &Path) -> Answer {
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
        // It asks who we are, or lets us in.
        Ok(b'R') => Answer::Ready,
        Ok(_) => Answer::NotYet,
        Err(_) => Answer::Silence,
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
    use std::thread;

    use super::*;

    /// A server that answers one connection with `answer`; what it read.
    fn answer(answer: &'static [u8]) -> (Answer, Vec<u8>) {
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
        assert_eq!(greeting, Answer::Ready);
        assert_eq!(packet[..8], [0, 0, 0, packet.len() as u8, 0, 3, 0, 0]);
        assert_eq!(answer(b"E\0\0\0\x04").0, Answer::NotYet);
        assert_eq!(answer(b"").0, Answer::Silence);
        assert_eq!(greet(Path::new("/nonexistent")), Answer::Silence);
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
