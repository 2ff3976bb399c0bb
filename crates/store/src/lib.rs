//! Records on disk: one file of JSON Lines per invocation, to which events are appended.
//!
//! A separate crate because several programs read and write records: `run` while it measures, `cli` to list and print
//! them, later `monitor` and `fleet`. It knows the version of the format and validates records; it derives no figures
//! and prints nothing.

mod error;
mod fold;
#[doc(hidden)]
pub mod fuzz;
mod holder;
mod list;
mod name;
mod notes;
mod parse;
mod read;
mod schema;
mod series;
mod validate;
mod viewers;
mod write;

pub use error::{Error, Result};
pub use list::{Entry, Summary, candidates, list, should_be_a_record};
pub use name::{default_name, id_of, is_record_name};
pub use notes::{NOTES_FILE, notes, write_note};
pub use read::{RECORD_BYTES_MAX, read, read_in_detail, read_with, read_without_series};
pub use schema::{Form, schema, schema_text};
pub use validate::{check_figures, check_run};
pub use viewers::{Sign, Viewers, viewers};
pub use write::Writer;
