//! The file system that holds the measured directory.

use std::path::Path;

use base::root::Root;
use record::{Bytes, FileSystem};

use crate::stack;

/// The mount of `directory`, with its size on this host.
pub(crate) fn read(root: &Root, directory: &Path) -> Option<FileSystem> {
    let mount = stack::mount(root, directory)?;
    let space = if root.is_host() { rustix::fs::statvfs(directory).ok() } else { None };
    // Options of both the mount and its file system (rw) are listed once.
    let own: Vec<&str> = mount.options.split(',').collect();
    let both = own.iter().copied().chain(mount.super_options.split(',').filter(|option| !own.contains(option)));
    let options = both.filter(|option| !option.is_empty()).collect::<Vec<&str>>().join(",");
    Some(FileSystem {
        kind: mount.kind,
        mount_point: mount.mount_point,
        source: mount.source,
        options,
        size_bytes: space.as_ref().map(|space| Bytes(space.f_blocks.saturating_mul(space.f_frsize))),
        free_bytes: space.as_ref().map(|space| Bytes(space.f_bavail.saturating_mul(space.f_frsize))),
    })
}

/// Space in `directory` available to an unprivileged user; none if it does not exist.
pub fn free_bytes(directory: &Path) -> Option<Bytes> {
    let space = rustix::fs::statvfs(directory).ok()?;
    Some(Bytes(space.f_bavail.saturating_mul(space.f_frsize)))
}
