//! A disk that loses what was not flushed, for a guest: the one file of a volume, served over NBD at a Unix socket.
//!
//! The volume is the cache of the disk, as it is for [`MountedDisk`](crate::MountedDisk): a write of the client is a write of the
//! file, and its flush a sync. Without power nothing is answered any more. Requests are answered one after the other.

mod protocol;

use std::fs;
use std::io::{self, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::thread;

use self::protocol::{
    ABORT, ACKNOWLEDGED, Command, DISK_FLAGS, EXPORT_INFORMATION, EXPORT_NAME, FIXED_NEWSTYLE, Failure, GO,
    GREETING_MAGIC, INFO, INFORMATION, INVALID_OPTION, LIST, NO_ZEROES, NegotiatedOption, OPTION_MAGIC,
    REQUEST_BYTES_MAX, Request, SERVER, UNSUPPORTED,
};
use crate::change::Change;
use crate::image::ROOT;
use crate::volume::SharedVolume;

/// Zeros after the size for clients that want them.
const ZEROES: [u8; 124] = [0; 124];

/// A disk that is served; its socket is removed when the value is dropped. Connections last as long as their clients, or until the
/// volume has lost its power and is released.
#[derive(Debug)]
pub struct ServedDisk {
    socket: PathBuf,
}

impl ServedDisk {
    /// Serves the file of `volume`, which has no other one, at a new socket.
    ///
    /// # Errors
    /// Where the socket cannot be made, and where the volume is none with one file.
    pub fn at(socket: &Path, volume: &SharedVolume) -> io::Result<ServedDisk> {
        Disk::of(volume)?;
        let listener = UnixListener::bind(socket)?;
        let volume = volume.clone();
        // It ends with the process: a listener waits for nothing that would have to be let go.
        thread::Builder::new().name("disk".to_owned()).spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let volume = volume.clone();
                // A client that breaks the protocol, or is killed, ends its connection alone.
                thread::spawn(move || serve(&client, &volume));
            }
        })?;
        Ok(ServedDisk { socket: socket.to_owned() })
    }
}

impl Drop for ServedDisk {
    fn drop(&mut self) {
        // An error cannot be returned here.
        let _ = fs::remove_file(&self.socket);
    }
}

fn serve(client: &UnixStream, volume: &SharedVolume) -> io::Result<()> {
    converse(&mut BufReader::new(client), &mut &*client, &Disk::of(volume)?)
}

/// The file of a volume.
struct Disk {
    volume: SharedVolume,
    object: u64,
    size_bytes: u64,
}

impl Disk {
    fn of(volume: &SharedVolume) -> io::Result<Disk> {
        let held = volume.lock();
        let mut files = held.live().entries(ROOT);
        let object = files.next().map(|(_, object)| object).filter(|_| files.next().is_none());
        let found = object.and_then(|object| Some((object, held.live().data(object)?.size())));
        let (object, size_bytes) = found.ok_or_else(|| protocol::refused("the volume is no disk"))?;
        Ok(Disk { volume: volume.clone(), object, size_bytes })
    }

    /// Carries out `change`; the inner error is that of storage that is full. Nothing without power, once that is let go.
    fn change(&self, change: Change) -> Option<Result<(), Failure>> {
        let done = self.volume.powered()?.change(change);
        match done {
            Ok(()) => Some(Ok(())),
            // The change may itself have been the moment at which the power went off.
            Err(_) => self.volume.powered().map(|_| Err(Failure::Storage)),
        }
    }

    fn read(&self, request: &Request) -> Option<Vec<u8>> {
        let volume = self.volume.powered()?;
        Some(
            volume.live().data(self.object).map_or(Vec::new(), |data| data.read(request.offset, request.size as usize)),
        )
    }
}

/// Negotiates, then answers requests, until the client has enough or the disk has lost its power.
fn converse(from: &mut impl Read, to: &mut impl Write, disk: &Disk) -> io::Result<()> {
    if !negotiate(from, to, disk)? {
        return Ok(());
    }
    loop {
        let request = Request::read(from)?;
        let data = match request.command {
            Command::Disconnect => return Ok(()),
            Command::Write if request.size > REQUEST_BYTES_MAX => return Err(protocol::refused("a write is too long")),
            Command::Write => protocol::bytes(from, request.size)?,
            _ => Vec::new(),
        };
        let Some(answered) = carry_out(disk, &request, data) else { return Ok(()) };
        to.write_all(&protocol::reply(request.cookie, answered.as_ref().map(drop).map_err(|failure| *failure)))?;
        to.write_all(&answered.unwrap_or_default())?;
    }
}

/// The data of a read, or nothing; none without power.
fn carry_out(disk: &Disk, request: &Request, data: Vec<u8>) -> Option<Result<Vec<u8>, Failure>> {
    let object = disk.object;
    let is_within = request.is_within(disk.size_bytes);
    let changed = match request.command {
        _ if request.flags != 0 => Err(Failure::Invalid),
        Command::Read if !is_within || request.size > REQUEST_BYTES_MAX => Err(Failure::Invalid),
        Command::Read => return disk.read(request).map(Ok),
        Command::Write if !is_within => Err(Failure::NoSpace),
        Command::Write => disk.change(Change::Write { object, offset: request.offset, data: data.into() })?,
        Command::Flush => disk.change(Change::Sync { object })?,
        Command::Disconnect | Command::Unknown => Err(Failure::Invalid),
    };
    Some(changed.map(|()| Vec::new()))
}

/// Whether the client wants the disk.
fn negotiate(from: &mut impl Read, to: &mut impl Write, disk: &Disk) -> io::Result<bool> {
    to.write_all(&GREETING_MAGIC.to_be_bytes())?;
    to.write_all(&OPTION_MAGIC.to_be_bytes())?;
    to.write_all(&(FIXED_NEWSTYLE | NO_ZEROES).to_be_bytes())?;
    let client_flags = protocol::number_32(from)?;
    if client_flags & !u32::from(FIXED_NEWSTYLE | NO_ZEROES) != 0 {
        return Err(protocol::refused("the client asks for what was not offered"));
    }
    let size_and_flags = [&disk.size_bytes.to_be_bytes()[..], &DISK_FLAGS.to_be_bytes()].concat();
    loop {
        let option = NegotiatedOption::read(from)?;
        let mut say = |kind: u32, data: &[u8]| to.write_all(&protocol::answer(option.number, kind, data));
        match option.number {
            EXPORT_NAME => {
                to.write_all(&size_and_flags)?;
                if client_flags & u32::from(NO_ZEROES) == 0 {
                    to.write_all(&ZEROES)?;
                }
                return Ok(true);
            }
            ABORT => {
                // The client may have gone already.
                let _ = say(ACKNOWLEDGED, &[]);
                return Ok(false);
            }
            LIST if option.data.is_empty() => {
                // The name of the disk is empty.
                say(SERVER, &0_u32.to_be_bytes())?;
                say(ACKNOWLEDGED, &[])?;
            }
            INFO | GO if option.is_about_an_export() => {
                say(INFORMATION, &[&EXPORT_INFORMATION.to_be_bytes()[..], &size_and_flags].concat())?;
                say(ACKNOWLEDGED, &[])?;
                if option.number == GO {
                    return Ok(true);
                }
            }
            LIST | INFO | GO => say(INVALID_OPTION, &[])?,
            _ => say(UNSUPPORTED, &[])?,
        }
    }
}

#[cfg(test)]
mod tests;
