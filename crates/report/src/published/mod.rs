//! Published systems: the list of them, and one with its figures as published and with caveats.

mod chart;
mod document;
mod list;
mod table;

pub use document::system;
pub use list::references;
