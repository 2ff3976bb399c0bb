//! A field of the checklist: its name, who fills it, and its value or the reason why there is none.

use std::borrow::Cow;

use crate::document::{Cell, Row, Tone};

/// Who fills a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// dbdyno; without it a figure cannot be verified or reproduced.
    Tool,
    /// Whoever publishes the result.
    Publisher,
    /// Optional: without it fewer claims are possible, but no performance figure depends on it.
    Optional,
}

/// Why a field has no value.
pub(super) type Reason = Cow<'static, str>;

/// One field of the checklist.
#[derive(Clone, Debug)]
pub(super) struct Field {
    /// The name.
    pub(super) name: &'static str,
    /// Who fills it.
    pub(super) by: By,
    /// The value, or why there is none.
    pub(super) value: Result<String, Reason>,
}

/// A field that dbdyno fills.
pub(super) fn tool(name: &'static str, value: Option<String>, missing: impl Into<Reason>) -> Field {
    let value = value.filter(|value| !value.trim().is_empty()).ok_or_else(|| missing.into());
    Field { name, by: By::Tool, value }
}

/// A field that dbdyno always fills.
pub(super) fn filled(name: &'static str, value: impl Into<String>) -> Field {
    Field { name, by: By::Tool, value: Ok(value.into()) }
}

/// A field that dbdyno fills, or that does not apply for the reason `unless`.
pub(super) fn applies(field: Field, unless: Option<&str>) -> Field {
    match (&field.value, unless) {
        (Err(_), Some(reason)) => filled(field.name, format!("does not apply: {reason}")),
        _ => field,
    }
}

/// A field that only the publisher can fill.
pub(super) fn publisher(name: &'static str) -> Field {
    Field { name, by: By::Publisher, value: Err("to be stated by the publisher of the result".into()) }
}

/// A field on which no performance figure depends.
pub(super) fn optional(name: &'static str, value: Option<String>, missing: impl Into<Reason>) -> Field {
    Field { by: By::Optional, ..tool(name, value, missing) }
}

impl Field {
    /// Whether dbdyno should have filled it and has not.
    pub(super) fn is_missing(&self) -> bool {
        self.by == By::Tool && self.value.is_err()
    }

    /// The line of the table.
    pub(super) fn row(&self) -> Row {
        match &self.value {
            Ok(value) => Row::new(vec![Cell::text(self.name), Cell::text(value.as_str())]),
            Err(reason) => Row::new(vec![Cell::text(self.name), Cell::text(format!("not available: {reason}"))])
                .in_tone(Tone::Aside),
        }
    }
}
