//! The words of NBD, as `doc/proto.md` of NetworkBlockDevice/nbd publishes them: fixed newstyle negotiation, requests, simple
//! replies. All numbers are big-endian.

use std::io::{self, Read};

/// The greeting, what begins an option, and what begins its answer.
pub(super) const GREETING_MAGIC: u64 = 0x4e42_444d_4147_4943;
pub(super) const OPTION_MAGIC: u64 = 0x4948_4156_454f_5054;
pub(super) const ANSWER_MAGIC: u64 = 0x0003_e889_0455_65a9;
/// What begins a request, and what begins its reply.
pub(super) const REQUEST_MAGIC: u32 = 0x2560_9513;
pub(super) const REPLY_MAGIC: u32 = 0x6744_6698;

/// Flags of both sides: fixed newstyle, and no zeros after the size.
pub(super) const FIXED_NEWSTYLE: u16 = 1;
pub(super) const NO_ZEROES: u16 = 1 << 1;

/// What the disk can do: there are flags, and it takes flushes. A client makes a flush of a write that is to be durable by itself: a
/// disk that takes such writes would have to make them durable alone, and not what was written before.
pub(super) const DISK_FLAGS: u16 = 1 | 1 << 2;

/// Answers to an option.
pub(super) const ACKNOWLEDGED: u32 = 1;
pub(super) const SERVER: u32 = 2;
pub(super) const INFORMATION: u32 = 3;
pub(super) const UNSUPPORTED: u32 = 1 << 31 | 1;
pub(super) const INVALID_OPTION: u32 = 1 << 31 | 3;
/// The information with size and flags.
pub(super) const EXPORT_INFORMATION: u16 = 0;

/// Bytes of the data of an option, and of a request, at most.
const OPTION_BYTES_MAX: u32 = 64 << 10;
pub(super) const REQUEST_BYTES_MAX: u32 = 32 << 20;

/// Errors in a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    Storage,
    Invalid,
    NoSpace,
}

impl Failure {
    pub(super) fn code(self) -> u32 {
        match self {
            Failure::Storage => 5,
            Failure::Invalid => 22,
            Failure::NoSpace => 28,
        }
    }
}

/// An option of the negotiation, with its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NegotiatedOption {
    pub(super) number: u32,
    pub(super) data: Vec<u8>,
}

/// Numbers of options.
pub(super) const EXPORT_NAME: u32 = 1;
pub(super) const ABORT: u32 = 2;
pub(super) const LIST: u32 = 3;
pub(super) const INFO: u32 = 6;
pub(super) const GO: u32 = 7;

impl NegotiatedOption {
    /// Reads one.
    pub(super) fn read(from: &mut impl Read) -> io::Result<NegotiatedOption> {
        if number_64(from)? != OPTION_MAGIC {
            return Err(refused("an option does not begin as one"));
        }
        let (number, size) = (number_32(from)?, number_32(from)?);
        if size > OPTION_BYTES_MAX {
            return Err(refused("an option is too long"));
        }
        Ok(NegotiatedOption { number, data: bytes(from, size)? })
    }

    /// Whether its data are those of [`INFO`] and [`GO`]: a name, and numbers of informations.
    pub(super) fn is_about_an_export(&self) -> bool {
        let half = |at: usize| Some(usize::from(u16::from_be_bytes([*self.data.get(at)?, *self.data.get(at + 1)?])));
        let Some([high, low]) = half(0).zip(half(2)).map(<[usize; 2]>::from) else { return false };
        let name_end = 4 + (high << 16 | low);
        half(name_end).is_some_and(|count| self.data.len() == name_end + 2 + 2 * count)
    }
}

/// What a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Command {
    Read,
    Write,
    Disconnect,
    Flush,
    /// Something that the disk has not offered.
    Unknown,
}

/// A request, without the data of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) command: Command,
    /// Flags of the command.
    pub(super) flags: u16,
    /// What its reply has to repeat.
    pub(super) cookie: u64,
    pub(super) offset: u64,
    pub(super) size: u32,
}

impl Request {
    /// Reads one.
    pub(super) fn read(from: &mut impl Read) -> io::Result<Request> {
        if number_32(from)? != REQUEST_MAGIC {
            return Err(refused("a request does not begin as one"));
        }
        let (flags, kind) = (number_16(from)?, number_16(from)?);
        let (cookie, offset, size) = (number_64(from)?, number_64(from)?, number_32(from)?);
        let command = match kind {
            0 => Command::Read,
            1 => Command::Write,
            2 => Command::Disconnect,
            3 => Command::Flush,
            _ => Command::Unknown,
        };
        Ok(Request { command, flags, cookie, offset, size })
    }

    /// Whether it is within a disk of `size_bytes`.
    pub(super) fn is_within(&self, size_bytes: u64) -> bool {
        self.offset.checked_add(self.size.into()).is_some_and(|end| end <= size_bytes)
    }
}

/// The reply to the request with `cookie`, without the data of a read.
pub(super) fn reply(cookie: u64, done: Result<(), Failure>) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes[..4].copy_from_slice(&REPLY_MAGIC.to_be_bytes());
    bytes[4..8].copy_from_slice(&done.err().map_or(0, Failure::code).to_be_bytes());
    bytes[8..].copy_from_slice(&cookie.to_be_bytes());
    bytes
}

/// The answer to option `number`.
pub(super) fn answer(number: u32, kind: u32, data: &[u8]) -> Vec<u8> {
    let mut bytes = ANSWER_MAGIC.to_be_bytes().to_vec();
    for field in [number, kind, data.len() as u32] {
        bytes.extend(field.to_be_bytes());
    }
    bytes.extend(data);
    bytes
}

/// The next `size` bytes, which are as many as were announced.
pub(super) fn bytes(from: &mut impl Read, size: u32) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; size as usize];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn number_16(from: &mut impl Read) -> io::Result<u16> {
    let mut bytes = [0; 2];
    from.read_exact(&mut bytes).map(|()| u16::from_be_bytes(bytes))
}

pub(super) fn number_32(from: &mut impl Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes).map(|()| u32::from_be_bytes(bytes))
}

fn number_64(from: &mut impl Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes).map(|()| u64::from_be_bytes(bytes))
}

pub(super) fn refused(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.to_owned())
}
