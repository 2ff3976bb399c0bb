//! Tests, as read from their files.

mod ability;
mod amount;
mod column;
mod derived;
mod error;
mod expectation;
mod mix;
mod parameter;
mod rule;
mod scripts;
mod shape;

pub use error::TestError;
pub use shape::{Test, commits_counted};

pub(crate) use amount::{Amount, Scope};
pub(crate) use derived::Content;
pub(crate) use expectation::{Expectation, Item, Literal};
pub(crate) use mix::{Choice, ORDERS_PARAMETERS, QUERIES, Schema};
pub(crate) use shape::{BindRule, OnceEntry, OwnTable, StatementEntry};

#[cfg(test)]
mod tests;
