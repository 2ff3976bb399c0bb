//! What Prometheus reads: counts of good and of all events, times in buckets with an edge exactly at the threshold, and
//! the cost.
//!
//! Quantiles are never among them: they cannot be added over scrapes.

mod otlp;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use model::promise::{Alert, AlertChange, Counts, Event, Operation, Promise, UnixMillis};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use record::Nanos;

pub(crate) use self::otlp::otlp_metrics;
use crate::cost::Cost;
use crate::watched::Watched;

/// Edges of the buckets, in thresholds; powers of two, so that each is exact.
const EDGES: [f64; 9] = [0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];
/// The middle edge of an operation without a threshold.
const MIDDLE_NS: Nanos = Nanos(10_000_000);
/// What every name begins with.
const PREFIX: &str = "dbdyno_probe";

/// The state of all targets; a scrape reads it and runs nothing.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    targets: Mutex<Vec<TargetMetrics>>,
}

#[derive(Debug)]
struct TargetMetrics {
    name: String,
    /// The cluster that it is a node of.
    cluster: Option<String>,
    record: String,
    /// The name of the engine in OpenTelemetry; absent of storage.
    system: Option<&'static str>,
    operations: Vec<OperationMetrics>,
    period_ns: u64,
    last_due: UnixMillis,
    connect_ns: Option<Nanos>,
    cost: Cost,
}

#[derive(Debug)]
struct OperationMetrics {
    promise: Promise,
    counts: Counts,
    bad_in_a_row: u32,
    budget_left: f64,
    raised: BTreeSet<Alert>,
    /// Counts of [`EDGES`] and of what is above the last one.
    buckets: [u64; EDGES.len() + 1],
    sum_seconds: f64,
}

impl OperationMetrics {
    fn new(promise: Promise) -> OperationMetrics {
        OperationMetrics {
            promise,
            counts: Counts::default(),
            bad_in_a_row: 0,
            budget_left: 1.0,
            raised: BTreeSet::new(),
            buckets: [0; EDGES.len() + 1],
            sum_seconds: 0.0,
        }
    }

    /// The upper edges of the buckets, seconds.
    fn edges(&self) -> impl Iterator<Item = f64> {
        let middle = self.promise.threshold_ns.unwrap_or(MIDDLE_NS).seconds();
        EDGES.into_iter().map(move |edge| edge * middle).chain([f64::INFINITY])
    }

    fn observe(&mut self, time: Nanos) {
        let seconds = time.seconds();
        let bucket = self.edges().position(|edge| seconds <= edge).unwrap_or(EDGES.len());
        self.buckets[bucket] += 1;
        self.sum_seconds += seconds;
    }
}

impl Metrics {
    fn targets(&self) -> MutexGuard<'_, Vec<TargetMetrics>> {
        self.targets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a target.
    pub(crate) fn enter(&self, watched: &Watched, period_ns: u64) {
        self.targets().push(TargetMetrics {
            name: watched.name.clone(),
            cluster: watched.cluster.clone(),
            record: watched.record.clone(),
            system: watched.system,
            operations: watched.promises.iter().map(|promise| OperationMetrics::new(*promise)).collect(),
            period_ns,
            last_due: UnixMillis(0),
            connect_ns: None,
            cost: Cost::default(),
        });
    }

    fn change(&self, index: usize, change: impl FnOnce(&mut TargetMetrics)) {
        if let Some(target) = self.targets().get_mut(index) {
            change(target);
        }
    }

    fn change_operation(&self, index: usize, operation: Operation, change: impl FnOnce(&mut OperationMetrics)) {
        self.change(index, |target| {
            let mut operations = target.operations.iter_mut();
            if let Some(found) = operations.find(|found| found.promise.operation == operation) {
                change(found);
            }
        });
    }

    /// Counts `events` of one start.
    pub(crate) fn events(&self, index: usize, events: &[Event]) {
        for event in events {
            self.change(index, |target| target.last_due = event.at);
            self.change_operation(index, event.operation, |metrics| {
                metrics.counts.count(event.outcome.standing());
                event.slowest_ns.into_iter().for_each(|slowest| metrics.observe(slowest));
            });
        }
    }

