//! The mount of tracefs.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::{fs, io};

use rustix::mount::{FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsmount, fsopen};

use crate::refusal::Refused;

/// The usual mount points.
const MOUNT_POINTS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// A readable tracefs.
#[derive(Debug)]
pub(crate) struct Tracefs {
    path: PathBuf,
    /// A detached mount: visible to this process only, and unmounted with it.
    _own: Option<OwnedFd>,
}

impl Tracefs {
    /// The mounted tracefs, otherwise a detached mount, which requires root.
    pub(crate) fn find() -> Result<Tracefs, Refused> {
        let mut last: Option<io::Error> = None;
        for path in MOUNT_POINTS.map(Path::new) {
            match fs::read_dir(path.join("events/block")) {
                Ok(_) => return Ok(Tracefs { path: path.to_owned(), _own: None }),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => last = Some(error),
            }
        }
        let own = Tracefs::mount().map_err(|error| refused(last.as_ref().unwrap_or(&error)))?;
        match own.path.join("events/block").is_dir() {
            true => Ok(own),
            false => Err(Refused::new(
                "the kernel has no tracepoints of the block layer (no events/block in tracefs)",
                "use a kernel built with CONFIG_EVENT_TRACING and CONFIG_BLOCK",
            )),
        }
    }

    fn mount() -> io::Result<Tracefs> {
        let context = fsopen("tracefs", FsOpenFlags::FSOPEN_CLOEXEC)?;
        fsconfig_create(&context)?;
        let own = fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, MountAttrFlags::empty())?;
        Ok(Tracefs { path: PathBuf::from(format!("/proc/self/fd/{}", own.as_raw_fd())), _own: Some(own) })
    }

    /// Its path for this process.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

fn refused(error: &io::Error) -> Refused {
    match error.kind() {
        io::ErrorKind::PermissionDenied => Refused::new(
            "tracefs is not readable for this user",
            "run as root, or permit reading: mount -o remount,mode=755 /sys/kernel/tracing",
        ),
        _ => Refused::new(
            format!("tracefs is not available: {error}"),
            "mount it: mount -t tracefs nodev /sys/kernel/tracing",
        ),
    }
}
