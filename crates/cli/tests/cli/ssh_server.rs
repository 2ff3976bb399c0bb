//! A real server of ssh for tests.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use crate::bench::Bench;
use crate::fleet_hosts::{is_root, system, wait_until, write};
use crate::namespace::Namespace;

/// A server of ssh that accepts one key, on a port of its own.
pub struct SshServer {
    process: Child,
    /// A directory with a program `ssh` that knows it as host `far`.
    programs: PathBuf,
}

impl SshServer {
    /// One in `namespace`, or on loopback.
    pub fn start(bench: &Bench, namespace: Option<&Namespace>) -> SshServer {
        if is_root() {
            fs::create_dir_all("/run/sshd").unwrap();
        }
        let at = |name: &str| bench.path().join(name).display().to_string();
        for key in ["host-key", "user-key"] {
            system("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", &at(key)]);
        }
        let address = namespace.map_or("127.0.0.1", |namespace| &namespace.address);
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = format!(
            "ListenAddress {address}\nPort {port}\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\nUsePAM no\nStrictModes no\n\
             PasswordAuthentication no\nPermitRootLogin prohibit-password\nSetEnv XDG_CACHE_HOME={}\n",
            at("host-key"),
            at("user-key.pub"),
            at("cache")
        );
        let client = format!(
            "Host far\n HostName {address}\n Port {port}\n IdentityFile {}\n IdentitiesOnly yes\n UserKnownHostsFile {}\n\
             StrictHostKeyChecking accept-new\n",
            at("user-key"),
            at("known-hosts")
        );
        let (server, client) = (write(bench, "sshd.conf", &server), write(bench, "ssh.conf", &client));
        let programs = bench.path().join("programs");
        fs::create_dir(&programs).unwrap();
        let ssh = programs.join("ssh");
        fs::write(&ssh, format!("#!/bin/sh\nexec /usr/bin/ssh -F {} \"$@\"\n", client.display())).unwrap();
        fs::set_permissions(&ssh, fs::Permissions::from_mode(0o755)).unwrap();
        let sshd = "/usr/sbin/sshd";
        let mut command = namespace.map_or_else(|| Command::new(sshd), |namespace| namespace.command(sshd));
        command.args(["-D", "-e", "-f"]).arg(server).stdin(Stdio::null()).stderr(Stdio::null());
        let process = command.spawn().expect("sshd: ./test.sh installs it");
        wait_until("the server of ssh does not listen", || TcpStream::connect((address, port)).is_ok());
        SshServer { process, programs }
    }

    /// `PATH` with its program first.
    pub fn path(&self) -> String {
        format!("{}:{}", self.programs.display(), std::env::var("PATH").unwrap())
    }
}

impl Drop for SshServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
