//! A real server of MariaDB with databases of its own, which nobody but the test reaches.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::bench::Bench;
use crate::fleet_hosts::{system, wait_until};

/// A server that listens at a socket in the directory of its test.
pub struct MariadbServer {
    socket: PathBuf,
    server: Child,
}

impl MariadbServer {
    pub fn start(bench: &Bench) -> MariadbServer {
        let directory = bench.path().join("mariadb");
        fs::create_dir(&directory).unwrap();
        fs::set_permissions(bench.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let at = directory.display().to_string();
        // The server refuses to run as root.
        let is_root = fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
        let user: &[&str] = if is_root { &["--user=mysql"] } else { &[] };
        if is_root {
            system("chown", &["mysql", &at]);
        }
        let data = format!("--datadir={at}/data");
        let install = [&data, "--auth-root-authentication-method=normal", "--skip-test-db"];
        system("mariadb-install-db", &[&["--no-defaults"], user, &install[..]].concat());
        let socket = directory.join("socket");
        // On Debian it is in a folder that is not on the path of ordinary users.
        let program = Path::new("/usr/sbin/mariadbd");
        let mut command = Command::new(if program.exists() { program } else { Path::new("mariadbd") });
        command.arg("--no-defaults").args(user).arg(data).arg(format!("--socket={}", socket.display()));
        command.args(["--skip-networking", "--innodb-flush-log-at-trx-commit=2"]).arg(format!("--pid-file={at}/pid"));
        let server = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let server = MariadbServer { socket, server };
        wait_until("MariaDB responds", || server.client().args(["-e", "select 1"]).output().unwrap().status.success());
        server
    }

    /// The target of its database `name`.
    pub fn target(&self, name: &str) -> String {
        format!("mariadb://root@{}/{name}", self.socket.display().to_string().replace('/', "%2F"))
    }

    /// What it answers, without its last line break.
    pub fn ask(&self, statements: &str) -> String {
        let mut client = self.client().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        client.stdin.take().unwrap().write_all(statements.as_bytes()).unwrap();
        let answer = client.wait_with_output().unwrap();
        assert!(answer.status.success(), "{statements}");
        String::from_utf8(answer.stdout).unwrap().trim_end().to_owned()
    }

    fn client(&self) -> Command {
        let mut command = Command::new("mariadb");
        command.arg("--no-defaults").args(["-u", "root", "-N", "-B", "-S"]).arg(&self.socket);
        command
    }
}

impl Drop for MariadbServer {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
