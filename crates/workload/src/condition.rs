//! What holds before and after each run of a test.

use engine::{Error, Kind, Result, Value};

use crate::sql;
use crate::test::Test;
use crate::test_context::{TestContext, named};

/// The name of the first condition of `test` that does not hold, with the row that contradicts it.
///
/// # Errors
/// Errors of the engine, with the name of the condition.
pub fn broken_condition(test: &Test, context: &TestContext<'_>) -> Result<Option<String>> {
    if test.condition.is_empty() {
        return Ok(None);
    }
    let mut session = context.node.connect()?;
    for condition in &test.condition {
        let text = sql::text(context.engine, &test.code, &condition.name, Some(&condition.sql));
        let text = text.ok_or_else(|| Error::new(Kind::Usage, "a condition without a query"))?;
        let rows = session
            .prepare(text)
            .and_then(|statement| session.query(statement, &[]))
            .map_err(|error| named(error, test, &condition.name))?;
        if let Some(row) = rows.first() {
            let values: Vec<String> = row.iter().map(Value::to_string).collect();
            return Ok(Some(format!("condition {} does not hold: {}", condition.name, values.join(", "))));
        }
    }
    Ok(None)
}
