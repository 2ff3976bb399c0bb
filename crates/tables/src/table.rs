//! All tables, as exported.

use std::ops::ControlFlow;

use model::System;
use record::Record;

use crate::column::{Column, Kind, Row};
use crate::value::Value;
use crate::{
    activity, agent, agent_host, blocks, crash, detail, file_stream, gauge, in_kind, io_stream, layer, load,
    load_beside, node, platform, provision, reference, run, scan, transaction_type,
};

/// Receives the rows of a table, and may stop.
type Taker<'a> = &'a mut dyn FnMut(&[Value<'_>]) -> ControlFlow<()>;

/// One table of an `S`, with all its columns.
pub struct Table<S: 'static = Record> {
    /// Its name and file name.
    pub name: &'static str,
    /// Key and kind of its columns.
    pub heads: fn() -> Vec<(&'static str, Kind)>,
    /// Passes each of its rows in an `S` to the receiver: one value per column.
    pub rows: fn(&S, Taker<'_>) -> ControlFlow<()>,
}

fn heads<R: Row>(columns: &[Column<R>]) -> Vec<(&'static str, Kind)> {
    columns.iter().map(|column| (column.key, column.kind)).collect()
}

fn each<R: Row>(columns: &[Column<R>], rows: impl Iterator<Item = R>, take: Taker<'_>) -> ControlFlow<()> {
    for row in rows {
        let values: Vec<Value<'_>> = columns.iter().map(|column| column.value(&row)).collect();
        take(&values)?;
    }
    ControlFlow::Continue(())
}

macro_rules! table {
    ($name:literal, $columns:expr, $rows:expr) => {
        Table { name: $name, heads: || heads(&$columns()), rows: |of, take| each(&$columns(), $rows(of), take) }
    };
}

/// All tables about records, joined by `record` and `run`.
pub const OF_RECORDS: &[Table] = &[
    table!("runs", runs, run::rows),
    table!("seconds", detail::second_columns, detail::seconds),
    table!("findings", detail::finding_columns, detail::findings),
    table!("settings", provision::setting_columns, provision::settings),
    table!("readings", detail::reading_columns, detail::readings),
    table!("streams", io_stream::columns, io_stream::rows),
    table!("file_streams", file_stream::columns, file_stream::rows),
    table!("blocks", blocks::columns, blocks::rows),
    table!("block_operations", blocks::kind_columns, blocks::kind_rows),
    table!("transaction_types", transaction_type::columns, transaction_type::rows),
    table!("statements", transaction_type::statement_columns, transaction_type::statement_rows),
    table!("gauges", gauge::columns, gauge::rows),
    table!("gauge_readings", gauge::reading_columns, gauge::reading_rows),
    table!("loads_beside", load_beside::columns, load_beside::rows),
    table!("in_kind", in_kind::columns, in_kind::rows),
    table!("crashes", crash::columns, crash::rows),
    table!("nodes", node::columns, node::rows),
    table!("agents", agent::columns, agent::rows),
    table!("agent_hosts", agent_host::columns, agent_host::rows),
    table!("events", detail::event_columns, detail::events),
    table!("traces", detail::trace_columns, detail::traces),
    table!("activity", activity::columns, activity::rows),
    Table {
        name: "layers",
        heads: || heads(&layer::columns()),
        rows: |record, take| each(&layer::columns(), layer::rows(record, &layer::tables(record)), take),
    },
    table!("loads", load::columns, load::rows),
    table!("load_stages", load::stage_columns, load::stage_rows),
    table!("scans", scan::columns, scan::rows),
    table!("parameters", detail::parameter_columns, detail::parameters),
    table!("data_sets", provision::data_set_columns, provision::data_sets),
];

/// All tables about published systems, joined by `reference`.
pub const OF_SYSTEMS: &[Table<System>] = &[
    table!("reference_points", reference::point_columns, reference::points),
    table!("reference_facts", reference::fact_columns, reference::facts),
    table!("reference_figures", reference::figure_columns, reference::figures),
    table!("reference_claims", reference::claim_columns, reference::claims),
    table!("reference_prices", reference::price_columns, reference::prices),
    table!("reference_remarks", reference::remark_columns, reference::remarks),
];

/// The columns of a run, then those of its platform.
fn runs<'a>() -> Vec<Column<run::RunRow<'a>>> {
    let mut columns = run::columns();
    columns.extend(platform::columns());
    columns
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_not_given_twice() {
        let of_records = OF_RECORDS.iter().map(|table| (table.name, (table.heads)()));
        let of_systems = OF_SYSTEMS.iter().map(|table| (table.name, (table.heads)()));
        let all: Vec<(&str, Vec<(&str, Kind)>)> = of_records.chain(of_systems).collect();
        let names: BTreeSet<&str> = all.iter().map(|(table, _)| *table).collect();
        assert_eq!(names.len(), all.len());
        for (table, heads) in all {
            let keys: BTreeSet<&str> = heads.iter().map(|(key, _)| *key).collect();
            assert_eq!(keys.len(), heads.len(), "{table}");
        }
    }

    #[test]
    fn the_unit_of_a_figure_is_in_its_key() {
        let units = |kind: Kind| match kind {
            Kind::Bytes | Kind::Memory => &["bytes"][..],
            Kind::Nanoseconds | Kind::DerivedNanoseconds => &["ns"],
            Kind::PerSecond | Kind::IoPerSecond | Kind::Iops | Kind::BytesPerSecond => &["per_second"],
            Kind::Ratio => &["ratio", "share"],
            Kind::Text | Kind::Flag | Kind::Count | Kind::Amount | Kind::Number => &[""],
        };
        for table in OF_RECORDS {
            for (key, kind) in (table.heads)() {
                assert!(units(kind).iter().any(|unit| key.contains(unit)), "{} {key}", table.name);
            }
        }
    }
}
