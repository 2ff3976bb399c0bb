//! Runs: one row for each, with its results.

use std::cell::OnceCell;
use std::collections::HashMap;

use model::{Credits, Steadiness, Windows, delta, rate};
use record::{CacheFilling, NodeEventKind, Outcome, Pace, Rate, Record, Run, Verdict, name};

use crate::column::{Column, Kind, Row, RowOfRun, degree, identity, invalid, latency};
use crate::value::Value;

/// Context for the columns of runs.
pub struct RunRow<'a> {
    /// Its record.
    pub record: &'a Record,
    /// The run.
    pub run: &'a Run,
    /// Number of the repetition; absent where the plan does not have it.
    pub repeat: Option<u32>,
    /// The figures derived from it.
    pub row: model::Row,
    steadiness: OnceCell<Steadiness>,
}

impl<'a> RunRow<'a> {
    /// The row of `run` of `record`.
    pub fn new(record: &'a Record, run: &'a Run) -> RunRow<'a> {
        RunRow { record, run, repeat: None, row: model::row(run), steadiness: OnceCell::new() }
    }

    /// Whether the engine or the block layer saw physical I/O, redo or a flush.
    pub fn has_io(&self) -> bool {
        let counts = [self.row.engine_io, self.row.device_io].map(|io| [io.reads_per_second, io.writes_per_second]);
        let log = [self.row.redo_bytes_per_second, self.row.flushes_per_second];
        counts.into_iter().flatten().chain(log).flatten().any(|Rate(rate)| rate > 0.0)
    }

    /// Steadiness of its rate; absent where the record has no seconds.
    fn steadiness(&self) -> Option<&Steadiness> {
        let derive = || model::steadiness(self.run);
        (!self.run.seconds.is_empty()).then(|| self.steadiness.get_or_init(derive))
    }

    /// Its minutes, where it is long enough to see credits of disks and processors.
    pub fn minutes(&self) -> Option<Windows> {
        match model::credits(self.run) {
            Some(Credits::Minutes(minutes)) => Some(minutes),
            Some(Credits::TooShort { .. }) | None => None,
        }
    }

    /// How the caches were filled before it; absent where they were not.
    fn cache_filling(&self) -> Option<&CacheFilling> {
        self.run.settling.as_ref()?.cache_fill.as_ref()
    }

    /// The number of nodes with an event `kind`, in the run or before it.
    fn nodes(&self, kind: NodeEventKind) -> Value<'static> {
        self.run.events.iter().filter(|event| event.kind == kind).count().into()
    }

    /// Counter `time` over counter `count`.
    fn mean(&self, time: &str, count: &str) -> Value<'static> {
        let count = delta(self.run, count).filter(|count| *count > 0);
        delta(self.run, time).zip(count).map(|(time, count)| time as f64 / count as f64).into()
    }

    /// Processor time of dbdyno over the I/Os of all streams, nanoseconds.
    fn cpu_ns_per_io(&self) -> Option<f64> {
        let streams = &self.run.storage.as_ref()?.streams;
        let operations = streams.iter().fold(0_u64, |sum, stream| sum.saturating_add(stream.operations));
        (operations > 0).then_some(delta(self.run, name::CLIENT_CPU_NS)? as f64 / operations as f64)
    }

    /// Processor time of dbdyno and of the kernel's threads for it, over the sum of `amount` of all streams.
    fn cpu_ns_with_kernel_per(&self, amount: impl Fn(&record::IoStream) -> f64) -> Option<f64> {
        let sum: f64 = self.run.storage.as_ref()?.streams.iter().map(amount).sum();
        (sum > 0.0).then_some(model::cpu_ns_with_kernel(self.run)? / sum)
    }
}

impl Row for RunRow<'_> {
    fn is_invalid(&self) -> bool {
        self.row.verdict == Verdict::Fail
    }
}

impl RowOfRun for RunRow<'_> {
    fn record(&self) -> &Record {
        self.record
    }

    fn run(&self) -> &Run {
        self.run
    }
}

