//! The library's C API: all unsafe code of this crate. The types here cannot be used after they are closed, nor by two
//! threads at the same time.

mod appender;
mod connection;
mod function;
mod library;
mod outcome;
mod statement;

pub(crate) use appender::Appender;
pub(crate) use connection::{Connection, Database, Interrupt};
pub(crate) use library::{Library, Source};
pub(crate) use outcome::ColumnKind;
pub(crate) use statement::Prepared;
