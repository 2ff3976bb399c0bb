//! The I/O of storage runs: one row for each stream of each run.

use record::{IoStream, Latency, Record};

use super::{RECORD, RUN, TEST, word};
use crate::error::Result;
use crate::table::{Column, Kind, Table, Taker, Value};

const COLUMNS: [Column; 32] = [
    RECORD,
    RUN,
    TEST,
    ("job", Kind::Text),
    ("report_group", Kind::Count),
    ("clone", Kind::Count),
    ("kind", Kind::Text),
    ("clones", Kind::Count),
    ("depth", Kind::Count),
    ("slots", Kind::Count),
    ("at_work_ratio", Kind::Number),
    ("block_bytes_min", Kind::Count),
    ("block_bytes_max", Kind::Count),
    ("random", Kind::Truth),
    ("direct", Kind::Truth),
    ("window_ns", Kind::Count),
    ("operations", Kind::Count),
    ("bytes", Kind::Count),
    ("short", Kind::Count),
    ("failures", Kind::Count),
    ("unfinished", Kind::Count),
    ("verified", Kind::Count),
    ("corrupt", Kind::Count),
    ("void", Kind::Truth),
    ("service_ns_mean", Kind::Count),
    ("service_ns_p50", Kind::Count),
    ("service_ns_p99", Kind::Count),
    ("service_ns_max", Kind::Count),
    ("response_ns_mean", Kind::Count),
    ("response_ns_p50", Kind::Count),
    ("response_ns_p99", Kind::Count),
    ("response_ns_max", Kind::Count),
];

pub(crate) const TABLE: Table = Table { name: "streams", columns: || COLUMNS.to_vec(), rows };

fn rows(record: &Record, take: Taker<'_>) -> Result<()> {
    for run in &record.runs {
        for stream in run.storage.iter().flat_map(|storage| &storage.streams) {
            let void = model::is_void(run);
            let mut row = vec![Value::from(&record.id), run.number.into(), Value::from(&run.test)];
            row.extend(facts(stream));
            row.push(void.into());
            row.extend([&stream.service, &stream.response].into_iter().flat_map(|latency| times(latency, void)));
            debug_assert_eq!(row.len(), COLUMNS.len());
            take(&row)?;
        }
    }
    Ok(())
}

fn facts(stream: &IoStream) -> [Value<'_>; 20] {
    [
        Value::from(&stream.job),
        stream.report_group.into(),
        stream.clone.into(),
        word(stream.kind),
        stream.clones.into(),
        stream.depth.into(),
        stream.slots.into(),
        stream.at_work.0.into(),
        stream.block_bytes_min.0.into(),
        stream.block_bytes_max.0.into(),
        stream.random.into(),
        stream.direct.into(),
        stream.window_ns.0.into(),
        stream.operations.into(),
        stream.bytes.0.into(),
        stream.short.into(),
        stream.failures.into(),
        stream.unfinished.into(),
        stream.verified.into(),
        stream.corrupt.into(),
    ]
}

/// Mean, median, 0.99 quantile and largest value; empty where there are none or they are no result.
fn times(latency: &Latency, void: bool) -> [Value<'static>; 4] {
    let none = latency.count == 0 || void;
    let times = [Some(latency.mean_ns), Some(latency.p50_ns), latency.p99_ns, Some(latency.max_ns)];
    times.map(|time| time.filter(|_| !none).map(|time| time.0).into())
}
