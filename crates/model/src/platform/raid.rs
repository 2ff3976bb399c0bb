//! Redundancy: host I/Os from device I/Os.

use record::{Bytes, Rate};

/// How data are protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redundancy {
    /// RAID 0.
    Stripe,
    /// RAID 1, RAID 10.
    Mirror,
    /// RAID 5.
    SingleParity,
    /// RAID 6.
    DoubleParity,
    /// Three parities.
    TripleParity,
    /// Copies on other nodes.
    Replicas {
        /// Copies, the first included.
        count: u32,
    },
    /// Erasure code; a write of less than a stripe.
    ErasureCode {
        /// Fragments that may be lost.
        parities: u32,
    },
}

impl Redundancy {
    /// P: I/Os of devices per small write of the host. A parity is read and written, and so are the data.
    pub fn write_penalty(self) -> f64 {
        match self {
            Redundancy::Stripe => 1.0,
            Redundancy::Mirror => 2.0,
            Redundancy::SingleParity => 4.0,
            Redundancy::DoubleParity => 6.0,
            Redundancy::TripleParity => 8.0,
            Redundancy::Replicas { count } => f64::from(count),
            Redundancy::ErasureCode { parities } => 2.0 * (f64::from(parities) + 1.0),
        }
    }
}

/// I/Os per second for the host: n d/(r + w P), with a share `writes` of writes in [0, 1]. The formula in circulation,
/// n d (r + w/P), uses an arithmetic instead of a harmonic mean and is too high.
pub fn host_iops(devices: u32, device: Rate, writes: f64, redundancy: Redundancy) -> Rate {
    Rate(f64::from(devices) * device.0 / ((1.0 - writes) + writes * redundancy.write_penalty()))
}

/// Bytes per second of the host in writes of whole stripes, and bytes of devices per byte of the host.
pub fn full_stripe_write(devices: u32, parities: u32, device: Rate) -> (Rate, f64) {
    let data = f64::from(devices.saturating_sub(parities));
    (Rate(data * device.0), f64::from(devices) / data)
}

/// I/Os of devices per read of a RAID 5 of `devices` of which one has failed: 2 (n - 1)/n.
pub fn degraded_read_amplification(devices: u32) -> f64 {
    2.0 * (f64::from(devices) - 1.0) / f64::from(devices)
}

/// Time until a write cache is full, in seconds; None where it never is. A run should take twice as long.
pub fn write_cache_seconds(cache: Bytes, written: Rate, drained: Rate) -> Option<f64> {
    (written.0 > drained.0).then(|| cache.0 as f64 / (written.0 - drained.0))
}

/// Commits per second with this flush time and group commit size: the log is latency-bound.
pub fn commits_per_second_max(commits_per_flush: f64, flush_seconds: f64) -> Rate {
    Rate(commits_per_flush / flush_seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_penalty_is_harmonic() {
        let iops = host_iops(9, Rate(100.0), 0.16, Redundancy::SingleParity);
        assert_eq!(iops.0.round(), 608.0);
        assert_eq!(host_iops(9, Rate(100.0), 0.0, Redundancy::SingleParity), Rate(900.0));
        let penalties = [
            Redundancy::Stripe,
            Redundancy::Mirror,
            Redundancy::SingleParity,
            Redundancy::DoubleParity,
            Redundancy::TripleParity,
            Redundancy::Replicas { count: 3 },
            Redundancy::ErasureCode { parities: 2 },
        ];
        assert_eq!(penalties.map(Redundancy::write_penalty), [1.0, 2.0, 4.0, 6.0, 8.0, 3.0, 6.0]);
    }

    #[test]
    fn stripes_degraded_reads_caches_and_logs() {
        assert_eq!(full_stripe_write(5, 1, Rate(100.0)), (Rate(400.0), 1.25));
        assert_eq!(degraded_read_amplification(5), 1.6);
        assert_eq!(write_cache_seconds(Bytes(1_000), Rate(30.0), Rate(10.0)), Some(50.0));
        assert_eq!(write_cache_seconds(Bytes(1_000), Rate(10.0), Rate(10.0)), None);
        assert_eq!(commits_per_second_max(4.0, 0.001), Rate(4_000.0));
    }
}