/// The runs of `record`, in order of execution.
pub fn rows(record: &Record) -> impl Iterator<Item = RunRow<'_>> {
    let repeats: HashMap<u32, u32> = record.plan.runs.iter().map(|planned| (planned.number, planned.repeat)).collect();
    record.runs.iter().map(move |run| RunRow { repeat: repeats.get(&run.number).copied(), ..RunRow::new(record, run) })
}

/// Rates of the minutes of a run.
const MINUTES: &str = "operations/s by minute";

type Figure<'a> = Column<RunRow<'a>>;

/// The run and its counts, then the results.
pub fn columns<'a>() -> Vec<Column<RunRow<'a>>> {
    let mut columns = facts();
    columns.extend(results());
    columns.extend(latency!(Figure, "service", |of| &of.run.service));
    columns.extend(latency!(Figure, "response", |of| &of.run.response));
    columns
}

fn facts<'a>() -> Vec<Figure<'a>> {
    let mut columns = identity();
    columns.extend([
        Figure::fact("repeat", Kind::Count, |of| of.repeat.into()),
        Figure::fact("title", Kind::Text, |of| (&of.run.title).into()),
        Figure::fact("layer", Kind::Text, |of| of.run.layer.word().into()),
        Figure::fact("unit", Kind::Text, |of| Value::word(of.run.unit)),
        Figure::fact("sweep", Kind::Text, |of| Value::word(of.run.sweep)),
    ]);
    columns.extend(degree());
    columns.extend([
        Figure::fact("in_flight", Kind::Count, |of| model::in_flight(of.run).into()),
        Figure::fact("target_steps_per_second", Kind::PerSecond, |of| of.run.pace.rate().into())
            .head("target\nsteps/s"),
        Figure::fact("think_ns", Kind::Nanoseconds, |of| match of.run.pace {
            Pace::ThinkTime { think_ns } => think_ns.into(),
            _ => Value::Absent,
        }),
        Figure::fact("started_at", Kind::Text, |of| (&of.run.started_at.0).into()),
        Figure::fact("outcome", Kind::Text, |of| match of.run.outcome {
            Outcome::Done => "done".into(),
            Outcome::Failed { .. } => "failed".into(),
        }),
        Figure::fact("message", Kind::Text, |of| match &of.run.outcome {
            Outcome::Done => Value::Absent,
            Outcome::Failed { message } => message.into(),
        }),
        Figure::fact("verdict", Kind::Text, |of| Value::word(of.row.verdict)),
        invalid(),
        Figure::fact("data_bytes", Kind::Bytes, |of| of.run.data_bytes.into()),
        Figure::fact("window_ns", Kind::Nanoseconds, |of| of.run.window_ns.into()).head("time"),
        Figure::fact("steps", Kind::Count, |of| of.run.totals.steps.into()),
        Figure::fact("operations", Kind::Count, |of| of.run.totals.operations.into()),
        Figure::fact("rows", Kind::Count, |of| of.run.totals.rows.into()),
        Figure::fact("transactions", Kind::Count, |of| of.run.totals.transactions.into()),
        Figure::fact("bytes", Kind::Bytes, |of| of.run.totals.bytes.into()),
        Figure::fact("failures", Kind::Count, |of| failures(&of.run.totals)),
        Figure::fact("retried", Kind::Count, |of| retries(of.run, of.run.totals.retried)),
        Figure::fact("retries", Kind::Count, |of| retries(of.run, of.run.totals.retries)),
        Figure::fact("unfinished", Kind::Count, |of| of.run.totals.unfinished.into()),
        Figure::fact("data_reads", Kind::Text, |of| of.run.data_reads.as_ref().map(|reads| reads.word()).into()),
        Figure::fact("settle_ns", Kind::Nanoseconds, |of| {
            of.run.settling.as_ref().map(|settling| settling.settle_ns).into()
        })
        .head("write-back\nbefore"),
        Figure::fact("cache_fill_bytes", Kind::Bytes, |of| of.cache_filling().map(|filling| filling.bytes).into()),
        Figure::fact("cache_fill_ns", Kind::Nanoseconds, |of| of.cache_filling().map(|filling| filling.read_ns).into()),
        Figure::fact("owed_ns", Kind::Nanoseconds, |of| of.run.owed.as_ref().map(|owed| owed.settle_ns).into())
            .head("write-back\nafter"),
        Figure::fact("owed_write_bytes", Kind::Bytes, |of| {
            of.run.owed.as_ref().and_then(|owed| owed.device_write_bytes).into()
        })
        .head("written back\nafter"),
    ]);
    columns.extend(states());
    columns.extend([
        Figure::fact("nodes_lost", Kind::Count, |of| of.nodes(NodeEventKind::Lost)).head("nodes lost\nduring"),
        Figure::fact("nodes_gone", Kind::Count, |of| of.nodes(NodeEventKind::Gone)).head("nodes lost\nbefore"),
    ]);
    columns
}

