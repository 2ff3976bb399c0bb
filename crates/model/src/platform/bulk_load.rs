//! What a bulk load within a given time needs.

use record::{Bytes, Rate};

/// A load that is planned. Rates are bytes per second of uncompressed data per core, measured; absent stages are not
/// gone through.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BulkLoad {
    /// Data, uncompressed.
    pub volume: Bytes,
    /// Uncompressed over compressed; at least 1.
    pub compression: f64,
    /// Time for it, seconds.
    pub window_seconds: f64,
    /// How busy the processors may be, in (0, 1].
    pub utilisation: f64,
    /// Decompression.
    pub decompress: Option<Rate>,
    /// Parsing.
    pub parse: Option<Rate>,
    /// Insertion.
    pub insert: Option<Rate>,
    /// Building of one index.
    pub index: Option<Rate>,
    /// Indexes.
    pub indexes: u32,
    /// Bytes of table per byte of data.
    pub heap_factor: f64,
    /// Bytes of log per byte of data.
    pub log_factor: f64,
    /// Bytes of all indexes per byte of data; sorting them writes twice as much beside.
    pub index_factor: f64,
    /// Copies, the first included; at least 1.
    pub copies: f64,
}

/// What it needs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadNeeds {
    /// Uncompressed data.
    pub data: Rate,
    /// Over the wire, compressed: goodput.
    pub wire: Rate,
    /// Processors.
    pub cores: f64,
    /// Bytes written to storage.
    pub written: Rate,
    /// Bytes read from where compressed data are staged.
    pub read: Rate,
}

impl BulkLoad {
    /// What it needs.
    pub fn needs(&self) -> LoadNeeds {
        let data = self.volume.0 as f64 / self.window_seconds;
        let cost = |rate: Option<Rate>| rate.map_or(0.0, |rate| 1.0 / rate.0);
        let stages = cost(self.decompress) + cost(self.parse) + cost(self.insert);
        let stages = stages + f64::from(self.indexes) * cost(self.index);
        let stored = (self.heap_factor + self.log_factor + self.index_factor) * self.copies;
        LoadNeeds {
            data: Rate(data),
            wire: Rate(data / self.compression),
            cores: data / self.utilisation * stages,
            written: Rate(data * (stored + 2.0 * self.index_factor)),
            read: Rate(data / self.compression),
        }
    }
}

/// Time of stages one after the other, seconds, each of which is several that run at the same time: the sum over the
/// stages of the longest volume over capacity in each.
pub fn serial_seconds(stages: &[&[(Bytes, Rate)]]) -> f64 {
    let seconds = |(volume, capacity): &(Bytes, Rate)| volume.0 as f64 / capacity.0;
    stages.iter().map(|pipelined| pipelined.iter().map(seconds).fold(0.0, f64::max)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::ethernet_goodput;

    #[test]
    fn ten_terabytes_in_four_hours() {
        let load = BulkLoad {
            volume: Bytes(10_000_000_000_000),
            compression: 4.0,
            window_seconds: 4.0 * 3_600.0,
            utilisation: 0.7,
            decompress: Some(Rate(1_200e6)),
            insert: Some(Rate(50e6)),
            heap_factor: 1.2,
            log_factor: 1.0,
            index_factor: 0.3,
            copies: 2.0,
            ..BulkLoad::default()
        };
        let needs = load.needs();
        assert_eq!((needs.data.0 / 1e6).round(), 694.0);
        assert_eq!((needs.wire.0 / 1e6).round(), 174.0);
        assert_eq!(format!("{:.1}", needs.wire.0 * 8e-9), "1.4");
        assert_eq!(format!("{:.0}", needs.wire.0 / ethernet_goodput(10.0, 1500.0).0 * 100.0), "15");
        assert_eq!(format!("{:.1}", needs.cores), "20.7");
        assert!((needs.written.0 / needs.data.0 - 5.6).abs() < 1e-9);
        let indexed = BulkLoad { index: Some(Rate(40e6)), indexes: 2, ..load };
        assert!((indexed.needs().cores - needs.cores - needs.data.0 / 0.7 * 2.0 / 40e6).abs() < 1e-9);
    }

    #[test]
    fn what_runs_at_the_same_time_takes_as_long_as_the_longest() {
        let pipelined = [(Bytes(100), Rate(10.0)), (Bytes(100), Rate(5.0))];
        assert_eq!(serial_seconds(&[&pipelined, &[(Bytes(30), Rate(10.0))]]), 23.0);
    }
}
