//! Uses of a block device: every reason why it must not be written.
//!
//! Each function detects one kind of use and describes it. The use by another container or a virtual machine is only
//! detected if it opened the device exclusively.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::Path;

use base::mount::mounts;
use base::root::{self, Root, inside};

use crate::stack::{self, by_name, device_number};

/// A device and the devices that share blocks with it.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    /// Kernel name.
    pub(super) name: String,
    /// The device itself, its partitions, and for a partition its disk.
    related: Vec<Related>,
}

#[derive(Clone, Debug)]
struct Related {
    name: String,
    /// Major and minor number.
    number: Option<(u32, u32)>,
}

/// All reasons in /proc and /sys why the device `name` must not be written; none for a free one.
pub(super) fn uses(root: &Root, name: &str) -> Vec<String> {
    let subject = Subject::of(root, name);
    let kinds: [fn(&Root, &Subject) -> Vec<String>; 8] =
        [root_device, mounted, swapped, held, partitioned, spanned, looped, opened];
    kinds.into_iter().flat_map(|kind| kind(root, &subject)).collect()
}

/// Who uses the device `name` now; none where nothing would miss it.
pub(crate) fn holders(root: &Root, name: &str) -> Vec<String> {
    let subject = Subject::of(root, name);
    let kinds: [fn(&Root, &Subject) -> Vec<String>; 7] = [root_device, mounted, swapped, held, spanned, looped, opened];
    kinds.into_iter().flat_map(|kind| kind(root, &subject)).collect()
}

impl Subject {
    fn of(root: &Root, name: &str) -> Subject {
        let mut names = vec![name.to_owned()];
        names.extend(partitions(root, name));
        if let Some(directory) = by_name(root, name).filter(|directory| directory.join("partition").is_file()) {
            names.extend(directory.parent().and_then(Path::file_name).map(|disk| disk.to_string_lossy().into_owned()));
        }
        let number = |name: &str| by_name(root, name).and_then(|directory| device_number(&directory));
        let related = names.into_iter().map(|name| Related { number: number(&name), name }).collect();
        Subject { name: name.to_owned(), related }
    }

    /// The related device of a path in `/dev`.
    fn named(&self, root: &Root, path: &str) -> Option<&Related> {
        let devices = inside(&root.top, "/dev");
        let canonical = inside(&root.top, path).canonicalize().ok().filter(|path| path.starts_with(&devices));
        let target = canonical.as_deref().and_then(Path::file_name).map(|name| name.to_string_lossy().into_owned());
        let plain = path.strip_prefix("/dev/").map(|name| name.replace('/', "!"));
        let mapped = path.strip_prefix("/dev/mapper/");
        self.related.iter().find(|related| {
            let name = Some(related.name.as_str());
            let is_mapped = || by_name(root, &related.name).and_then(|it| root::text(it.join("dm/name")));
            plain.as_deref() == name
                || target.as_deref() == name
                || (mapped.is_some() && is_mapped().as_deref() == mapped)
        })
    }

    /// ` (its partition sda1)`, empty for the device itself.
    fn suffix(&self, related: &Related) -> String {
        match related.name.as_str() {
            name if name == self.name => String::new(),
            name if name.starts_with(&self.name) => format!(" (its partition {name})"),
            name => format!(" (its disk {name})"),
        }
    }
}

/// Kernel names of the partitions of a disk.
fn partitions(root: &Root, name: &str) -> Vec<String> {
    let Some(directory) = by_name(root, name) else { return Vec::new() };
    let is_partition = |part: &String| directory.join(part).join("partition").is_file();
    root::names(&directory).into_iter().filter(is_partition).collect()
}

/// The root file system is on it, by its mount or by the kernel command line.
fn root_device(root: &Root, subject: &Subject) -> Vec<String> {
    let below: Vec<String> = stack::devices(root, Path::new("/")).into_iter().map(|device| device.name).collect();
    let is_below = subject.related.iter().any(|related| below.contains(&related.name));
    let command_line = root::text(root.proc.join("cmdline")).unwrap_or_default();
    let mut paths = command_line.split_whitespace().filter_map(|word| word.strip_prefix("root="));
    let is_named = paths.any(|path| subject.named(root, path).is_some());
    let reason = "the root file system of this host is on it";
    (is_below || is_named).then(|| reason.to_owned()).into_iter().collect()
}

/// It or a partition of it is mounted in the mount namespace of this process.
fn mounted(root: &Root, subject: &Subject) -> Vec<String> {
    let mut reasons = Vec::new();
    for mount in mounts(root) {
        let by_number = subject.related.iter().find(|related| related.number == Some(mount.device));
        if let Some(related) = by_number.or_else(|| subject.named(root, &mount.source)) {
            reasons.push(format!("mounted at {}{}", mount.mount_point, subject.suffix(related)));
        }
    }
    reasons
}

/// It or a partition of it is a swap area in use.
fn swapped(root: &Root, subject: &Subject) -> Vec<String> {
    let text = root::text(root.proc.join("swaps")).unwrap_or_default();
    let paths = text.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    let related = paths.filter_map(|path| subject.named(root, path));
    related.map(|related| format!("in use as swap{}", subject.suffix(related))).collect()
}