/// A value of the state of the database at one edge of the window.
macro_rules! state {
    ($name:literal, $kind:ident, $state:ident . $value:ident) => {
        Figure::fact($name, Kind::$kind, |of| of.run.$state.as_ref().and_then(|state| state.$value).into())
    };
}

/// The state of the database when the window began, and what of it changes within a window when it had ended.
fn states<'a>() -> Vec<Figure<'a>> {
    vec![
        state!("begin_table_bytes", Bytes, state_at_begin.table_bytes),
        state!("begin_cached_bytes", Bytes, state_at_begin.cached_bytes),
        state!("begin_dirty_bytes", Bytes, state_at_begin.dirty_bytes),
        state!("begin_page_cached_bytes", Bytes, state_at_begin.page_cached_bytes),
        state!("begin_log_position_bytes", Bytes, state_at_begin.log_position_bytes),
        state!("begin_log_since_checkpoint_bytes", Bytes, state_at_begin.log_since_checkpoint_bytes),
        Figure::fact("begin_log_is_written_before", Kind::Text, |of| {
            let state = of.run.state_at_begin.as_ref();
            state.and_then(|state| state.is_log_written_before).map(|is| if is { "yes" } else { "no" }).into()
        }),
        state!("begin_dead_rows", Count, state_at_begin.dead_row_count),
        state!("begin_vacuums", Count, state_at_begin.vacuum_count),
        state!("end_table_bytes", Bytes, state_at_end.table_bytes),
        state!("end_cached_bytes", Bytes, state_at_end.cached_bytes),
        state!("end_dirty_bytes", Bytes, state_at_end.dirty_bytes),
        state!("end_page_cached_bytes", Bytes, state_at_end.page_cached_bytes),
        state!("end_log_since_checkpoint_bytes", Bytes, state_at_end.log_since_checkpoint_bytes),
        state!("end_dead_rows", Count, state_at_end.dead_row_count),
    ]
}

