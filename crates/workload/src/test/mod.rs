//! Tests, as read from their files.

mod ability;
mod amount;
mod column;
mod error;
mod expectation;
mod parameter;
mod rule;
mod shape;

pub use error::TestError;
pub use shape::{Test, commits_counted};

pub(crate) use amount::{Amount, Scope};
pub(crate) use expectation::{Expectation, Item, Literal};
pub(crate) use shape::{BindRule, OnceEntry, OwnTable, StatementEntry};

#[cfg(test)]
mod tests;
