//! The I/O generator. An I/O job is a value ([`record::IoJob`]); each of its clones (fio: numjobs) is a lane, one
//! thread with an I/O engine, several I/Os in flight, and its own histograms.

mod address;
mod buffers;
mod ceiling;
mod choice;
mod content;
mod generations;
mod io_engine;
mod lane;
mod layout;
mod ledger;
mod lossy;
mod memory;
mod permutation;
mod ring;
mod setting;
mod synchronous;
mod work;

pub use address::Region;
pub use ceiling::generator_per_second;
pub use content::unit_bytes;
pub use generations::Generations;
pub use layout::{Expected, Sample, Verified, lay_out, sample, verify};
pub use ledger::{Account, Ledger, Page};
pub use ring::io_uring_available;
pub use setting::{LaneSetting, kinds};
pub use work::{work, work_that_loses};
