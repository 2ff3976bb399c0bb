//! Random blocks through the engine: rows that lie in a block of their own each, keys in random order, and operations
//! that read or change so many scattered blocks.
//!
//! The method is known from SLOB (Kevin Closson); this is an implementation of our own, from its description, without
//! its known flaws: row counts are exact, the mix is a shuffled deck, all sessions begin together, and each operation is
//! committed. What it does not answer: how fast transactions of an application are; nothing here has a meaning.

mod answer;
mod conf;
mod deck;
mod layout;
mod load;
mod pause;
mod permutation;
mod procedure;
mod range;
mod settings;
mod statement;
mod value;
mod work;

pub use conf::{Assignment, ConfError, assignments};
pub use layout::{Layout, TableOf};
pub use load::{BlocksLoading, drop_all, ensure};
pub use procedure::{batch, missing_procedure};
pub use settings::{BlocksSettings, HotSpot, Idle, Noted, RedoStress, Think, Wrong};
pub use statement::CODE;
pub use work::{BlocksJob, Kind, Mode, Visit, jobs, preload};
