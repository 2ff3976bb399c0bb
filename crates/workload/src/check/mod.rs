//! Answers: what must come back, and whether it did.

mod answer;
mod compare;

pub(crate) use answer::Expected;
pub(crate) use compare::first_difference;
