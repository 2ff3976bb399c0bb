//! A software RAID, from the directory `md` of its device (Documentation/admin-guide/md.rst).

use base::root;
use record::{Array, ArrayMember, Bytes, Ratio};

use crate::stack::Device;

/// The array that `device` is.
pub(super) fn read(device: &Device) -> Option<Array> {
    let directory = device.directory.join("md");
    let file = |name: &str| root::text(directory.join(name));
    let members = root::names(&directory).into_iter().filter_map(|entry| {
        let name = entry.strip_prefix("dev-")?.to_owned();
        let state = root::text(directory.join(&entry).join("state")).unwrap_or_else(|| "unknown".to_owned());
        Some(ArrayMember { name, state })
    });
    Some(Array {
        level: file("level")?,
        state: file("array_state"),
        member_count: root::value(directory.join("raid_disks")).unwrap_or_default(),
        missing_count: root::value(directory.join("degraded")).unwrap_or_default(),
        sync_action: file("sync_action").filter(|action| action != "idle"),
        sync_done: file("sync_completed").as_deref().and_then(done),
        chunk_bytes: root::value(directory.join("chunk_size")).filter(|size| *size > 0).map(Bytes),
        members: members.collect(),
    })
}

/// The share of `123 / 456` sectors; `none` while nothing is done.
fn done(text: &str) -> Option<Ratio> {
    let (done, all) = text.split_once('/')?;
    let (done, all): (f64, f64) = (done.trim().parse().ok()?, all.trim().parse().ok()?);
    (all > 0.0 && done <= all).then(|| Ratio(done / all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_a_share_of_the_sectors() {
        assert_eq!(done("256 / 1024"), Some(Ratio(0.25)));
        assert_eq!((done("none"), done("delayed"), done("5 / 0"), done("9 / 3")), (None, None, None, None));
    }
}
