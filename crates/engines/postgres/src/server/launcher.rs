//! Creates a cluster, checks its settings, starts its server and waits until it is ready.

use std::fs;
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command};
use std::time::Duration;

use engine::{Error, Kind, Result, Workspace};
use server::{ConfigLine, Readiness, Runner, Sizing, State, Wait};
use transport::connect_socket;

use super::cluster::{DATABASE, USER};
use super::find::Programs;
use super::parameter::Parameters;
use super::settings;

/// A kept cluster may need a long crash recovery.
const WAIT: Wait = Wait {
    what: "accept connections",
    connect_timeout: Duration::from_secs(60),
    recovery_timeout: Duration::from_secs(600),
    poll_interval: Duration::from_millis(10),
};

/// The file by which a cluster is a replica; a server that is promoted removes it.
pub(super) const STANDBY_SIGNAL: &str = "standby.signal";

/// How long one probe may take to connect, and to each answer.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// The programs, and the user and paths they run with.
#[derive(Clone, Debug)]
pub(super) struct Launcher<'a> {
    pub(super) programs: &'a Programs,
    pub(super) runner: Runner<'a>,
}

impl Launcher<'_> {
    /// Creates a cluster in the data directory, which must not exist. It is synced only if it is to be kept; the
    /// running server syncs all that it writes.
    pub(super) fn init(&self, data_checksums: bool, keep: bool) -> Result<()> {
        let data = self.data();
        self.runner.create_directory(data)?;
        let mut command = self.command("initdb");
        command.arg("-D").arg(data).args(["--encoding=UTF8", "--locale=C", "--username", USER]);
        // Access is controlled by the mode of the socket's directory; there is no other way to connect.
        command.args(["--auth-local=trust", "--auth-host=reject"]);
        if !keep {
            command.arg("--no-sync");
        }
        match (data_checksums, self.programs.major) {
            (true, _) => command.arg("--data-checksums"),
            (false, 18..) => command.arg("--no-data-checksums"),
            (false, _) => &mut command,
        };
        self.runner.run(command, Kind::Unreachable, "initdb failed", "run it by hand to see more").map(drop)
    }

    /// Copies the running cluster whose socket is in `primary` into the data directory, which must not exist, and
    /// creates the replication slot `slot` on the primary.
    pub(super) fn copy(&self, primary: &Path, slot: &str) -> Result<()> {
        let data = self.data();
        self.runner.create_directory(data)?;
        fs::set_permissions(data, fs::Permissions::from_mode(0o700))
            .map_err(|error| Error::of_path("write", data, &error))?;
        let mut command = self.command("pg_basebackup");
        command.arg("-D").arg(data).arg("-h").arg(primary).args(["-p", "5432", "-U", USER]);
        command.args(["--checkpoint=fast", "--wal-method=stream", "--no-sync", "--create-slot", "--slot", slot]);
        self.runner.run(command, Kind::Unreachable, "pg_basebackup failed", "see the log of the primary")?;
        self.runner.identity.replace(&data.join(STANDBY_SIGNAL), "")
    }

    /// Removes the replication slots of an earlier start, which would retain WAL forever. The server must not run.
    pub(super) fn drop_replication_slots(&self) -> Result<()> {
        let slots = self.data().join("pg_replslot");
        // As the user of the server, who might have put a link to a directory of others in its place.
        let mut command = self.runner.command(Path::new("find"));
        command.arg(&slots).args(["-mindepth", "1", "-delete"]);
        let what = format!("{} cannot be emptied", slots.display());
        self.runner.run(command, Kind::Unreachable, &what, "remove the kept cluster, or give another --dir").map(drop)
    }

    /// Checks that a kept cluster can be reused: version and checksums as requested.
    pub(super) fn check_kept(&self, data_checksums: Option<bool>) -> Result<()> {
        let data = self.data();
        let refuse = |what: String| {
            let message = format!("the kept cluster {} {what}", data.display());
            Err(Error::new(Kind::Usage, message).hint("remove it, give another --dir, or change the target"))
        };
        let major = major_of(data)?;
        if major != self.programs.major {
            return refuse(format!("has version {major}, the programs found have version {}", self.programs.major));
        }
        let Some(requested) = data_checksums else { return Ok(()) };
        let mut command = self.command("pg_controldata");
        command.arg("-D").arg(data);
        let output = self.runner.output(command)?;
        let output = String::from_utf8_lossy(&output.stdout);
        let version = output.lines().find_map(|line| line.strip_prefix("Data page checksum version:"));
        match version.map(|version| version.trim() != "0") {
            Some(found) if found == requested => Ok(()),
            Some(found) => refuse(format!("has data_checksums={}", if found { "on" } else { "off" })),
            None => refuse("does not report whether it has data_checksums".to_owned()),
        }
    }

    /// Writes the configuration. Settings of `alter system` in a kept cluster are discarded.
    fn configure(&self, configuration: &str) -> Result<()> {
        for (name, text) in [("postgresql.conf", configuration), ("postgresql.auto.conf", "")] {
            self.runner.identity.replace(&self.data().join(name), text)?;
        }
        Ok(())
    }

    /// Validates each of `settings` with the server program. That needs no cluster, only a directory and a
    /// configuration file, which may be empty.
    pub(super) fn check_settings(&self, settings: &[(String, String)]) -> Result<()> {
        for (name, value) in settings {
            let mut command = self.command("postgres");
            command.arg("-D").arg(&self.runner.paths.root).args(["-c", "config_file=/dev/null", "-C", "port"]);
            command.arg("-c").arg(format!("{name}={value}"));
            let what = format!("server setting {name}={value} is rejected");
            let hint = "local:postgres accepts bin, version, os_user, data_checksums, replicas, synchronous and the settings of \
            the server";
            self.runner.run(command, Kind::Usage, &what, hint)?;
        }
        Ok(())
    }

    /// Starts the server and waits until it accepts connections on the socket in `directory`. `requested` are the
    /// settings of the target.
    fn launch(&self, state: &mut State, directory: &Path, requested: &[(String, String)]) -> Result<Child> {
        let mut command = self.command("postgres");
        command.arg("-D").arg(self.data());
        let stop = self.runner.paths.product.immediate_signal;
        self.runner.launch(command, state, stop, |child| self.runner.wait(child, WAIT, requested, || probe(directory)))
    }

    /// Configures the cluster in the data directory, starts its server and waits until it accepts connections on `socket`.
    pub(super) fn start(
        &self,
        parameters: &Parameters,
        workspace: &Workspace,
        socket: &Path,
        own: &[ConfigLine],
        state: &mut State,
    ) -> Result<Child> {
        let sizing = Sizing::of(workspace, 1 + u64::from(parameters.replicas));
        let (major, requested) = (self.programs.major, &parameters.settings);
        self.configure(&settings::configuration(major, &sizing, &socket.to_string_lossy(), own, requested))?;
        self.launch(state, socket, requested)
    }

    fn data(&self) -> &Path {
        &self.runner.paths.data
    }

    fn command(&self, program: &str) -> Command {
        self.runner.command(&self.programs.directory.join(program))
    }
}