    /// Notes what the judge of an operation knows.
    pub(crate) fn judged(&self, index: usize, operation: Operation, bad_in_a_row: u32, budget_left: f64) {
        self.change_operation(index, operation, |metrics| {
            metrics.bad_in_a_row = bad_in_a_row;
            metrics.budget_left = budget_left;
        });
    }

    /// Notes an alert that begins or ends.
    pub(crate) fn alert(&self, index: usize, change: &AlertChange) {
        self.raised(index, change.operation, change.alert, change.raised.is_some());
    }

    /// Notes whether an alert is raised.
    pub(crate) fn raised(&self, index: usize, operation: Operation, alert: Alert, is_raised: bool) {
        self.change_operation(index, operation, |metrics| {
            match is_raised {
                true => metrics.raised.insert(alert),
                false => metrics.raised.remove(&alert),
            };
        });
    }

    /// Notes what a target costs, how far its starts are apart, and how long its last connection took.
    pub(crate) fn cost(&self, index: usize, cost: Cost, period_ns: u64, connect_ns: Option<Nanos>) {
        self.change(index, |target| {
            target.cost = cost;
            target.period_ns = period_ns;
            target.connect_ns = connect_ns.or(target.connect_ns);
        });
    }
}

/// All metrics as OpenMetrics text.
pub(crate) fn open_metrics(metrics: &std::sync::Arc<Metrics>) -> Result<String, fmt::Error> {
    let mut registry = Registry::with_prefix(PREFIX);
    registry.register_collector(Box::new(std::sync::Arc::clone(metrics)));
    let mut text = String::new();
    encode(&mut text, &registry)?;
    Ok(text)
}

