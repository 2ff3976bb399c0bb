//! Mounted file systems, from `/proc/self/mountinfo`.

use std::path::Path;

use crate::root::{self, Root};

/// One line of `mountinfo` (proc(5)).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mount {
    /// Major and minor number of the device; major 0 is not a block device.
    pub device: (u32, u32),
    /// The mounted directory of the file system.
    pub root: String,
    /// Mount point.
    pub mount_point: String,
    /// Options of this mount.
    pub options: String,
    /// Type of the file system, as `mount` calls it.
    pub kind: String,
    /// Source of the mount.
    pub source: String,
    /// Options of the file system.
    pub super_options: String,
}

impl Mount {
    /// The value of an option of the file system.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.super_options.split(',').find_map(|option| option.strip_prefix(name)?.strip_prefix('='))
    }
}

/// All mounts, in order of mounting.
pub fn mounts(root: &Root) -> Vec<Mount> {
    let text = root::text(root.proc.join("self/mountinfo")).unwrap_or_default();
    text.lines().filter_map(parse).collect()
}

/// The mount that contains `path`. `device` is the device of the path, if known: it distinguishes a mount from one
/// mounted over it.
pub fn mount_of<'a>(mounts: &'a [Mount], path: &Path, device: Option<(u32, u32)>) -> Option<&'a Mount> {
    let above = || mounts.iter().filter(|mount| path.starts_with(&mount.mount_point));
    // Of several mounts at the same point the last one is on top; max_by_key returns the last of equal ones.
    let nearest = |mount: &&Mount| mount.mount_point.len();
    above().filter(|mount| Some(mount.device) == device).max_by_key(nearest).or_else(|| above().max_by_key(nearest))
}

fn parse(line: &str) -> Option<Mount> {
    let (before, after) = line.split_once(" - ")?;
    let mut before = before.split(' ').skip(2);
    let (major, minor) = before.next()?.split_once(':')?;
    let (root, mount_point) = (unescape(before.next()?), unescape(before.next()?));
    let options = before.next()?.to_owned();
    let mut after = after.split(' ');
    Some(Mount {
        device: (major.parse().ok()?, minor.parse().ok()?),
        root,
        mount_point,
        options,
        kind: unescape(after.next()?),
        source: unescape(after.next()?),
        super_options: after.next().unwrap_or_default().to_owned(),
    })
}

/// Decodes the octal escapes of space, tab, newline and backslash (`\040`) in the kernel's tables of mounts.
pub fn unescape(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        let code = tail.get(..3).and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        match code {
            Some(byte) if first == b'\\' => {
                bytes.push(byte);
                rest = &tail[3..];
            }
            _ => bytes.push(first),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n\
                        25 22 0:23 / /dev/shm rw - tmpfs tmpfs rw,size=64k\n\
                        30 22 253:2 /sub /data\\040one rw,noatime shared:1 master:2 - xfs /dev/mapper/vg-data rw\n\
                        31 22 0:40 / /data\\040one rw - tmpfs over rw\n\
                        broken line\n";

    fn sample() -> Vec<Mount> {
        TEXT.lines().filter_map(parse).collect()
    }

    #[test]
    fn the_nearest_mount_contains_a_path() {
        let mounts = sample();
        assert_eq!(mounts.len(), 4);
        let kind = |path: &str, device| mount_of(&mounts, Path::new(path), device).map(|mount| mount.kind.clone());
        assert_eq!(kind("/home/x", None).as_deref(), Some("ext4"));
        assert_eq!(kind("/dev/shm/x", None).as_deref(), Some("tmpfs"));
        assert_eq!(kind("/dev/shmx", None).as_deref(), Some("ext4"), "not a parent directory");
        assert_eq!(kind("/data one/x", None).as_deref(), Some("tmpfs"), "the last one is on top");
        assert_eq!(kind("/data one/x", Some((253, 2))).as_deref(), Some("xfs"), "unless the device is known");
        assert_eq!(kind("/data one/x", Some((9, 9))).as_deref(), Some("tmpfs"));
        assert_eq!(mount_of(&[], Path::new("/"), None), None);
    }

    #[test]
    fn fields_are_parsed() {
        let mount = &sample()[2];
        assert_eq!((mount.device, mount.root.as_str()), ((253, 2), "/sub"));
        assert_eq!((mount.mount_point.as_str(), mount.options.as_str()), ("/data one", "rw,noatime"));
        assert_eq!(mount.source, "/dev/mapper/vg-data");
        assert_eq!(sample()[1].option("size"), Some("64k"));
        assert_eq!(sample()[1].option("siz"), None);
    }

    proptest! {
        #[test]
        fn no_line_panics(line in "\\PC*", path in "/[\\PC\\\\]*") {
            let _ = parse(&line);
            let _ = parse(&format!("1 2 3:4 {path} {path} rw - {path} {path} rw"));
            let _ = unescape(&path);
        }
    }
}
