//! How a file is compressed: by its name, by the ending of a file, by its first bytes; and compressing.

use std::ffi::OsStr;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;

use flate2::write::GzEncoder;
use lz4_flex::frame::{BlockSize, FrameEncoder, FrameInfo};

/// How the bytes of a file are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// No compression: the bytes of the lines.
    Plain,
    /// RFC 1952, one member or more.
    Gzip,
    /// RFC 8878, one frame or more.
    Zstd,
    /// Frames of LZ4, one or more.
    Lz4,
}

impl Compression {
    /// All of them, in the order of this enum.
    pub const ALL: [Compression; 4] = [Compression::Plain, Compression::Gzip, Compression::Zstd, Compression::Lz4];

    /// The name by which it is asked for: `plain`, `gzip`, `zstd`, `lz4`.
    pub fn name(self) -> &'static str {
        match self {
            Compression::Plain => "plain",
            Compression::Gzip => "gzip",
            Compression::Zstd => "zstd",
            Compression::Lz4 => "lz4",
        }
    }

    /// What names of such files end with, without the point; empty where they are not compressed.
    pub fn ending(self) -> &'static str {
        match self {
            Compression::Plain => "",
            Compression::Gzip => "gz",
            Compression::Zstd => "zst",
            Compression::Lz4 => "lz4",
        }
    }

    /// The one with this name.
    pub fn of_name(name: &str) -> Option<Compression> {
        Compression::ALL.into_iter().find(|compression| compression.name() == name)
    }

    /// The one that the name of a file says.
    pub fn of_path(path: &Path) -> Compression {
        let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
        let compressed = Compression::ALL.into_iter().find(|one| !ending.is_empty() && one.ending() == ending);
        compressed.unwrap_or(Compression::Plain)
    }

    /// The one that a file begins with; four bytes decide.
    pub fn of_beginning(bytes: &[u8]) -> Compression {
        match bytes {
            [0x1F, 0x8B, ..] => Compression::Gzip,
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Compression::Zstd,
            [0x04, 0x22, 0x4D, 0x18, ..] => Compression::Lz4,
            _ => Compression::Plain,
        }
    }

    /// Levels from the fastest to the smallest, and the one of its own command-line program; none where there is no
    /// choice.
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

/// A compression and how hard it tries: `gzip`, `gzip:3`, `zstd:9`, `lz4`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    compression: Compression,
    level: u8,
}

/// Why a text is no [`Packing`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackingError {
    /// The name is not known.
    #[error("compression {0} is not known; hint: use gzip, zstd, lz4 or plain")]
    Name(String),
    /// The level cannot be.
    #[error("level {level} of {compression} cannot be; hint: use {least} to {most}, or none for {usual}")]
    Level {
        /// What was asked for.
        level: String,
        /// The compression that the level was asked of.
        compression: Compression,
        /// The lowest level, which is the fastest.
        least: u8,
        /// The highest level, which makes the smallest files.
        most: u8,
        /// What it is where nobody says.
        usual: u8,
    },
    /// There is no choice of levels.
    #[error("{0} has no levels; hint: leave out what follows the colon")]
    NoLevel(Compression),
}

impl Packing {
    /// Lines that are not compressed.
    pub const PLAIN: Packing = Packing { compression: Compression::Plain, level: 0 };

    /// `compression` at the level of its own command-line program.
    pub fn of(compression: Compression) -> Packing {
        Packing { compression, level: compression.levels().map_or(0, |(_, _, usual)| usual) }
    }

    /// The compression, whatever its level.
    pub fn compression(self) -> Compression {
        self.compression
    }

    /// How hard it tries; 0 where there is no choice.
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
            (Some(text), Some((least, most, usual))) => match text.parse() {
                Ok(level) if (least..=most).contains(&level) => Ok(Packing { compression, level }),
                _ => Err(PackingError::Level { level: text.to_owned(), compression, least, most, usual }),
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

/// Compresses blocks, each for itself: one member or frame, so that blocks can be made at the same time and a file of
/// them is a file of that compression. Belongs to one thread.
pub(crate) struct Packer {
    packing: Packing,
    zstd: Option<zstd::bulk::Compressor<'static>>,
    packed: Vec<u8>,
}

impl Packer {
    /// # Errors
    /// Where memory is short.
    pub(crate) fn new(packing: Packing) -> io::Result<Packer> {
        let zstd = match packing.compression {
            Compression::Zstd => {
                let mut compressor = zstd::bulk::Compressor::new(i32::from(packing.level))?;
                compressor.include_checksum(true)?;
                Some(compressor)
            }
            _ => None,
        };
        Ok(Packer { packing, zstd, packed: Vec::new() })
    }

    /// `block`, compressed.
    ///
    /// # Errors
    /// Where memory is short.
    pub(crate) fn pack<'a>(&'a mut self, block: &'a [u8]) -> io::Result<&'a [u8]> {
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
    fn a_compression_is_known_by_its_name_its_ending_and_its_beginning() {
        for compression in Compression::ALL {
            assert_eq!(Compression::of_name(compression.name()), Some(compression));
            let path = format!("a.tbl.{}", compression.ending());
            assert_eq!(Compression::of_path(Path::new(path.trim_end_matches('.'))), compression);
            let mut packer = Packer::new(Packing::of(compression)).unwrap();
            assert_eq!(Compression::of_beginning(packer.pack(b"1|2|\n").unwrap()), compression);
        }
        assert_eq!(Compression::of_path(Path::new("a.GZ")), Compression::Gzip);
        assert_eq!(Compression::of_path(Path::new("gz")), Compression::Plain);
        assert_eq!(Compression::of_beginning(b"\x1F"), Compression::Plain);
    }

    #[test]
    fn levels_are_those_of_the_programs() {
        let level = |text: &str| text.parse::<Packing>().map(Packing::level);
        assert_eq!((level("gzip"), level("gzip:3"), level("zstd"), level("zstd:19")), (Ok(6), Ok(3), Ok(3), Ok(19)));
        assert_eq!("lz4".parse::<Packing>().unwrap().to_string(), "lz4");
        assert_eq!("gzip".parse::<Packing>().unwrap().to_string(), "gzip:6");
        let refused = |text: &str| text.parse::<Packing>().unwrap_err().to_string();
        assert_eq!(refused("gzip:10"), "level 10 of gzip cannot be; hint: use 1 to 9, or none for 6");
        assert_eq!(refused("zstd:0"), "level 0 of zstd cannot be; hint: use 1 to 19, or none for 3");
        assert_eq!(refused("zstd:"), "level  of zstd cannot be; hint: use 1 to 19, or none for 3");
        assert_eq!(refused("lz4:3"), "lz4 has no levels; hint: leave out what follows the colon");
        assert_eq!(refused("bzip2"), "compression bzip2 is not known; hint: use gzip, zstd, lz4 or plain");
    }
}
