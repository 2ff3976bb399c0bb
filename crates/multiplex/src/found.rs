//! What has come from the kernel.

use std::os::fd::RawFd;

/// A statement that was not sent.
pub(crate) struct Unsent {
    pub job: u32,
    pub socket: RawFd,
    /// A negative error number, or how many of its bytes were sent.
    pub result: i32,
}

/// What has come.
#[derive(Default)]
pub(crate) struct Found {
    /// Jobs that wait for the kernel no more, with what they get.
    pub woken: Vec<(u32, i32)>,
    pub unsent: Vec<Unsent>,
}

impl Found {
    pub fn is_empty(&self) -> bool {
        self.woken.is_empty() && self.unsent.is_empty()
    }

    /// Moves all of `other` here.
    pub fn append(&mut self, other: &mut Found) {
        self.woken.append(&mut other.woken);
        self.unsent.append(&mut other.unsent);
    }
}
