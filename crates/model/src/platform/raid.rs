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

impl Redundancy {
    /// The redundancy of an array of Linux by its level (md(4)) and members; none for another one. RAID 10 has two
    /// copies.
    pub fn of_array(level: &str, members: u32) -> Option<Redundancy> {
        match level {
            "raid0" | "linear" => Some(Redundancy::Stripe),
            "raid1" => Some(Redundancy::Replicas { count: members }),
            "raid10" => Some(Redundancy::Mirror),
            "raid4" | "raid5" => Some(Redundancy::SingleParity),
            "raid6" => Some(Redundancy::DoubleParity),
            _ => None,
        }
    }

    /// Parities of a stripe; none where data are copied.
    pub fn parities(self) -> Option<u32> {
        match self {
            Redundancy::Stripe => Some(0),
            Redundancy::SingleParity => Some(1),
            Redundancy::DoubleParity => Some(2),
            Redundancy::TripleParity => Some(3),
            Redundancy::ErasureCode { parities } => Some(parities),
            Redundancy::Mirror | Redundancy::Replicas { .. } => None,
        }
    }

    /// Bytes that are written to devices per byte of small writes of the host: the data with their parities, or all
    /// copies. Of `members` devices `missing` are not written; every block is on each of them with the same probability.
    pub fn small_write_amplification(self, members: u32, missing: u32) -> f64 {
        let blocks = match (self, self.parities()) {
            (_, Some(parities)) => 1.0 + f64::from(parities),
            (Redundancy::Replicas { count }, None) => f64::from(count),
            _ => 2.0,
        };
        blocks * present(members, missing)
    }

    /// The same of writes of whole stripes: n/(n - p), or all copies.
    pub fn stripe_write_amplification(self, members: u32, missing: u32) -> f64 {
        match self.parities() {
            Some(parities) => {
                let data = f64::from(members.saturating_sub(parities).max(1));
                f64::from(members) / data * present(members, missing)
            }
            None => self.small_write_amplification(members, missing),
        }
    }
}

/// The share of the members that are there.
fn present(members: u32, missing: u32) -> f64 {
    f64::from(members.saturating_sub(missing)) / f64::from(members.max(1))
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

    #[test]
    fn writes_of_members_per_write_of_the_volume() {
        let of = |level: &str, members, missing| {
            let redundancy = Redundancy::of_array(level, members).unwrap();
            [
                redundancy.small_write_amplification(members, missing),
                redundancy.stripe_write_amplification(members, missing),
            ]
        };
        assert_eq!(of("raid0", 4, 0), [1.0, 1.0]);
        assert_eq!(of("raid1", 2, 0), [2.0, 2.0]);
        assert_eq!(of("raid1", 2, 1), [1.0, 1.0]);
        assert_eq!(of("raid5", 3, 0), [2.0, 1.5]);
        // A third of the stripes each has lost this block, the parity, or neither of them: (1 + 1 + 2)/3.
        assert_eq!(of("raid5", 3, 1), [2.0 * (2.0 / 3.0), 1.0]);
        assert_eq!(of("raid6", 6, 0), [3.0, 1.5]);
        assert_eq!(of("raid10", 4, 1), [1.5, 1.5]);
        assert_eq!(Redundancy::of_array("container", 2), None);
    }
}
