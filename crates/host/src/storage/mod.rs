//! What a file or a device really is: where its blocks are, what of it lies in memory, what lies below it, and who uses
//! it.
//!
//! Only asks, and never writes: a number of a storage measurement is held against these answers. An answer that the
//! kernel or the file system does not give is absent.

mod cache;
mod claim;
mod device;
mod extent;
#[cfg(test)]
mod invented;
mod place;
mod signature;

pub use cache::{cached_share, drop_cache, drop_clean};
pub use claim::loop_devices;
pub use device::{BlockDeviceState, block_device};
pub use extent::{Extents, extents};
pub use place::{Medium, Place, place, place_at};
