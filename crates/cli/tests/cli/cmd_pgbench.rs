//! `dbdyno pgbench`: a command line of pgbench, beside pgbench itself on the same server.

use std::fs;
use std::process::Command;

use crate::bench::{Bench, runs};
use crate::far_server::FarServer;

/// The value in the one line of `text` that begins with `name`.
fn value<'a>(text: &'a str, name: &str) -> &'a str {
    let mut found = text.lines().filter_map(|line| line.trim().strip_prefix(name));
    found.next().unwrap_or_else(|| panic!("{name} is not in {text}")).trim()
}

/// The names of the lines of `text`: what stands before a figure.
fn names(text: &str) -> Vec<String> {
    let closing = text.lines().skip_while(|line| !line.starts_with("transaction type"));
    let closing = closing.take_while(|line| !line.starts_with("dbdyno: "));
    let name = |line: &str| line.split([':', '=', '(']).next().unwrap_or_default().trim().to_owned();
    // Counts differ; the statements have names of their own, and meta commands are not among ours.
    let is_name = |line: &&str| !line.trim().starts_with(|first: char| first.is_ascii_digit());
    let without_digits = |name: String| name.replace(|letter: char| letter.is_ascii_digit(), "");
    closing.filter(is_name).map(name).map(without_digits).collect()
}

/// The lines of the log of pgbench in the directory of `bench`, which is removed.
fn log_lines(bench: &Bench) -> Vec<Vec<u64>> {
    let path = bench.files().into_iter().find(|file| file.to_string_lossy().contains("pgbench_log.")).expect("a log");
    let path = bench.path().join(path);
    let text = fs::read_to_string(&path).unwrap();
    fs::remove_file(path).unwrap();
    text.lines().map(|line| line.split(' ').map(|figure| figure.parse().unwrap()).collect()).collect()
}

#[test]
fn a_command_line_of_pgbench_has_its_closing_lines() {
    let bench = Bench::new();
    let Some(server) = FarServer::start(&bench, "db1") else { return };
    let made = bench.succeed(&["pgbench", "-i", "-s", "2", "--target", &server.target()]);
    assert!(made.err.contains("at scale factor 2") && !bench.files().iter().any(|file| file.ends_with(".jsonl")));
    assert_eq!(server.ask("select count(*) from dbdyno.pgbench_accounts"), "200000");
    let read = "\\set aid random(1, 100000 * :scale)\nselect abalance from pgbench_accounts where aid = :aid;\n";
    fs::write(bench.path().join("read.sql"), read).unwrap();
    let asked = ["-n", "-s", "2", "-f", "read.sql@3", "-b", "simple-update@1", "-c", "2", "-j", "1", "-t", "50", "-r"];
    let more = ["-M", "extended", "-L", "500", "--failures-detailed", "--max-tries", "2", "-l"];
    let own = ["--target", &server.target(), "--record", "r.jsonl", "--no-html"];
    let output = bench.succeed(&[&["pgbench"][..], &asked, &more, &own].concat());
    let text = &output.out;
    assert_eq!(value(text, "transaction type:"), "multiple scripts");
    assert_eq!(value(text, "query mode:"), "extended");
    assert_eq!(value(text, "number of transactions actually processed:"), "100/100");
    assert_eq!(value(text, "number of transactions above the 500.0 ms latency limit:"), "0/100 (0.000%)");
    assert!(text.contains("SQL script 1: read.sql\n - weight: 3 (targets 75.0% of total)\n"), "{text}");
    assert!(text.contains(" select abalance from pgbench_accounts where aid = :aid\n"), "{text}");
    let run = runs(&bench.record("r.jsonl"), "X100")[0].clone();
    let rate: f64 = value(text, "tps =").split(' ').next().unwrap().parse().unwrap();
    let seconds = run["window_ns"].as_f64().unwrap() / 1e9;
    assert!((rate / (100.0 / seconds) - 1.0).abs() < 1e-6, "{rate}");
    let updates = run["transaction_types"][1]["totals"]["steps"].as_u64().unwrap();
    let histories: u64 = server.ask("select count(*) from dbdyno.pgbench_history").parse().unwrap();
    assert!((updates..=updates + 2).contains(&histories), "{histories} rows of {updates}, and of warming up");

    let ours = log_lines(&bench);
    let of_script = |lines: &[Vec<u64>], script: u64| lines.iter().filter(|line| line[3] == script).count() as u64;
    assert_eq!((ours.len(), of_script(&ours, 1)), (100, updates), "a line for each transaction");
    let sum: u64 = ours.iter().map(|line| line[2]).sum();
    let all_ns = run["response"]["mean_ns"].as_f64().unwrap() * 100.0;
    assert!((sum as f64 * 1_000.0 / all_ns - 1.0).abs() < 0.02, "{sum} microseconds, and {all_ns} ns");

    let address = server.address();
    let (host, port) = address.rsplit_once(':').unwrap();
    let pgbench = Command::new("pgbench")
        .args(asked)
        .args(more)
        .args(["-h", host, "-p", port, "-U", "bench", "postgres"])
        .env("PGOPTIONS", "-c search_path=dbdyno")
        .current_dir(bench.path())
        .output()
        .expect("pgbench");
    let theirs = log_lines(&bench);
    let columns = |lines: &[Vec<u64>]| lines.iter().map(Vec::len).collect::<std::collections::BTreeSet<usize>>();
    assert_eq!((theirs.len(), columns(&theirs)), (100, columns(&ours)));
    let seconds_of = |lines: &[Vec<u64>]| lines.iter().map(|line| line[4]).max().unwrap();
    assert!(seconds_of(&theirs).abs_diff(seconds_of(&ours)) < 600, "both have the time of the system");
    let theirs = String::from_utf8_lossy(&pgbench.stdout);
    let same = |line: &String| !line.starts_with("initial connection");
    let (theirs, ours) = (names(&theirs), names(text));
    assert_eq!(ours, theirs.into_iter().filter(same).collect::<Vec<_>>());
}

