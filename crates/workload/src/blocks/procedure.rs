//! The loop inside the engine: a procedure carries out a batch of operations, each a transaction of its own. The client
//! draws the operations as for a loop of its own, and passes them as one text.

use std::borrow::Cow;
use std::fmt::Write;

use engine::{Engine, Result, Session, Statement, Value};
use measure::Done;

use super::deck::Kind;
use super::layout::{Layout, TableOf};
use super::settings::BlocksSettings;
use super::statement::{CODE, changed};
use crate::sql;
use crate::test_context::TestContext;

/// The most operations of a call.
const BATCH_MAX: u64 = 20;

/// The stream of calls, after those of the kinds of operations.
pub(crate) const STREAM: u32 = Kind::ALL.len() as u32;

/// Why the loop cannot run in an engine, as a clause; none if it can.
pub fn missing_procedure(engine: &dyn Engine) -> Option<String> {
    let known = sql::text(engine, CODE, "create", None).is_some();
    (!known).then(|| format!("{} has no procedures that commit", engine.title()))
}

/// Operations of each call: a number of calls has exactly `work_loop` operations, if that is not 0.
pub fn batch(settings: &BlocksSettings) -> u64 {
    match settings.work_loop {
        0 => BATCH_MAX,
        count => (1..=BATCH_MAX).rev().find(|batch| count.is_multiple_of(*batch)).unwrap_or(1),
    }
}

/// Creates the procedure of each schema.
pub(crate) fn create(context: &TestContext<'_>, settings: &BlocksSettings, layout: &Layout) -> Result<()> {
    let mut session = context.node.connect()?;
    for schema in 1..=settings.schemas {
        for name in ["drop", "create"] {
            if let Some(text) = sql::text(context.engine, CODE, name, None) {
                session.batch(&expanded(text, settings, layout, schema))?;
            }
        }
    }
    Ok(())
}

/// Expands `text` for one schema.
fn expanded(text: &str, settings: &BlocksSettings, layout: &Layout, schema: u32) -> String {
    let table = Layout::name(TableOf::Blocks, schema);
    let set: Vec<String> = changed(settings.redo_stress).iter().map(|column| format!("c{column} = changed")).collect();
    text.replace("{index}", &Layout::index_name(&table))
        .replace("{table}", &table)
        .replace("{scan}", &Layout::name(TableOf::Scan, schema))
        .replace("{set}", &set.join(", "))
        .replace("{unit}", &settings.work_unit.to_string())
        .replace("{size}", &layout.text_size().to_string())
}

/// The procedure that a session calls.
pub(crate) struct Calls {
    call: Statement,
    pub(crate) batch: u64,
    /// The operations of the next call: the first key of each, negative for an update, 0 for a scan; then the text of
    /// the updates.
    values: [Value<'static>; 2],
}

impl Calls {
    /// For the procedure of `schema`.
    pub(crate) fn new(
        context: &TestContext<'_>,
        session: &mut dyn Session,
        settings: &BlocksSettings,
        layout: &Layout,
        schema: u32,
    ) -> Result<Calls> {
        let text = sql::text(context.engine, CODE, "call", None).unwrap_or_default();
        let bound = sql::bound(&expanded(text, settings, layout, schema), context.engine.dialect());
        let text = || Value::Text(Cow::Owned(String::new()));
        Ok(Calls { call: session.prepare(&bound.sql)?, batch: batch(settings), values: [text(), text()] })
    }

    /// Calls the procedure for the operations that `draw` gives; returns the number of rows that they visited.
    pub(crate) fn call(
        &mut self,
        session: &mut dyn Session,
        stamp: String,
        mut draw: impl FnMut() -> (Kind, u64),
    ) -> Result<Done> {
        let mut plan = String::with_capacity(16 * self.batch as usize);
        for at in 0..self.batch {
            let comma = if at == 0 { "" } else { "," };
            let (kind, low) = draw();
            // Writing into a string does not fail.
            let _ = match kind {
                Kind::Read => write!(plan, "{comma}{low}"),
                Kind::Update => write!(plan, "{comma}-{low}"),
                Kind::Scan => write!(plan, "{comma}0"),
            };
        }
        self.values = [Value::Text(Cow::Owned(plan)), Value::Text(Cow::Owned(stamp))];
        let found = session.query(self.call, &self.values)?;
        let rows = match found.first().and_then(|row| row.first()) {
            Some(Value::Int(rows)) => u64::try_from(*rows).unwrap_or(0),
            Some(Value::Decimal(rows)) => rows.parse().unwrap_or(0),
            _ => 0,
        };
        Ok(Done { operations: self.batch, rows, transactions: self.batch, stream: STREAM, ..Done::default() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_add_up_to_the_work_loop() {
        for (work_loop, expected) in [("0", 20), ("100", 20), ("30", 15), ("23", 1), ("7", 7), ("1", 1)] {
            let mut settings = BlocksSettings::default();
            settings.set("WORK_LOOP", "WORK_LOOP", work_loop).expect("a count");
            assert_eq!(batch(&settings), expected, "{work_loop}");
        }
    }

    #[test]
    fn a_missing_procedure_is_reported() {
        let missing = missing_procedure(&engine::null::NULL).expect("it has none");
        assert_eq!(missing, "null engine has no procedures that commit");
    }
}
