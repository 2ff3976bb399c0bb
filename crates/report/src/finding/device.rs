//! What is said of the device and the blocks that I/O jobs use.

use record::Verdict;
use record::evidence::{Compressible, DeviceIo, IoDirection, Unwritten};

use super::{CheckWords, Worded};
use crate::figure::percent;
use crate::storage::loop_text;

/// Why counters and settings of a device are not judged.
pub(super) const SEVERAL_DEVICES: &str = "the counters are those of one device; the run uses several";

impl Worded for DeviceIo {
    const WORDS: CheckWords = CheckWords {
        name: "I/O at the block layer",
        limits: [
            "buffered writes below 90 %",
            "reads, and direct or synced writes, below 90 %; buffered writes below 50 %; no block device",
        ],
        meaning: "The block layer saw other I/O than was requested: a cache in between, or I/O of other programs.",
        remedy: "compare with other runs of this record only, or give a --dir on a device that can be seen",
    };

    fn sentence(&self, verdict: Verdict) -> String {
        let (direction, share, limit, is_forced, is_counted_by_mount) = match self {
            DeviceIo::SeveralDevices => return SEVERAL_DEVICES.to_owned(),
            DeviceIo::NoDevice { path, memory_device: Some(device), .. } => {
                return format!("{path} is in memory: {device} keeps its blocks there, no storage device was measured");
            }
            DeviceIo::NoDevice { path, file_system, .. } => {
                let system = file_system.as_ref().map(|system| format!(" ({system})")).unwrap_or_default();
                return format!("{path} is in memory or on the network{system}: no block device was measured");
            }
            DeviceIo::Counted { direction, share, limit, is_forced, is_counted_by_mount, .. } => {
                (direction, share, limit, *is_forced, *is_counted_by_mount)
            }
        };
        let counter = if is_counted_by_mount { "the NFS mount" } else { "the block layer" };
        let (does, done) = match direction {
            IoDirection::Read => ("read", "read"),
            IoDirection::Write => ("wrote", "written"),
            IoDirection::Trim => ("discarded", "trimmed"),
        };
        let Some(share) = share else { return format!("what {counter} {does} is not known") };
        let through = match self {
            DeviceIo::Counted { loop_file: Some(file), .. } => format!(" ({} {})", file.device, loop_text(file)),
            _ => String::new(),
        };
        let summary = format!("{counter} saw {} of what was {done}{through}", percent(*share));
        let limit = percent(*limit);
        match (verdict, direction) {
            (Verdict::Pass | Verdict::Unknown, _) => summary,
            (_, IoDirection::Read) => format!("{summary}, limit {limit}: the rest came from memory"),
            (_, IoDirection::Trim) => format!("{summary}, limit {limit}: the device received no discard for the rest"),
            (Verdict::Warn, IoDirection::Write) => {
                format!("{summary}: the rest is still in the page cache, or was overwritten there")
            }
            (_, IoDirection::Write) if is_forced => {
                format!("{summary}, limit {limit}, although the writes bypassed the page cache or were synced")
            }
            (_, IoDirection::Write) => format!("{summary}, limit {limit}: the page cache absorbed the rest"),
        }
    }
}

impl Worded for Unwritten {
    const WORDS: CheckWords = CheckWords {
        name: "unwritten blocks",
        limits: ["some", "1 % of a region that is read"],
        meaning: "Blocks that were never written were read: a device serves such reads without accessing its medium.",
        remedy: "write the whole device or file first (io --precondition)",
    };

    fn sentence(&self, verdict: Verdict) -> String {
        match self {
            Unwritten::None => "every block of the regions had been written".to_owned(),
            Unwritten::DeviceNotKnown { path } => {
                format!("whether the blocks of {path} were ever written is not known; hint: precondition it")
            }
            Unwritten::FileNotKnown { path } => {
                format!("whether all of {path} was written is not known: its file system does not report it")
            }
            Unwritten::Some { path, share, are_holes, are_read, limit } => {
                let what = if *are_holes { "holes" } else { "reserved and never written" };
                let summary = format!("{} of the region that the jobs use of {path} is {what}", percent(*share));
                match verdict {
                    _ if !are_read => {
                        format!("{summary}: a first write also changes metadata and does not perform as an overwrite")
                    }
                    Verdict::Fail => {
                        format!("{summary}: reads of it never reach the device; limit {}", percent(*limit))
                    }
                    _ => format!("{summary}: reads of it never reach the device"),
                }
            }
        }
    }
}

impl Worded for Compressible {
    const WORDS: CheckWords = CheckWords {
        name: "compressible data",
        limits: ["below 90 % of its size, 5 % duplicates", ""],
        meaning: "The data can be compressed or deduplicated: a device that does so appears faster than it is.",
        remedy: "do not compare with storage that compresses nothing",
    };

    fn sentence(&self, _: Verdict) -> String {
        let flattered = "a device that compresses or deduplicates appears faster than it is";
        match self {
            Compressible::None => "the data neither compresses nor repeats itself".to_owned(),
            Compressible::NotKnown { path } => format!("whether {path} can be compressed is not known"),
            Compressible::Compresses { path, size } => {
                format!("{path} compresses to {} of its size: {flattered}", percent(*size))
            }
            Compressible::Repeats { path, share } => {
                format!("{} of the blocks of {path} can be stored once: {flattered}", percent(*share))
            }
        }
    }
}
