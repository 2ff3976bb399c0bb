//! What a probe is built from: number of jobs, sizes, properties of the machine.

use std::net::SocketAddr;

use measure::{Purpose, RunSeed};
use record::{Bytes, Nanos, Preset};

/// Assumed last-level cache where its size is not known.
const CACHE_BYTES_ASSUMED: Bytes = Bytes::MIB.times(64);
/// Assumed available memory where it is not known.
const MEMORY_BYTES_ASSUMED: Bytes = Bytes::GIB;
/// Minimum of all jobs together: a guest is told of caches that may be a part of those of its host, which have up to a gigabyte.
const ALL_BYTES_MIN: Bytes = Bytes::GIB;
/// Minimum per job: several times the second-level cache of its core.
const JOB_BYTES_MIN: Bytes = Bytes::MIB.times(16);
/// Minimum per job where memory is short.
const JOB_BYTES_FLOOR: Bytes = Bytes::KIB.times(256);

/// What a probe is built from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context {
    /// Jobs; 0 counts as 1.
    pub jobs: u32,
    /// Seed of all pseudo-random data.
    pub seed: RunSeed,
    /// Determines the size of the data.
    pub preset: Preset,
    /// Sum of all last-level caches of the machine, where known.
    pub last_level_cache_bytes: Option<Bytes>,
    /// Memory that can be used without swapping, where known.
    pub memory_available_bytes: Option<Bytes>,
    /// Size of the file of the storage probes, a multiple of 1 MiB; not used by the others.
    pub region_bytes: Bytes,
    /// Warm-up of a storage probe.
    pub warm_up: Nanos,
    /// Measured time of a storage probe.
    pub window: Nanos,
    /// Where the peer of the network probes listens; not used by the others.
    pub peer: Option<SocketAddr>,
}

impl Context {
    /// The last-level cache that sizes are derived from.
    pub(crate) fn cache_bytes(&self) -> Bytes {
        self.last_level_cache_bytes.filter(|bytes| bytes.0 > 0).unwrap_or(CACHE_BYTES_ASSUMED)
    }

    /// Memory of one job, so that all jobs together use `cache_multiple` times the last-level cache, and at least 1 GiB.
    ///
    /// Less where that exceeds a quarter (preset quick) or half of the available memory, or makes the warm-up longer
    /// than the preset allows: first touch runs at about 2 GB/s. A smoke test gets `smoke` bytes, which only show that
    /// the probe works.
    pub(crate) fn job_bytes(&self, cache_multiple: u64, smoke: Bytes) -> Bytes {
        self.job_bytes_of_at_least(JOB_BYTES_MIN, cache_multiple, smoke)
    }

    /// The same with at least 1 GiB for each job, where the time of an access depends on the size: the page tables of a
    /// smaller memory fit better into the caches of a core, and more jobs would be faster for that alone.
    pub(crate) fn job_bytes_alike(&self, cache_multiple: u64, smoke: Bytes) -> Bytes {
        self.job_bytes_of_at_least(ALL_BYTES_MIN, cache_multiple, smoke)
    }

    fn job_bytes_of_at_least(&self, least: Bytes, cache_multiple: u64, smoke: Bytes) -> Bytes {
        let jobs = u64::from(self.jobs.max(1));
        let (job_max, memory_divisor) = match self.preset {
            Preset::Smoke => return smoke,
            Preset::Quick => (Bytes::GIB, 4),
            Preset::Standard | Preset::Soak => (Bytes::GIB.times(4), 2),
            Preset::Publish => (Bytes::GIB.times(16), 2),
        };
        let all = self.cache_bytes().0.saturating_mul(cache_multiple).max(ALL_BYTES_MIN.0);
        let target = (all / jobs).max(least.0);
        let memory = self.memory_available_bytes.unwrap_or(MEMORY_BYTES_ASSUMED).0 / memory_divisor / jobs;
        Bytes(target.min(job_max.0).min(memory).max(JOB_BYTES_FLOOR.0))
    }

    /// The seed of one job; no two jobs share a random stream.
    pub(crate) fn job_seed(&self, job: u32) -> u64 {
        self.seed.stream(Purpose::Probe, job)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn quick(jobs: u32, cache: Bytes, memory: Bytes) -> Context {
        Context {
            jobs,
            seed: RunSeed { plan: 1, run: 1 },
            preset: Preset::Quick,
            last_level_cache_bytes: Some(cache),
            memory_available_bytes: Some(memory),
            region_bytes: Bytes::GIB,
            warm_up: Nanos(0),
            window: Nanos::SECOND,
            peer: None,
        }
    }

    #[test]
    fn all_jobs_together_work_on_the_multiple_of_the_cache() {
        let (cache, memory) = (Bytes::MIB.times(128), Bytes::GIB.times(24));
        assert_eq!(quick(2, cache, memory).job_bytes(12, Bytes::KIB), Bytes::MIB.times(768));
        assert_eq!(quick(4, cache, memory).job_bytes(12, Bytes::KIB), Bytes::MIB.times(384));
        assert_eq!(quick(1_000, cache, memory).job_bytes(12, Bytes::KIB), Bytes(Bytes::GIB.0 * 6 / 1_000));
    }

    #[test]
    fn a_small_cache_may_be_a_part_of_a_larger_one() {
        let (cache, memory) = (Bytes::MIB.times(16), Bytes::GIB.times(24));
        assert_eq!(quick(1, cache, memory).job_bytes(16, Bytes::KIB), Bytes::GIB);
        assert_eq!(quick(4, cache, memory).job_bytes(8, Bytes::KIB), Bytes::MIB.times(256));
        assert_eq!(
            quick(1, cache, Bytes::GIB).job_bytes(16, Bytes::KIB),
            Bytes::MIB.times(256),
            "a quarter of the memory"
        );
    }

    #[test]
    fn a_large_cache_does_not_make_the_warm_up_of_a_quick_run_long() {
        let (cache, memory) = (Bytes::GIB, Bytes::GIB.times(1_000));
        let quick = quick(1, cache, memory);
        assert_eq!(quick.job_bytes(12, Bytes::KIB), Bytes::GIB);
        assert_eq!(Context { preset: Preset::Publish, ..quick }.job_bytes(12, Bytes::KIB), Bytes::GIB.times(12));
    }

    #[test]
    fn an_unknown_machine_gets_a_modest_size() {
        let unknown =
            Context { last_level_cache_bytes: None, memory_available_bytes: None, ..quick(1, Bytes(0), Bytes(0)) };
        assert_eq!(unknown.job_bytes(16, Bytes::KIB), Bytes::MIB.times(256));
    }

    proptest! {
        #[test]
        fn a_quarter_of_the_memory_is_never_exceeded(
            jobs in 1u32..2_000,
            cache in any::<u64>(),
            memory in any::<u64>(),
        ) {
            let context = quick(jobs, Bytes(cache), Bytes(memory));
            let bytes = context.job_bytes(16, Bytes::KIB);
            prop_assert!(bytes == JOB_BYTES_FLOOR || bytes.0.saturating_mul(u64::from(jobs)) <= memory / 4);
            prop_assert!(bytes <= Bytes::GIB && bytes.0 > 0);
        }
    }
}
