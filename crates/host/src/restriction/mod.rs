//! A control group of our own, in which some processes have less of a resource for a while.
//!
//! The group is made for that and for nothing else, bears the name of its maker, and is removed by it: when it is lifted,
//! when it is dropped, and, where a crash came between, by [`remove_left_groups`] of a later start. Processes go back to
//! the group that they came from. Version 1, version 2, and both side by side are known.

mod counts;
mod error;
mod group;
mod hierarchy;
mod left;

pub use error::RestrictionError;
pub use left::remove_left_groups;

pub use counts::IoCounts;

use base::root::{self, Root};

use self::group::Group;
use self::hierarchy::{Controller, Hierarchy};

/// Distance at which processor time is given anew, microseconds: a fifth of the kernel's own choice, so that a run of
/// a second sees many of them.
const PERIOD_US: u64 = 20_000;

/// Limits of I/O in version 1: reads, writes, bytes read, bytes written.
const THROTTLE_FILES: [&str; 4] = [
    "blkio.throttle.read_iops_device",
    "blkio.throttle.write_iops_device",
    "blkio.throttle.read_bps_device",
    "blkio.throttle.write_bps_device",
];

/// Limits of the same that limit nothing; those of requests have 32 bits.
const ENDLESS: [u64; 4] = [4_000_000_000, 4_000_000_000, 1 << 60, 1 << 60];

/// What processes are left with.
#[derive(Clone, Debug, PartialEq)]
pub enum Limit {
    /// So many processors' worth of time, above 0.
    Processors(f64),
    /// So much I/O of one device.
    DeviceIo(IoLimit),
}

/// A limit of I/O, each part per second; absent where there is none. Version 1 holds back what a process itself hands to
/// the device: direct I/O, reads, and writes that it waits for. What the kernel writes for it later passes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IoLimit {
    /// Major and minor number of a whole device, as [`device_number`] has it.
    pub device: (u32, u32),
    /// Reads a second at most; absent where they are not limited.
    pub reads: Option<f64>,
    /// Writes, flushes among them.
    pub writes: Option<f64>,
    /// Bytes read a second at most; absent where they are not limited.
    pub read_bytes: Option<f64>,
    /// Bytes written a second at most; absent where they are not limited.
    pub write_bytes: Option<f64>,
}

/// A limit in force. It ends with this value.
#[derive(Debug)]
pub struct Restriction {
    group: Option<Group>,
}

impl Restriction {
    /// Puts the processes `roots`, all below them, and what they start from now on, under `limit`.
    ///
    /// # Errors
    /// Where there are no control groups for it, or they are not for us to make; nothing is changed then.
    pub fn impose(limit: &Limit, roots: &[u32]) -> Result<Restriction, RestrictionError> {
        Restriction::impose_at(&Root::host(), limit, roots)
    }

    fn impose_at(root: &Root, limit: &Limit, roots: &[u32]) -> Result<Restriction, RestrictionError> {
        let controller = match limit {
            Limit::Processors(_) => Controller::Cpu,
            Limit::DeviceIo(_) => Controller::Io,
        };
        let hierarchy = Hierarchy::of(root, controller)?;
        let group = Group::make(root, &hierarchy)?;
        // From here on a failure drops the group, and that undoes what was done.
        if let (1, Limit::DeviceIo(io)) = (hierarchy.version, limit) {
            // In version 1 only a group with limits counts, and what a group has does not bind the groups below it.
            let (major, minor) = io.device;
            for (file, endless) in THROTTLE_FILES.into_iter().zip(ENDLESS) {
                group.write(file, &format!("{major}:{minor} {endless}"))?;
            }
            group.take_over(&THROTTLE_FILES)?;
        }
        for (file, text) in lines(limit, hierarchy.version) {
            group.write(&file, &text)?;
        }
        let mut restriction = Restriction { group: Some(group) };
        restriction.group.iter_mut().try_for_each(|group| group.gather(roots))?;
        Ok(restriction)
    }

    /// What the processes have had of the I/O of `device` so far; none where it is not counted. As the limit counts it:
    /// before requests are merged, a flush as a write.
    pub fn io_counts(&self, device: (u32, u32)) -> Option<IoCounts> {
        self.group.as_ref()?.io_counts(device)
    }

    /// Ends it, and says what did not work.
    ///
    /// # Errors
    /// Where a process cannot be moved back or the group cannot be removed.
    pub fn lift(mut self) -> Result<(), RestrictionError> {
        self.group.take().map_or(Ok(()), Group::remove)
    }
}

/// The number of the whole device `name` of this host, such as `vda`; none where there is no such device.
pub fn device_number(name: &str) -> Option<(u32, u32)> {
    let text = root::text(Root::host().sys.join("class/block").join(name).join("dev"))?;
    let (major, minor) = text.split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// Which files of a group say `limit`, and how.
fn lines(limit: &Limit, version: u32) -> Vec<(String, String)> {
    let line = |file: &str, text: String| (file.to_owned(), text);
    match limit {
        Limit::Processors(processors) => {
            // The kernel takes no less than a millisecond.
            let quota_us = (processors * PERIOD_US as f64).round().max(1_000.0);
            match version {
                1 => vec![
                    line("cpu.cfs_period_us", PERIOD_US.to_string()),
                    line("cpu.cfs_quota_us", format!("{quota_us:.0}")),
                ],
                _ => vec![line("cpu.max", format!("{quota_us:.0} {PERIOD_US}"))],
            }
        }
        Limit::DeviceIo(io) => {
            let values = [("riops", io.reads), ("wiops", io.writes), ("rbps", io.read_bytes), ("wbps", io.write_bytes)];
            let parts = THROTTLE_FILES.into_iter().zip(values).map(|(file, (word, value))| (file, word, value));
            let (major, minor) = io.device;
            // Nothing per second would be for ever.
            let known = parts.filter_map(|(first, second, value)| Some((first, second, value?.round().max(1.0))));
            match version {
                1 => known.map(|(file, _, value)| line(file, format!("{major}:{minor} {value:.0}"))).collect(),
                _ => {
                    let words: Vec<String> = known.map(|(_, word, value)| format!("{word}={value:.0}")).collect();
                    if words.is_empty() {
                        return Vec::new();
                    }
                    vec![line("io.max", format!("{major}:{minor} {}", words.join(" ")))]
                }
            }
        }
    }
}

#[cfg(test)]
mod tests;
