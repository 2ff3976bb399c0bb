//! Flat files, the input of bulk loads: lines of fields. Layout, generator of card transactions, readers and writers of
//! compressed files, and a strict parser.
//!
//! A crate of its own because of the weight of compression and Parquet, and because it has two consumers: the command
//! that writes such files, and the load that reads them. It depends on no database and prints nothing.

mod beginning;
mod cards;
mod compression;
mod counted;
mod date;
mod decoder;
mod files;
mod gzip_members;
mod layout;
mod line_reader;
mod number;
mod parsed;
mod quoted;
mod reject;

pub use beginning::{BeginningError, HeaderMismatch};
pub use cards::{Card, Cards, Style};
pub use compression::{Compression, Packing, PackingError};
pub use date::{date_text, days_of_date};
pub use files::{
    Destination, Files, FilesError, FilesFormat, FilesProgress, FilesWritten, Preview, is_in_place, write_files,
};
pub use layout::{Field, FieldKind, Header, LINE_BYTES_MAX, Layout, LayoutError, Quote};
pub use line_reader::{LineReader, Lines};
pub use parsed::{FieldValue, Parsed, Sums};
pub use reject::{Reason, Reject, Wrong};
