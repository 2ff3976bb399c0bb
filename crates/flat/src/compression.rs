//! Compression formats, their detection by extension and magic number; and compressing.

use std::ffi::OsStr;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;

use flate2::write::GzEncoder;
use lz4_flex::frame::{BlockSize, FrameEncoder, FrameInfo};

/// The compression of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// None.
    Plain,
    /// RFC 1952, one or more members.
    Gzip,
    /// RFC 8878, one or more frames.
    Zstd,
    /// One or more LZ4 frames.
    Lz4,
}

impl Compression {
    /// All of them, in the order of this enum.
    pub const ALL: [Compression; 4] = [Compression::Plain, Compression::Gzip, Compression::Zstd, Compression::Lz4];

    /// Its name: `plain`, `gzip`, `zstd`, `lz4`.
    pub fn name(self) -> &'static str {
        match self {
            Compression::Plain => "plain",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            Compression::Lz4 => "lz4",
        }
    }

    /// Its file extension, without the dot; empty for none.
    pub fn ending(self) -> &'static str {
        match self {
            Compression::Plain => "",
            Compression::Gzip => "gz",
            Compression::Zstd => "zst",
            Compression::Lz4 => "lz4",
        }
    }

    /// The compression with this name.
    pub fn of_name(name: &str) -> Option<Compression> {
        Compression::ALL.into_iter().find(|compression| compression.name() == name)
    }

    /// The compression by the extension of a file.
    pub fn of_path(path: &Path) -> Compression {
        let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
        let compressed = Compression::ALL.into_iter().find(|one| !ending.is_empty() && one.ending() == ending);
        compressed.unwrap_or(Compression::Plain)
    }

    /// The compression by the magic number of a file, at most four bytes.
    pub fn of_magic_number(bytes: &[u8]) -> Compression {
        match bytes {
            [0x1F, 0x8B, ..] => Compression::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Compression::Zstd,
            [0x04, 0x22, 0x4D, 0x18, ..] => Compression::Lz4,
            _ => Compression::Plain,
        }
    }

    /// Lowest, highest and default level of its command-line program; none without levels.
    fn levels(self) -> Option<(u8, u8, u8)> {
        match self {
            Compression::Gzip => Some((1, 9, 6)),
            Compression::Zstd => Some((1, 19, 3)),
            Compression::Plain | Compression::Lz4 => None,
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A compression with its level: `gzip`, `gzip:3`, `zstd:9`, `lz4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    compression: Compression,
    level: u8,
}

/// Why a text is not a [`Packing`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackingError {
    /// Unknown name.
    #[error("compression {0} is not known; hint: use gzip, zstd, lz4 or plain")]
    Name(String),
    /// Invalid level.
    #[error("level {level} of {compression} is not valid; hint: use {min} to {max}, or omit it for {default}")]
    Level {
        /// The level.
        level: String,
        /// The compression.
        compression: Compression,
        /// The lowest level, which is the fastest.
        min: u8,
        /// The highest level, which makes the smallest files.
        max: u8,
        /// The default level.
        default: u8,
    },
    /// The compression has no levels.
    #[error("{0} has no levels; hint: omit the level")]
    NoLevel(Compression),
}

impl Packing {
    /// No compression.
    pub const PLAIN: Packing = Packing { compression: Compression::Plain, level: 0 };

    /// `compression` with its default level.
    pub fn of(compression: Compression) -> Packing {
        Packing { compression, level: compression.levels().map_or(0, |(_, _, default)| default) }
    }

    /// The compression.
    pub fn compression(self) -> Compression {
        self.compression
    }

    /// The level; 0 without levels.
    pub fn level(self) -> u8 {
        self.level
    }
}

impl FromStr for Packing {
    type Err = PackingError;

    fn from_str(text: &str) -> Result<Packing, PackingError> {
        let (name, level) = text.split_once(':').map_or((text, None), |(name, level)| (name, Some(level)));
        let compression = Compression::of_name(name).ok_or_else(|| PackingError::Name(name.to_owned()))?;
        match (level, compression.levels()) {
            (None, _) => Ok(Packing::of(compression)),
            (Some(_), None) => Err(PackingError::NoLevel(compression)),
            (Some(text), Some((min, max, default))) => match text.parse() {
                Ok(level) if (min..=max).contains(&level) => Ok(Packing { compression, level }),
                _ => Err(PackingError::Level { level: text.to_owned(), compression, min, max, default }),
            },
        }
    }
}

impl fmt::Display for Packing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.compression.levels() {
            Some(_) => write!(formatter, "{}:{}", self.compression, self.level),
            None => write!(formatter, "{}", self.compression),
        }
    }
}

/// Compresses blocks independently, each into one member or frame: blocks can be compressed in parallel, and their
/// concatenation is a valid file. One per thread.
pub(crate) struct Compressor {
    packing: Packing,
    zstd: Option<zstd::bulk::Compressor<'static>>,
    packed: Vec<u8>,
}

impl Compressor {
    pub(crate) fn new(packing: Packing) -> io::Result<Compressor> {
        let zstd = match packing.compression {
            Compression::Zstd => {
                let mut compressor = zstd::bulk::Compressor::new(i32::from(packing.level))?;
                compressor.include_checksum(true)?;
                Some(compressor)
            }
            _ => None,
        };
        Ok(Compressor { packing, zstd, packed: Vec::new() })
    }

    /// Compresses `block`.
    pub(crate) fn compress<'a>(&'a mut self, block: &'a [u8]) -> io::Result<&'a [u8]> {
        let mut packed = std::mem::take(&mut self.packed);
        packed.clear();
        self.packed = match (self.packing.compression, &mut self.zstd) {
            (Compression::Plain, _) => return Ok(block),
            (Compression::Zstd, Some(compressor)) => {
                packed.reserve(zstd::zstd_safe::compress_bound(block.len()));
                compressor.compress_to_buffer(block, &mut packed)?;
                packed
            }
            (Compression::Lz4, _) => {
                let frame = FrameInfo::new().block_size(BlockSize::Max4MB).content_checksum(true);
                let mut encoder = FrameEncoder::with_frame_info(frame, packed);
                encoder.write_all(block)?;
                encoder.finish().map_err(io::Error::other)?
            }
            _ => {
                let level = flate2::Compression::new(u32::from(self.packing.level));
                let mut encoder = GzEncoder::new(packed, level);
                encoder.write_all(block)?;
                encoder.finish()?
            }
        };
        Ok(&self.packed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compression_is_detected_by_name_extension_and_magic_number() {
        for compression in Compression::ALL {
            assert_eq!(Compression::of_name(compression.name()), Some(compression));
            let path = format!("a.tbl.{}", compression.ending());
            assert_eq!(Compression::of_path(Path::new(path.trim_end_matches('.'))), compression);
            let mut compressor = Compressor::new(Packing::of(compression)).unwrap();
            assert_eq!(Compression::of_magic_number(compressor.compress(b"1|2|\n").unwrap()), compression);
        }
        assert_eq!(Compression::of_path(Path::new("a.GZ")), Compression::Gzip);
        assert_eq!(Compression::of_path(Path::new("gz")), Compression::Plain);
        assert_eq!(Compression::of_magic_number(b"\x1F"), Compression::Plain);
    }

    #[test]
    fn levels_are_those_of_the_command_line_programs() {
        let level = |text: &str| text.parse::<Packing>().map(Packing::level);
        assert_eq!((level("gzip"), level("gzip:3"), level("zstd"), level("zstd:19")), (Ok(6), Ok(3), Ok(3), Ok(19)));
        assert_eq!("lz4".parse::<Packing>().unwrap().to_string(), "lz4");
        assert_eq!("gzip".parse::<Packing>().unwrap().to_string(), "gzip:6");
        let refused = |text: &str| text.parse::<Packing>().unwrap_err().to_string();
        assert_eq!(refused("gzip:10"), "level 10 of gzip is not valid; hint: use 1 to 9, or omit it for 6");
        assert_eq!(refused("zstd:0"), "level 0 of zstd is not valid; hint: use 1 to 19, or omit it for 3");
        assert_eq!(refused("zstd:"), "level  of zstd is not valid; hint: use 1 to 19, or omit it for 3");
        assert_eq!(refused("lz4:3"), "lz4 has no levels; hint: omit the level");
        assert_eq!(refused("bzip2"), "compression bzip2 is not known; hint: use gzip, zstd, lz4 or plain");
    }
}
