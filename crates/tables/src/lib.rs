//! The figures of a record as columns, each defined once: what it is called, what it is counted in, where it comes from.
//!
//! A crate of its own because there are two consumers: `report` chooses columns by their keys and renders them for people,
//! `export` writes all of them into files. It derives nothing that `model` could derive, renders nothing and does no I/O.
//! A figure that has no source is absent, and so are the results of an invalid run; that is decided here, so that no view can
//! forget it. A figure is added as one line of the list of its row.

pub mod activity;
pub mod blocks;
mod column;
pub mod comparison;
pub mod detail;
pub mod file_stream;
pub mod io_stream;
pub mod layer;
pub mod load;
pub mod node;
pub mod platform;
pub mod provision;
pub mod reference;
pub mod run;
pub mod scan;
mod table;
mod value;

pub use column::{Column, Kind, Part, Row, RowOfRun, Type};
pub use table::{OF_RECORDS, OF_SYSTEMS, Table};
pub use value::Value;
