//! Files kept in the engine and on the file system: one row for each run of file streams.

use record::{Latency, Rate, Record};

use super::{RECORD, RUN, TEST, word};
use crate::error::Result;
use crate::table::{Column, Kind, Table, Taker, Value};

const COLUMNS: [Column; 28] = [
    RECORD,
    RUN,
    TEST,
    ("form", Kind::Text),
    ("keeper", Kind::Text),
    ("direction", Kind::Text),
    ("streams", Kind::Count),
    ("request_bytes", Kind::Count),
    ("file_bytes", Kind::Count),
    ("requests_per_commit", Kind::Count),
    ("whole_files", Kind::Count),
    ("compared_files", Kind::Count),
    ("unequal_files", Kind::Count),
    ("void", Kind::Truth),
    ("bytes_per_second", Kind::Number),
    ("requests_per_second", Kind::Number),
    ("over_file_system_ratio", Kind::Number),
    ("client_cpu_ns_per_byte", Kind::Number),
    ("server_cpu_ns_per_byte", Kind::Number),
    ("redo_bytes_per_byte", Kind::Number),
    ("engine_bytes_per_byte", Kind::Number),
    ("device_bytes_per_byte", Kind::Number),
    ("page_cached_ratio", Kind::Number),
    ("request_ns_p50", Kind::Count),
    ("request_ns_p99", Kind::Count),
    ("request_ns_max", Kind::Count),
    ("commit_ns_p50", Kind::Count),
    ("commit_ns_max", Kind::Count),
];

pub(crate) const TABLE: Table = Table { name: "file_streams", columns: || COLUMNS.to_vec(), rows };

fn rows(record: &Record, take: Taker<'_>) -> Result<()> {
    for run in &record.runs {
        let Some(streams) = run.streams.as_deref() else { continue };
        let void = model::is_void(run);
        let figures = model::stream_figures(run).filter(|_| !void).unwrap_or_default();
        let number = |value: Option<f64>| value.map_or(Value::Empty, Value::from);
        let rate = |value: Option<Rate>| number(value.map(|Rate(rate)| rate));
        let over = model::over_file_system(record, run).filter(|_| !void);
        let unequal = streams.compared.iter().filter(|file| !file.equal).count();
        let time = |latency: &Latency, nanos: u64| match latency.count == 0 || void {
            true => Value::Empty,
            false => nanos.into(),
        };
        let row: [Value<'_>; COLUMNS.len()] = [
            Value::from(&record.id),
            run.number.into(),
            Value::from(&run.test),
            Value::from(&streams.form),
            word(streams.keeper),
            word(streams.direction),
            run.dop.jobs.into(),
            streams.request_bytes.0.into(),
            streams.file_bytes.0.into(),
            streams.requests_per_commit.into(),
            streams.whole_files.into(),
            streams.compared.len().into(),
            unequal.into(),
            void.into(),
            rate(figures.bytes_per_second),
            rate(figures.requests_per_second),
            number(over.map(|ratio| ratio.0)),
            number(figures.client_ns_per_byte),
            number(figures.server_ns_per_byte),
            number(figures.redo_per_byte),
            number(figures.engine_per_byte),
            number(figures.device_per_byte),
            number(streams.page_cached.map(|ratio| ratio.0)),
            time(&streams.requests, streams.requests.p50_ns.0),
            streams.requests.p99_ns.map(|time| time.0).into(),
            time(&streams.requests, streams.requests.max_ns.0),
            time(&streams.commits, streams.commits.p50_ns.0),
            time(&streams.commits, streams.commits.max_ns.0),
        ];
        take(&row)?;
    }
    Ok(())
}
