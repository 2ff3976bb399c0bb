//! The operating system user that runs the server: a database server should not, or refuses to, run as root.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::fs::{AtFlags, Mode, OFlags};

use super::{Paths, Product};
use engine::{Error, Kind, Result};

/// The user that runs the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Name of the user.
    pub name: String,
    uid: u32,
    gid: u32,
    /// Whether it differs from the user of dbdyno.
    pub is_other_user: bool,
}

/// Variables of the environment that a server and its programs get. Others are not theirs to see: a user of the system may read
/// the environment of its processes, and that of dbdyno may hold passwords, keys and the sockets of agents; variables of the
/// product would change what the server does. The last two are how a library is put under a server.
const PASSED_ON: [&str; 6] = ["PATH", "HOME", "TMPDIR", "TZ", "LD_LIBRARY_PATH", "LD_PRELOAD"];

impl Identity {
    /// Chooses the user: the one `requested` by name, or for root the first existing unprivileged one, or that of
    /// dbdyno.
    ///
    /// # Errors
    /// `Usage` if the user does not exist, is root, or dbdyno may not switch to it.
    pub fn choose(product: &'static Product, requested: Option<&str>) -> Result<Identity> {
        let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
        choose(product, requested, &passwd, rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw())
    }

    /// The owner of kept data; `requested` must agree with it.
    ///
    /// # Errors
    /// `NotOurs` if the owner is another user; errors of [`Self::choose`].
    pub fn of_owner(paths: &Paths, requested: Option<&str>) -> Result<Identity> {
        let data = &paths.data;
        let found = fs::metadata(data).map_err(|error| Error::of_path("read", data, &error))?;
        let chosen = Identity::choose(paths.product, requested)?;
        if chosen.uid == found.uid() {
            return Ok(chosen);
        }
        let root = rustix::process::geteuid().is_root();
        match (root && requested.is_none(), found.uid()) {
            (true, uid @ 1..) => {
                Ok(Identity { name: format!("with number {uid}"), uid, gid: found.gid(), is_other_user: true })
            }
            _ => {
                let message =
                    format!("the kept cluster {} belongs to another user than {}", data.display(), chosen.name);
                Err(Error::new(Kind::NotOurs, message).hint("remove it, or give another --dir"))
            }
        }
    }

    /// A command that runs as this user in `directory`, in a process group of its own: Ctrl-C on the terminal reaches
    /// dbdyno only, which shuts down the server. Of the environment it gets what `PASSED_ON` names.
    pub fn command(&self, program: &Path, directory: &Path) -> Command {
        let mut command = bare_command(program, directory);
        if self.is_other_user {
            // As root this also drops the supplementary groups, and changes the user before the directory.
            command.gid(self.gid).uid(self.uid);
        }
        command
    }

    /// Makes this user the owner of `path`, which dbdyno has created. In a directory that the user owns, it may have
    /// been replaced: links are not followed, and the owner is changed only if dbdyno owns it.
    ///
    /// # Errors
    /// `Usage` or `Space` if that is not permitted, `NotOurs` if it is not what dbdyno created.
    pub fn chown(&self, path: &Path) -> Result<()> {
        if !self.is_other_user {
            return Ok(());
        }
        let failed = |error: rustix::io::Errno| Error::of_path("change the owner of", path, &error.into());
        let file = open_nofollow(path).map_err(failed)?;
        let found = rustix::fs::fstat(&file).map_err(failed)?;
        let is_directory = rustix::fs::FileType::from_raw_mode(found.st_mode) == rustix::fs::FileType::Directory;
        let is_file = rustix::fs::FileType::from_raw_mode(found.st_mode) == rustix::fs::FileType::RegularFile;
        let is_own = found.st_uid == rustix::process::geteuid().as_raw();
        if !(is_directory || is_file && found.st_nlink == 1) || !is_own {
            let message = format!("{} was replaced after dbdyno created it", path.display());
            return Err(Error::new(Kind::NotOurs, message)
                .hint(format!("check what user {} does in this directory", self.name)));
        }
        let (uid, gid) = (rustix::fs::Uid::from_raw(self.uid), rustix::fs::Gid::from_raw(self.gid));
        rustix::fs::chownat(&file, c"", Some(uid), Some(gid), AtFlags::EMPTY_PATH).map_err(failed)
    }

