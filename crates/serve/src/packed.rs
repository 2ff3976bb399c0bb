//! Records as they are held in memory: packed, because ten thousand of them would take a gigabyte.

use std::io::Write;

use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use record::Record;

/// A packed record.
#[derive(Debug)]
pub(crate) struct Packed(Box<[u8]>);

impl Packed {
    /// `record`, packed; None where that is not possible.
    pub(crate) fn of(record: &Record) -> Option<Packed> {
        let mut packer = DeflateEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(&serde_json::to_vec(record).ok()?).ok()?;
        Some(Packed(packer.finish().ok()?.into_boxed_slice()))
    }

    /// The record.
    pub(crate) fn record(&self) -> Option<Record> {
        serde_json::from_reader(std::io::BufReader::new(DeflateDecoder::new(&*self.0))).ok()
    }
}