/// Rates are over the window; processors are counted as processors in use.
fn results<'a>() -> Vec<Figure<'a>> {
    let mut columns = vec![
        Figure::result("operations_per_second", Kind::PerSecond, |of| of.row.operations_per_second.into())
            .head("ops/s"),
        Figure::result("settled_operations_per_second", Kind::PerSecond, |of| model::settled_rate(of.run).into())
            .head("ops/s with\nwrite-back"),
        Figure::result("rows_per_second", Kind::PerSecond, |of| of.row.rows_per_second.into()).head("rows/s"),
        Figure::result("transactions_per_second", Kind::PerSecond, |of| of.row.transactions_per_second.into())
            .head("tx/s"),
        Figure::result("queries_per_hour", Kind::Amount, |of| model::queries_per_hour(of.run).into()).head("queries/h"),
        Figure::result("query_ns_geometric_mean", Kind::DerivedNanoseconds, |of| {
            model::query_geometric_mean(of.run).into()
        })
        .head("geom. mean\nof queries"),
        Figure::result("bytes_per_second", Kind::BytesPerSecond, |of| of.row.bytes_per_second.into()).head("MB/s"),
        // Where the record has no seconds, the verdict recorded with the run.
        Figure::result("steadiness", Kind::Text, |of| {
            let derived = of.steadiness().map(|steadiness| steadiness.verdict);
            derived.or_else(|| model::steady_verdict(of.run)).map(|verdict| verdict.word()).into()
        }),
        Figure::result("counted_from_second", Kind::Count, |of| {
            of.steadiness().map(|steadiness| steadiness.counted.start).into()
        }),
        Figure::result("counted_seconds", Kind::Count, |of| {
            of.steadiness().map(|steadiness| steadiness.counted.len()).into()
        }),
        Figure::result("worst_second_operations_per_second", Kind::PerSecond, |of| {
            model::windows(of.run, 1).map(|seconds| seconds.worst).into()
        })
        .head("worst\nsecond"),
        Figure::result("first_minute_operations_per_second", Kind::PerSecond, |of| {
            of.minutes().map(|minutes| minutes.first).into()
        })
        .under(MINUTES, "first"),
        Figure::result("median_minute_operations_per_second", Kind::PerSecond, |of| {
            of.minutes().map(|minutes| minutes.median).into()
        })
        .under(MINUTES, "median"),
        Figure::result("worst_minute_operations_per_second", Kind::PerSecond, |of| {
            of.minutes().map(|minutes| minutes.worst).into()
        })
        .under(MINUTES, "worst"),
        Figure::result("worst_minute", Kind::Count, |of| of.minutes().map(|minutes| minutes.worst_at).into())
            .under(MINUTES, "at"),
    ];
    columns.extend(processors());
    columns.extend(engine());
    columns.extend(device());
    columns.extend(generator());
    columns
}

fn processors<'a>() -> Vec<Figure<'a>> {
    const HOST: &str = "all processors, %";
    const WHOLE: &str = "processors";
    const DELAY: &str = "delay of answers";
    vec![
        Figure::result("host_cpu_ratio", Kind::Ratio, |of| of.row.cpu.map(|cpu| cpu.busy()).into()).under(HOST, "busy"),
        Figure::result("host_cpu_user_ratio", Kind::Ratio, |of| of.row.cpu.map(|cpu| cpu.user).into())
            .under(HOST, "user"),
        Figure::result("host_cpu_system_ratio", Kind::Ratio, |of| of.row.cpu.map(|cpu| cpu.system).into())
            .under(HOST, "system"),
        Figure::result("host_cpu_iowait_ratio", Kind::Ratio, |of| of.row.cpu.map(|cpu| cpu.iowait).into())
            .under(HOST, "iowait"),
        Figure::result("host_cpu_steal_ratio", Kind::Ratio, |of| of.row.cpu.map(|cpu| cpu.steal).into())
            .under(HOST, "steal"),
        Figure::result("client_host_cpu_ratio", Kind::Ratio, |of| of.row.client_cpu.and_then(|cpu| cpu.of_host).into())
            .under(HOST, "dbdyno"),
        Figure::result("server_host_cpu_ratio", Kind::Ratio, |of| of.row.server_cpu.and_then(|cpu| cpu.of_host).into())
            .under(HOST, "server"),
        Figure::result("storage_host_cpu_ratio_max", Kind::Ratio, |of| {
            of.row.storage_cpu.and_then(|cpu| cpu.of_host).into()
        })
        .under(HOST, "storage"),
        Figure::result("foreign_host_cpu_ratio", Kind::Ratio, |of| {
            of.row.foreign_cpu.and_then(|cpu| cpu.of_host).into()
        })
        .under(HOST, "others"),
        Figure::fact("client_threads", Kind::Count, |of| of.run.client_threads.map(|client| client.threads).into()),
        Figure::fact("unseen_ns_p50", Kind::Nanoseconds, |of| {
            of.run.client_threads.map(|client| client.unseen_ns_p50).into()
        })
        .under(DELAY, "p50"),
        Figure::fact("unseen_ns_p99", Kind::Nanoseconds, |of| {
            of.run.client_threads.map(|client| client.unseen_ns_p99).into()
        })
        .under(DELAY, "p99"),
        Figure::fact("start_lag_ns_p50", Kind::Nanoseconds, |of| {
            of.run.start_lag.as_ref().map(|lag| lag.p50_ns).into()
        }),
        Figure::fact("start_lag_ns_p99", Kind::Nanoseconds, |of| {
            of.run.start_lag.as_ref().and_then(|lag| lag.p99_ns).into()
        }),
        Figure::fact("clock_difference_ns_max", Kind::Nanoseconds, |of| of.run.clock_difference_ns_max.into()),
        Figure::result("client_cpus", Kind::Number, |of| of.row.client_cpu.map(|cpu| cpu.cores).into())
            .under(WHOLE, "dbdyno"),
        Figure::result("server_cpus", Kind::Number, |of| of.row.server_cpu.map(|cpu| cpu.cores).into())
            .under(WHOLE, "server"),
        Figure::result("storage_hosts_cpus", Kind::Number, |of| of.row.storage_cpu.map(|cpu| cpu.cores).into())
            .under(WHOLE, "storage"),
        Figure::result("foreign_cpus", Kind::Number, |of| of.row.foreign_cpu.map(|cpu| cpu.cores).into())
            .under(WHOLE, "others"),
    ]
}

