//! The library's C interface: all of this crate that is not safe Rust. What is behind the types here cannot be used
//! after its end, nor by two threads at once.

mod appender;
mod connection;
mod function;
mod library;
mod outcome;
mod statement;

pub(crate) use appender::Appender;
pub(crate) use connection::{Connection, Database, Interrupt};
pub(crate) use library::{Library, Source};
pub(crate) use outcome::Form;
pub(crate) use statement::Prepared;
