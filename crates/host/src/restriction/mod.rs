//! A resource limit for some processes, by a cgroup that dbdyno creates.
//!
//! The cgroup is named after the process that created it, which removes it when the limit is lifted or dropped; after a
//! crash, [`remove_stale_groups`] of a later start does. Processes return to their previous cgroup. Supports version 1,
//! version 2, and both mounted together.

mod counts;
mod error;
mod group;
mod hierarchy;

pub use counts::IoCounts;
pub use error::RestrictionError;

use base::ObjectName;
use base::root::{self, Root};

use self::group::Group;
use self::hierarchy::{Controller, Hierarchy};
use crate::stack;

/// Period of the CPU quota, microseconds: a fifth of the kernel's default, so that a run of a second has many of them.
const PERIOD_US: u64 = 20_000;

/// I/O limits of version 1: reads, writes, bytes read, bytes written.
const THROTTLE_FILES: [&str; 4] = [
    "blkio.throttle.read_iops_device",
    "blkio.throttle.write_iops_device",
    "blkio.throttle.read_bps_device",
    "blkio.throttle.write_bps_device",
];

/// Values of these files without effect; those of requests have 32 bits.
const UNLIMITED: [u64; 4] = [4_000_000_000, 4_000_000_000, 1 << 60, 1 << 60];

/// A resource limit.
#[derive(Clone, Debug, PartialEq)]
pub enum Limit {
    /// CPU time in processors, above 0.
    Processors(f64),
    /// I/O of one device.
    DeviceIo(IoLimit),
}

/// An I/O limit, each part per second; absent parts are not limited. Version 1 limits only the I/O that a process
/// itself submits to the device: direct I/O, reads, and synchronous writes, but not writeback.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IoLimit {
    /// Major and minor number of a whole device, as [`device_number`] has it.
    pub device: (u32, u32),
    /// Maximum reads per second.
    pub reads: Option<f64>,
    /// Maximum writes per second, including flushes.
    pub writes: Option<f64>,
    /// Maximum bytes read per second.
    pub read_bytes: Option<f64>,
    /// Maximum bytes written per second.
    pub write_bytes: Option<f64>,
}

/// A limit in effect, until this value is dropped.
#[derive(Debug)]
pub struct Restriction {
    group: Group,
}

impl Restriction {
    /// Applies `limit` to the processes `roots` and all their present and future descendants.
    ///
    /// # Errors
    /// If there are no cgroups for it, or none can be created; nothing is changed then.
    pub fn impose(limit: &Limit, roots: &[u32]) -> Result<Restriction, RestrictionError> {
        Restriction::impose_at(&Root::host(), limit, roots)
    }

    fn impose_at(root: &Root, limit: &Limit, roots: &[u32]) -> Result<Restriction, RestrictionError> {
        let controller = match limit {
            Limit::Processors(_) => Controller::Cpu,
            Limit::DeviceIo(_) => Controller::Io,
        };
        let hierarchy = Hierarchy::of(root, controller)?;
        // An error after this drops the cgroup, which undoes everything.
        let mut group = Group::create(root, &hierarchy)?;
        if let (1, Limit::DeviceIo(io)) = (hierarchy.version, limit) {
            // In version 1 only a cgroup with limits counts I/O, and limits do not apply to its children.
            let (major, minor) = io.device;
            for (file, unlimited) in THROTTLE_FILES.into_iter().zip(UNLIMITED) {
                group.write(file, &format!("{major}:{minor} {unlimited}"))?;
            }
            group.inherit(&THROTTLE_FILES)?;
        }
        for (file, text) in lines(limit, hierarchy.version) {
            group.write(&file, &text)?;
        }
        group.add_processes(roots)?;
        Ok(Restriction { group })
    }

    /// I/O of the processes on `device` so far, as the limit counts it: before requests are merged, a flush as a write.
    pub fn io_counts(&self, device: (u32, u32)) -> Option<IoCounts> {
        self.group.io_counts(device)
    }

    /// Removes the limit.
    ///
    /// # Errors
    /// If a process cannot be moved back or the cgroup cannot be removed.
    pub fn lift(mut self) -> Result<(), RestrictionError> {
        self.group.remove()
    }
}

/// Removes the cgroups that a killed invocation left; returns a message for each. Their processes move to the cgroup of
/// this process.
pub fn remove_stale_groups() -> Vec<String> {
    let root = Root::host();
    let hierarchies = [Controller::Cpu, Controller::Io].map(|controller| Hierarchy::of(&root, controller));
    let mut messages = Vec::new();
    for hierarchy in hierarchies.into_iter().flatten() {
        for name in root::names(&hierarchy.parent) {
            let is_stale = |object: ObjectName| object.number == 0 && !object.process.is_alive();
            if !name.parse().is_ok_and(is_stale) {
                continue;
            }
            let directory = hierarchy.parent.join(&name);
            messages.push(match group::remove(&directory, |_| &hierarchy.own) {
                Ok(()) => format!("removed control group {}, left by an earlier invocation", directory.display()),
                Err(error) => error.to_string(),
            });
        }
    }
    messages
}

/// Major and minor number of the whole device `name` of this host, such as `vda`.
pub fn device_number(name: &str) -> Option<(u32, u32)> {
    stack::device_number(&Root::host().sys.join("class/block").join(name))
}

/// The files of a cgroup for `limit`, and their values.
fn lines(limit: &Limit, version: u32) -> Vec<(String, String)> {
    let line = |file: &str, text: String| (file.to_owned(), text);
    match limit {
        Limit::Processors(processors) => {
            // Minimum of the kernel: 1 ms.
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
            // At least 1: I/O at 0 per second would never complete.
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