fn engine<'a>() -> Vec<Figure<'a>> {
    const GROUP: &str = "engine";
    vec![
        Figure::result("engine_reads_per_second", Kind::IoPerSecond, |of| of.row.engine_io.reads_per_second.into())
            .under(GROUP, "read\n1/s"),
        Figure::result("engine_writes_per_second", Kind::IoPerSecond, |of| of.row.engine_io.writes_per_second.into())
            .under(GROUP, "write\n1/s"),
        Figure::result("engine_io_per_second", Kind::IoPerSecond, |of| of.row.engine_io.total_per_second().into())
            .under(GROUP, "total\n1/s"),
        Figure::result("engine_read_bytes_per_second", Kind::BytesPerSecond, |of| {
            of.row.engine_io.read_bytes_per_second.into()
        })
        .under(GROUP, "read\nMB/s"),
        Figure::result("engine_write_bytes_per_second", Kind::BytesPerSecond, |of| {
            of.row.engine_io.write_bytes_per_second.into()
        })
        .under(GROUP, "write\nMB/s"),
        Figure::result("engine_io_bytes_per_second", Kind::BytesPerSecond, |of| {
            of.row.engine_io.total_bytes_per_second().into()
        })
        .under(GROUP, "total\nMB/s"),
        Figure::result("redo_bytes_per_second", Kind::BytesPerSecond, |of| of.row.redo_bytes_per_second.into())
            .under(GROUP, "log\nMB/s"),
        Figure::result("logical_reads_per_second", Kind::PerSecond, |of| of.row.logical_reads_per_second.into())
            .under(GROUP, "logical\nreads/s"),
        Figure::result("redo_syncs_per_second", Kind::PerSecond, |of| of.row.redo_syncs_per_second.into())
            .under(GROUP, "log\nsyncs/s"),
    ]
}

