//! The tables of the order mix: a wholesaler with warehouses, districts, customers, orders and stock, derived from the schema of
//! TPC-C (revision 5.11, clauses 1.3 and 4.3). Results are not comparable to published TPC results.
//!
//! Money is integers of cents, so that every sum is exact on every engine. What is null in TPC-C is 0, or the first day of 1970.

mod rows;
mod table;

use engine::{Error, Result, Session};
use record::Bytes;

use crate::data::Sizes;
use crate::test::{ORDERS_PARAMETERS, Schema, Test};
use crate::test_context::TestContext;

/// How many rows there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OrdersSize {
    /// Warehouses, each with ten districts.
    pub warehouses: u64,
    /// Customers of a district, each with one order: 3,000 in TPC-C.
    pub customers: u64,
    /// Items, of which each warehouse has a stock: 100,000 in TPC-C.
    pub items: u64,
}

/// Districts of a warehouse.
pub(crate) const DISTRICTS: u64 = 10;

/// The size of the tables of `test`.
fn size(test: &Test, sizes: &Sizes) -> OrdersSize {
    let scope = test.scope(sizes);
    let [warehouses, customers, items] = ORDERS_PARAMETERS.map(|name| scope.parameter(name) as u64);
    OrdersSize { warehouses, customers, items }
}

/// Size of the tables that the schema of `test` makes and that are removed after it, as their rows are sent, on tables of `sizes`;
/// none without such a schema.
pub fn schema_bytes(test: &Test, sizes: &Sizes) -> Option<Bytes> {
    if test.schema != Some(Schema::Orders) {
        return None;
    }
    let size = size(test, sizes);
    let bytes = rows::SOURCES.iter().map(|(name, _)| size.rows(name).saturating_mul(table::row_bytes(name)));
    Some(Bytes(bytes.fold(0, u64::saturating_add)))
}

/// Makes the tables of `test` anew, fills them, and adds their keys and indexes.
///
/// # Errors
/// Errors of the engine, with the name of the table.
pub(crate) fn load(test: &Test, context: &TestContext<'_>) -> Result<()> {
    let size = size(test, context.sizes);
    let mut session = context.node.connect()?;
    drop_tables(context, session.as_mut())?;
    let dialect = context.engine.dialect();
    for (name, rows) in rows::SOURCES {
        let table = table::table(name);
        let of_table = |error: Error| Error { message: format!("table {name}: {}", error.message), ..error };
        let run = |session: &mut dyn Session, statements: Vec<String>| {
            statements.iter().try_for_each(|statement| session.batch(statement)).map_err(of_table)
        };
        run(session.as_mut(), (dialect.create)(&table))?;
        let mut source = rows(size, context.sizes.seed, table.columns.clone());
        session.bulk(name, &mut source).map_err(of_table)?;
        run(session.as_mut(), (dialect.finish)(&table))?;
    }
    Ok(())
}

/// Removes the tables.
///
/// # Errors
/// Errors of the engine.
pub(crate) fn remove(context: &TestContext<'_>) -> Result<()> {
    let mut session = context.node.connect()?;
    drop_tables(context, session.as_mut())
}

fn drop_tables(context: &TestContext<'_>, session: &mut dyn Session) -> Result<()> {
    let drop = context.engine.dialect().drop;
    rows::SOURCES.iter().flat_map(|(name, _)| drop(name)).try_for_each(|statement| session.batch(&statement))
}
