//! A test: what its file says.

mod ability;
mod amount;
mod bind;
mod column;
mod error;
mod expectation;
mod parameter;
mod rule;
mod shape;

pub use error::TestError;
pub use shape::{Test, commits_counted};

pub(crate) use amount::{Amount, Scope};
pub(crate) use bind::BindRule;
pub(crate) use expectation::{Expectation, Item, Literal};
pub(crate) use shape::{OwnTable, StatementEntry, Step};

#[cfg(test)]
mod tests;
