//! The synchronous I/O engine, pread and pwrite at depth 1, and the null engine.

use std::io;
use std::os::fd::BorrowedFd;

use record::Nanos;

use super::io_engine::{IoEngine, IoEngineSettings, IoRequest, Operation};

/// One request at a time, executed when it is submitted.
#[derive(Debug)]
pub(crate) struct Synchronous {
    settings: IoEngineSettings,
    queued: Option<(u32, IoRequest)>,
    done: Option<(u32, i32)>,
}

impl Synchronous {
    pub(crate) fn open(settings: IoEngineSettings) -> Synchronous {
        Synchronous { settings, queued: None, done: None }
    }

    fn execute(&self, request: &IoRequest) -> io::Result<usize> {
        let number = self.settings.files[request.file as usize];
        // SAFETY: the files of the settings stay open as long as the engine exists.
        let file = unsafe { BorrowedFd::borrow_raw(number) };
        let length = request.length as usize;
        match request.operation {
            // SAFETY: `memory` belongs to this slot and is at least `length` long.
            Operation::Read => unsafe {
                let buffer = std::slice::from_raw_parts_mut(request.memory, length);
                Ok(rustix::io::pread(file, buffer, request.offset)?)
            },
            Operation::Write => self.write(request, file),
            Operation::Commit { data_only } => {
                let written = self.write(request, file)?;
                sync(file, data_only)?;
                Ok(written)
            }
            Operation::Sync { data_only } => sync(file, data_only).map(|()| 0),
            Operation::Trim => {
                use rustix::fs::{FallocateFlags, fallocate};
                let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
                fallocate(file, flags, request.offset, u64::from(request.length))?;
                Ok(0)
            }
        }
    }

    fn write(&self, request: &IoRequest, file: BorrowedFd<'_>) -> io::Result<usize> {
        // SAFETY: as for reading.
        let buffer = unsafe { std::slice::from_raw_parts(request.memory, request.length as usize) };
        if self.settings.write_dsync {
            let parts = [io::IoSlice::new(buffer)];
            return Ok(rustix::io::pwritev2(file, &parts, request.offset, rustix::io::ReadWriteFlags::DSYNC)?);
        }
        Ok(rustix::io::pwrite(file, buffer, request.offset)?)
    }
}

fn sync(file: BorrowedFd<'_>, data_only: bool) -> io::Result<()> {
    match data_only {
        true => rustix::fs::fdatasync(file)?,
        false => rustix::fs::fsync(file)?,
    }
    Ok(())
}

impl IoEngine for Synchronous {
    fn queue(&mut self, slot: u32, request: &IoRequest) -> io::Result<()> {
        self.queued = Some((slot, *request));
        Ok(())
    }

    fn submit(&mut self, _least: u32, _until: Option<Nanos>) -> io::Result<()> {
        if let Some((slot, request)) = self.queued.take() {
            let result = match self.execute(&request) {
                Ok(bytes) => i32::try_from(bytes).unwrap_or(i32::MAX),
                Err(error) => -error.raw_os_error().unwrap_or(rustix::io::Errno::IO.raw_os_error()),
            };
            self.done = Some((slot, result));
        }
        Ok(())
    }

    fn found(&self) -> u32 {
        u32::from(self.done.is_some())
    }

    fn reap(&mut self) -> Option<(u32, i32)> {
        self.done.take()
    }
}

/// The null engine: completes each request at once without I/O, which measures the generator.
#[derive(Debug, Default)]
pub(crate) struct Null {
    done: Vec<(u32, i32)>,
}

impl Null {
    pub(crate) fn open(depth: u32) -> Null {
        Null { done: Vec::with_capacity(depth as usize) }
    }
}

impl IoEngine for Null {
    #[inline]
    fn queue(&mut self, slot: u32, request: &IoRequest) -> io::Result<()> {
        let bytes = if request.operation == Operation::Trim { 0 } else { request.length as i32 };
        self.done.push((slot, bytes));
        Ok(())
    }

    #[inline]
    fn submit(&mut self, _least: u32, _until: Option<Nanos>) -> io::Result<()> {
        Ok(())
    }

    #[inline]
    fn found(&self) -> u32 {
        self.done.len() as u32
    }

    #[inline]
    fn reap(&mut self) -> Option<(u32, i32)> {
        self.done.pop()
    }
}