    /// Replaces a file in a directory of this user without following a link: root must not write through one.
    ///
    /// # Errors
    /// `Space` if it cannot be written.
    pub fn replace(&self, path: &Path, text: &str) -> Result<()> {
        let draft = path.with_extension("draft");
        let write = || -> io::Result<()> {
            match fs::remove_file(&draft) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft)?;
            file.write_all(text.as_bytes())?;
            self.chown_file(&file)?;
            fs::rename(&draft, path)
        };
        write().map_err(|error| Error::of_path("write", path, &error))
    }

    fn chown_file(&self, file: &fs::File) -> io::Result<()> {
        match self.is_other_user {
            true => std::os::unix::fs::fchown(file, Some(self.uid), Some(self.gid)),
            false => Ok(()),
        }
    }

    /// Grants this user search permission on `directory`, which dbdyno owns, but no permission to list it; returns the
    /// mode to restore afterwards.
    ///
    /// # Errors
    /// `Space` or `Usage` if the mode cannot be changed.
    pub fn allow_traversal(&self, directory: &Path) -> Result<Option<u32>> {
        let found = fs::metadata(directory).map_err(|error| Error::of_path("read", directory, &error))?;
        if self.passes(&found) {
            return Ok(None);
        }
        let mode = found.permissions().mode() & 0o7777;
        set_mode(directory, mode | 0o001)?;
        Ok(Some(mode))
    }

    /// The error for a program that did not start, given the error of `Command`.
    pub fn spawn_error(&self, program: &Path, directory: &Path, error: &io::Error) -> Error {
        let hint = "use a directory below one that every user may enter, e.g. --dir /var/tmp";
        for path in [directory, program] {
            if error.kind() == io::ErrorKind::PermissionDenied
                && let Some(barrier) = self.barrier(path)
            {
                let message =
                    format!("user {} may not enter {}, on the way to {}", self.name, barrier.display(), path.display());
                return Error::new(Kind::Usage, message).hint(hint);
            }
        }
        let message = format!("cannot run {} as user {}: {error}", program.display(), self.name);
        Error::new(Kind::Missing, message).hint("give another os_user= or bin= in the target")
    }

    /// The first directory on the path to `path` that this user may not enter, judged by its mode.
    fn barrier(&self, path: &Path) -> Option<PathBuf> {
        let mut parents: Vec<&Path> = path.ancestors().collect();
        parents.reverse();
        let is_barred = |path: &&&Path| fs::metadata(path).is_ok_and(|found| found.is_dir() && !self.passes(&found));
        parents.iter().find(is_barred).map(|path| path.to_path_buf())
    }

    fn passes(&self, directory: &fs::Metadata) -> bool {
        let mode = directory.permissions().mode();
        let bit = match () {
            () if !self.is_other_user => return true,
            () if directory.uid() == self.uid => 0o100,
            () if directory.gid() == self.gid => 0o010,
            () => 0o001,
        };
        mode & bit != 0
    }
}

/// A command that runs as the user of dbdyno, else as [`Identity::command`] says.
pub(crate) fn bare_command(program: &Path, directory: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(directory).process_group(0).stdin(Stdio::null()).env_clear();
    command.envs(PASSED_ON.iter().filter_map(|name| Some((name, std::env::var_os(name)?))));
    command.env("LC_ALL", "C");
    command
}

