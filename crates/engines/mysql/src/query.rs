//! Queries about the server itself, with results as text.

use engine::{Kind, Result, Session, Value};

/// Whether the variable `name` of the server is on.
pub(crate) fn is_on(session: &mut dyn Session, name: &str) -> Result<bool> {
    let value = rows(session, &format!("select cast(@@{name} as char)"))?;
    Ok(value == [["1"]] || value == [["ON"]])
}

/// `sql`, if this user may run it and the server supports it.
pub(crate) fn if_permitted(session: &mut dyn Session, sql: String) -> Result<Option<String>> {
    match rows(session, &sql) {
        Ok(_) => Ok(Some(sql)),
        // Not permitted, or not available in this version.
        Err(error) if matches!(error.kind, Kind::Access | Kind::Statement) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The rows of `sql`, as text.
pub(crate) fn rows(session: &mut dyn Session, sql: &str) -> Result<Vec<Vec<String>>> {
    let statement = session.prepare(sql)?;
    let text = |value: Value<'static>| match value {
        Value::Text(text) => text.into_owned(),
        Value::Int(number) => number.to_string(),
        Value::Decimal(number) => number.into_owned(),
        Value::Float(number) => number.to_string(),
        Value::Null => String::new(),
    };
    let rows = session.query(statement, &[])?;
    Ok(rows.into_iter().map(|row| row.into_iter().map(text).collect()).collect())
}
