//! The metrics in the JSON encoding of OTLP: whole numbers of 64 bits are texts, enumerations numbers.
//!
//! Times of operations on a database have the name and the attributes of the semantic conventions of its clients.

use model::promise::Operation;
use serde_json::{Value as Json, json};

use super::{EDGES, Metrics, OperationMetrics, PER_OPERATION, PER_TARGET, PREFIX, TargetMetrics, Value};

/// Counts are those since the start.
const CUMULATIVE: u32 = 2;

/// All metrics as a request of a push, counted since `since_ns`, at `now_ns`, both since 1970.
pub(crate) fn otlp_metrics(metrics: &Metrics, since_ns: u64, now_ns: u64) -> Json {
    let targets = metrics.targets();
    let times = json!({"startTimeUnixNano": since_ns.to_string(), "timeUnixNano": now_ns.to_string()});
    let point =
        |attributes: Vec<Json>, more: Json| merged(merged(times.clone(), json!({"attributes": attributes})), more);
    let operations = || targets.iter().flat_map(|target| target.operations.iter().map(move |found| (target, found)));
    let mut families: Vec<Json> = Vec::new();
    for family in &PER_TARGET {
        let of = |target: &TargetMetrics| Some((vec![attribute("dbdyno.target", &target.name)], (family.of)(target)?));
        families.extend(numbers(family.name, family.help, targets.iter().filter_map(of), &point));
    }
    for family in &PER_OPERATION {
        let values = operations().filter_map(|(target, found)| Some((attributes(target, found), (family.of)(found)?)));
        families.extend(numbers(family.name, family.help, values, &point));
    }
    // How far a replica is behind is no time of an operation.
    let is_timed = |(target, found): &(&TargetMetrics, &OperationMetrics)| {
        let operation = found.promise.operation;
        target.system.is_some() && operation.is_timed() && operation != Operation::Lag
    };
    let durations = operations().filter(is_timed);
    let durations = durations.map(|(target, found)| point(attributes(target, found), histogram(found)));
    families.push(json!({
        "name": "db.client.operation.duration",
        "unit": "s",
        "description": "Slowest statement of an event that was answered; a bound is at the threshold",
        "histogram": {"aggregationTemporality": CUMULATIVE, "dataPoints": durations.collect::<Vec<Json>>()},
    }));
    let scope = json!({"name": "dbdyno", "version": env!("CARGO_PKG_VERSION")});
    let service = json!({"attributes": [attribute("service.name", "dbdyno-monitor")]});
    json!({"resourceMetrics": [{"resource": service, "scopeMetrics": [{"scope": scope, "metrics": families}]}]})
}

fn attribute(key: &str, value: &str) -> Json {
    json!({"key": key, "value": {"stringValue": value}})
}

fn attributes(target: &TargetMetrics, found: &OperationMetrics) -> Vec<Json> {
    let mut attributes = vec![attribute("dbdyno.target", &target.name), attribute("dbdyno.record", &target.record)];
    attributes.push(attribute("db.operation.name", found.promise.operation.word()));
    attributes.extend(target.cluster.as_ref().map(|cluster| attribute("dbdyno.cluster", cluster)));
    attributes.extend(target.system.map(|system| attribute("db.system.name", system)));
    attributes
}

fn histogram(found: &OperationMetrics) -> Json {
    let counts: Vec<String> = found.buckets.iter().map(u64::to_string).collect();
    let bounds: Vec<f64> = found.edges().take(EDGES.len()).collect();
    let count: u64 = found.buckets.iter().sum();
    json!({"count": count.to_string(), "sum": found.sum_seconds, "bucketCounts": counts, "explicitBounds": bounds})
}

/// The family called `name` of numbers; nothing where there are none.
fn numbers(
    name: &str,
    help: &str,
    values: impl Iterator<Item = (Vec<Json>, Value)>,
    point: &impl Fn(Vec<Json>, Json) -> Json,
) -> Option<Json> {
    let values: Vec<(Vec<Json>, Value)> = values.collect();
    let is_gauge = matches!(values.first()?.1, Value::Gauge(_));
    let number = |value: Value| match value {
        Value::Count(count) => json!({"asInt": count.to_string()}),
        Value::CountOfParts(number) | Value::Gauge(number) => json!({"asDouble": number}),
    };
    let points: Vec<Json> = values.into_iter().map(|(attributes, value)| point(attributes, number(value))).collect();
    let data = match is_gauge {
        true => json!({"gauge": {"dataPoints": points}}),
        false => {
            json!({"sum": {"aggregationTemporality": CUMULATIVE, "isMonotonic": true, "dataPoints": points}})
        }
    };
    Some(merged(json!({"name": format!("{PREFIX}.{name}"), "description": help}), data))
}

/// The keys of both.
fn merged(mut one: Json, other: Json) -> Json {
    if let (Json::Object(one), Json::Object(other)) = (&mut one, other) {
        one.extend(other);
    }
    one
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::tests::sample;

    #[test]
    fn every_family_has_points_with_times_and_a_histogram_its_bounds() {
        let found = otlp_metrics(&sample(), 5, 7);
        let metrics = found["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap();
        let of = |name: &str| metrics.iter().find(|metric| metric["name"] == name).unwrap();
        let good = &of("dbdyno_probe.good")["sum"];
        assert_eq!((&good["aggregationTemporality"], &good["isMonotonic"]), (&2.into(), &true.into()));
        let point = &good["dataPoints"][0];
        assert_eq!(
            (&point["asInt"], &point["startTimeUnixNano"], &point["timeUnixNano"]),
            (&"1".into(), &"5".into(), &"7".into())
        );
        assert_eq!(point["attributes"][2], json!({"key": "db.operation.name", "value": {"stringValue": "read"}}));
        let duration = of("db.client.operation.duration");
        let point = &duration["histogram"]["dataPoints"][0];
        let counts = point["bucketCounts"].as_array().unwrap();
        let bounds = point["explicitBounds"].as_array().unwrap();
        // One event, exactly at the threshold of 1.5 ms.
        assert_eq!((counts.len(), bounds.len(), &point["count"]), (10, 9, &"1".into()));
        let edge = bounds.iter().position(|bound| bound == 0.001_5).unwrap();
        assert_eq!(counts[edge], "1");
        assert!(
            duration["unit"] == "s"
                && point["attributes"].as_array().unwrap().contains(&attribute("db.system.name", "engine"))
        );
    }
}
