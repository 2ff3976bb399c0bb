//! The history of a monitor: a file of SQL tables. One thread writes; everybody may read meanwhile.
//!
//! Events are kept as they are for some days, then as hours: counts, the median of the medians, and the histogram of
//! the slowest statements, which can be added where quantiles cannot. A process that is killed loses nothing that was
//! handed over; what is written when the machine fails is whole up to some moment.

mod hours;
mod month;
mod now;
mod prune;
mod recall;
mod tables;
mod writer;

pub(crate) use self::month::timestamp;
pub use self::prune::RAW_DAYS;
pub use self::recall::Recalled;
pub use self::tables::{HISTORY_ID, History};
pub(crate) use self::writer::{Entry, Writer};
