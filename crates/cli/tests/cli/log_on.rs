//! T641, log-ons, over an encrypted connection.

use crate::bench::{Bench, runs};
use crate::far_server::FarServer;

#[test]
fn log_ons_are_encrypted_where_the_target_says_so_and_are_counted_by_the_server() {
    let bench = Bench::new();
    let Some(server) = FarServer::start_encrypted(&bench, "db1") else { return };
    let target = format!("{}?sslmode=require", server.target());
    let sessions = || server.ask("select sum(sessions) from pg_stat_database").parse::<u64>().unwrap();
    let before = sessions();
    let words = ["run", "--target", &target, "--tests", "T641", "--jobs", "1", "--steps", "23", "--preset", "smoke"];
    bench.succeed(&[&words[..], &["--seconds", "60", "--no-html", "--quiet", "--record", "r.jsonl"]].concat());
    let record = bench.record("r.jsonl");
    let run = &runs(&record, "T641")[0];
    assert_eq!((&run["totals"]["steps"], &run["totals"]["rows"]), (&23.into(), &23.into()));
    let encryption = record["engine"]["encryption"].as_str().unwrap();
    assert!(encryption.contains("TLS"), "{encryption}");
    // Beside those of the steps there are some of the set-up, and those of psql.
    assert!((23..23 + 40).contains(&(sessions() - before)), "{before} and {}", sessions());
}
