//! Random blocks through the engine: each row is in a block of its own, keys are in random order, and operations read
//! or change `work_unit` scattered blocks.
//!
//! The method is known from SLOB (Kevin Closson); this is an independent implementation, from its description, without
//! its known flaws: row counts are exact, the mix is a shuffled deck, all sessions start together, and each operation
//! is committed. It does not show the rate of application transactions; the data have no meaning.

mod answer;
mod conf;
mod deck;
mod ignored;
mod layout;
mod load;
mod permutation;
mod procedure;
mod range;
mod settings;
mod statement;
mod value;
mod work;

pub use conf::{Assignment, ConfError, Ignored, assignments, settings_of};
pub use deck::Kind;
pub use layout::{Layout, TableOf};
pub use load::{BlocksLoading, ensure, missing};
pub use procedure::{batch, missing_procedure};
pub use settings::{BlocksSettings, HotSpot, Idle, Think};
pub use statement::CODE;
pub use value::{RedoStress, Wrong};
pub use work::{BlocksJob, Mode, Visit, jobs, preload, prepare};