/// The major version of the cluster in `data`.
pub(super) fn major_of(data: &Path) -> Result<u32> {
    let path = data.join("PG_VERSION");
    let text = base::read_foreign_text(&path).map_err(|error| Error::of_path("read", &path, &error))?;
    text.trim().parse().map_err(|_| {
        let message = format!("file {} does not hold a version", path.display());
        Error::new(Kind::NotOurs, message).hint("remove the cluster, or give another --dir")
    })
}

/// Probes the server whose socket is in `directory` with a startup packet.
fn probe(directory: &Path) -> Readiness {
    let exchange = || -> io::Result<u8> {
        let mut stream = connect_socket(&directory.join(".s.PGSQL.5432"), Some(PROBE_TIMEOUT))?;
        stream.set_read_timeout(Some(PROBE_TIMEOUT))?;
        stream.set_write_timeout(Some(PROBE_TIMEOUT))?;
        stream.write_all(&startup_packet())?;
        let mut kind = [0];
        stream.read_exact(&mut kind)?;
        // Terminate, so that the server does not log an aborted connection. It may have closed it already.
        let _ = stream.write_all(b"X\0\0\0\x04");
        Ok(kind[0])
    };
    match exchange() {
        // An authentication request.
        Ok(b'R') => Readiness::Ready,
        Ok(_) => Readiness::Starting,
        Err(_) => Readiness::NoResponse,
    }
}

/// The startup packet of protocol 3.0: length, version, names and values.
fn startup_packet() -> Vec<u8> {
    let body = format!("user\0{USER}\0database\0{DATABASE}\0\0");
    let length = u32::try_from(body.len() + 8).unwrap_or(u32::MAX);
    [&length.to_be_bytes()[..], &196_608_u32.to_be_bytes()[..], body.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::sync::mpsc::channel;
    use std::thread;

    use engine_kit::impostor::full_at;

    use super::*;

    /// Probes a server that replies `response` to one connection; returns the result and what the server read.
    fn response(response: &'static [u8]) -> (Readiness, Vec<u8>) {
        let scratch = tempfile::tempdir().expect("temporary directory");
        let listener = UnixListener::bind(scratch.path().join(".s.PGSQL.5432")).expect("listen");
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("accept");
            let mut packet = vec![0; startup_packet().len()];
            stream.read_exact(&mut packet).expect("packet");
            stream.write_all(response).expect("answer");
            packet
        });
        (probe(scratch.path()), server.join().expect("server"))
    }

    #[test]
    fn a_server_is_ready_when_it_requests_authentication() {
        let (readiness, packet) = response(b"R\0\0\0\x08\0\0\0\0");
        assert_eq!(readiness, Readiness::Ready);
        assert_eq!(packet[..8], [0, 0, 0, packet.len() as u8, 0, 3, 0, 0]);
        assert_eq!(response(b"E\0\0\0\x04").0, Readiness::Starting);
        assert_eq!(response(b"").0, Readiness::NoResponse);
        assert_eq!(probe(Path::new("/nonexistent")), Readiness::NoResponse);
    }

    #[test]
    fn a_server_that_takes_no_more_connections_does_not_respond() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        let path = scratch.path().join(".s.PGSQL.5432");
        let full = full_at(&path);
        // Not joined: where it waits for ever, this test fails and does not.
        let (sender, probed) = channel();
        let directory = scratch.path().to_owned();
        thread::spawn(move || sender.send(probe(&directory)));
        assert_eq!(probed.recv_timeout(Duration::from_secs(60)), Ok(Readiness::NoResponse));
        drop(full);
    }

    #[test]
    fn a_version_file_with_something_else_is_not_ours() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        assert!(major_of(scratch.path()).is_err());
        fs::write(scratch.path().join("PG_VERSION"), "15\n").expect("version");
        assert_eq!(major_of(scratch.path()).expect("version"), 15);
        fs::write(scratch.path().join("PG_VERSION"), "nine\n").expect("version");
        assert_eq!(major_of(scratch.path()).expect_err("no version").kind, Kind::NotOurs);
    }
}
