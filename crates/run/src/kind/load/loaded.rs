//! What is asked of a table when it is loaded: its indexes, its size, and the first query.

use engine::{Session, Value};
use measure::clock;
use record::{Bytes, LoadCheck, Nanos};
use workload::Stage;
use workload::load::{Figures, LoadTable, compare};

use crate::Result;

/// Makes the indexes of `table`; how long that took.
///
/// # Errors
/// What the engine says.
pub(super) fn make_indexes(stage: &Stage<'_>, session: &mut dyn Session, table: &LoadTable) -> Result<Nanos> {
    let statements = table.make_indexes(stage.engine.dialect());
    let begun = clock::now();
    statements.iter().try_for_each(|statement| session.batch(statement))?;
    Ok(clock::now() - begun)
}

/// Asks for the figures of the table; how long the answer took.
///
/// # Errors
/// What the engine says.
pub(super) fn first_query(
    stage: &Stage<'_>,
    session: &mut dyn Session,
    table: &LoadTable,
    expected: &Figures,
) -> Result<(Nanos, Vec<LoadCheck>)> {
    let begun = clock::now();
    let checked = compare(stage.engine.dialect(), session, table, expected)?;
    Ok((clock::now() - begun, checked))
}

/// Brings the table into a settled state, and tells the size of it and of its indexes, as far as the engine does: who
/// may load a table is not always allowed to ask for its size.
///
/// # Errors
/// What the engine says of the statements that settle the table.
pub(super) fn sizes(
    stage: &Stage<'_>,
    session: &mut dyn Session,
    table: &LoadTable,
) -> Result<(Option<Bytes>, Option<Bytes>)> {
    let dialect = stage.engine.dialect();
    table.settle(dialect).iter().try_for_each(|statement| session.batch(statement))?;
    let Some(query) = (dialect.table_bytes)(table.name()) else { return Ok((None, None)) };
    Ok(told(session, &query).unwrap_or_default())
}

/// The first two columns of the first row that `query` gives, as sizes; nothing where the engine refuses it.
fn told(session: &mut dyn Session, query: &str) -> Option<(Option<Bytes>, Option<Bytes>)> {
    let query = session.prepare(query).ok()?;
    let rows = session.query(query, &[]).ok()?;
    let row = rows.first()?;
    let size = |place: usize| row.get(place).and_then(bytes);
    Some((size(0), size(1)))
}

/// A number of bytes, in whatever an engine keeps numbers.
fn bytes(value: &Value<'_>) -> Option<Bytes> {
    match value {
        Value::Int(number) => u64::try_from(*number).ok().map(Bytes),
        Value::Float(number) if *number >= 0.0 => Some(Bytes(*number as u64)),
        Value::Decimal(text) => text.parse().ok().map(Bytes),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_number_of_any_kind() {
        for value in [Value::Int(8192), Value::Float(8192.0), Value::Decimal("8192".into())] {
            assert_eq!(bytes(&value), Some(Bytes(8192)));
        }
        for value in [Value::Null, Value::Int(-1), Value::Text("8192".into())] {
            assert_eq!(bytes(&value), None);
        }
    }
}