/// Opens `path` for its metadata, without following a link.
fn open_nofollow(path: &Path) -> rustix::io::Result<OwnedFd> {
    rustix::fs::open(path, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
}

/// Restores the mode of a directory.
pub(crate) fn set_mode(directory: &Path, mode: u32) -> Result<()> {
    fs::set_permissions(directory, fs::Permissions::from_mode(mode))
        .map_err(|error| Error::of_path("change the mode of", directory, &error))
}

fn choose(
    product: &'static Product,
    requested: Option<&str>,
    passwd: &str,
    own_uid: u32,
    own_gid: u32,
) -> Result<Identity> {
    let known = |name: &str| users(passwd).find(|(user, _, _)| *user == name);
    let usage = |message: String, hint: &str| Error::new(Kind::Usage, message).hint(hint);
    let own_name = users(passwd)
        .find(|(_, uid, _)| *uid == own_uid)
        .map_or_else(|| format!("with number {own_uid}"), |(name, _, _)| name.to_owned());
    let (name, uid, gid) = match requested {
        Some(name) => known(name)
            .ok_or_else(|| usage(format!("os_user {name} is not in /etc/passwd"), "give a user that exists"))?,
        None if own_uid != 0 => {
            return Ok(Identity { name: own_name, uid: own_uid, gid: own_gid, is_other_user: false });
        }
        None => product.users.iter().find_map(|name| known(name)).ok_or_else(|| {
            let message =
                format!("dbdyno is root, and there is no user {} to run the server", product.users.join(" or "));
            usage(message, "give os_user=NAME in the target, or run dbdyno as an unprivileged user")
        })?,
    };
    if uid == 0 {
        return Err(usage(
            format!("os_user {name} is root, which a server should not run as"),
            "give an unprivileged user",
        ));
    }
    if uid == own_uid {
        return Ok(Identity { name: own_name, uid, gid: own_gid, is_other_user: false });
    }
    if own_uid != 0 {
        let message = format!("os_user {name} is not {own_name}, and only root can switch to another user");
        return Err(usage(message, "omit os_user, or run dbdyno as root"));
    }
    Ok(Identity { name: name.to_owned(), uid, gid, is_other_user: true })
}

fn users(passwd: &str) -> impl Iterator<Item = (&str, u32, u32)> {
    passwd.lines().filter_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        Some((name, fields.nth(1)?.parse().ok()?, fields.next()?.parse().ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::PRODUCT;

    const PASSWD: &str = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65533::/:/bin/false\nbroken line\n\
                          ada:x:1000:1001:Ada,,,:/home/ada:/bin/sh\nsomebase:x:101:104::/var/lib/somebase:/bin/bash\n";

    #[test]
    fn root_becomes_the_server_s_user_or_else_nobody() {
        let chosen = choose(&PRODUCT, None, PASSWD, 0, 0).expect("somebase");
        assert_eq!(chosen, Identity { name: "somebase".to_owned(), uid: 101, gid: 104, is_other_user: true });
        let without = PASSWD.replace("somebase:x", "sb:x");
        assert_eq!(choose(&PRODUCT, None, &without, 0, 0).expect("nobody").uid, 65534);
        assert_eq!(
            choose(&PRODUCT, None, "root:x:0:0::/:/bin/sh\n", 0, 0).expect_err("no such user").kind,
            Kind::Usage
        );
    }

    #[test]
    fn an_unprivileged_user_is_kept() {
        let own = choose(&PRODUCT, None, PASSWD, 1000, 1001).expect("own");
        assert_eq!(own, Identity { name: "ada".to_owned(), uid: 1000, gid: 1001, is_other_user: false });
        assert_eq!(choose(&PRODUCT, Some("ada"), PASSWD, 1000, 1001).expect("own by name"), own);
        assert!(!choose(&PRODUCT, None, "", 4711, 4711).expect("unlisted").is_other_user);
        assert!(
            choose(&PRODUCT, Some("somebase"), PASSWD, 1000, 1001).expect_err("not root").message.contains("only root")
        );
    }

    #[test]
    fn a_user_that_cannot_run_a_server_is_refused_by_name() {
        for name in ["root", "eve", "", "../x"] {
            let error = choose(&PRODUCT, Some(name), PASSWD, 0, 0).expect_err(name);
            assert_eq!(error.kind, Kind::Usage);
            assert!(error.message.contains(name));
        }
    }

    /// An unprivileged user, like that of an attacker.
    fn nobody() -> Identity {
        Identity { name: "nobody".to_owned(), uid: 65_534, gid: 65_534, is_other_user: true }
    }

    #[test]
    fn a_server_sees_nothing_of_the_environment_but_what_is_named() {
        let own = choose(&PRODUCT, None, PASSWD, 1000, 1001).expect("own");
        let output = own.command(Path::new("/usr/bin/env"), Path::new("/")).output().expect("env");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let names: Vec<&str> = text.lines().filter_map(|line| line.split_once('=')).map(|(name, _)| name).collect();
        assert!(names.contains(&"LC_ALL") && names.contains(&"PATH"), "{names:?}");
        let strange = names.iter().find(|name| !PASSED_ON.contains(name) && **name != "LC_ALL");
        assert_eq!(strange, None, "cargo sets CARGO_MANIFEST_DIR for tests, and passwords come the same way");
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    }

    #[test]
    fn the_owner_of_a_replaced_file_is_not_changed() {
        if !rustix::process::geteuid().is_root() {
            // Only root changes owners.
            let own = choose(&PRODUCT, None, PASSWD, 1000, 1001).expect("own");
            assert!(!own.is_other_user);
            return;
        }
        let scratch = tempfile::tempdir().expect("temporary directory");
        let (secret, given) = (scratch.path().join("secret"), scratch.path().join("data"));
        let owner = |path: &Path| fs::metadata(path).expect("metadata").uid();
        fs::write(&secret, "of root").expect("secret");
        fs::create_dir(&given).expect("directory");
        nobody().chown(&given).expect("a directory of ours");
        assert_eq!(owner(&given), 65_534);
        // In a directory that the user owns: a link, a hard link, and a directory of the user.
        let (link, hard_link) = (given.join("link"), given.join("hard"));
        std::os::unix::fs::symlink(&secret, &link).expect("link");
        fs::hard_link(&secret, &hard_link).expect("hard link");
        for path in [&link, &hard_link] {
            let error = nobody().chown(path).expect_err("not ours");
            assert_eq!(error.kind, Kind::NotOurs, "{error:?}");
        }
        assert_eq!(owner(&secret), 0, "root's file stays root's");
        let his = given.join("his");
        fs::create_dir(&his).expect("directory");
        nobody().chown(&his).expect("once");
        assert_eq!(nobody().chown(&his).expect_err("his already").kind, Kind::NotOurs);
    }

    #[test]
    fn an_inaccessible_directory_is_named() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        let (outer, inner) = (scratch.path().join("outer"), scratch.path().join("outer/inner"));
        fs::create_dir_all(&inner).expect("directories");
        let open = |path: &Path, mode| set_mode(path, mode).expect("mode");
        open(scratch.path(), 0o755);
        open(&outer, 0o700);
        open(&inner, 0o755);
        let stranger = Identity { name: "eve".to_owned(), uid: 4_000_001, gid: 4_000_001, is_other_user: true };
        assert_eq!(stranger.barrier(&inner), Some(outer.clone()));
        let denied = io::Error::from(io::ErrorKind::PermissionDenied);
        let error = stranger.spawn_error(Path::new("/bin/true"), &inner, &denied);
        assert!(error.message.contains("user eve may not enter") && error.message.contains("outer"), "{error}");
        assert_eq!(stranger.allow_traversal(&outer).expect("opened"), Some(0o700));
        assert_eq!(stranger.barrier(&inner), None);
        assert_eq!(stranger.allow_traversal(&outer).expect("open already"), None);
    }
}
