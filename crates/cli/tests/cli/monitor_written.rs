//! What `dbdyno monitor` writes for others, read by those others: objectives by the requirements of OpenSLO v1, inhibition by
//! Alertmanager.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use crate::bench::{Bench, finished};
use crate::fleet_hosts::{wait_until, write};

/// The documents in `yaml`.
fn documents(bench: &Bench, yaml: &str) -> Vec<Value> {
    write(bench, "read.yml", yaml);
    let program = "import json, sys, yaml; json.dump(list(yaml.safe_load_all(open(sys.argv[1]))), sys.stdout)";
    let output = Command::new("/usr/bin/python3").args(["-c", program, "read.yml"]).current_dir(bench.path()).output();
    let output = finished(output.expect("python3"));
    assert!(output.code == 0, "{}\nhint: run ./test.sh once, it installs the package python3-yaml", output.err);
    serde_json::from_str(&output.out).unwrap()
}

/// What the specification of OpenSLO v1 asks of an SLO with a ratio of two counters, and no field beside: readers refuse what
/// they do not know.
fn objective_of_v1() -> Value {
    let object = |required: &[&str], properties: Value| json!({"type": "object", "required": required, "properties": properties, "additionalProperties": false});
    // A name is that of a label of DNS, 63 letters at most, which is the strictest of what readers ask.
    let name = json!({"type": "string", "maxLength": 63, "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$"});
    let shown = json!({"type": "string", "minLength": 1, "maxLength": 63});
    let metadata = object(&["name"], json!({"name": name, "displayName": shown}));
    let query = object(&["query"], json!({"query": {"type": "string", "minLength": 1}}));
    let source = object(&["type", "spec"], json!({"type": {"const": "Prometheus"}, "spec": query}));
    let metric = object(&["metricSource"], json!({"metricSource": source}));
    // Good or bad, never both, and what counts since a start says so.
    let ratio = object(
        &["counter", "good", "total"],
        json!({"counter": {"const": true}, "good": metric.clone(), "total": metric}),
    );
    let indicator = object(
        &["metadata", "spec"],
        json!({
            "metadata": metadata.clone(),
            "spec": object(&["ratioMetric"], json!({"ratioMetric": ratio})),
        }),
    );
    // A whole number and one unit; a window that is not rolling would need a calendar.
    let window = object(
        &["duration", "isRolling"],
        json!({
            "duration": {"type": "string", "pattern": "^[1-9][0-9]*[mhdwMQY]$"},
            "isRolling": {"const": true},
        }),
    );
    // A ratio has no `op` and no `value`; 1 is no objective.
    let target = json!({"type": "number", "minimum": 0, "exclusiveMaximum": 1});
    let objective = object(&["target"], json!({"displayName": shown, "target": target}));
    let spec = object(
        &["service", "indicator", "timeWindow", "budgetingMethod", "objectives"],
        json!({
            "service": name,
            "description": {"type": "string", "maxLength": 1050},
            "indicator": indicator,
            "timeWindow": {"type": "array", "minItems": 1, "maxItems": 1, "items": window},
            "budgetingMethod": {"const": "Occurrences"},
            "objectives": {"type": "array", "minItems": 1, "items": objective},
        }),
    );
    object(
        &["apiVersion", "kind", "metadata", "spec"],
        json!({
            "apiVersion": {"const": "openslo/v1"}, "kind": {"const": "SLO"}, "metadata": metadata, "spec": spec,
        }),
    )
}

#[test]
fn each_objective_has_what_openslo_v1_asks_for_and_nothing_else() {
    let bench = Bench::new();
    let required = jsonschema::validator_for(&objective_of_v1()).unwrap();
    let every = "[read]\nthreshold = \"1ms\"\n[lag]\nthreshold = \"2s\"\n\
                 [storage-read]\nthreshold = \"1ms\"\n[storage-sync]\nthreshold = \"10ms\"\n";
    for (slo, operations, target) in [
        ("".to_owned(), 3, 0.99),
        ("objective = \"50 %\"\ndays = 28\n".to_owned(), 3, 0.5),
        (format!("objective = \"99.999 %\"\n{every}"), 6, 0.999_99),
    ] {
        write(&bench, "slo.toml", &slo);
        let written = bench.succeed(&["monitor", "slo", "--slo", "slo.toml"]).out;
        let objectives = documents(&bench, &written);
        assert_eq!(objectives.len(), 2 * operations, "{written}");
        for objective in &objectives {
            let errors: Vec<String> =
                required.iter_errors(objective).map(|error| format!("{} {error}", error.instance_path())).collect();
            assert!(errors.is_empty(), "{errors:#?}\n{objective:#}");
            assert_eq!(objective["spec"]["objectives"][0]["target"], target);
        }
        let mut names: Vec<&Value> = objectives.iter().map(|objective| &objective["metadata"]["name"]).collect();
        names.dedup();
        assert_eq!(names.len(), objectives.len(), "an object has its name alone: {names:?}");
    }
    // The requirements are some: each of these breaks one of them.
    let written = bench.succeed(&["monitor", "slo"]).out;
    for (good, bad) in [
        ("openslo/v1", "openslo/v2"),
        ("name: dbdyno-read-28d", "name: dbdyno_read"),
        ("budgetingMethod: Occurrences", "budgetingMethod: Events"),
        ("duration: 28d", "duration: 28 days"),
        ("isRolling: true", "isRolling: false"),
        ("target: 0.99", "target: 99"),
        ("counter: true", "counters: true"),
        ("total:", "bad:"),
        ("service: database", "services: database"),
    ] {
        let broken = &documents(&bench, &written.replace(good, bad))[0];
        assert!(!required.is_valid(broken), "{bad} is let through");
    }
}

