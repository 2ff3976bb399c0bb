//! The figures of a record as columns, each defined once: name, unit, source.
//!
//! A separate crate because it has two consumers: `report` selects columns by key and renders them, `export` writes all
//! of them to files. It derives nothing that `model` could derive, renders nothing and does no I/O. A figure without a
//! source is absent, and so are the results of an invalid run; this is decided here, for all views. A figure is added
//! as one line in the list of its row.

pub mod activity;
pub mod agent;
pub mod agent_host;
pub mod archive;
pub mod blocks;
mod column;
mod comma_separated;
pub mod comparison;
pub mod crash;
pub mod detail;
pub mod file_stream;
pub mod gauge;
pub mod in_kind;
pub mod io_stream;
pub mod layer;
pub mod load;
pub mod load_beside;
pub mod node;
pub mod platform;
pub mod provision;
pub mod reference;
pub mod run;
pub mod scan;
mod table;
pub mod transaction_type;
mod value;

pub use column::{Column, Kind, Part, Row, RowOfRun, Type};
pub use comma_separated::field_text;
pub use table::{OF_RECORDS, OF_SYSTEMS, Table};
pub use value::Value;
