//! pread and pwrite, one at a time: for kernels and sandboxes without io_uring, and for jobs that ask for it.

use std::io;
use std::os::fd::BorrowedFd;

use record::Nanos;

use super::port::{Operation, Order, Port, PortSetting};

/// One order at a time, done while it is handed over.
#[derive(Debug)]
pub(crate) struct Synchronous {
    setting: PortSetting,
    waiting: Option<(u32, Order)>,
    done: Option<(u32, i32)>,
}

impl Synchronous {
    pub(crate) fn open(setting: PortSetting) -> Synchronous {
        Synchronous { setting, waiting: None, done: None }
    }

    fn carry_out(&self, order: &Order) -> io::Result<usize> {
        let number = self.setting.files[order.file as usize];
        // SAFETY: the files of the setting stay open as long as the port exists.
        let file = unsafe { BorrowedFd::borrow_raw(number) };
        let length = order.length as usize;
        match order.operation {
            // SAFETY: `memory` belongs to this slot and is at least `length` long.
            Operation::Read => unsafe {
                let buffer = std::slice::from_raw_parts_mut(order.memory, length);
                Ok(rustix::io::pread(file, buffer, order.offset)?)
            },
            Operation::Write => self.write(order, file),
            Operation::Commit { data_only } => {
                let written = self.write(order, file)?;
                sync(file, data_only)?;
                Ok(written)
            }
            Operation::Sync { data_only } => sync(file, data_only).map(|()| 0),
            Operation::Trim => {
                use rustix::fs::{FallocateFlags, fallocate};
                let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
                fallocate(file, flags, order.offset, u64::from(order.length))?;
                Ok(0)
            }
        }
    }

    fn write(&self, order: &Order, file: BorrowedFd<'_>) -> io::Result<usize> {
        // SAFETY: as for reading.
        let buffer = unsafe { std::slice::from_raw_parts(order.memory, order.length as usize) };
        if self.setting.write_dsync {
            let parts = [io::IoSlice::new(buffer)];
            return Ok(rustix::io::pwritev2(file, &parts, order.offset, rustix::io::ReadWriteFlags::DSYNC)?);
        }
        Ok(rustix::io::pwrite(file, buffer, order.offset)?)
    }
}

fn sync(file: BorrowedFd<'_>, data_only: bool) -> io::Result<()> {
    match data_only {
        true => rustix::fs::fdatasync(file)?,
        false => rustix::fs::fsync(file)?,
    }
    Ok(())
}

impl Port for Synchronous {
    fn take(&mut self, slot: u32, order: &Order) -> io::Result<()> {
        self.waiting = Some((slot, *order));
        Ok(())
    }

    fn submit(&mut self, _least: u32, _until: Option<Nanos>) -> io::Result<()> {
        if let Some((slot, order)) = self.waiting.take() {
            let result = match self.carry_out(&order) {
                Ok(bytes) => i32::try_from(bytes).unwrap_or(i32::MAX),
                Err(error) => -error.raw_os_error().unwrap_or(rustix::io::Errno::IO.raw_os_error()),
            };
            self.done = Some((slot, result));
        }
        Ok(())
    }

    fn reap(&mut self) -> Option<(u32, i32)> {
        self.done.take()
    }
}

/// Does nothing, at once: what remains is the generator.
#[derive(Debug, Default)]
pub(crate) struct Null {
    done: Vec<(u32, i32)>,
}

impl Null {
    pub(crate) fn open(depth: u32) -> Null {
        Null { done: Vec::with_capacity(depth as usize) }
    }
}

impl Port for Null {
    #[inline]
    fn take(&mut self, slot: u32, order: &Order) -> io::Result<()> {
        let bytes = if order.operation == Operation::Trim { 0 } else { order.length as i32 };
        self.done.push((slot, bytes));
        Ok(())
    }

    #[inline]
    fn submit(&mut self, _least: u32, _until: Option<Nanos>) -> io::Result<()> {
        Ok(())
    }

    #[inline]
    fn reap(&mut self) -> Option<(u32, i32)> {
        self.done.pop()
    }
}