#[test]
fn an_option_that_is_not_there_says_what_serves_instead() {
    let bench = Bench::new();
    for (option, hint) in [("--foreign-keys", "pgbench itself"), ("--aggregate-interval=5", "dbdyno export")] {
        let refused = bench.run(&["pgbench", option, "--target", "sqlite"]);
        assert_eq!(refused.code, 2, "{}", refused.err);
        assert!(
            refused.err.contains(option.split('=').next().unwrap()) && refused.err.contains(hint),
            "{}",
            refused.err
        );
    }
    let each = ["-S", "-C", "-c", "2", "-T", "2", "-P", "1", "--no-html", "--record", "c.jsonl", "--target", "sqlite"];
    bench.succeed(&["pgbench", "-i", "--target", "sqlite"]);
    let output = bench.succeed(&[&["pgbench"][..], &each].concat());
    assert!(value(&output.out, "tps =").ends_with("(including reconnection times)"), "{}", output.out);
    assert_eq!(value(&output.out, "duration:"), "2 s");
    let done: f64 = value(&output.out, "number of transactions actually processed:").parse().unwrap();
    let progress: Vec<&str> = output.err.lines().filter(|line| line.starts_with("progress: ")).collect();
    let rate = |line: &&str| line.split(' ').nth(3).unwrap().parse::<f64>().unwrap();
    let of_seconds: f64 = progress.iter().map(rate).sum();
    // The last step of a job may end after the second second.
    assert!(progress.len() == 2 && (of_seconds - done).abs() <= 2.0, "{done} and {progress:?}");
    let wrong = bench.run(&["pgbench", "-c", "1", "-M", "fast", "--target", "sqlite"]);
    assert!(wrong.code == 2 && wrong.err.contains("fast"), "{}", wrong.err);
    assert!(bench.succeed(&["pgbench", "--show-script", "select"]).out.contains("from pgbench_accounts"));
    let portable = ["-S", "-c", "2", "-t", "20", "--no-html", "--record", "r.jsonl", "--target", "sqlite"];
    let output = bench.succeed(&[&["pgbench"][..], &portable].concat());
    assert_eq!(value(&output.out, "transaction type:"), "<builtin: select only>");
    assert_eq!(value(&output.out, "number of transactions actually processed:"), "40/40");
}