/// An Alertmanager that runs, with the rules of inhibition.
struct Alertmanager {
    child: Child,
    address: String,
}

impl Alertmanager {
    fn start(bench: &Bench) -> Alertmanager {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let address = format!("127.0.0.1:{port}");
        let names = ["prometheus-alertmanager", "alertmanager"];
        let mut found = names.iter().filter_map(|name| {
            let mut command = Command::new(name);
            command.args(["--config.file=alertmanager.yml", "--storage.path=am", "--cluster.listen-address="]);
            command.arg(format!("--web.listen-address={address}")).current_dir(bench.path());
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()
        });
        let child = found.next().expect("alertmanager\nhint: run ./test.sh once, it installs prometheus-alertmanager");
        wait_until("Alertmanager does not answer", || TcpStream::connect(&address).is_ok());
        Alertmanager { child, address }
    }

    fn curl(&self, path: &str, arguments: &[&str]) -> Value {
        let url = format!("http://{}/api/v2/{path}", self.address);
        let output = Command::new("curl").arg("-s").args(arguments).arg(url).output().expect("curl");
        serde_json::from_slice(&output.stdout).unwrap_or_default()
    }

    /// Names and targets of the alerts that are told and not left out, in order.
    fn told(&self) -> Vec<(String, String)> {
        let alerts = self.curl("alerts?inhibited=false", &[]);
        let label = |alert: &Value, name: &str| alert["labels"][name].as_str().unwrap_or_default().to_owned();
        let alerts = alerts.as_array().cloned().unwrap_or_default();
        let mut told: Vec<(String, String)> =
            alerts.iter().map(|alert| (label(alert, "alertname"), label(alert, "target"))).collect();
        told.sort();
        told
    }
}

impl Drop for Alertmanager {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn alertmanager_leaves_out_what_an_outage_explains() {
    let bench = Bench::new();
    let inhibition = bench.succeed(&["monitor", "rules", "--form", "alertmanager"]).out;
    write(
        &bench,
        "alertmanager.yml",
        &format!("route: {{receiver: nobody}}\nreceivers: [{{name: nobody}}]\n{inhibition}"),
    );
    let checked = Command::new("amtool").args(["check-config", "alertmanager.yml"]).current_dir(bench.path()).output();
    let hint = "amtool\nhint: run ./test.sh once, it installs the package prometheus-alertmanager";
    let checked = finished(checked.expect(hint));
    assert!(checked.code == 0 && checked.out.contains("3 inhibit rules"), "{} {}", checked.out, checked.err);

    // Every name that is left out or leaves out is that of a rule.
    let rules = bench.succeed(&["monitor", "rules"]).out;
    for name in ["Down", "NoWriter", "FastBurn", "SlowBurn", "BudgetBurn", "Drift"] {
        assert!(inhibition.contains(name) && rules.contains(&format!("alert: Dbdyno{name}\n")), "{name}");
    }

    let alertmanager = Alertmanager::start(&bench);
    let alert = |name: &str, target: &str, operation: &str, severity: &str, cluster: &str| {
        let name = format!("Dbdyno{name}");
        let labels = json!({
            "alertname": name, "target": target, "operation": operation, "severity": severity, "cluster": cluster,
        });
        json!({"labels": labels})
    };
    let alerts = json!([
        // What is down burns, too, and drifts.
        alert("Down", "a", "commit", "page", ""),
        alert("FastBurn", "a", "commit", "page", ""),
        alert("Drift", "a", "read", "ticket", ""),
        // Another target burns and drifts by itself.
        alert("FastBurn", "b", "commit", "page", ""),
        alert("Drift", "c", "read", "ticket", ""),
        // A page spares a ticket.
        alert("BudgetBurn", "b", "commit", "ticket", ""),
        // No node of a cluster takes writes: its commits fail, which is the same, and one node does not read, which is not.
        alert("NoWriter", "s", "writer", "page", "s"),
        alert("Down", "s 1", "commit", "page", "s"),
        alert("Down", "s 1", "read", "page", "s"),
        alert("Down", "t 1", "commit", "page", "t"),
        {"labels": {"alertname": "DbdynoAbsent", "severity": "page"}},
    ]);
    let posted = ["-H", "Content-Type: application/json", "-d", &alerts.to_string()];
    alertmanager.curl("alerts", &posted);
    let expected = [
        ("DbdynoAbsent", ""),
        ("DbdynoDown", "a"),
        ("DbdynoDown", "s 1"),
        ("DbdynoDown", "t 1"),
        ("DbdynoDrift", "c"),
        ("DbdynoFastBurn", "b"),
        ("DbdynoNoWriter", "s"),
    ];
    let expected: Vec<(String, String)> =
        expected.iter().map(|(name, target)| ((*name).to_owned(), (*target).to_owned())).collect();
    wait_until("other alerts are told", || alertmanager.told() == expected);
}
