//! Sessions that share the threads of dbdyno.

use std::time::Duration;

use serde_json::Value;

use crate::bench::{Bench, finished, runs};
use crate::cmd_fleet::merged_histograms;
use crate::far_server::FarServer;
use crate::local_server::servers;

/// The verdict on what the engine counted, with how many steps were ours.
pub fn commits(run: &Value) -> (&Value, &Value) {
    let findings = run["findings"].as_array().unwrap();
    let found = findings.iter().find(|of| !of["evidence"]["commit_count"].is_null()).unwrap();
    (&found["verdict"], &found["evidence"]["commit_count"]["counted"]["ours"])
}

#[test]
fn twenty_three_steps_of_sixty_four_sessions_on_one_thread_are_as_many_for_the_engine() {
    let bench = Bench::new();
    for (target, tests) in [("local:postgres", ["T611", "T311"]), ("local:mariadb", ["T311", "T716"])] {
        let words = format!(
            "run --target {target} --client-threads 1 --preset smoke --jobs 64 --steps 23 --seconds 120 --tests {} \
             --record c.jsonl",
            tests.join(",")
        );
        let output = bench.succeed(&words.split(' ').collect::<Vec<_>>());
        let record = bench.record("c.jsonl");
        for test in tests {
            let run = runs(&record, test)[0];
            let shared = &run["client_threads"];
            assert_eq!((&shared["threads"], &run["totals"]["steps"]), (&1.into(), &1_472.into()), "{}", output.out);
            assert_eq!(run["service"]["count"], 1_472, "{target} {test}");
            assert!(shared["method"] == "io_uring" || shared["method"] == "epoll", "{shared}");
            assert!(shared["unseen_ns_p50"].as_u64() <= shared["unseen_ns_max"].as_u64(), "{shared}");
            let (verdict, ours) = commits(run);
            assert_eq!((verdict, ours), (&"pass".into(), &1_472.into()), "{target} {test}");
        }
        assert!(servers(&bench).is_empty(), "{target}");
        std::fs::remove_file(bench.path().join("c.jsonl")).unwrap();
    }
}

#[test]
fn tests_of_the_catalogue_are_done_on_one_thread() {
    let some = "C11,T611,T641,T651,T331,T311,T716,T731,T741,C100";
    for (target, tests) in [("local:postgres", "cpu,server,database"), ("local:mariadb", some)] {
        let bench = Bench::new();
        let words = format!("--tests {tests} --jobs 3 --client-threads 1 --preset smoke --record all.jsonl");
        let output = bench.run(&["run", "--target", target].into_iter().chain(words.split(' ')).collect::<Vec<_>>());
        let record = bench.record("all.jsonl");
        let all = record["runs"].as_array().unwrap();
        let failed: Vec<String> = all
            .iter()
            .filter(|run| run["outcome"]["status"] != "done")
            .map(|run| format!("{}", run["outcome"]))
            .collect();
        assert!(failed.is_empty() && all.len() > 8, "{failed:?}\n{}", output.err);
        let shared = all.iter().filter(|run| run["client_threads"]["threads"] == 1).count();
        // Probes keep a thread for each job: they wait for nothing. So does a log-on, which waits for a connection.
        let shares = |run: &&Value| run["kind"] != "probe" && run["test"] != "T641";
        let is_several = |run: &&Value| run["dop"]["jobs"].as_u64() > Some(1) && shares(run);
        let several = all.iter().filter(is_several).count();
        assert!(all.iter().any(|run| run["kind"] == "probe" && run["dop"]["jobs"] == 3));
        assert!(shared == several && shared > 6, "{shared} of {several}");
        // Arrivals at random: their number has a deviation of 28.
        let words =
            "--tests T611 --jobs 8 --rate 400 --seconds 2 --client-threads 1 --preset smoke --record rate.jsonl";
        bench.run(&["run", "--target", target].into_iter().chain(words.split(' ')).collect::<Vec<_>>());
        let record = bench.record("rate.jsonl");
        let run = runs(&record, "T611")[0];
        let steps = run["totals"]["steps"].as_u64().unwrap() + run["totals"]["unfinished"].as_u64().unwrap_or(0);
        assert!((680..920).contains(&steps), "{target}: {}", run["totals"]);
    }
}

#[test]
fn sessions_of_random_blocks_share_a_thread() {
    let bench = Bench::new();
    let words = "blocks --target local:postgres --client-threads 1 --schemas 2 --threads 8 --scale 500 --work-unit 4 --run-time 1 \
                 --no-probe --record b.jsonl";
    let output = bench.succeed(&words.split_whitespace().collect::<Vec<_>>());
    let record = bench.record("b.jsonl");
    let run = &record["runs"][0];
    assert_eq!(run["client_threads"]["threads"], 1, "{}", output.out);
    assert_eq!((&run["dop"]["jobs"], &run["outcome"]["status"]), (&16.into(), &"done".into()), "{}", output.out);
    assert_eq!(commits(run).0, "pass", "{}", run["findings"]);
}

