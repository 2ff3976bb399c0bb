//! Decompression of a file.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use lz4_flex::frame::FrameDecoder;

use crate::compression::Compression;
use crate::counted::{Counted, FileCounts};
use crate::gzip_members::GzipMembers;

/// Bytes per read of a file or pipe.
const READ_BYTES: usize = 256 << 10;

/// The decompressed bytes of `input`, through all members or frames, and the counts of `input`.
pub(crate) fn decoder(
    input: Box<dyn Read + Send>,
    compression: Compression,
) -> io::Result<(Box<dyn Read + Send>, Arc<FileCounts>)> {
    let counts = Arc::new(FileCounts::default());
    let counted = Counted::new(input, Arc::clone(&counts));
    let buffered = |counted| BufReader::with_capacity(READ_BYTES, counted);
    let decoder: Box<dyn Read + Send> = match compression {
        // Without a buffer, which would be an additional copy.
        Compression::Plain => Box::new(counted),
        Compression::Gzip => Box::new(GzipMembers::new(buffered(counted), Arc::clone(&counts))),
        Compression::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(buffered(counted))?),
        Compression::Lz4 => Box::new(Lz4Frames { decoder: FrameDecoder::new(buffered(counted)) }),
    };
    Ok((decoder, counts))
}

/// Concatenated LZ4 frames: their decoder ends after each.
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
