//! File systems that are made on a disk: how each is made, mounted and shut down.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::ioctl::{Opcode, Setter, ioctl, opcode};

/// Where programs for administrators are, beside those that `PATH` names.
const DIRECTORIES: [&str; 4] = ["/usr/sbin", "/sbin", "/usr/bin", "/bin"];

/// XFS_IOC_GOINGDOWN, which ext4 has as EXT4_IOC_SHUTDOWN.
const GOINGDOWN: Opcode = opcode::read::<u32>(b'X', 125);

/// Without writing the journal before.
const GOING_FLAGS_NOLOGFLUSH: u32 = 2;

/// A file system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileSystem {
    /// ext4, in its default mode: data are written before the names that lead to them.
    #[default]
    Ext4,
    /// XFS.
    Xfs,
    /// btrfs.
    Btrfs,
}

impl FileSystem {
    /// All.
    pub const ALL: [FileSystem; 3] = [FileSystem::Ext4, FileSystem::Xfs, FileSystem::Btrfs];

    /// Its name, as `mount` takes it.
    pub fn name(self) -> &'static str {
        match self {
            FileSystem::Ext4 => "ext4",
            FileSystem::Xfs => "xfs",
            FileSystem::Btrfs => "btrfs",
        }
    }

    /// Options of a mount: copies of a disk have the same identity.
    pub(crate) fn mount_options(self) -> &'static str {
        match self {
            FileSystem::Ext4 | FileSystem::Btrfs => "",
            FileSystem::Xfs => "nouuid",
        }
    }

    /// The program that makes it, and its arguments before the path: everything is written at once, and nothing discarded.
    fn maker(self) -> (&'static str, &'static [&'static str]) {
        match self {
            FileSystem::Ext4 => (
                "mkfs.ext4",
                &["-q", "-F", "-m", "0", "-J", "size=16", "-E", "nodiscard,lazy_itable_init=0,lazy_journal_init=0"],
            ),
            FileSystem::Xfs => ("mkfs.xfs", &["-q", "-f", "-K"]),
            FileSystem::Btrfs => ("mkfs.btrfs", &["-q", "-f", "-K"]),
        }
    }

    /// Whether this host can make it and mount it.
    ///
    /// # Errors
    /// What is missing.
    pub fn is_here(self) -> Result<(), String> {
        let (maker, _) = self.maker();
        if program(maker).is_none() {
            return Err(format!("the program {maker} is not installed"));
        }
        let known = std::fs::read_to_string("/proc/filesystems").unwrap_or_default();
        match known.lines().any(|line| line.split_whitespace().last() == Some(self.name())) {
            true => Ok(()),
            false => Err(format!("the kernel has no file system {}", self.name())),
        }
    }

    /// Makes it on the file or device at `path`.
    pub(crate) fn make(self, path: &Path) -> io::Result<()> {
        let (maker, arguments) = self.maker();
        let mut command = Command::new(program(maker).unwrap_or_else(|| PathBuf::from(maker)));
        let output = command.args(arguments).arg(path).stdin(Stdio::null()).output()?;
        match output.status.success() {
            true => Ok(()),
            false => Err(io::Error::other(format!("{maker}: {}", String::from_utf8_lossy(&output.stderr).trim()))),
        }
    }

    /// Shuts down the file system of the directory `root`, as after an error of its disk: what is in memory is not written.
    pub(crate) fn shut_down(self, root: &File) -> io::Result<()> {
        // SAFETY: the request reads a number of 32 bits.
        Ok(unsafe { ioctl(root, Setter::<GOINGDOWN, u32>::new(GOING_FLAGS_NOLOGFLUSH)) }?)
    }
}

fn program(name: &str) -> Option<PathBuf> {
    DIRECTORIES.iter().map(|directory| Path::new(directory).join(name)).find(|path| path.is_file())
}
