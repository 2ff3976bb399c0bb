//! PCI Express: what a link carries in one direction (PCI Express Base Specification, revisions 1.0 to 7.0).

use record::Rate;

/// A generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Generation {
    /// 2.5 GT/s, 8b/10b.
    Gen1,
    /// 5 GT/s, 8b/10b.
    Gen2,
    /// 8 GT/s, 128b/130b.
    Gen3,
    /// 16 GT/s, 128b/130b.
    Gen4,
    /// 32 GT/s, 128b/130b.
    Gen5,
    /// 64 GT/s, flits.
    Gen6,
    /// 128 GT/s, flits.
    Gen7,
}

/// Sequence number, header with a 64-bit address and checksum of a packet that writes to memory.
const PACKET_OVERHEAD_BYTES: f64 = 24.0;
/// Its header, where the flit has the rest.
const FLIT_PACKET_OVERHEAD_BYTES: f64 = 16.0;
/// Packets of a flit of 256 bytes; the rest is link management, checksum and error correction.
const FLIT_SHARE: f64 = 236.0 / 256.0;

impl Generation {
    /// Transfers per second of a lane, in 10^9.
    pub fn gigatransfers(self) -> f64 {
        match self {
            Generation::Gen1 => 2.5,
            Generation::Gen2 => 5.0,
            Generation::Gen3 => 8.0,
            Generation::Gen4 => 16.0,
            Generation::Gen5 => 32.0,
            Generation::Gen6 => 64.0,
            Generation::Gen7 => 128.0,
        }
    }

    fn has_flits(self) -> bool {
        self >= Generation::Gen6
    }

    /// Bytes per second of a lane after the line code.
    pub fn lane(self) -> Rate {
        let coding = match self {
            Generation::Gen1 | Generation::Gen2 => 8.0 / 10.0,
            Generation::Gen3 | Generation::Gen4 | Generation::Gen5 => 128.0 / 130.0,
            Generation::Gen6 | Generation::Gen7 => 1.0,
        };
        Rate(self.gigatransfers() * 1e9 / 8.0 * coding)
    }

    /// Bytes per second of packets over `lanes`: of a lane, less what a flit spends on itself.
    pub fn link(self, lanes: u32) -> Rate {
        let share = if self.has_flits() { FLIT_SHARE } else { 1.0 };
        Rate(self.lane().0 * share * f64::from(lanes))
    }

    /// Bytes per second of data in packets with `payload_bytes` each (the maximum payload size), acknowledgements and
    /// flow control not counted: they take another 1 to 3 % without flits.
    pub fn payload(self, lanes: u32, payload_bytes: f64) -> Rate {
        let overhead = if self.has_flits() { FLIT_PACKET_OVERHEAD_BYTES } else { PACKET_OVERHEAD_BYTES };
        Rate(self.link(lanes).0 * payload_bytes / (payload_bytes + overhead))
    }
}

/// Capacity of the links below a switch over that of the link above it; above 1 where devices may have to share.
pub fn oversubscription(downstream: &[Rate], upstream: Rate) -> f64 {
    downstream.iter().map(|rate| rate.0).sum::<f64>() / upstream.0
}

/// What each of `active` devices below a switch gets, where all want all they can.
pub fn fair_share(device: Rate, upstream: Rate, active: u32) -> Rate {
    Rate(device.0.min(upstream.0 / f64::from(active.max(1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_of_generations() {
        use Generation::{Gen1, Gen2, Gen3, Gen4, Gen5, Gen6, Gen7};
        let table = [
            (Gen1, "250.0", ["1.00", "2.00", "4.00"], ["0.84", "0.91", "0.96"]),
            (Gen2, "500.0", ["2.00", "4.00", "8.00"], ["1.68", "1.83", "1.91"]),
            (Gen3, "984.6", ["3.94", "7.88", "15.75"], ["3.32", "3.60", "3.76"]),
            (Gen4, "1969.2", ["7.88", "15.75", "31.51"], ["6.63", "7.20", "7.52"]),
            (Gen5, "3938.5", ["15.75", "31.51", "63.02"], ["13.27", "14.40", "15.05"]),
            (Gen6, "8000.0", ["29.50", "59.00", "118.00"], ["26.22", "27.76", "28.61"]),
            (Gen7, "16000.0", ["59.00", "118.00", "236.00"], ["52.44", "55.53", "57.21"]),
        ];
        for (generation, lane, links, payloads) in table {
            assert_eq!(format!("{:.1}", generation.lane().0 / 1e6), lane);
            assert_eq!([4, 8, 16].map(|lanes| format!("{:.2}", generation.link(lanes).0 / 1e9)), links);
            let payload = |bytes| format!("{:.2}", generation.payload(4, bytes).0 / 1e9);
            assert_eq!([128.0, 256.0, 512.0].map(payload), payloads, "{generation:?}");
        }
        assert_eq!((Gen6.link(1).0 / 1e6, Gen7.link(1).0 / 1e6), (7_375.0, 14_750.0));
    }

    #[test]
    fn a_switch_gives_no_more_than_the_link_above_it() {
        let (device, upstream) = (Generation::Gen4.link(4), Generation::Gen4.link(16));
        assert!((oversubscription(&[device; 8], upstream) - 2.0).abs() < 1e-12);
        assert_eq!(fair_share(device, upstream, 2), device);
        assert!((fair_share(device, upstream, 8).0 - device.0 / 2.0).abs() < 1e-3);
    }
}
