//! Columns of the tables of a test: `pad text(120)`.

use engine::{Column, ColumnType};
use serde::Deserialize;

/// A column of a test file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct ColumnText(pub Column);

impl TryFrom<String> for ColumnText {
    type Error = String;

    fn try_from(text: String) -> Result<ColumnText, String> {
        let form = || {
            format!(
                "column `{text}` is not a name and one of int, float, json, timestamp, decimal(P,S), text(N), with null behind it"
            )
        };
        let (name, kind) = text.trim().split_once(' ').ok_or_else(form)?;
        if !is_identifier(name) {
            return Err(form());
        }
        let (kind, nullable) = match kind.trim().strip_suffix(" null") {
            Some(kind) => (kind, true),
            None => (kind, false),
        };
        let kind = parse_kind(kind.trim()).ok_or_else(form)?;
        Ok(ColumnText(Column { nullable, ..Column::new(name, kind) }))
    }
}

/// The names of columns of a key or an index: one, or several in order.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub(crate) enum ColumnNames {
    One(String),
    Several(Vec<String>),
}

impl ColumnNames {
    pub(crate) fn all(&self) -> &[String] {
        match self {
            ColumnNames::One(name) => std::slice::from_ref(name),
            ColumnNames::Several(names) => names,
        }
    }
}

fn parse_kind(text: &str) -> Option<ColumnType> {
    match text {
        "int" => return Some(ColumnType::Int),
        "float" => return Some(ColumnType::Float),
        "timestamp" => return Some(ColumnType::Timestamp),
        "json" => return Some(ColumnType::Json),
        _ => {}
    }
    let (name, rest) = text.split_once('(')?;
    let inner = rest.strip_suffix(')')?;
    match name.trim() {
        "text" => inner.trim().parse().ok().filter(|size| *size > 0).map(|size| ColumnType::Text { size }),
        "decimal" => {
            let (precision, scale) = inner.split_once(',')?;
            let (precision, scale): (u8, u8) = (precision.trim().parse().ok()?, scale.trim().parse().ok()?);
            (1..=18).contains(&precision).then_some(())?;
            (scale <= precision).then_some(ColumnType::Decimal { precision, scale })
        }
        _ => None,
    }
}

/// Whether every engine accepts `text` as an unquoted identifier.
pub(crate) fn is_identifier(text: &str) -> bool {
    text.len() <= 48
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.chars().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_parsed_and_others_are_refused() {
        let column = |text: &str| ColumnText::try_from(text.to_owned()).map(|column| column.0.kind);
        assert_eq!(column("id int"), Ok(ColumnType::Int));
        assert_eq!(column("doc json"), Ok(ColumnType::Json));
        assert_eq!(column("done timestamp null"), Ok(ColumnType::Timestamp));
        let nullable = |text: &str| ColumnText::try_from(text.to_owned()).map(|column| column.0.nullable);
        assert_eq!((nullable("done timestamp null"), nullable("pad text(9)")), (Ok(true), Ok(false)));
        assert_eq!(column("price float"), Ok(ColumnType::Float));
        assert_eq!(column("pad text(120)"), Ok(ColumnType::Text { size: 120 }));
        assert_eq!(column("amount decimal(12, 2)"), Ok(ColumnType::Decimal { precision: 12, scale: 2 }));
        for wrong in [
            "id",
            "int",
            "Id int",
            "id integer",
            "a text",
            "a text(0)",
            "a text(-1)",
            "a decimal(19,2)",
            "a decimal(2,3)",
            "a decimal(2)",
            "1a int",
            "a;drop int",
            "",
            "a text(1",
        ] {
            let error = column(wrong).expect_err(wrong);
            assert!(error.contains(wrong) && error.contains("text(N)"), "{error}");
        }
    }
}
