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
mod load_profile;
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
pub use load_profile::{
    LOAD_PROFILE_BEGINNING_BYTES, LOAD_PROFILE_BYTES_MAX, check_load_profile, is_load_profile, load_profile_text,
    parse_load_profile, read_load_profile, write_load_profile,
};
pub use name::{default_name, id_of, is_record_name};
pub use notes::{NOTES_FILE, notes, write_note};
pub use read::{RECORD_BYTES_MAX, read, read_in_detail, read_with, read_without_series};
pub use schema::{Form, schema, schema_text};
pub use validate::{check_figures, check_run};
pub use viewers::{Sign, Viewers, viewers};
pub use write::Writer;
