//! Storage media: orders of magnitude, endurance, write amplification.
//!
//! Times of SLC, MLC and TLC are those of a manufacturer's white paper; the others are commonly published. A probe
//! replaces all of them.

use record::{Bytes, Rate};

/// Minimum and maximum.
pub type Span = (f64, f64);

/// A medium.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Medium {
    /// Its name.
    pub name: &'static str,
    /// Erase cycles of a block; absent without wear.
    pub cycles: Option<Span>,
    /// Time of a 4 KiB read of a drive with it, at queue depth 1, µs.
    pub drive_read_us: Span,
}

/// The media.
pub const MEDIA: &[Medium] = &[
    Medium { name: "SLC", cycles: Some((50e3, 100e3)), drive_read_us: (15.0, 30.0) },
    Medium { name: "MLC", cycles: Some((3e3, 10e3)), drive_read_us: (60.0, 80.0) },
    Medium { name: "TLC", cycles: Some((1e3, 10e3)), drive_read_us: (60.0, 90.0) },
    Medium { name: "QLC", cycles: Some((100.0, 3e3)), drive_read_us: (100.0, 150.0) },
    Medium { name: "3D XPoint", cycles: None, drive_read_us: (8.0, 12.0) },
    Medium { name: "disk, 7200 rpm", cycles: None, drive_read_us: (10_000.0, 13_300.0) },
    Medium { name: "disk, 15000 rpm", cycles: None, drive_read_us: (5_500.0, 5_600.0) },
];

/// Bytes that the host may write before the medium is worn out: capacity times cycles over write amplification.
pub fn endurance_bytes(capacity: Bytes, cycles: f64, write_amplification: f64) -> f64 {
    capacity.0 as f64 * cycles / write_amplification
}

/// Years until so many bytes are written at this rate.
pub fn life_years(endurance_bytes: f64, written: Rate) -> f64 {
    endurance_bytes / (written.0 * 86_400.0 * 365.0)
}

/// Drive writes per day over five years.
pub fn drive_writes_per_day(endurance_bytes: f64, capacity: Bytes) -> f64 {
    endurance_bytes / (capacity.0 as f64 * 365.0 * 5.0)
}

/// Write amplification of uniform random writes under greedy cleaning, (1 + o)/(2 o), where `spare` is o: physical less
/// usable capacity over usable. An approximation; the drive's own counters tell.
pub fn random_write_amplification(spare: f64) -> f64 {
    (1.0 + spare) / (2.0 * spare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spare_capacity_saves_writes() {
        let shown = [0.07, 0.28].map(|spare| format!("{:.1}", random_write_amplification(spare)));
        assert_eq!(shown, ["7.6", "2.3"]);
    }

    #[test]
    fn the_life_of_a_drive_by_hand() {
        let capacity = Bytes(1_000_000_000_000);
        let endurance = endurance_bytes(capacity, 3_650.0, 2.0);
        assert_eq!(endurance, 1_825e12);
        assert_eq!(drive_writes_per_day(endurance, capacity), 1.0);
        assert!((life_years(endurance, Rate(1e12 / 86_400.0)) - 5.0).abs() < 1e-9);
    }

    #[test]
    fn denser_media_are_slower_and_wear_sooner() {
        let cells = &MEDIA[..4];
        assert!(cells.windows(2).all(|pair| pair[0].drive_read_us.1 < pair[1].drive_read_us.1));
        assert!(cells.windows(2).all(|pair| pair[0].cycles.unwrap().0 > pair[1].cycles.unwrap().0));
        // Reads per second of the disks: half a rotation and a seek.
        let iops = |medium: &Medium| (1e6 / medium.drive_read_us.1, 1e6 / medium.drive_read_us.0);
        assert!(iops(&MEDIA[5]).0 > 75.0 && iops(&MEDIA[5]).1 <= 100.0);
        assert!((175.0..185.0).contains(&iops(&MEDIA[6]).1));
    }
}
