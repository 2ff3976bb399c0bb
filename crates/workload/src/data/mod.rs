//! The two tables that tests work on, and the generator of their rows.
//!
//! A row is a pure function of seed, table and key: any row can be computed at any time, so any answer of an engine can
//! be checked, and any number of sessions can load in parallel the same rows as one session.

mod column;
mod document;
mod draw;
mod generator;
mod row;
mod scatter;
mod size;
mod source;
mod text;

pub use column::DataColumn;
pub use generator::Generator;
pub(crate) use generator::Numbers;
pub use row::Row;
pub use size::{DataTable, ROW_BYTES, Sizes};
pub use source::{Block, Source};

pub(crate) use document::{document, document_city, push_letters};
pub(crate) use draw::below;
pub(crate) use row::{REGIONS, decimal};
pub(crate) use scatter::GROUP_ROWS;
pub(crate) use size::columns;
pub(crate) use source::STRIDE;
pub(crate) use text::{GOLDEN, letters, mix};
