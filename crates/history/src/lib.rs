//! Statistics of production databases and their hosts: from files that others wrote to a load profile.
//!
//! A crate of its own to guard a direction: it parses the formats of other programs, and nothing that measures may depend on
//! that. Files are given as open readers. It has no clock, opens nothing and prints nothing.
//!
//! [`detect`] tells the [`Form`] of a file from its beginning. A [`History`] reads files one after the other and makes one
//! [`record::LoadProfile`] of all. Files are read as streams: what is kept of them is one value for each quantity and
//! interval. What a file does not tell is absent, with where to get it; what makes its figures doubtful is data of the profile.

mod awr_miner;
mod badger;
mod clock;
mod cumulative;
mod detect;
mod encoding;
mod engine_name;
mod error;
mod form;
mod found;
mod gathered;
mod history;
mod json;
mod judge;
mod limit;
mod lines;
mod moment;
mod number;
mod part;
mod report;
mod separated;
mod statistics_views;
mod status;
mod sysstat;

pub use detect::{BEGINNING_BYTES, detect};
pub use error::{Error, Kind};
pub use form::Form;
pub use gathered::Names;
pub use history::History;