/// OpenMetrics text in the older form of Prometheus, in which the metadata of a counter have its suffix as well.
pub(crate) fn plain_text(open_metrics: &str) -> String {
    let counters: BTreeSet<&str> =
        open_metrics.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.strip_suffix(" counter")).collect();
    let mut text = String::with_capacity(open_metrics.len());
    for line in open_metrics.lines().filter(|line| *line != "# EOF" && !line.starts_with("# UNIT ")) {
        let mut words = line.splitn(4, ' ');
        match (words.next(), words.next(), words.next(), words.next()) {
            (Some("#"), Some(keyword), Some(name), Some(rest)) if counters.contains(name) => {
                text.push_str(&format!("# {keyword} {name}_total {rest}\n"));
            }
            _ => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    text
}

/// A family of one value for each target.
struct PerTarget {
    name: &'static str,
    help: &'static str,
    of: fn(&TargetMetrics) -> Option<Value>,
}

/// A family of one value for each operation.
struct PerOperation {
    name: &'static str,
    help: &'static str,
    of: fn(&OperationMetrics) -> Option<Value>,
}

#[derive(Clone, Copy)]
enum Value {
    Count(u64),
    CountOfParts(f64),
    Gauge(f64),
}

impl Value {
    fn kind(self) -> MetricType {
        match self {
            Value::Count(_) | Value::CountOfParts(_) => MetricType::Counter,
            Value::Gauge(_) => MetricType::Gauge,
        }
    }
}

const PER_TARGET: [PerTarget; 6] = [
    PerTarget {
        name: "last_due_timestamp_seconds",
        help: "When the last start was intended",
        of: |target| Some(Value::Gauge(target.last_due.0 as f64 / 1e3)),
    },
    PerTarget {
        name: "period_seconds",
        help: "Mean distance between two starts",
        of: |target| Some(Value::Gauge(target.period_ns as f64 / 1e9)),
    },
    PerTarget {
        name: "connect_seconds",
        help: "Time of the last connection of its own",
        of: |target| target.connect_ns.map(|time| Value::Gauge(time.seconds())),
    },
    PerTarget {
        name: "cost_statements",
        help: "Statements of the monitor",
        of: |target| Some(Value::Count(target.cost.statements)),
    },
    PerTarget {
        name: "cost_cpu_seconds",
        help: "Processor time of the monitor, shared by its targets",
        of: |target| Some(Value::CountOfParts(target.cost.cpu_ns as f64 / 1e9)),
    },
    PerTarget {
        name: "cost_log_bytes",
        help: "Bytes that commits of the monitor added to the log of the engine, at most",
        of: |target| target.cost.log_bytes().map(Value::CountOfParts),
    },
];

const PER_OPERATION: [PerOperation; 6] = [
    PerOperation {
        name: "good",
        help: "Events that kept the promise",
        of: |operation| Some(Value::Count(operation.counts.good)),
    },
    PerOperation {
        name: "events",
        help: "Events that kept or broke the promise",
        of: |operation| Some(Value::Count(operation.counts.valid())),
    },
    PerOperation {
        name: "unknown",
        help: "Events that say nothing of the database: the monitor was late or stopped, or there is nothing to hold them against",
        of: |operation| Some(Value::Count(operation.counts.unknown)),
    },
    PerOperation {
        name: "bad_in_a_row",
        help: "Events that broke the promise since the last one that kept it",
        of: |operation| Some(Value::Gauge(f64::from(operation.bad_in_a_row))),
    },
    PerOperation {
        name: "budget_left_ratio",
        help: "Share of the budget that is left, below 0 where the promise is broken",
        of: |operation| Some(Value::Gauge(operation.budget_left)),
    },
    PerOperation {
        name: "threshold_seconds",
        help: "Longest time of a statement that keeps the promise",
        of: |operation| operation.promise.threshold_ns.map(|threshold| Value::Gauge(threshold.seconds())),
    },
];

impl Collector for Metrics {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        let targets = self.targets();
        for family in &PER_TARGET {
            let values =
                targets.iter().filter_map(|target| Some((vec![("target", target.name.clone())], (family.of)(target)?)));
            encode_family(&mut encoder, family.name, family.help, values.collect())?;
        }
        let operations =
            || targets.iter().flat_map(|target| target.operations.iter().map(move |found| (target, found)));
        for family in &PER_OPERATION {
            let values = operations().filter_map(|(target, found)| Some((labels(target, found), (family.of)(found)?)));
            encode_family(&mut encoder, family.name, family.help, values.collect())?;
        }
        let baselines = operations().filter_map(|(target, found)| {
            let mut labels = labels(target, found);
            labels.push(("record", target.record.clone()));
            Some((labels, Value::Gauge(found.promise.baseline_p50_ns?.seconds())))
        });
        let help = "Median of a statement in the record that the promise is made from";
        encode_family(&mut encoder, "baseline_seconds", help, baselines.collect())?;
        let alerts = operations().flat_map(|(target, found)| {
            Alert::ALL.into_iter().map(move |alert| {
                let mut labels = labels(target, found);
                labels.push(("alert", alert.word().to_owned()));
                labels.push(("severity", alert.severity().word().to_owned()));
                (labels, Value::Gauge(f64::from(u8::from(found.raised.contains(&alert)))))
            })
        });
        encode_family(&mut encoder, "alert", "Whether an alert is raised", alerts.collect())?;
        let help = "Slowest statement of an event that was answered; an edge is at the threshold";
        let mut histogram = encoder.encode_descriptor("duration_seconds", help, None, MetricType::Histogram)?;
        for (target, found) in operations() {
            let buckets: Vec<(f64, u64)> = found.edges().zip(found.buckets).collect();
            let labels = labels(target, found);
            let mut of_operation = histogram.encode_family(&labels)?;
            let count = found.buckets.iter().sum();
            of_operation.encode_histogram::<NoLabelSet>(found.sum_seconds, count, &buckets, None)?;
        }
        Ok(())
    }
}

