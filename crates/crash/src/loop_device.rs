//! Loop devices: a file as a block device, whose requests become reads, writes and syncs of that file.

use std::ffi::c_void;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::ioctl::{Ioctl, IoctlOutput, Opcode, Setter, ioctl};

/// What gives the number of a free device.
const CONTROL: &str = "/dev/loop-control";

/// The numbers of `linux/loop.h`.
const LOOP_CTL_GET_FREE: Opcode = 0x4c82;
const LOOP_CONFIGURE: Opcode = 0x4c0a;

/// The device is free again once nobody has it open.
const LO_FLAGS_AUTOCLEAR: u32 = 4;

/// Bytes of a sector: what a drive writes in one piece.
const SECTOR_BYTES: u32 = 512;

/// Times that another program may be faster with a free device.
const TRIES: u32 = 8;

/// `struct loop_config`.
#[repr(C)]
struct LoopConfig {
    fd: u32,
    block_size: u32,
    info: LoopInfo,
    reserved: [u64; 8],
}

/// `struct loop_info64`.
#[repr(C)]
struct LoopInfo {
    device: u64,
    inode: u64,
    rdevice: u64,
    offset: u64,
    sizelimit: u64,
    number: u32,
    encrypt_type: u32,
    encrypt_key_size: u32,
    flags: u32,
    file_name: [u8; 64],
    crypt_name: [u8; 64],
    encrypt_key: [u8; 32],
    init: [u64; 2],
}

/// A loop device that is open here. It is free again once it is closed here and no file system on it is mounted, also when this
/// process is killed.
#[derive(Debug)]
pub(crate) struct LoopDevice {
    _open: File,
    path: PathBuf,
}

impl LoopDevice {
    /// The file at `path` as a device.
    pub(crate) fn over(path: &Path) -> io::Result<LoopDevice> {
        let backing = OpenOptions::new().read(true).write(true).open(path)?;
        let mut tries = 0;
        loop {
            let device = free_device()?;
            match configure(&device, &backing) {
                Ok(open) => return Ok(LoopDevice { _open: open, path: device }),
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy && tries < TRIES => tries += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Its path.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// Whether this process may have loop devices.
pub(crate) fn has_loop_devices() -> io::Result<()> {
    OpenOptions::new().read(true).write(true).open(CONTROL).map(drop)
}

fn free_device() -> io::Result<PathBuf> {
    let control = OpenOptions::new().read(true).write(true).open(CONTROL)?;
    // SAFETY: LOOP_CTL_GET_FREE has no argument, and answers with a number.
    let number = unsafe { ioctl(&control, GetFree) }?;
    Ok(PathBuf::from(format!("/dev/loop{number}")))
}

fn configure(device: &Path, backing: &File) -> io::Result<File> {
    let open = OpenOptions::new().read(true).write(true).open(device)?;
    let mut file_name = [0; 64];
    file_name[..6].copy_from_slice(b"dbdyno");
    let info = LoopInfo {
        device: 0,
        inode: 0,
        rdevice: 0,
        offset: 0,
        sizelimit: 0,
        number: 0,
        encrypt_type: 0,
        encrypt_key_size: 0,
        flags: LO_FLAGS_AUTOCLEAR,
        file_name,
        crypt_name: [0; 64],
        encrypt_key: [0; 32],
        init: [0; 2],
    };
    let config = LoopConfig { fd: backing.as_raw_fd() as u32, block_size: SECTOR_BYTES, info, reserved: [0; 8] };
    // SAFETY: LOOP_CONFIGURE reads a `struct loop_config`, which `LoopConfig` is.
    unsafe { ioctl(&open, Setter::<LOOP_CONFIGURE, LoopConfig>::new(config)) }?;
    Ok(open)
}

/// LOOP_CTL_GET_FREE, whose answer is what it returns.
struct GetFree;

// SAFETY: the opcode takes no argument, so that the pointer is never followed.
unsafe impl Ioctl for GetFree {
    type Output = u32;

    const IS_MUTATING: bool = false;

    fn opcode(&self) -> Opcode {
        LOOP_CTL_GET_FREE
    }

    fn as_ptr(&mut self) -> *mut c_void {
        std::ptr::null_mut()
    }

    unsafe fn output_from_ptr(answer: IoctlOutput, _: *mut c_void) -> Result<u32, Errno> {
        u32::try_from(answer).map_err(|_| Errno::INVAL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structures_have_the_sizes_of_the_kernel() {
        assert_eq!((size_of::<LoopInfo>(), size_of::<LoopConfig>()), (232, 304));
    }
}