/// Another device is stacked on it: LVM, device mapper, md, bcache.
fn held(root: &Root, subject: &Subject) -> Vec<String> {
    let mut reasons = Vec::new();
    for related in &subject.related {
        let holders = by_name(root, &related.name).map_or_else(Vec::new, |it| root::names(it.join("holders")));
        for holder in holders {
            let kind = by_name(root, &holder).and_then(|it| holder_kind(&it));
            let kind = kind.map_or_else(String::new, |kind| format!(" ({kind})"));
            reasons.push(format!("held by {holder}{kind}{}", subject.suffix(related)));
        }
    }
    reasons
}

/// Kind and name of a stacked device.
fn holder_kind(directory: &Path) -> Option<String> {
    if let Some(name) = root::text(directory.join("dm/name")) {
        let id = root::text(directory.join("dm/uuid")).unwrap_or_default();
        let kind = if id.starts_with("LVM-") { "logical volume" } else { "device mapper" };
        return Some(format!("{kind} {name}"));
    }
    if let Some(level) = root::text(directory.join("md/level")) {
        return Some(format!("md {level}"));
    }
    directory.join("bcache").is_dir().then(|| "bcache".to_owned())
}

/// It has partitions, which would be overwritten.
fn partitioned(root: &Root, subject: &Subject) -> Vec<String> {
    let names = partitions(root, &subject.name);
    (!names.is_empty()).then(|| format!("has partitions: {}", names.join(", "))).into_iter().collect()
}

/// It is a member of a btrfs, whose mount names only one of its devices.
fn spanned(root: &Root, subject: &Subject) -> Vec<String> {
    let all = root.sys.join("fs/btrfs");
    let mut reasons = Vec::new();
    for id in root::names(&all) {
        let members = root::names(all.join(&id).join("devices"));
        let related = subject.related.iter().filter(|related| members.contains(&related.name));
        reasons.extend(related.map(|related| format!("a member of the btrfs {id}{}", subject.suffix(related))));
    }
    reasons
}

/// It is the backing of a loop device, which is not listed among the holders.
fn looped(root: &Root, subject: &Subject) -> Vec<String> {
    let mut reasons = Vec::new();
    for name in root::names(root.sys.join("block")) {
        let backing = root::text(root.sys.join("block").join(&name).join("loop/backing_file"));
        if let Some(related) = backing.and_then(|path| subject.named(root, &path)) {
            reasons.push(format!("held by {name}{}", subject.suffix(related)));
        }
    }
    reasons
}

/// The loop devices with the backing file `path`.
pub fn loop_devices(path: &Path) -> Vec<String> {
    let root = Root::host();
    let Ok(path) = path.canonicalize() else { return Vec::new() };
    let backed = |name: &String| {
        let backing = root::text(root.sys.join("block").join(name).join("loop/backing_file"));
        backing.is_some_and(|backing| Path::new(&backing) == path)
    };
    root::names(root.sys.join("block")).into_iter().filter(backed).collect()
}

/// A process has it open for writing: databases, volume managers and virtual machines do not open exclusively.
/// Processes of other users are visible to root only.
fn opened(root: &Root, subject: &Subject) -> Vec<String> {
    let own = std::process::id();
    let pids = root::names(&root.proc).into_iter().filter_map(|name| name.parse::<u32>().ok());
    let mut reasons = BTreeSet::new();
    for pid in pids.filter(|pid| *pid != own || !root.is_host()) {
        let directory = root.proc.join(pid.to_string());
        for descriptor in root::names(directory.join("fd")) {
            let Some(related) = open_device(root, subject, &directory.join("fd").join(&descriptor)) else { continue };
            if is_for_writing(&directory.join("fdinfo").join(&descriptor)) {
                let name = root::text(directory.join("comm")).unwrap_or_else(|| "?".to_owned());
                reasons.insert(format!("open for writing in {name} (process {pid}){}", subject.suffix(related)));
            }
        }
    }
    reasons.into_iter().collect()
}

/// The related device of a link in `/proc/PID/fd`: by its number, as its node may have any name.
fn open_device<'a>(root: &Root, subject: &'a Subject, link: &Path) -> Option<&'a Related> {
    let target = fs::read_link(link).ok()?;
    if !root.is_host() {
        return subject.named(root, target.to_str()?);
    }
    // Most descriptors have no path.
    let metadata = target.is_absolute().then(|| link.metadata().ok()).flatten()?;
    let number = (rustix::fs::major(metadata.rdev()), rustix::fs::minor(metadata.rdev()));
    let related = || subject.related.iter().find(|related| related.number == Some(number));
    metadata.file_type().is_block_device().then(related).flatten()
}

/// Whether the octal `flags` in `/proc/PID/fdinfo/N` allow writes.
fn is_for_writing(path: &Path) -> bool {
    let text = root::text(path).unwrap_or_default();
    let flags = root::entry(&text, "flags").and_then(|flags| u32::from_str_radix(flags, 8).ok());
    // O_WRONLY or O_RDWR.
    flags.is_some_and(|flags| flags & 3 != 0)
}

#[cfg(test)]
mod tests;
