//! A sizing as JSON text, for scripts.

use model::sizing::{Level, Outlook, ResourceShare, Sizing, Unsized, UnsizedReason};
use serde_json::{Map, Value, json};

use super::SizingView;
use super::amount::{key, source};
use super::verdict::full_first;

/// The load and each platform as one document: units are in the keys, ratios are in [0, 1], what is not known is null.
pub fn sizing_json(view: &SizingView<'_>) -> String {
    let demands: Map<String, Value> =
        view.history.demands.iter().map(|(demand, found)| (key(*demand).to_owned(), level(found))).collect();
    let document = json!({
        "load": {
            "started_at_ms": view.history.span.map(|(from, _)| from.0),
            "ended_at_ms": view.history.span.map(|(_, to)| to.0),
            "intervals": view.history.intervals,
            "interval_seconds_max": view.history.longest_seconds,
            "write_share": view.history.write_share,
            "demands": demands,
            "doubts": view.history.doubts,
            "absent": view.profile.absent,
        },
        "growth": { "per_year": view.growth.per_year, "years": view.growth.years, "factor": view.growth.factor() },
        "old_sheet": view.old_sheet,
        "platforms": view.sizings.iter().map(platform).collect::<Vec<Value>>(),
    });
    format!("{document:#}\n")
}

fn level(level: &Level) -> Value {
    json!({
        "mean": level.mean,
        "p95": level.p95,
        "p99": level.p99,
        "max": level.max,
        "burst": level.burst,
        "peak_at_ms": level.peak_at.map(|at| at.0),
    })
}

fn platform(sizing: &Sizing) -> Value {
    json!({
        "name": sizing.platform.name,
        "is_planned": sizing.platform.is_planned,
        "first_to_be_full": full_first(sizing).map(|resource| key(resource.demand)),
        "multiple": sizing.multiple,
        "years": sizing.years,
        "resources": sizing.resources.iter().map(resource).collect::<Vec<Value>>(),
        "unknown": sizing.unsized_resources.iter().map(unknown).collect::<Vec<Value>>(),
        "times": sizing.outlooks.iter().map(outlook).collect::<Vec<Value>>(),
        "cost": sizing.platform.prices.as_ref().map(|book| {
            json!({ "currency": book.currency, "amount": book.total().amount, "years": book.years })
        }),
    })
}

fn resource(resource: &ResourceShare) -> Value {
    json!({
        "resource": key(resource.demand),
        "needed": level(&resource.needed),
        "available": resource.ceiling.available,
        "by": source(&resource.ceiling.source),
        "share": resource.share,
        "share_p95": resource.share_p95,
        "share_p99": resource.share_p99,
        "multiple": resource.multiple,
    })
}

fn unknown(unknown: &Unsized) -> Value {
    let reason = match unknown.reason {
        UnsizedReason::NotInLoad => "not_in_load",
        UnsizedReason::NotMeasured => "not_measured",
        UnsizedReason::NoOldSheet => "no_old_sheet",
    };
    json!({ "resource": key(unknown.demand), "reason": reason, "needed": unknown.needed.as_ref().map(level) })
}

fn outlook(outlook: &Outlook) -> Value {
    json!({
        "resource": key(outlook.demand),
        "test": outlook.test,
        "multiple": outlook.multiple,
        "rate_per_second": outlook.rate,
        "rate_per_second_max": outlook.rate_max,
        "measured_at_per_second": outlook.point.map(|point| point.rate),
        "is_open_loop": outlook.point.map(|point| point.is_open),
        "p50_ns": outlook.point.map(|point| point.p50.0),
        "p99_ns": outlook.point.and_then(|point| point.p99).map(|p99| p99.0),
    })
}
