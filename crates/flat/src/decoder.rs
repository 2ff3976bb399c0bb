//! Bytes of a compressed file as they were, and the time that took.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use flate2::bufread::MultiGzDecoder;
use lz4_flex::frame::FrameDecoder;

use crate::compression::Compression;

/// Bytes that are asked of a file or pipe at once.
const READ_BYTES: usize = 256 << 10;

/// What reading has cost so far. Shared because decoders keep their input to themselves.
#[derive(Default)]
pub(crate) struct Meter {
    ns: AtomicU64,
    bytes: AtomicU64,
}

impl Meter {
    /// Time in calls of the system, waiting for them included.
    pub(crate) fn ns(&self) -> u64 {
        self.ns.load(Ordering::Relaxed)
    }

    /// Bytes as they lie in the file.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

struct Metered {
    input: Box<dyn Read + Send>,
    meter: Arc<Meter>,
}

impl Read for Metered {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let begun = Instant::now();
        let read = self.input.read(into);
        self.meter.ns.fetch_add(begun.elapsed().as_nanos() as u64, Ordering::Relaxed);
        self.meter.bytes.fetch_add(*read.as_ref().unwrap_or(&0) as u64, Ordering::Relaxed);
        read
    }
}

/// The bytes of `input` as they were before `compression`, through all its members or frames, and what reading costs.
///
/// # Errors
/// Where memory is short.
pub(crate) fn decoder(
    input: Box<dyn Read + Send>,
    compression: Compression,
) -> io::Result<(Box<dyn Read + Send>, Arc<Meter>)> {
    let meter = Arc::new(Meter::default());
    let metered = Metered { input, meter: Arc::clone(&meter) };
    let buffered = |metered| BufReader::with_capacity(READ_BYTES, metered);
    let decoder: Box<dyn Read + Send> = match compression {
        // Nothing lies between, so nothing is copied twice.
        Compression::Plain => Box::new(metered),
        Compression::Gzip => Box::new(MultiGzDecoder::new(buffered(metered))),
        Compression::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(buffered(metered))?),
        Compression::Lz4 => Box::new(Lz4Frames { decoder: FrameDecoder::new(buffered(metered)) }),
    };
    Ok((decoder, meter))
}

/// Frames of LZ4, one after the other: their decoder ends with each of them.
struct Lz4Frames<R: BufRead> {
    decoder: FrameDecoder<R>,
}

impl<R: BufRead> Read for Lz4Frames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let read = self.decoder.read(into)?;
            if read > 0 || into.is_empty() || self.decoder.get_mut().fill_buf()?.is_empty() {
                return Ok(read);
            }
        }
    }
}
