//! The statements of an operation, portable or of the engine.

use engine::{Engine, Error, Kind, Result, Session, Statement};

use super::layout::{KEY, Layout, TEXTS, TableOf};
use super::settings::BlocksSettings;
use super::value::RedoStress;
use crate::sql::{self, Bound};
use crate::test_context::TestContext;

/// The code of runs in a record, and of statements in the folder of an engine.
pub const CODE: &str = "B100";

/// Placeholder of the name of the table.
const TABLE: &str = "{table}";

/// Placeholder of the name of its key index.
const INDEX: &str = "{index}";

/// A bind of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bind {
    /// The first key.
    Low,
    /// The last key.
    High,
    /// A text.
    Text,
}

/// A prepared statement, and its binds in order.
pub(crate) struct Prepared {
    pub statement: Statement,
    pub binds: Vec<Bind>,
}

/// The text columns that an update changes.
pub(crate) fn changed(redo_stress: RedoStress) -> Vec<u32> {
    match redo_stress {
        RedoStress::Lite => vec![2, 1 + TEXTS],
        RedoStress::Heavy => (2..2 + TEXTS).collect(),
    }
}

/// The text of statement `name` for `table`: that of the engine, or the portable one. An engine that would not use the
/// key index has a text of its own.
fn text(engine: &dyn Engine, name: &str, table: &str, redo_stress: RedoStress) -> String {
    let range = format!("{KEY} between :low and :high");
    // The length of a text is only known from the block of its row, even if the optimizer knows that a column is never
    // null.
    let portable = match name {
        "read" => format!("select count(*), sum(length(c2)) from {TABLE} where {range}"),
        "scan" => format!("select count(*), sum(length(c2)) from {TABLE}"),
        _ => {
            let set: Vec<String> =
                changed(redo_stress).iter().map(|column| format!("c{column} = :c{column}")).collect();
            format!("update {TABLE} set {} where {range}", set.join(", "))
        }
    };
    let text = sql::text(engine, CODE, name, None).unwrap_or(&portable);
    text.replace(TABLE, table).replace(INDEX, &Layout::index_name(table))
}

/// The name of the update.
fn update_name(redo_stress: RedoStress) -> &'static str {
    match redo_stress {
        RedoStress::Lite => "update_lite",
        RedoStress::Heavy => "update_heavy",
    }
}

/// Prepares statement `name` for `table`.
fn prepare(
    engine: &dyn Engine,
    session: &mut dyn Session,
    name: &str,
    table: &str,
    redo_stress: RedoStress,
) -> Result<Prepared> {
    let Bound { sql, names } = sql::bound(&text(engine, name, table, redo_stress), engine.dialect());
    let bind = |name: &String| match name.as_str() {
        "low" => Ok(Bind::Low),
        "high" => Ok(Bind::High),
        other if other.starts_with('c') => Ok(Bind::Text),
        other => {
            Err(Error::new(Kind::Statement, format!("statement {name} of {CODE} uses :{other}, which is not a bind")))
        }
    };
    let binds = names.iter().map(bind).collect::<Result<Vec<Bind>>>()?;
    let statement = session.prepare(&sql).map_err(|error| {
        let message = format!("statement {name} of {CODE}: {}", error.message);
        Error { message, ..error }
    })?;
    Ok(Prepared { statement, binds })
}

/// The statements on the tables of one schema.
pub(crate) struct Statements {
    pub read: Prepared,
    pub update: Prepared,
    pub scan: Option<Prepared>,
}

impl Statements {
    pub(crate) fn new(
        context: &TestContext<'_>,
        session: &mut dyn Session,
        settings: &BlocksSettings,
        schema: u32,
    ) -> Result<Statements> {
        let (table, scan) = (Layout::name(TableOf::Blocks, schema), Layout::name(TableOf::Scan, schema));
        let stress = settings.redo_stress;
        let mut one = |name: &str, table: &str| prepare(context.engine, session, name, table, stress);
        Ok(Statements {
            read: one("read", &table)?,
            update: one(update_name(stress), &table)?,
            scan: settings.scans().then(|| one("scan", &scan)).transpose()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_update_changes_two_columns_or_all() {
        let of = |name: &str, stress| text(&engine::null::NULL, name, "blocks3", stress);
        assert_eq!(
            of("update_lite", RedoStress::Lite),
            "update blocks3 set c2 = :c2, c20 = :c20 where block_key between :low and :high"
        );
        let heavy = of("update_heavy", RedoStress::Heavy);
        assert_eq!(heavy.matches(" = :c").count(), 19);
        assert_eq!(
            of("read", RedoStress::Lite),
            "select count(*), sum(length(c2)) from blocks3 where block_key between :low and :high"
        );
        assert!(!of("scan", RedoStress::Lite).contains("where"));
    }
}
