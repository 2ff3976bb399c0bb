//! Properties of files and block devices: extents, residency in the page cache, devices below, uses.
//!
//! Read-only: storage measurements are checked against these properties. What the kernel or the file system does not
//! give is absent.

mod cache;
mod device;
mod device_use;
mod extent;
mod location;
mod signature;
#[cfg(test)]
mod test_tree;

pub use cache::{cached_share, drop_cache, drop_clean};
pub(crate) use device::file_signatures;
pub use device::{BlockDeviceState, block_device};
pub(crate) use device_use::holders as device_holders;
pub use device_use::loop_devices;
pub use extent::{Extents, extents};
pub use location::{Medium, StorageLocation, is_same_device, place};
