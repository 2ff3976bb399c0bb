//! A number in a test file, literal or named.

use std::collections::BTreeMap;
use std::fmt;

use record::Preset;
use serde::de::Visitor;
use serde::{Deserialize, Deserializer};

use crate::data::{DataTable, Sizes};
use crate::test::parameter::Parameter;

/// The parameter that the user may set, whatever the preset says.
pub(crate) const WAREHOUSES: &str = "warehouses";

/// An integer, `small.rows`, `large.rows`, `small.groups`, `large.groups`, or the name of a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Amount {
    /// A literal.
    Literal(i64),
    /// Rows of a table.
    Rows(DataTable),
    /// Number of secondary keys of a table.
    Groups(DataTable),
    /// A parameter, or a word with a meaning for its key.
    Named(String),
}

impl Amount {
    fn parse(text: &str) -> Amount {
        match text {
            "small.rows" => Amount::Rows(DataTable::Small),
            "large.rows" => Amount::Rows(DataTable::Large),
            "small.groups" => Amount::Groups(DataTable::Small),
            "large.groups" => Amount::Groups(DataTable::Large),
            name => Amount::Named(name.to_owned()),
        }
    }

    /// The table that it depends on.
    pub(crate) fn table(&self) -> Option<DataTable> {
        match self {
            Amount::Rows(table) | Amount::Groups(table) => Some(*table),
            _ => None,
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Amount::Literal(number) => write!(formatter, "{number}"),
            Amount::Rows(table) => write!(formatter, "{}.rows", table.name()),
            Amount::Groups(table) => write!(formatter, "{}.groups", table.name()),
            Amount::Named(name) => formatter.write_str(name),
        }
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Amount, D::Error> {
        struct Form;
        impl Visitor<'_> for Form {
            type Value = Amount;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an integer, small.rows, large.rows, small.groups, large.groups or a parameter")
            }
            fn visit_i64<E>(self, number: i64) -> Result<Amount, E> {
                Ok(Amount::Literal(number))
            }
            fn visit_str<E>(self, text: &str) -> Result<Amount, E> {
                Ok(Amount::parse(text))
            }
        }
        deserializer.deserialize_any(Form)
    }
}

/// The values of the names of a test in one measurement.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub parameters: &'a BTreeMap<String, Parameter>,
    pub sizes: &'a Sizes,
}

impl Scope<'_> {
    /// The parameter `name`, which the rules of test files guarantee.
    pub(crate) fn parameter(&self, name: &str) -> i64 {
        match self.sizes.warehouses.filter(|_| name == WAREHOUSES) {
            Some(warehouses) => warehouses as i64,
            None => self.parameters.get(name).map_or(0, |parameter| parameter.at(self.preset())),
        }
    }

    pub(crate) fn amount(&self, amount: &Amount) -> i64 {
        match amount {
            Amount::Literal(number) => *number,
            Amount::Rows(table) => table.rows(self.sizes) as i64,
            Amount::Groups(table) => (table.rows(self.sizes) / crate::data::GROUP_ROWS) as i64,
            Amount::Named(name) => self.parameter(name),
        }
    }

    fn preset(&self) -> Preset {
        self.sizes.preset
    }
}
