//! The expected answer of a statement, as in test files.

use std::fmt;

use serde::de::{MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer};

use crate::data::{DataColumn, DataTable};
use crate::test::amount::Amount;
use crate::test::derived::{Content, TextOf};

/// The expected answer. Exactly one of `rows`, `changed`, `values` and `table`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Expectation {
    /// Number of returned rows.
    pub rows: Option<Amount>,
    /// Number of changed rows.
    pub changed: Option<Amount>,
    /// One row with these values.
    pub values: Option<Vec<Literal>>,
    /// The answer of the generator for the rows of this table ...
    pub table: Option<DataTable>,
    /// ... whose key (`id` or `scatter`) is that of the bind with the same name; all rows where absent ...
    pub by: Option<String>,
    /// ... in these columns ...
    pub columns: Vec<Item>,
    /// ... or, where some columns are aggregates, one row for each combination of these.
    pub group: Vec<String>,
}

/// A column that is returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) enum Item {
    /// A column.
    Column(DataColumn),
    /// Number of rows.
    Count,
    /// Exact sum.
    Sum(DataColumn),
    /// Smallest.
    Min(DataColumn),
    /// Largest.
    Max(DataColumn),
}

impl Item {
    pub(crate) fn is_aggregate(self) -> bool {
        !matches!(self, Item::Column(_))
    }
}

impl TryFrom<String> for Item {
    type Error = String;

    fn try_from(text: String) -> Result<Item, String> {
        let known = || DataColumn::ALL.map(DataColumn::name).join(", ");
        let column =
            |name: &str| DataColumn::named(name).ok_or_else(|| format!("column `{name}` is not one of {}", known()));
        let number = |name: &str, allowed: &[DataColumn]| {
            let names: Vec<&str> = allowed.iter().map(|column| column.name()).collect();
            let found = column(name)?;
            match allowed.contains(&found) {
                true => Ok(found),
                false => Err(format!("`{text}` cannot be computed exactly, only that of {}", names.join(", "))),
            }
        };
        let summed = [DataColumn::Value, DataColumn::Category, DataColumn::Amount];
        let compared = [DataColumn::Value, DataColumn::Category, DataColumn::Amount, DataColumn::Price];
        match text.split_once(' ') {
            None if text == "count" => Ok(Item::Count),
            None => column(&text).map(Item::Column),
            Some(("sum", name)) => number(name, &summed).map(Item::Sum),
            Some(("min", name)) => number(name, &compared).map(Item::Min),
            Some(("max", name)) => number(name, &compared).map(Item::Max),
            Some(_) => Err(format!("`{text}` is not a column, count, sum COLUMN, min COLUMN or max COLUMN")),
        }
    }
}

/// An expected value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    /// An integer.
    Int(i64),
    /// A double, to the last bit.
    Float(f64),
    /// Text, or an exact decimal in its shortest form.
    Text(String),
    /// The value of a parameter.
    Parameter(String),
    /// What follows from the value of a bind.
    Derived {
        /// The bind.
        key: String,
        /// What follows.
        content: Content,
    },
}

impl<'de> Deserialize<'de> for Literal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Literal, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "snake_case")]
        enum Reference {
            Param(String),
            Document(String),
            City(String),
            TextOf(TextOf),
        }
        struct Form;
        impl<'de> Visitor<'de> for Form {
            type Value = Literal;
            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an integer, a float, a text, or one of { param = \"name\" }, { document = \"key\" }, { city = \"key\" } and \
                     { text_of = { key = \"key\", bytes = N } }")
            }
            fn visit_i64<E>(self, number: i64) -> Result<Literal, E> {
                Ok(Literal::Int(number))
            }
            fn visit_f64<E>(self, number: f64) -> Result<Literal, E> {
                Ok(Literal::Float(number))
            }
            fn visit_str<E>(self, text: &str) -> Result<Literal, E> {
                Ok(Literal::Text(text.to_owned()))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Literal, A::Error> {
                let derived = |key, content| Literal::Derived { key, content };
                Ok(match Reference::deserialize(MapAccessDeserializer::new(map))? {
                    Reference::Param(name) => Literal::Parameter(name),
                    Reference::Document(key) => derived(key, Content::Document),
                    Reference::City(key) => derived(key, Content::City),
                    Reference::TextOf(TextOf { key, bytes }) => derived(key, Content::Text { bytes }),
                })
            }
        }
        deserializer.deserialize_any(Form)
    }
}
