//! Programs of servers that tests start themselves, and certificates for them.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// One server for the tests of a binary: it runs as long as one of them holds it.
pub struct SharedServer<T>(Mutex<Weak<T>>);

impl<T> SharedServer<T> {
    /// None is running yet.
    #[allow(clippy::new_without_default)] // A static needs a const function.
    pub const fn new() -> SharedServer<T> {
        SharedServer(Mutex::new(Weak::new()))
    }

    /// The running server, or a new one.
    pub fn get(&self, start: fn() -> T) -> Arc<T> {
        let mut shared = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let server = Arc::new(start());
            *shared = Arc::downgrade(&server);
            server
        })
    }
}

/// Creates two CA certificates in `directory`, and certificates for the server localhost and the client `certified`, which
/// the first signed: `authority.crt`, `stranger.crt`, `server.crt`, `server.key`, `client.crt`, `client.key`. Only the owner
/// may read a key.
pub fn make_certificates(directory: &Path) {
    let at = |name: &str| text(&directory.join(name)).to_owned();
    let openssl = |fixed: &str, rest: &[&str]| succeed(Command::new("openssl").args(fixed.split(' ')).args(rest));
    for name in ["authority", "stranger"] {
        let (key, certificate) = (at(&format!("{name}.key")), at(&format!("{name}.crt")));
        let subject = format!("/CN=dbdyno test {name}");
        let fixed = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2";
        openssl(fixed, &["-subj", &subject, "-keyout", &key, "-out", &certificate]);
    }
    let (authority, authority_key) = (at("authority.crt"), at("authority.key"));
    let extension = at("server.ext");
    fs::write(&extension, "subjectAltName = DNS:localhost\n").expect("write the extension");
    for (name, subject, key_kind) in
        [("server", "/CN=localhost", "rsa:2048"), ("client", "/CN=certified", "ec -pkeyopt ec_paramgen_curve:P-256")]
    {
        let (key, request, certificate) =
            (at(&format!("{name}.key")), at(&format!("{name}.csr")), at(&format!("{name}.crt")));
        let fixed = format!("req -newkey {key_kind} -nodes");
        openssl(&fixed, &["-subj", subject, "-keyout", &key, "-out", &request]);
        openssl(
            "x509 -req -days 2 -sha384 -CAcreateserial",
            &[
                "-in",
                &request,
                "-CA",
                &authority,
                "-CAkey",
                &authority_key,
                "-out",
                &certificate,
                "-extfile",
                &extension,
            ],
        );
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).expect("mode of the key");
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Changes the owner of `path` to `user` as root; otherwise servers run as the current user.
pub fn chown_to(user: &str, path: &Path) {
    let number = |which: &str| -> u32 {
        let output = Command::new("id").args([which, user]).output().expect("run id");
        String::from_utf8_lossy(&output.stdout).trim().parse().unwrap_or_else(|_| panic!("there is no user {user}"))
    };
    if is_root() {
        chown(path, Some(number("-u")), Some(number("-g"))).unwrap_or_else(|error| panic!("{}: {error}", text(path)));
    }
}

/// A server program, run by `user` if the caller is root: servers refuse to run as root.
pub fn command_as(user: &str, program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", user, "--regid", user, "--clear-groups"]).arg(program).current_dir("/");
    command
}

/// Runs `command`, which must succeed.
pub fn succeed(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A path of a test as text.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("a path of this test")
}
