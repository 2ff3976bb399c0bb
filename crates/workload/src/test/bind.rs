//! How the values of binds are chosen, in the words of test files.

use serde::Deserialize;

use crate::test::amount::Amount;

/// How the value of a bind is chosen, anew for each execution of its statement.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum BindRule {
    /// An integer, each from the first to the second with equal probability.
    Uniform([Amount; 2]),
    /// A double, from the first to below the second with equal density.
    UniformFloat([f64; 2]),
    /// 1, 2, 3, ..., each number for one job alone.
    Sequence,
    /// Always this number.
    Constant(Amount),
    /// So many random letters.
    Text(u32),
}
