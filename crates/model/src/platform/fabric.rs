//! Storage fabrics: rates after line code and error correction.

use record::Rate;

/// 64b/66b.
const CODE_64_66: f64 = 64.0 / 66.0;
/// 256b/257b transcoding.
const CODE_256_257: f64 = 256.0 / 257.0;
/// Reed-Solomon (544, 514).
const CORRECTED_544: f64 = 514.0 / 544.0;
/// Reed-Solomon (528, 514).
const CORRECTED_528: f64 = 514.0 / 528.0;
/// 8b/10b.
const CODE_8_10: f64 = 8.0 / 10.0;

/// An InfiniBand link of four lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InfiniBand {
    /// 2.5 Gbaud per lane.
    Sdr,
    /// 5.
    Ddr,
    /// 10.
    Qdr,
    /// 14.0625.
    Fdr,
    /// 25.78125.
    Edr,
    /// 53.125 Gbit/s.
    Hdr,
    /// 106.25.
    Ndr,
    /// 212.5.
    Xdr,
}

impl InfiniBand {
    /// Bytes per second of packets over four lanes, in one direction.
    pub fn link(self) -> Rate {
        let (gigabits, code) = match self {
            InfiniBand::Sdr => (2.5, CODE_8_10),
            InfiniBand::Ddr => (5.0, CODE_8_10),
            InfiniBand::Qdr => (10.0, CODE_8_10),
            InfiniBand::Fdr => (14.0625, CODE_64_66),
            InfiniBand::Edr => (25.78125, CODE_64_66),
            InfiniBand::Hdr => (53.125, CORRECTED_544 * CODE_256_257),
            InfiniBand::Ndr => (106.25, CORRECTED_544 * CODE_256_257),
            InfiniBand::Xdr => (212.5, CORRECTED_544 * CODE_256_257),
        };
        Rate(4.0 * gigabits * 1e9 / 8.0 * code)
    }
}

/// A Fibre Channel port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FibreChannel {
    /// 8GFC: 8.5 GBd.
    Gfc8,
    /// 16GFC: 14.025 GBd.
    Gfc16,
    /// 32GFC: 28.05 GBd.
    Gfc32,
    /// 64GFC: 57.8 Gbit/s.
    Gfc64,
    /// 128GFC: 112.2 Gbit/s.
    Gfc128,
}

impl FibreChannel {
    /// Bytes per second of data in full frames (2112 of 2172 bytes), in one direction.
    pub fn data(self) -> Rate {
        const FRAME_SHARE: f64 = 2112.0 / 2172.0;
        let (gigabits, code) = match self {
            FibreChannel::Gfc8 => (8.5, CODE_8_10),
            FibreChannel::Gfc16 => (14.025, CODE_64_66),
            FibreChannel::Gfc32 => (28.05, CODE_256_257 * CORRECTED_528),
            FibreChannel::Gfc64 => (57.8, CODE_256_257 * CORRECTED_544),
            FibreChannel::Gfc128 => (112.2, CODE_256_257 * CORRECTED_544),
        };
        Rate(gigabits * 1e9 / 8.0 * code * FRAME_SHARE)
    }
}

/// A lane to a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SerialAttached {
    /// 6 Gbit/s, 8b/10b; 550 MB/s in practice.
    Sata6,
    /// 12 Gbit/s, 8b/10b.
    Sas3,
    /// 22.5 Gbit/s, 128b/150b.
    Sas4,
}

impl SerialAttached {
    /// Bytes per second after the line code.
    pub fn lane(self) -> Rate {
        let (gigabits, code) = match self {
            SerialAttached::Sata6 => (6.0, CODE_8_10),
            SerialAttached::Sas3 => (12.0, CODE_8_10),
            SerialAttached::Sas4 => (22.5, 128.0 / 150.0),
        };
        Rate(gigabits * 1e9 / 8.0 * code)
    }
}

/// The time light needs to the other end of a fibre and back, in seconds: 4.9 µs per km one way.
pub fn fibre_round_trip_seconds(kilometres: f64) -> f64 {
    2.0 * kilometres * 4.9e-6
}

/// The time of a commit that waits for a replica, in seconds: the local flush first and then the replica, or both at
/// the same time.
pub fn commit_seconds(cpu: f64, flush: f64, round_trip: f64, remote_flush: f64, in_parallel: bool) -> f64 {
    let remote = round_trip + remote_flush;
    cpu + if in_parallel { flush.max(remote) } else { flush + remote }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn infiniband_as_in_the_table() {
        use InfiniBand::{Ddr, Edr, Fdr, Hdr, Ndr, Qdr, Sdr, Xdr};
        let gigabytes = [Sdr, Ddr, Qdr, Fdr, Edr, Hdr, Ndr, Xdr].map(|link| format!("{:.1}", link.link().0 / 1e9));
        assert_eq!(gigabytes, ["1.0", "2.0", "4.0", "6.8", "12.5", "25.0", "50.0", "100.0"]);
        assert_eq!(format!("{:.1}", Fdr.link().0 * 8e-9), "54.5");
        assert_eq!(format!("{:.3}", Hdr.link().0 * 8e-9), "200.000");
    }

    #[test]
    fn fibre_channel_and_serial_lanes_as_in_the_table() {
        use FibreChannel::{Gfc8, Gfc16, Gfc32, Gfc64, Gfc128};
        let megabytes = [Gfc8, Gfc16, Gfc32, Gfc64, Gfc128].map(|port| format!("{:.0}", port.data().0 / 1e6));
        assert_eq!(megabytes, ["827", "1653", "3306", "6612", "12835"]);
        use SerialAttached::{Sas3, Sas4, Sata6};
        assert_eq!([Sata6, Sas3, Sas4].map(|lane| (lane.lane().0 / 1e6).round()), [600.0, 1_200.0, 2_400.0]);
    }

    #[test]
    fn a_hundred_kilometres_are_a_millisecond() {
        let distance = fibre_round_trip_seconds(100.0);
        assert!((distance - 0.98e-3).abs() < 1e-12);
        assert!((commit_seconds(1e-4, 5e-4, distance, 5e-4, false) - 2.08e-3).abs() < 1e-12);
        assert!((commit_seconds(1e-4, 5e-4, distance, 5e-4, true) - 1.58e-3).abs() < 1e-12);
    }
}
