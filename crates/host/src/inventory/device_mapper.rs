//! The table and the state of a device of the device mapper, by `DM_TABLE_STATUS` (linux/dm-ioctl.h). sysfs has the name of
//! such a device and not what it does; both are shown to root alone.

use std::fs::{File, OpenOptions};

use rustix::ioctl::{Opcode, Updater, ioctl, opcode};

/// The first target of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// Its type: `linear`, `striped`, `cache`.
    pub(crate) kind: String,
    /// Its parameters, where devices are `MAJOR:MINOR`, or its state.
    pub(crate) parameters: String,
}

/// `struct dm_ioctl`.
#[repr(C)]
#[derive(Clone, Copy)]
struct Head {
    version: [u32; 3],
    data_size: u32,
    data_start: u32,
    target_count: u32,
    open_count: i32,
    flags: u32,
    event_number: u32,
    padding: u32,
    device: u64,
    name: [u8; NAME_BYTES],
    uuid: [u8; 129],
    data: [u8; 7],
}

const NAME_BYTES: usize = 128;

/// Room for the targets: the first one is of interest, and the longest line of parameters is far below it.
const DATA_BYTES: usize = 16_384;

#[repr(C)]
struct Request {
    head: Head,
    targets: [u8; DATA_BYTES],
}

/// `DM_TABLE_STATUS`.
const TABLE_STATUS: Opcode = opcode::read_write::<Head>(0xfd, 12);
/// `DM_STATUS_TABLE_FLAG`: parameters and not state.
const TABLE: u32 = 1 << 4;
/// `DM_NOFLUSH_FLAG`: nothing is written before.
const NO_FLUSH: u32 = 1 << 11;
/// `struct dm_target_spec`: two numbers of 64 bits, two of 32, and the type; the parameters follow.
const KIND_OFFSET: usize = 24;
const PARAMETERS_OFFSET: usize = 40;

/// The first target of the device with this name and its parameters; none where it may not be read.
pub(super) fn target(name: &str) -> Option<Target> {
    first(name, TABLE | NO_FLUSH)
}

/// The same with its state.
pub(crate) fn state(name: &str) -> Option<Target> {
    first(name, NO_FLUSH)
}

fn first(name: &str, flags: u32) -> Option<Target> {
    let control = OpenOptions::new().read(true).write(true).open("/dev/mapper/control").ok()?;
    let data = read(&control, name, flags)?;
    let text = |bytes: &[u8]| {
        let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        String::from_utf8_lossy(text).trim().to_owned()
    };
    let (kind, parameters) = (data.get(KIND_OFFSET..PARAMETERS_OFFSET)?, data.get(PARAMETERS_OFFSET..)?);
    Some(Target { kind: text(kind), parameters: text(parameters) }).filter(|target| !target.kind.is_empty())
}

/// What the kernel writes behind the head.
fn read(control: &File, name: &str, flags: u32) -> Option<Vec<u8>> {
    let mut head = Head {
        version: [4, 0, 0],
        data_size: size_of::<Request>() as u32,
        data_start: size_of::<Head>() as u32,
        target_count: 0,
        open_count: 0,
        flags,
        event_number: 0,
        padding: 0,
        device: 0,
        name: [0; NAME_BYTES],
        uuid: [0; 129],
        data: [0; 7],
    };
    // The name ends with a zero.
    head.name.get_mut(..name.len()).filter(|place| place.len() < NAME_BYTES)?.copy_from_slice(name.as_bytes());
    let mut request = Box::new(Request { head, targets: [0; DATA_BYTES] });
    // SAFETY: the request is laid out as linux/dm-ioctl.h says; the kernel reads and writes at most the `data_size` bytes of
    // it, and any bits are valid in them.
    unsafe { ioctl(control, Updater::<TABLE_STATUS, Request>::new(&mut request)).ok()? };
    // Without a table nothing was written.
    (request.head.target_count > 0).then(|| request.targets.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_request_is_as_large_as_the_header_of_the_kernel_says() {
        assert_eq!((size_of::<Head>(), size_of::<Request>()), (312, 312 + DATA_BYTES));
    }

    #[test]
    fn a_device_that_is_not_there_has_no_table() {
        assert_eq!(target("dbdyno-that-is-not-there"), None);
        assert_eq!(state("dbdyno-that-is-not-there"), None);
        assert_eq!(target(&"x".repeat(NAME_BYTES)), None);
    }
}
