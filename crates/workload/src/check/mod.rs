//! Answers: what is expected, and the comparison.

mod answer;
mod compare;

pub(crate) use answer::{Expected, ExpectedValue};
pub(crate) use compare::first_difference;