#[test]
fn an_interrupted_run_of_sessions_that_wait_for_a_lock_leaves_nothing() {
    let bench = Bench::new();
    let words = "run --target local:postgres --client-threads 1 --tests T716 --jobs 16 --preset smoke --seconds 60 \
                 --record i.jsonl";
    let child = bench.start(&words.split_whitespace().collect::<Vec<_>>());
    crate::fleet_hosts::wait_until("no record", || bench.path().join("i.jsonl").exists());
    std::thread::sleep(Duration::from_secs(4));
    crate::fleet_hosts::system("kill", &["-INT", &child.id().to_string()]);
    let output = finished(child.wait_with_output().unwrap());
    assert_eq!(output.code, 130, "{}", output.err);
    assert!(servers(&bench).is_empty());
}

#[test]
fn agents_share_threads_too_and_a_lost_session_is_no_lost_database() {
    let bench = Bench::new();
    let Some(([_one, two], target)) = FarServer::two(&bench) else { return };
    let words =
        "fleet run --agents 2 --database-per-agent --client-threads 1 --jobs 8 --tests T611 --preset smoke --target";
    let words = [&words.split_whitespace().collect::<Vec<_>>()[..], &[&target]].concat();
    let output = bench.succeed(&[&words[..], &["--steps", "230", "--seconds", "60", "--record", "t.jsonl"]].concat());
    let record = bench.record("t.jsonl");
    let run = runs(&record, "T611")[0];
    // One thread of each agent.
    assert_eq!(run["client_threads"]["threads"], 2, "{}", output.out);
    assert_eq!((&run["totals"]["steps"], commits(run).0), (&1_840.into(), &"pass".into()));
    merged_histograms(&bench, "t.jsonl");
    // Whether the database is there is asked by a new session, from the thread that the others share.
    let child = bench.start(&[&words[..], &["--seconds", "12", "--warm-up", "0", "--record", "l.jsonl"]].concat());
    two.wait_for_jobs();
    two.ask(
        "select pg_terminate_backend(pid) from pg_stat_activity \
         where query like '%small%' and pid <> pg_backend_pid() limit 1",
    );
    let output = finished(child.wait_with_output().unwrap());
    let record = bench.record("l.jsonl");
    let run = runs(&record, "T611")[0];
    assert_eq!(run["outcome"]["status"], "failed", "{}", output.out);
    assert!(run["events"].as_array().is_none_or(Vec::is_empty), "{}", run["events"]);
}

#[test]
fn a_stopped_backend_delays_its_own_session_alone() {
    let bench = Bench::new();
    let Some(server) = FarServer::start(&bench, "db1") else { return };
    let target = server.target();
    let words = "run --tests T611 --jobs 8 --preset smoke --trace none --target";
    let words = [&words.split(' ').collect::<Vec<_>>()[..], &[&target]].concat();
    // With a server on another host that is the default.
    bench.succeed(&[&words[..], &["--steps", "23", "--seconds", "60", "--record", "d.jsonl"]].concat());
    let record = bench.record("d.jsonl");
    let (run, processors) = (runs(&record, "T611")[0], std::thread::available_parallelism().unwrap().get());
    let shared = run["client_threads"]["threads"].as_u64();
    assert_eq!(shared, (processors < 8).then_some(processors as u64));
    assert_eq!((&run["totals"]["steps"], commits(run).1), (&184.into(), &184.into()));
    // 400 steps per second, 50 of each session; one cannot begin for a second.
    let open_loop = "--client-threads 1 --rate 400 --arrival fixed --seconds 6 --warm-up 0.5 --record s.jsonl";
    let child = bench.start(&[&words[..], &open_loop.split(' ').collect::<Vec<_>>()].concat());
    let of_jobs = "from pg_stat_activity where query like '%small where id%' and pid <> pg_backend_pid()";
    crate::fleet_hosts::wait_until("no sessions", || server.ask(&format!("select count(*) = 8 {of_jobs}")) == "t");
    std::thread::sleep(Duration::from_secs(2));
    let stopped = server.ask(&format!("select pid {of_jobs} limit 1"));
    crate::fleet_hosts::system("kill", &["-STOP", &stopped]);
    std::thread::sleep(Duration::from_secs(1));
    crate::fleet_hosts::system("kill", &["-CONT", &stopped]);
    let output = finished(child.wait_with_output().unwrap());
    let record = bench.record("s.jsonl");
    let run = runs(&record, "T611")[0];
    let at = |kind: &str, quantile: &str| run[kind][quantile].as_u64().unwrap() / 1_000_000;
    assert_eq!(run["client_threads"]["threads"], 1, "{}", output.out);
    // One step was in the server; fifty of two thousand began late.
    assert!(at("service", "p99_ns") < 100 && at("service", "max_ns") > 800, "{}", output.out);
    assert!(at("response", "p90_ns") < 100 && at("response", "p99_ns") > 300, "{}", output.out);
}

