//! A dashboard for Grafana: the budget, the alerts, times against their threshold, and what the monitor costs.

use serde_json::{Value, json};

/// The dashboard, as JSON to import.
pub fn dashboard() -> String {
    let bad = "increase(dbdyno_probe_events_total{target=~\"$target\"}[$__rate_interval]) \
               - increase(dbdyno_probe_good_total{target=~\"$target\"}[$__rate_interval])";
    let within = "sum by (operation, le) \
                  (increase(dbdyno_probe_duration_seconds_bucket{target=~\"$target\"}[$__rate_interval]))";
    let panels = [
        panel(
            0,
            "stat",
            "Budget that is left",
            "percentunit",
            &[("dbdyno_probe_budget_left_ratio{target=~\"$target\"}", "{{target}} {{operation}}")],
        ),
        panel(
            1,
            "stat",
            "Alerts",
            "short",
            &[("sum by (target, severity) (dbdyno_probe_alert{target=~\"$target\"})", "{{target}} {{severity}}")],
        ),
        panel(2, "timeseries", "Bad bursts", "short", &[(bad, "{{target}} {{operation}}")]),
        panel(3, "heatmap", "Slowest statement of a burst", "s", &[(within, "{{le}}")]),
        panel(
            4,
            "timeseries",
            "Threshold and baseline",
            "s",
            &[
                ("dbdyno_probe_threshold_seconds{target=~\"$target\"}", "{{operation}} threshold"),
                ("dbdyno_probe_baseline_seconds{target=~\"$target\"}", "{{operation}} baseline {{record}}"),
            ],
        ),
        panel(
            5,
            "timeseries",
            "Cost of the monitor",
            "percentunit",
            &[(
                "rate(dbdyno_probe_cost_cpu_seconds_total{target=~\"$target\"}[$__rate_interval])",
                "{{target}} processor",
            )],
        ),
    ];
    let dashboard = json!({
        "title": "A platform and its promise",
        "uid": "dbdyno-monitor",
        "tags": ["dbdyno"],
        "schemaVersion": 39,
        "time": {"from": "now-24h", "to": "now"},
        "refresh": "1m",
        "templating": {"list": [
            {"name": "datasource", "type": "datasource", "query": "prometheus"},
            {
                "name": "target", "type": "query", "multi": true, "includeAll": true, "allValue": ".*",
                "datasource": source(), "query": "label_values(dbdyno_probe_events_total, target)", "refresh": 2,
            },
        ]},
        "panels": panels,
    });
    format!("{dashboard:#}\n")
}

fn source() -> Value {
    json!({"type": "prometheus", "uid": "${datasource}"})
}

/// A panel of half the width, at `place` in reading order.
fn panel(place: u32, kind: &str, title: &str, unit: &str, queries: &[(&str, &str)]) -> Value {
    let target = |(number, (query, legend)): (usize, &(&str, &str))| {
        let format = if kind == "heatmap" { "heatmap" } else { "time_series" };
        let name = char::from(b'A' + number as u8).to_string();
        json!({"refId": name, "datasource": source(), "expr": query, "legendFormat": legend, "format": format})
    };
    json!({
        "id": place + 1,
        "type": kind,
        "title": title,
        "datasource": source(),
        "gridPos": {"h": 8, "w": 12, "x": 12 * (place % 2), "y": 8 * (place / 2)},
        "fieldConfig": {"defaults": {"unit": unit}, "overrides": []},
        "targets": queries.iter().enumerate().map(target).collect::<Vec<Value>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_panel_has_a_place_and_queries() {
        let text: Value = serde_json::from_str(&dashboard()).unwrap();
        let panels = text["panels"].as_array().unwrap();
        assert_eq!(panels.len(), 6);
        assert!(panels.iter().all(|panel| !panel["targets"].as_array().unwrap().is_empty()));
    }
}
