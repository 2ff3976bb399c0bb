//! What survives a fault: changes to files in their order, what of them a power cut may leave, and a directory that loses
//! what was not synced.
//!
//! The core is pure: [`Log`] holds changes, [`survivors`] says by a [`Policy`] and a seed which of them are there after a fault.
//! A [`Volume`] is the state of both, and has faces: a directory of this host by FUSE ([`Mounted`]), a disk below a file system of
//! this host ([`MountedDisk`]) or of a guest ([`ServedDisk`]), and the files of an engine in this process, whose calls are handed
//! to the volume one by one.
//!
//! A crate of its own because it pulls a library for FUSE that others must not pay, and because it knows no engine: what is
//! above it is any program that writes files.

mod change;
mod data;
mod directory;
mod disk;
mod file_system;
mod image;
mod log_writes;
mod loop_device;
mod lot;
mod mounted;
mod nbd;
mod survivors;
mod volume;

pub use change::{Change, Entry, Log};
pub use data::Data;
pub use disk::{MountedDisk, can_mount_disk, formatted};
pub use file_system::FileSystem;
pub use image::{Content, Image, ImageError, Node, ROOT};
pub use log_writes::{START_MARK, replay_log_writes};
pub use mounted::{MountError, Mounted, can_mount};
pub use nbd::ServedDisk;
pub use survivors::{Pending, Policy, pending, survivors};
pub use volume::{Frozen, SharedVolume, Syncs, Volume};