type Labels = Vec<(&'static str, String)>;

fn labels(target: &TargetMetrics, operation: &OperationMetrics) -> Labels {
    let word = operation.promise.operation.word();
    let cluster = target.cluster.iter().map(|cluster| ("cluster", cluster.clone()));
    [("target", target.name.clone()), ("operation", word.to_owned())].into_iter().chain(cluster).collect()
}

fn encode_family(encoder: &mut DescriptorEncoder, name: &str, help: &str, values: Vec<(Labels, Value)>) -> fmt::Result {
    let Some((_, first)) = values.first() else { return Ok(()) };
    let mut family = encoder.encode_descriptor(name, help, None, first.kind())?;
    for (labels, value) in values {
        let encoder = family.encode_family(&labels)?;
        match value {
            Value::Count(count) => ConstCounter::new(count).encode(encoder)?,
            Value::CountOfParts(count) => ConstCounter::new(count).encode(encoder)?,
            Value::Gauge(gauge) => ConstGauge::new(gauge).encode(encoder)?,
        }
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::Arc;

    use model::promise::{Objective, Outcome};

    use super::*;
    use crate::cluster::{Cluster, ClusterWriter};
    use crate::prober::Prober;

    /// Metrics of a target after one good and one bad start.
    pub(crate) fn sample() -> Arc<Metrics> {
        let metrics = Arc::<Metrics>::default();
        let promise = |operation| Promise {
            operation,
            threshold_ns: Some(Nanos(1_500_000)),
            baseline_p50_ns: Some(Nanos(200_000)),
            objective: Objective::default(),
        };
        let watched = Watched {
            name: "engine://me@h1/sh\"op\\".to_owned(),
            system: Some("engine"),
            cluster: None,
            record: "2026-11-30".to_owned(),
            promises: Operation::OF_WRITER.map(promise).to_vec(),
            prober: Prober::new(ClusterWriter(Arc::new(Cluster::new(Vec::new())))),
        };
        metrics.enter(&watched, 30_000_000_000);
        let event = |outcome, slowest_ns| Event {
            at: UnixMillis(1_700_000_000_500),
            operation: Operation::Read,
            outcome,
            slowest_ns,
            median_ns: slowest_ns,
        };
        metrics.events(0, &[event(Outcome::Good, Some(Nanos(1_500_000))), event(Outcome::Failed, None)]);
        metrics.raised(0, Operation::Read, Alert::Down, true);
        let cost = Cost { cpu_ns: 7_000_000, statements: 66, commits: 2, log_bytes_per_commit: Some(250.0) };
        metrics.cost(0, cost, 30_000_000_000, Some(Nanos(2_000_000)));
        metrics
    }

    #[test]
    fn an_edge_lies_exactly_on_the_threshold() {
        let text = open_metrics(&sample()).unwrap();
        let bucket = |edge: &str| {
            let line = text.lines().find(|line| line.contains("operation=\"read\"") && line.contains(edge));
            line.unwrap_or_else(|| panic!("no {edge} in {text}")).rsplit(' ').next().unwrap().to_owned()
        };
        assert_eq!([bucket("le=\"0.00075\""), bucket("le=\"0.0015\""), bucket("le=\"+Inf\"")], ["0", "1", "1"]);
        assert!(text.ends_with("# EOF\n"));
    }

    #[test]
    fn good_and_all_events_are_counted_apart() {
        let text = open_metrics(&sample()).unwrap();
        let value = |begin: &str| {
            let line = text.lines().find(|line| line.starts_with(begin) && line.contains("operation=\"read\""));
            line.and_then(|line| line.rsplit(' ').next()).map(str::to_owned)
        };
        assert_eq!(value("dbdyno_probe_good_total"), Some("1".to_owned()));
        assert_eq!(value("dbdyno_probe_events_total"), Some("2".to_owned()));
        assert!(text.contains("record=\"2026-11-30\""));
        assert!(text.contains("alert=\"down\",severity=\"page\"} 1"), "{text}");
    }

    #[test]
    fn the_older_form_names_counters_with_their_suffix() {
        let text = plain_text(&open_metrics(&sample()).unwrap());
        assert!(text.contains("# TYPE dbdyno_probe_good_total counter\n"), "{text}");
        assert!(!text.contains("EOF"));
    }
}
