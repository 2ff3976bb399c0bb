//! The file system that holds the measured directory.

use std::path::Path;

use base::mount::Mount;
use base::root::Root;
use record::{Bytes, FileSystem, NetworkMount};

use crate::stack;

/// The mount of `directory`, with its size on this host.
pub(crate) fn read(root: &Root, directory: &Path) -> Option<FileSystem> {
    let mount = stack::mount(root, directory)?;
    let space = if root.is_host() { rustix::fs::statvfs(directory).ok() } else { None };
    // Options of both the mount and its file system (rw) are listed once.
    let own: Vec<&str> = mount.options.split(',').collect();
    let both = own.iter().copied().chain(mount.super_options.split(',').filter(|option| !own.contains(option)));
    let options = both.filter(|option| !option.is_empty()).collect::<Vec<&str>>().join(",");
    let network = network(&mount);
    Some(FileSystem {
        network,
        kind: mount.kind,
        mount_point: mount.mount_point,
        source: mount.source,
        options,
        size_bytes: space.as_ref().map(|space| Bytes(space.f_blocks.saturating_mul(space.f_frsize))),
        free_bytes: space.as_ref().map(|space| Bytes(space.f_bavail.saturating_mul(space.f_frsize))),
    })
}

/// The protocol of an NFS mount, from its options (nfs(5)).
fn network(mount: &Mount) -> Option<NetworkMount> {
    let is_network = matches!(mount.kind.as_str(), "nfs" | "nfs4" | "cifs" | "smb3");
    let size = |name: &str| mount.option(name)?.parse().ok().map(Bytes);
    is_network.then(|| NetworkMount {
        version: mount.option("vers").map(str::to_owned),
        transport: mount.option("proto").map(str::to_owned),
        connections: mount.option("nconnect").and_then(|count| count.parse().ok()).unwrap_or(1),
        read_bytes_max: size("rsize"),
        write_bytes_max: size("wsize"),
    })
}

/// Space in `directory` available to an unprivileged user; none if it does not exist.
pub fn free_bytes(directory: &Path) -> Option<Bytes> {
    let space = rustix::fs::statvfs(directory).ok()?;
    Some(Bytes(space.f_bavail.saturating_mul(space.f_frsize)))
}
