//! Mixes: transactions in the language of pgbench's scripts, one of which is a step, and conditions that hold around a run.

use serde::Deserialize;

use crate::test::amount::WAREHOUSES;

/// A transaction of a mix.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MixEntry {
    /// Its name.
    pub name: String,
    /// Its share of the steps is this over the sum of all weights.
    #[serde(default = "one")]
    pub weight: u32,
    /// The role that runs it; absent where the jobs that are left do.
    pub role: Option<String>,
    /// What its committed transactions are called as a figure per minute.
    pub per_minute: Option<String>,
    /// Its commands: parameters of the test are variables, as are `small_rows`, `large_rows`, `small_groups` and `large_groups`.
    pub script: String,
}

/// How the transactions of a mix are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Choice {
    /// Each by its weight, whatever came before.
    #[default]
    Independent,
    /// From a shuffled deck of as many cards as the sum of the weights, which is shuffled again when it is used up: each job
    /// does each transaction exactly as often as its weight says (TPC-C, clause 5.2.4.2).
    Deck,
    /// All of them in an order that is that of a stream of TPC-H (appendix A), the one after the other: job i is stream i. A run ends
    /// between two passes.
    Streams,
}

/// Tables of a size that the parameters of a test say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Schema {
    /// Those of the order mix: `warehouses`, `customers` of a district, and `items`; with the conditions 1 to 10 and 12 of TPC-C.
    Orders,
    /// Those of the decision queries: `scale_percent`. They are part of the data: reused, and not removed before the end. The 22
    /// transactions are the queries, and have their parameters as variables, which are drawn before each of them.
    Decision,
}

/// The number of decision queries, and of the transactions of streams.
pub(crate) const QUERIES: usize = 22;

/// The parameters of [`Schema::Orders`].
pub(crate) const ORDERS_PARAMETERS: [&str; 3] = [WAREHOUSES, "customers", "items"];

impl Schema {
    /// The parameters that a test with it has.
    pub(crate) fn parameters(self) -> &'static [&'static str] {
        match self {
            Schema::Orders => &ORDERS_PARAMETERS,
            Schema::Decision => &["scale_percent"],
        }
    }

    /// The conditions that hold of them, whatever changes them.
    pub(crate) fn conditions(self) -> Vec<Condition> {
        let text = match self {
            Schema::Orders => include_str!("orders_conditions.toml"),
            Schema::Decision => return Vec::new(),
        };
        // It is part of the program: tests of the catalogue find a mistake in it.
        toml::from_str(text).map_or_else(|error| panic!("{error}"), |found: Conditions| found.condition)
    }
}

/// A query that returns no row as long as the tables are consistent.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Condition {
    /// Its name.
    pub name: String,
    /// The query, for what contradicts the condition.
    pub sql: String,
}

/// A file of conditions.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Conditions {
    condition: Vec<Condition>,
}

fn one() -> u32 {
    1
}
