//! Common to the runs of a record: engine settings and loaded data.

use record::{DataSet, EngineInventory, Nanos, Ratio, Record, Setting};

use crate::column::{Column, Kind, Row};

/// A part of a record.
pub struct Owned<'a, T> {
    /// Its record.
    pub record: &'a Record,
    /// The part.
    pub of: T,
}

impl<T> Row for Owned<'_, T> {}

/// The settings of the engine.
pub fn settings(record: &Record) -> impl Iterator<Item = Owned<'_, (&EngineInventory, &Setting)>> {
    let settings = record.engine.iter().flat_map(|engine| engine.settings.iter().map(move |setting| (engine, setting)));
    settings.map(move |of| Owned { record, of })
}

/// The columns of [`settings`].
pub fn setting_columns<'a>() -> Vec<Column<Owned<'a, (&'a EngineInventory, &'a Setting)>>> {
    type Figure<'a> = Column<Owned<'a, (&'a EngineInventory, &'a Setting)>>;
    vec![
        Figure::fact("record", Kind::Text, |of| (&of.record.id).into()),
        Figure::fact("engine", Kind::Text, |of| (&of.of.0.name).into()),
        Figure::fact("engine_version", Kind::Text, |of| (&of.of.0.version).into()),
        Figure::fact("name", Kind::Text, |of| (&of.of.1.name).into()),
        Figure::fact("value", Kind::Text, |of| (&of.of.1.value).into()),
        Figure::fact("default", Kind::Text, |of| of.of.1.default.as_ref().into()),
    ]
}

/// The tables that were loaded.
pub fn data_sets(record: &Record) -> impl Iterator<Item = Owned<'_, &DataSet>> {
    record.data_sets.iter().map(move |of| Owned { record, of })
}

/// The columns of [`data_sets`].
pub fn data_set_columns<'a>() -> Vec<Column<Owned<'a, &'a DataSet>>> {
    const LOAD: &str = "load";
    const CPU: &str = "CPU of the load, %";
    type Figure<'a> = Column<Owned<'a, &'a DataSet>>;
    vec![
        Figure::fact("record", Kind::Text, |of| (&of.record.id).into()),
        Figure::fact("table", Kind::Text, |of| (&of.of.table).into()),
        Figure::fact("rows", Kind::Count, |of| of.of.rows.into()),
        Figure::fact("size_bytes", Kind::Bytes, |of| of.of.size_bytes.into()).head("size"),
        Figure::fact("fingerprint", Kind::Text, |of| (&of.of.fingerprint).into()),
        Figure::fact("reused", Kind::Flag, |of| of.of.reused.into()),
        Figure::fact("jobs", Kind::Count, |of| of.of.jobs.into()).head("#J"),
        Figure::fact("load_ns", Kind::Nanoseconds, |of| of.of.load_ns.into()).under(LOAD, "time"),
        Figure::fact("rows_per_second", Kind::PerSecond, |of| rows_per_second(of.of).into()).under(LOAD, "row/s"),
        Figure::fact("finish_ns", Kind::Nanoseconds, |of| of.of.finish_ns.into()).head("indexes\netc."),
        Figure::fact("generator_cpu_ns", Kind::Nanoseconds, |of| of.of.generator_cpu_ns.into()),
        Figure::fact("server_cpu_ns", Kind::Nanoseconds, |of| of.of.server_cpu_ns.into()),
        Figure::fact("generator_cpu_ratio", Kind::Ratio, |of| cpu_share(of.of, of.of.generator_cpu_ns).into())
            .under(CPU, "generator"),
        Figure::fact("server_cpu_ratio", Kind::Ratio, |of| cpu_share(of.of, of.of.server_cpu_ns).into())
            .under(CPU, "server"),
    ]
}

/// Rows over the load time, without what was built afterwards.
fn rows_per_second(set: &DataSet) -> Option<f64> {
    let seconds = set.load_ns?.seconds();
    (seconds > 0.0).then(|| set.rows as f64 / seconds)
}

/// The ratio of one party's processor time to that of both.
fn cpu_share(set: &DataSet, part: Option<Nanos>) -> Option<Ratio> {
    let both = set.generator_cpu_ns?.0 as f64 + set.server_cpu_ns?.0 as f64;
    (both > 0.0).then_some(Ratio(part?.0 as f64 / both))
}
