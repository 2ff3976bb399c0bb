//! Work on a loaded table: its indexes, its size, and the first query.

use engine::{Session, Value};
use measure::clock;
use record::{Bytes, LoadCheck, Nanos};
use workload::TestContext;
use workload::load::{Figures, LoadTable, compare};

use crate::Result;

/// Creates the indexes of `table`; returns how long that took.
pub(super) fn make_indexes(context: &TestContext<'_>, session: &mut dyn Session, table: &LoadTable) -> Result<Nanos> {
    let statements = table.make_indexes(context.engine.dialect());
    let start = clock::now();
    statements.iter().try_for_each(|statement| session.batch(statement))?;
    Ok(clock::now() - start)
}

/// Queries the figures of the table; returns how long that took.
pub(super) fn first_query(
    context: &TestContext<'_>,
    session: &mut dyn Session,
    table: &LoadTable,
    expected: &Figures,
) -> Result<(Nanos, Vec<LoadCheck>)> {
    let start = clock::now();
    let checked = compare(context.engine.dialect(), session, table, expected)?;
    Ok((clock::now() - start, checked))
}

/// Runs the statements that finish a table, and returns the size of it and of its indexes, if the engine gives them:
/// loading a table does not imply the permission to query its size.
pub(super) fn sizes(
    context: &TestContext<'_>,
    session: &mut dyn Session,
    table: &LoadTable,
) -> Result<(Option<Bytes>, Option<Bytes>)> {
    let dialect = context.engine.dialect();
    table.settle(dialect).iter().try_for_each(|statement| session.batch(statement))?;
    let Some(query) = (dialect.table_bytes)(table.name()) else { return Ok((None, None)) };
    Ok(query_sizes(session, &query).unwrap_or_default())
}

/// The first two columns of the first row of `query`, as sizes; nothing if the engine refuses it.
fn query_sizes(session: &mut dyn Session, query: &str) -> Option<(Option<Bytes>, Option<Bytes>)> {
    let query = session.prepare(query).ok()?;
    let rows = session.query(query, &[]).ok()?;
    let row = rows.first()?;
    let size = |index: usize| row.get(index).and_then(bytes);
    Some((size(0), size(1)))
}

/// A number of bytes, in any numeric type.
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
