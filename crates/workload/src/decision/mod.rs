//! Decision queries: tables, parameters, orders and known answers of the 22 queries, derived from TPC-H (revision 3.0.1).
//! Results are not comparable to published TPC results.
//!
//! The rows are those of the crate `tpchgen`, which makes what the generator of the TPC makes. Money is an exact decimal where the
//! engine has one, and a double where it has none. Refresh functions are left out: the crate has no data for them.

mod answer;
mod order;
mod parameter;
mod rows;
mod table;

pub(crate) use answer::KnownAnswers;
pub(crate) use order::stream;
pub(crate) use parameter::{Choose, PARAMETERS, substitute};

use std::sync::OnceLock;

use engine::Result;
use record::{Bytes, DataSet};
use tpchgen::text::TextPool;

use self::rows::DecisionRows;
use crate::data::Sizes;
use crate::data_set::{Loading, TableRows, ensure_tables, missing_bytes_of};
use crate::test::Test;
use crate::test_context::TestContext;

/// The parameter of a test that is its scale factor, in hundredths.
pub(crate) const SCALE: &str = "scale_percent";

/// The scale of `test`, in hundredths of that which has 6,001,215 lines.
pub(crate) fn scale_percent(test: &Test, sizes: &Sizes) -> u32 {
    u32::try_from(test.scope(sizes).parameter(SCALE)).unwrap_or(1).max(1)
}

/// Whether the answers of the steps of `test` on tables of `sizes` are known.
pub fn knows_answers(test: &Test, sizes: &Sizes) -> bool {
    match test.is_of_queries() {
        true => KnownAnswers::at(scale_percent(test, sizes)).is_some(),
        false => !test.is_scripted(),
    }
}

/// Makes sure that the tables are there at a scale of `scale_percent` hundredths: those of an earlier invocation are reused, others loaded.
///
/// # Errors
/// Errors of the engine; `Cancelled` where the stop flag was set.
pub(crate) fn load(context: &TestContext<'_>, scale_percent: u32, loading: &Loading<'_>) -> Result<Vec<DataSet>> {
    with_tables(scale_percent, |tables| ensure_tables(context, tables, loading))
}

/// Bytes of the rows that [`load`] would load.
///
/// # Errors
/// Errors of the engine.
pub(crate) fn missing_bytes(context: &TestContext<'_>, scale_percent: u32) -> Result<Bytes> {
    with_tables(scale_percent, |tables| missing_bytes_of(context, tables))
}

fn with_tables<T>(scale_percent: u32, with: impl FnOnce(&[&dyn TableRows]) -> T) -> T {
    // It is freed after the load: what is measured has the memory.
    let pool: OnceLock<TextPool> = OnceLock::new();
    let tables = table::NAMES.map(|name| DecisionRows::new(name, scale_percent, &pool));
    with(&tables.each_ref().map(|table| table as &dyn TableRows))
}
