//! Counters of a cache device: what its cache served, by the device itself.

use std::path::{Path, PathBuf};
use std::time::Duration;

use base::root::{self, Root};
use record::CacheCounts;

use crate::inventory::{cache_device, device_mapper};
use crate::stack;

/// How often a bcache adds to the counters that it shows (`accounting_delay` in drivers/md/bcache/stats.c).
const BCACHE_PERIOD: Duration = Duration::from_millis(300_000 / 22);

/// Reads the counters of the topmost cache device below a path.
#[derive(Debug)]
pub struct CacheCounters(Source);

#[derive(Debug)]
enum Source {
    /// `stats_total` of a bcache.
    Bcache(PathBuf),
    /// A device of the device mapper, by name.
    Mapped(String),
}

impl CacheCounters {
    /// The cache device below `path`, a directory or a block device; none without one.
    pub fn below(path: &Path) -> Option<CacheCounters> {
        CacheCounters::at(&Root::host(), path)
    }

    /// The same on the machine below `root`.
    pub fn at(root: &Root, path: &Path) -> Option<CacheCounters> {
        let devices = stack::devices(root, path);
        let device = devices.iter().find(|device| cache_device::read(device).is_some())?;
        if device.name.starts_with("bcache") {
            return Some(CacheCounters(Source::Bcache(device.directory.join("bcache/stats_total"))));
        }
        root::text(device.directory.join("dm/name")).map(|name| CacheCounters(Source::Mapped(name)))
    }

    /// The counters now; none where they may not be read.
    pub fn read(&self) -> Option<CacheCounts> {
        match &self.0 {
            Source::Bcache(directory) => of_bcache(|name| root::text(directory.join(name))),
            Source::Mapped(name) => {
                let target = device_mapper::state(name)?;
                of_state(&target.kind, &target.parameters)
            }
        }
    }

    /// What happened within this time may be missing.
    pub fn period(&self) -> Duration {
        match self.0 {
            Source::Bcache(_) => BCACHE_PERIOD,
            Source::Mapped(_) => Duration::ZERO,
        }
    }
}

/// Documentation/admin-guide/bcache.rst: what was meant to bypass the cache is counted apart, and a part of a request that
/// misses makes all of it a miss.
fn of_bcache(text: impl Fn(&str) -> Option<String>) -> Option<CacheCounts> {
    let number = |name: &str| text(name)?.trim().parse::<u64>().ok();
    Some(CacheCounts {
        read_hits: number("cache_hits")?.checked_add(number("cache_bypass_hits")?)?,
        read_misses: number("cache_misses")?.checked_add(number("cache_bypass_misses")?)?,
        promotions: None,
    })
}

/// Documentation/admin-guide/device-mapper/{cache,writecache}.rst.
fn of_state(kind: &str, state: &str) -> Option<CacheCounts> {
    let words: Vec<&str> = state.split_whitespace().collect();
    let number = |index: usize| words.get(index)?.parse::<u64>().ok();
    match kind {
        // Size and use of metadata and cache, hits and misses of reads, of writes, demotions, promotions.
        "cache" => Some(CacheCounts { read_hits: number(4)?, read_misses: number(5)?, promotions: number(9) }),
        // Error, blocks, free ones, those in writeback; since Linux 5.15 reads, and those of them that hit.
        "writecache" => Some(CacheCounts {
            read_hits: number(5)?,
            read_misses: number(4)?.checked_sub(number(5)?)?,
            promotions: None,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(read_hits: u64, read_misses: u64, promotions: Option<u64>) -> Option<CacheCounts> {
        Some(CacheCounts { read_hits, read_misses, promotions })
    }

    #[test]
    fn the_state_of_a_dm_cache_has_hits_and_misses() {
        let state = "8 88/4096 128 2048/2048 901 17 55 6 3 40 0 1 writethrough 2 migration_threshold 2048 smq 0 rw - ";
        assert_eq!(of_state("cache", state), counts(901, 17, Some(40)));
        assert_eq!(of_state("cache", "Fail"), None);
    }

    #[test]
    fn that_of_a_dm_writecache_since_linux_5_15() {
        assert_eq!(of_state("writecache", "0 32000 31000 0 500 120 700 1 2 0 697 0 3 0"), counts(120, 380, None));
        assert_eq!(of_state("writecache", "0 32000 31000 0"), None);
        assert_eq!(of_state("striped", "2 8:0 8:16 1 AA"), None);
    }

    #[test]
    fn a_bcache_counts_what_bypasses_its_cache_apart() {
        let of = |name: &str| {
            let found = [("cache_hits", "70"), ("cache_misses", "20"), ("cache_bypass_hits", "7\n")];
            found.iter().find(|(known, _)| *known == name).map(|(_, text)| (*text).to_owned())
        };
        let all = |name: &str| if name == "cache_bypass_misses" { Some("3".to_owned()) } else { of(name) };
        assert_eq!(of_bcache(all), counts(77, 23, None));
        assert_eq!(of_bcache(of), None, "one of them is missing");
    }
}
