//! Answers: what is expected, and the comparison.

mod answer;
mod compare;

pub(crate) use answer::Expected;
pub(crate) use compare::first_difference;
