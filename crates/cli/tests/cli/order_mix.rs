//! The order mixes: what becomes of a run whose session is lost, figures per minute, and sizes of the user.

use crate::bench::{Bench, finished, growth, runs};
use crate::far_server::FarServer;

#[test]
fn a_lost_session_ends_the_run_with_what_was_counted_and_its_conditions_are_checked() {
    let bench = Bench::new();
    let Some(server) = FarServer::start(&bench, "db1") else { return };
    let target = server.target();
    let words = ["--tests", "C100", "--preset", "smoke", "--jobs", "3", "--seconds", "60", "--record", "r.jsonl"];
    let child = bench.start(&[&["run", "--target", &target][..], &words].concat());
    // Few questions: the engine counts two commits of each, that of the login and its own.
    let mut questions = 0;
    let mut ask = |question: &str| {
        std::thread::sleep(std::time::Duration::from_millis(300));
        questions += 1;
        server.ask(question) == "1"
    };
    let works = "select 1 from pg_stat_activity where query like 'update stock%' and xact_start is not null limit 1";
    let terminated = "select count(pg_terminate_backend(pid)) from (select pid from pg_stat_activity \
                      where query like 'update stock%' and xact_start is not null limit 1) one";
    assert!((0..100).any(|_| ask(works)), "no job is at work");
    assert!((0..100).any(|_| ask(terminated)), "no session is terminated");
    let output = finished(child.wait_with_output().unwrap());
    assert_eq!(output.code, 1, "{}\n{}", output.out, output.err);
    let record = bench.record("r.jsonl");
    let run = runs(&record, "C100")[0];
    assert_eq!(run["outcome"]["status"], "failed");
    assert!(run["outcome"]["message"].as_str().unwrap().contains("terminating connection"), "{}", run["outcome"]);
    let done = run["totals"]["transactions"].as_u64().unwrap();
    let counted = growth(run, "commit_count").unwrap() - growth(run, "bookkeeping_commit_count").unwrap();
    // The step that was lost may have been committed.
    assert!(done > 0 && (done..=done + 1 + 2 * questions).contains(&counted), "{counted} of {done}");
    let answers = run["findings"].as_array().unwrap().iter().find(|finding| !finding["evidence"]["answers"].is_null());
    assert_eq!(answers.map(|finding| &finding["verdict"]), Some(&"pass".into()), "{}", run["findings"]);
}

#[test]
fn orders_per_minute_are_those_that_the_tables_have() {
    let bench = Bench::new();
    let Some(server) = FarServer::start(&bench, "db1") else { return };
    let target = server.target();
    let words = ["--tests", "C110", "--warehouses", "4", "--preset", "smoke", "--jobs", "2", "--steps", "200"];
    let exact = ["--seconds", "60", "--no-activity", "--record", "r.jsonl"];
    let output = bench.succeed(&[&["run", "--target", &target][..], &words, &exact].concat());
    let record = bench.record("r.jsonl");
    let run = runs(&record, "C110")[0];
    assert_eq!((&run["outcome"]["status"], &run["totals"]["operations"]), (&"done".into(), &400.into()), "{run}");
    assert_eq!((&run["parameters"]["warehouses"], &record["plan"]["warehouses"]), (&4.into(), &4.into()));
    let counted = growth(run, "commit_count").unwrap() - growth(run, "bookkeeping_commit_count").unwrap();
    assert_eq!(counted, 400, "each call is one commit");
    let trips = growth(run, "client_round_trip_count");
    assert!(trips.is_none_or(|trips| (400..410).contains(&trips)), "{trips:?}");
    let orders = &run["transaction_types"][0];
    assert_eq!((&orders["name"], &orders["per_minute"]), (&"new_order".into(), &"NOPM".into()));
    let minutes = run["window_ns"].as_u64().unwrap() as f64 / 60e9;
    let nopm = (orders["totals"]["transactions"].as_u64().unwrap() as f64 / minutes).round();
    bench.succeed(&["export", "r.jsonl", "--format", "csv", "--out", "out"]);
    let table = std::fs::read_to_string(bench.path().join("out/transaction_types.csv")).unwrap();
    let mut lines = table.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let place = lines.next().unwrap().iter().position(|key| *key == "per_minute").unwrap();
    let figures: Vec<&str> = lines.map(|line| line[place]).collect();
    assert_eq!(figures, [nopm.to_string().as_str(), "", "", "", ""]);
    assert!(output.out.contains("NOPM"), "{}", output.out);
    let findings = run["findings"].as_array().unwrap();
    let doubt = findings.iter().find(|finding| !finding["evidence"]["warehouses"].is_null());
    assert_eq!(doubt.map(|finding| &finding["verdict"]), Some(&"warn".into()), "{findings:?}");
    assert!(output.err.contains("4 warehouses for 2 jobs are less than 5 for each"), "{}", output.err);
}

#[test]
fn warehouses_that_do_not_fit_are_refused_before_anything_is_loaded() {
    let bench = Bench::new();
    let words = ["run", "--target", "sqlite", "--tests", "C100", "--preset", "quick", "--jobs", "1"];
    let refused = bench.run(&[&words[..], &["--warehouses", "1000000", "--record", "many.jsonl"]].concat());
    assert_eq!(refused.code, 1, "{}", refused.err);
    assert!(
        refused.err.contains(" MB are required in ") && refused.err.contains(" MB are available"),
        "{}",
        refused.err
    );
    assert!(refused.err.contains("hint: give fewer --warehouses"), "{}", refused.err);
    let none = bench.run(&["run", "--target", "sqlite", "--tests", "T611", "--warehouses", "3"]);
    assert_eq!(none.code, 2, "{}", none.err);
    let words = ["run", "--target", "local:postgres", "--tests", "C110", "--warehouses", "2", "--jobs", "3"];
    let few = bench.run(&[&words[..], &["--record", "few.jsonl"]].concat());
    assert!(few.code == 2 && few.err.contains("3 jobs of C110 are more than its warehouses: 2"), "{}", few.err);
}
