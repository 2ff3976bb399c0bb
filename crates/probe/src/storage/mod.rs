//! Storage: the generator. A job of I/O is a value ([`record::IoJob`]); each of its clones is a lane, one thread with
//! a port to the kernel, several I/Os in flight, and its own histograms.

mod address;
mod buffers;
mod ceiling;
mod choice;
mod content;
mod lane;
mod layout;
mod ledger;
mod memory;
mod permutation;
mod port;
mod ring;
mod setting;
mod synchronous;

pub use address::Region;
pub use ceiling::generator_per_second;
pub use content::unit_bytes;
pub use layout::{Sample, Verified, lay_out, sample, verify};
pub use ledger::{Account, Ledger, Page};
pub use ring::ring_is_there;
pub use setting::{LaneSetting, kinds, work};
