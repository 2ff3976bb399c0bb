//! What was traced below the engine: one row for each kind of operation at each measuring point of each traced run.

use record::{LayerLatency, Record};

use super::{RECORD, RUN, TEST, word};
use crate::error::Result;
use crate::table::{Column, Kind, Table, Taker, Value};

const COLUMNS: [Column; 15] = [
    RECORD,
    RUN,
    TEST,
    ("point", Kind::Text),
    ("class", Kind::Text),
    ("name", Kind::Text),
    ("bytes", Kind::Count),
    ("count", Kind::Count),
    ("ns_min", Kind::Count),
    ("ns_mean", Kind::Count),
    ("ns_p50", Kind::Count),
    ("ns_p90", Kind::Count),
    ("ns_p99", Kind::Count),
    ("ns_p999", Kind::Count),
    ("ns_max", Kind::Count),
];

pub(crate) const TABLE: Table = Table { name: "traces", columns: || COLUMNS.to_vec(), rows };

fn rows(record: &Record, take: Taker<'_>) -> Result<()> {
    for run in &record.runs {
        for of in run.trace.iter().flat_map(|trace| &trace.latencies) {
            let head = [Value::from(&record.id), run.number.into(), Value::from(&run.test)];
            let row: Vec<Value<'_>> = head.into_iter().chain(facts(of)).chain(times(of)).collect();
            debug_assert_eq!(row.len(), COLUMNS.len());
            take(&row)?;
        }
    }
    Ok(())
}

fn facts(of: &LayerLatency) -> [Value<'_>; 5] {
    let bytes = of.bytes.map_or(Value::Empty, |bytes| bytes.0.into());
    [word(of.point), word(of.class), Value::from(&of.name), bytes, of.latency.count.into()]
}

fn times(of: &LayerLatency) -> [Value<'static>; 7] {
    let of = &of.latency;
    let times = [Some(of.min_ns), Some(of.mean_ns), Some(of.p50_ns), of.p90_ns, of.p99_ns, of.p999_ns, Some(of.max_ns)];
    times.map(|time| time.map(|time| time.0).into())
}