fn device<'a>() -> Vec<Figure<'a>> {
    const GROUP: &str = "device";
    vec![
        Figure::result("device_reads_per_second", Kind::IoPerSecond, |of| of.row.device_io.reads_per_second.into())
            .under(GROUP, "read\n1/s"),
        Figure::result("device_writes_per_second", Kind::IoPerSecond, |of| of.row.device_io.writes_per_second.into())
            .under(GROUP, "write\n1/s"),
        Figure::result("device_io_per_second", Kind::IoPerSecond, |of| of.row.device_io.total_per_second().into())
            .under(GROUP, "total\n1/s"),
        Figure::result("device_read_bytes_per_second", Kind::BytesPerSecond, |of| {
            of.row.device_io.read_bytes_per_second.into()
        })
        .under(GROUP, "read\nMB/s"),
        Figure::result("device_write_bytes_per_second", Kind::BytesPerSecond, |of| {
            of.row.device_io.write_bytes_per_second.into()
        })
        .under(GROUP, "write\nMB/s"),
        Figure::result("device_io_bytes_per_second", Kind::BytesPerSecond, |of| {
            of.row.device_io.total_bytes_per_second().into()
        })
        .under(GROUP, "total\nMB/s"),
        Figure::result("device_flushes_per_second", Kind::IoPerSecond, |of| of.row.flushes_per_second.into())
            .under(GROUP, "flush\n1/s"),
        Figure::result("device_read_ns_mean", Kind::DerivedNanoseconds, |of| {
            of.mean(name::DEVICE_READ_NS, name::DEVICE_READ_COUNT)
        })
        .under(GROUP, "mean\nread"),
        Figure::result("device_write_ns_mean", Kind::DerivedNanoseconds, |of| {
            of.mean(name::DEVICE_WRITE_NS, name::DEVICE_WRITE_COUNT)
        })
        .under(GROUP, "mean\nwrite"),
        // Nanoseconds in the queue of each second are requests in it on average.
        Figure::result("device_in_flight", Kind::Number, |of| {
            rate(of.run, name::DEVICE_IN_QUEUE_NS).map(|Rate(nanos)| nanos / 1e9).into()
        })
        .under(GROUP, "in\nflight"),
        Figure::result("mount_read_round_trip_ns_mean", Kind::DerivedNanoseconds, |of| {
            of.mean(name::MOUNT_READ_ROUND_TRIP_NS, name::DEVICE_READ_COUNT)
        })
        .under(GROUP, "round trip\nread"),
        Figure::result("mount_write_round_trip_ns_mean", Kind::DerivedNanoseconds, |of| {
            of.mean(name::MOUNT_WRITE_ROUND_TRIP_NS, name::DEVICE_WRITE_COUNT)
        })
        .under(GROUP, "round trip\nwrite"),
        Figure::result("mount_retransmission_count", Kind::Count, |of| {
            delta(of.run, name::MOUNT_RETRANSMISSION_COUNT).into()
        })
        .under(GROUP, "sent\nagain"),
    ]
}

/// Of storage runs only.
fn generator<'a>() -> Vec<Figure<'a>> {
    const GROUP: &str = "generator";
    vec![
        Figure::result("cpu_ns_per_io", Kind::DerivedNanoseconds, |of| of.cpu_ns_per_io().into())
            .under(GROUP, "CPU\nper I/O"),
        Figure::result("cpu_with_kernel_ns_per_io", Kind::DerivedNanoseconds, |of| {
            of.cpu_ns_with_kernel_per(|stream| stream.operations as f64).into()
        })
        .under(GROUP, "with\nkernel"),
        Figure::result("cpu_with_kernel_ns_per_megabyte", Kind::DerivedNanoseconds, |of| {
            of.cpu_ns_with_kernel_per(|stream| stream.bytes.0 as f64 / 1e6).into()
        })
        .under(GROUP, "same\nper MB"),
        Figure::result("generator_io_per_second_max", Kind::IoPerSecond, |of| {
            of.run.storage.as_ref().and_then(|storage| storage.generator_per_second).into()
        })
        .under(GROUP, "ceiling\n1/s"),
        Figure::result("generator_used_ratio", Kind::Ratio, |of| model::generator_share(of.run).into())
            .under(GROUP, "used\n%"),
        Figure::result("scheduling_delay_ns_max", Kind::Nanoseconds, |of| {
            of.run.storage.as_ref().and_then(|storage| storage.scheduling_delay_ns_max).into()
        })
        .under(GROUP, "max sched.\ndelay"),
        Figure::result("cache_device_hit_ratio", Kind::Ratio, |of| model::cache_hits(of.run).into())
            .head("cache device\n% hits"),
    ]
}

/// `count`, which is of tries, where a step of `run` may be tried again.
pub(crate) fn retries(run: &Run, count: u64) -> Value<'static> {
    (!run.transaction_types.is_empty()).then_some(count).into()
}

/// Failed steps of any kind.
pub(crate) fn failures(totals: &record::Totals) -> Value<'static> {
    totals.failures.values().fold(0, |sum: u64, count| sum.saturating_add(*count)).into()
}
