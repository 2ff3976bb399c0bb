//! Main memory: what its channels carry (JEDEC: 64 data bits per channel).

use record::Rate;

/// The share of the peak that reading and writing arrays reaches on large servers: least and most.
pub const STREAM_ACHIEVABLE: (f64, f64) = (0.75, 0.88);

/// Bytes of a cache line.
const LINE_BYTES: f64 = 64.0;

/// Bytes per second of a channel at so many 10^6 transfers per second.
pub fn channel_bytes_per_second(megatransfers: f64) -> Rate {
    Rate(megatransfers * 1e6 * 8.0)
}

/// Bytes per second of all channels that have memory in them.
pub fn memory_peak_bytes_per_second(sockets: u32, populated_channels: u32, megatransfers: f64) -> Rate {
    Rate(f64::from(sockets) * f64::from(populated_channels) * channel_bytes_per_second(megatransfers).0)
}

/// What one core reads at most: as many cache lines as it keeps in flight per latency. Its bandwidth is therefore not
/// the memory's.
pub fn single_core_bytes_per_second(lines_in_flight: u32, latency_ns: f64) -> Rate {
    Rate(f64::from(lines_in_flight) * LINE_BYTES / latency_ns * 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_as_in_the_table() {
        let table = [
            (1600.0, 12.8),
            (2400.0, 19.2),
            (2666.0, 21.3),
            (2933.0, 23.5),
            (3200.0, 25.6),
            (4400.0, 35.2),
            (4800.0, 38.4),
            (5600.0, 44.8),
            (6400.0, 51.2),
            (8800.0, 70.4),
            (12800.0, 102.4),
        ];
        for (megatransfers, gigabytes) in table {
            let found = channel_bytes_per_second(megatransfers).0 / 1e9;
            assert_eq!(format!("{found:.1}"), format!("{gigabytes:.1}"));
        }
        assert_eq!(memory_peak_bytes_per_second(2, 8, 3200.0).0, 409.6e9);
    }

    #[test]
    fn one_core_is_bound_by_its_misses_in_flight() {
        let gigabytes = |lines| format!("{:.0}", single_core_bytes_per_second(lines, 90.0).0 / 1e9);
        assert_eq!((gigabytes(16), gigabytes(48)), ("11".to_owned(), "34".to_owned()));
    }
}
