//! Records on disk: one file of JSON Lines per invocation, to which is appended what happens.
//!
//! A crate of its own because it is the only one that reads and writes records, and more than one program does:
//! `run` while it measures, `cli` to list and draw, later `monitor` and `fleet`. It knows the version of the format
//! and what no record can hold, and nothing else of what a record means: it derives no figure and prints nothing.

mod directory;
mod error;
mod fold;
#[doc(hidden)]
pub mod fuzz;
mod gather;
mod list;
mod possible;
mod read;
mod schema;
mod series;
mod write;

pub use directory::{default_name, id_of, is_record_name};
pub use error::{Error, Result};
pub use list::{Entry, Summary, list};
pub use read::{RECORD_BYTES_MAX, read, read_in_detail, read_with, read_without_series};
pub use schema::{Form, schema, schema_text};
pub use write::Writer;