#[test]
fn sessions_that_wait_for_files_have_a_thread_each_and_both_sides_of_a_pair_are_alike() {
    let bench = Bench::new();
    let Some(server) = FarServer::start(&bench, "db1") else { return };
    let (target, processors) = (server.target(), std::thread::available_parallelism().unwrap().get());
    bench.succeed(&["load", "--target", &target, "--size", "1MB", "--jobs", "8", "--no-html", "--record", "l.jsonl"]);
    bench.succeed(&[
        "streams",
        "--target",
        &target,
        "--streams",
        "8",
        "--seconds",
        "0.3",
        "--no-html",
        "--record",
        "s.jsonl",
    ]);
    for name in ["l.jsonl", "s.jsonl"] {
        let record = bench.record(name);
        let all = record["runs"].as_array().unwrap();
        assert!(all.iter().any(|run| run["dop"]["jobs"] == 8), "{name}: {all:?}");
        assert!(all.iter().all(|run| run["client_threads"].is_null()), "{name}: {all:?}");
    }
    // One side is on this host.
    let words =
        "pair --a local:postgres --tests T611 --jobs 8 --pairs 1 --seconds 0.2 --preset smoke --record p.jsonl --b";
    bench.succeed(&[&words.split(' ').collect::<Vec<_>>()[..], &[&target]].concat());
    for name in ["p-a.jsonl", "p-b.jsonl"] {
        let record = bench.record(name);
        let threads = runs(&record, "T611")[0]["client_threads"]["threads"].as_u64();
        assert_eq!(threads, (processors < 8).then_some(processors as u64), "{name}");
    }
}

#[test]
fn sessions_of_postgresql_13_publish_their_counters_without_delaying_each_other() {
    let bench = Bench::new();
    let bin = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/postgres/13/root/usr/lib/postgresql/13/bin");
    let target = format!("local:postgres?bin={bin}");
    let words = "run --client-threads 1 --tests T611 --jobs 16 --seconds 0.5 --preset smoke --record o.jsonl --target";
    let output = bench.succeed(&[&words.split(' ').collect::<Vec<_>>()[..], &[&target]].concat());
    let record = bench.record("o.jsonl");
    let run = runs(&record, "T611")[0];
    assert_eq!(run["client_threads"]["threads"], 1, "{}", output.out);
    // Each waits for half a second after its last step: one after the other that would be 8 s within the window.
    assert!(run["window_ns"].as_u64() < Some(3_000_000_000), "{}", run["window_ns"]);
    assert_eq!(commits(run).0, "pass", "{}", run["findings"]);
}

#[test]
fn shared_threads_are_a_condition_and_what_cannot_share_is_refused() {
    let bench = Bench::new();
    for (words, record) in [("--client-threads 2", "two.jsonl"), ("", "own.jsonl")] {
        let words = format!(
            "run --target null --tests T611 --jobs 8 --preset quick --seconds 0.2 --warm-up 0 {words} --record {record}"
        );
        bench.run(&words.split_whitespace().collect::<Vec<_>>());
    }
    let compared = bench.run(&["compare", "two.jsonl", "own.jsonl", "--details"]);
    assert!(compared.out.contains("client threads"), "{}{}", compared.out, compared.err);
    for (words, message) in [
        ("--target sqlite --client-threads 1", "sessions of SQLite have a thread each"),
        ("--target null --client-threads 0", "client-threads 0"),
        ("--target null --client-threads x", "client-threads x"),
    ] {
        let output = bench.run(&["run", "--tests", "T611"].into_iter().chain(words.split(' ')).collect::<Vec<_>>());
        assert_eq!(output.code, 2, "{words}: {}", output.err);
        assert!(output.err.contains(message) && output.err.contains("hint: "), "{words}: {}", output.err);
    }
}

#[test]
fn ten_thousand_sessions_of_the_null_engine_share_two_threads() {
    let bench = Bench::new();
    let words = "run --target null --tests T611 --jobs 10000 --client-threads 2 --steps 5 --preset smoke --seconds 60 \
                 --record m.jsonl";
    let output = bench.run(&words.split_whitespace().collect::<Vec<_>>());
    let record = bench.record("m.jsonl");
    let run = runs(&record, "T611")[0];
    assert_eq!(
        (&run["totals"]["steps"], &run["client_threads"]["threads"]),
        (&50_000.into(), &2.into()),
        "{}",
        output.err
    );
}
