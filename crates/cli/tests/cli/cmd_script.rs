//! `dbdyno run --script`: scripts of pgbench, on real servers.

use std::fs;

use serde_json::Value;

use crate::bench::{Bench, growth, runs};
use crate::far_server::FarServer;

/// Runs of so many steps that nothing but them is done: no warm-up, no samples.
const EXACT: [&str; 9] =
    ["--preset", "smoke", "--seconds", "60", "--no-activity", "--no-html", "--quiet", "--record", "r.jsonl"];

/// The one run of scripts in the record, which has ended well.
fn measured(bench: &Bench, arguments: &[&str]) -> Value {
    bench.succeed(&[&["run"], arguments, &EXACT].concat());
    let record = bench.record("r.jsonl");
    let run = runs(&record, "X100")[0].clone();
    assert_eq!(run["outcome"]["status"], "done", "{}", run["outcome"]);
    run
}

/// What the engine committed in the window, less what dbdyno did to read that.
fn commits(run: &Value) -> u64 {
    growth(run, "commit_count").unwrap() - growth(run, "bookkeeping_commit_count").unwrap()
}

#[test]
fn rows_and_balances_are_those_of_the_transactions_that_are_reported() {
    let bench = Bench::new();
    let Some(server) = FarServer::start(&bench, "db1") else { return };
    server.ask("create table pgbench_history (mine int); create table visits (job int)");
    fs::write(bench.path().join("visit.sql"), "insert into visits values (:client_id);\n").unwrap();
    let target = server.target();
    let scripts = ["--builtin", "tpcb@9", "--script", "visit.sql", "--initialize", "--scale", "2"];
    let more = ["--target", &target, "--jobs", "2", "--steps", "60", "--keep"];
    let run = measured(&bench, &[&scripts[..], &more].concat());
    assert_eq!(run["title"], "scripts visit.sql@1, tpcb-like@9");
    assert_eq!((&run["totals"]["steps"], &run["totals"]["operations"]), (&120.into(), &120.into()));
    assert_eq!(run["totals"]["transactions"], commits(&run), "each is one commit");
    assert_eq!(run["totals"]["transactions"], 120);
    let count = |query: &str| server.ask(query).parse::<i64>().unwrap();
    let histories = count("select count(*) from dbdyno.pgbench_history");
    let visits = count("select count(*) from public.visits");
    // Each job has run a script before the window, to warm up.
    assert_eq!((histories + visits, visits > 0), (120 + 2, true));
    assert_eq!(count("select count(distinct job) from public.visits where job between 0 and 1"), 2);
    let types = run["transaction_types"].as_array().unwrap();
    let of_type = |index: usize| types[index]["totals"]["steps"].as_i64().unwrap();
    assert_eq!((types[0]["name"].as_str(), of_type(0) + of_type(1)), (Some("visit.sql"), 120));
    assert!((histories - 2..=histories).contains(&of_type(1)), "{histories} and {}", of_type(1));
    let statements = types[1]["statements"].as_array().unwrap();
    assert_eq!(statements.len(), 7, "five statements between begin and end");
    let is_of_each = |statement: &Value| statement["service"]["count"].as_i64() == Some(of_type(1));
    assert!(statements.iter().all(is_of_each), "{statements:?}");
    let delta = count("select sum(delta) from dbdyno.pgbench_history");
    for (table, column) in [("accounts", "abalance"), ("tellers", "tbalance"), ("branches", "bbalance")] {
        assert_eq!(count(&format!("select sum({column}) from dbdyno.pgbench_{table}")), delta, "{table}");
    }
    assert_eq!(count("select count(*) from dbdyno.pgbench_accounts where aid between 1 and 200000"), 200_000);
    assert_eq!(count("select count(distinct bid) from dbdyno.pgbench_history"), 2);
    assert_eq!(count("select count(*) from public.pgbench_history"), 0, "that of the user is left as it is");
}

#[test]
fn a_role_has_jobs_and_a_rate_of_its_own_and_a_gauge_is_read_beside() {
    let bench = Bench::new();
    let Some(server) = FarServer::start(&bench, "db1") else { return };
    server.ask("create table queue (id bigint generated always as identity primary key, taken_at timestamptz)");
    fs::write(bench.path().join("put.sql"), "insert into queue (taken_at) values (null);\n").unwrap();
    let take = "update queue set taken_at = now() where id = (select min(id) from queue where taken_at is null);\n\\sleep 5 ms\n";
    fs::write(bench.path().join("take.sql"), take).unwrap();
    let target = server.target();
    let depth = "depth=select count(*) from queue where taken_at is null";
    let scripts =
        ["--script", "put.sql", "--script", "take.sql", "--role", "put.sql:jobs=2,rate=100", "--gauge", depth];
    let window = ["--jobs", "3", "--duration", "4s", "--preset", "smoke", "--no-html", "--record", "r.jsonl"];
    let output = bench.succeed(&[&["run", "--target", &target, "--details"], &scripts[..], &window].concat());
    let record = bench.record("r.jsonl");
    let run = &runs(&record, "X100")[0];
    assert_eq!(run["outcome"]["status"], "done", "{}", run["outcome"]);
    assert_eq!(run["totals"]["transactions"], commits(run), "the gauge is bookkeeping");
    let types = run["transaction_types"].as_array().unwrap();
    assert_eq!(types[0]["role"], serde_json::json!({ "name": "put.sql", "jobs": 2, "rate": 100.0 }));
    assert_eq!(types[1]["role"], Value::Null);
    // The mean of a Poisson process, and four of its standard deviations.
    let puts = types[0]["totals"]["steps"].as_f64().unwrap();
    assert!((320.0..480.0).contains(&puts), "{puts}");
    let of_job = |run: &Value| run["gauges"][0]["readings"].as_array().unwrap().clone();
    let readings = of_job(run);
    assert!((3..=5).contains(&readings.len()), "{readings:?}");
    let depths: Vec<f64> = readings.iter().map(|reading| reading["value"].as_f64().unwrap()).collect();
    // At most the rows that were added until then; in the end no more than are left.
    assert!(depths.iter().all(|depth| (0.0..=puts + 100.0).contains(depth)), "{depths:?}");
    let words = output.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Gauges") && words.contains("depth"), "{}", output.out);
    let refused = |more: &[&str]| {
        let base = ["run", "--target", &target, "--script", "put.sql", "--script", "take.sql", "--preset", "smoke"];
        let output = bench.run(&[&base, more].concat());
        (output.code, output.err.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let (code, message) = refused(&["--role", "put.sql:jobs=2", "--jobs", "1,4"]);
    assert!(code == 2 && message.contains("1 jobs are too few for the roles of test X100"), "{message}");
    let (code, message) = refused(&["--role", "put.sql:jobs=1,rate=5", "--rate", "10"]);
    assert!(code == 2 && message.contains("have rates of their own"), "{message}");
    let (code, message) = refused(&["--role", "other.sql:jobs=1"]);
    assert!(code == 2 && message.contains("hint: name one of put.sql, take.sql"), "{message}");
}

#[test]
fn behind_a_pooler_of_transactions_statements_have_no_names_and_nothing_is_set() {
    let bench = Bench::new();
    let Some(server) = FarServer::start(&bench, "db1") else { return };
    server.ask(
        "create table items as select id, array(select random() from generate_series(1, 8) where id > 0) as embedding \
         from generate_series(1, 500) id; alter table items add primary key (id); create table asked (row int)",
    );
    let nearest = "\\set row random(1, 500)\nbegin;\nselect id as nearest from items order by (select sum((a - b) ^ 2) \
                   from unnest(embedding, (select embedding from items where id = :row)) as v(a, b)) limit 1 \\gset\n\
                   insert into asked values (:nearest);\ncommit;\n";
    fs::write(bench.path().join("nearest.sql"), nearest).unwrap();
    let (target, _pooler) = server.pooler();
    for mode in ["simple", "extended", "prepared"] {
        let asked =
            ["--target", &target, "--script", "nearest.sql", "--query-mode", mode, "--jobs", "20", "--steps", "5"];
        let run = measured(&bench, &asked);
        assert_eq!(
            (&run["totals"]["operations"], &run["totals"]["transactions"]),
            (&100.into(), &100.into()),
            "{mode}"
        );
        fs::remove_file(bench.path().join("r.jsonl")).unwrap();
    }
    // Each of the twenty jobs has run the script before the window, too.
    assert_eq!(server.ask("select count(*) from asked"), "360");
    assert_eq!(server.ask("select count(*) from pg_namespace where nspname = 'dbdyno'"), "0");
    let refused =
        bench.run(&["run", "--target", &target, "--tests", "T311", "--preset", "smoke", "--record", "t.jsonl"]);
    assert!(refused.code != 0 && refused.err.contains("prepared_statements=off"), "{}", refused.err);
    fs::write(bench.path().join("slo.toml"), "[read]\nthreshold = \"1s\"\n").unwrap();
    let refused = bench.run(&["monitor", &target, "--slo", "slo.toml", "--for", "1s"]);
    assert!(refused.code != 0 && refused.err.contains("prepared_statements=off"), "{}", refused.err);
    let without = target.replace("?prepared_statements=off", "");
    let run = [
        "run",
        "--target",
        &without,
        "--script",
        "nearest.sql",
        "--jobs",
        "20",
        "--preset",
        "smoke",
        "--record",
        "u.jsonl",
    ];
    let refused = bench.run(&run);
    assert!(refused.code != 0 && refused.err.contains("hint: behind a pooler of transactions add"), "{}", refused.err);
}

#[test]
fn failed_transactions_are_rolled_back_and_counted() {
    let bench = Bench::new();
    let Some(server) = FarServer::start(&bench, "db1") else { return };
    server.ask("create table hot (id int primary key, n int); insert into hot values (1, 0)");
    let script = "begin isolation level repeatable read;\nselect n as before from hot where id = 1 \\gset\n\\sleep 2 ms\n\
                  update hot set n = :before + 1 where id = 1;\nend;\n";
    fs::write(bench.path().join("hot.sql"), script).unwrap();
    let target = server.target();
    let arguments = ["run", "--script", "hot.sql", "--target", &target, "--jobs", "4", "--steps", "25"];
    // So many failures make it invalid.
    bench.run(&[&arguments[..], &EXACT].concat());
    let record = bench.record("r.jsonl");
    let run = runs(&record, "X100")[0];
    let failures = run["totals"]["failures"]["serialization"].as_u64().unwrap_or(0);
    let done = run["totals"]["operations"].as_u64().unwrap();
    assert_eq!((run["totals"]["steps"].as_u64(), failures > 0), (Some(100), true));
    assert_eq!(done + failures, 100);
    let rows: u64 = server.ask("select n from hot").parse().unwrap();
    assert!((done + 1..=done + 4).contains(&rows), "{rows} of {done}, with one to four before the window");
    assert_eq!(commits(run), done);
    assert!(run["service"]["min_ns"].as_u64().unwrap() > 2_000_000, "the pause is part of it");

    fs::remove_file(bench.path().join("r.jsonl")).unwrap();
    let run = measured(&bench, &[&arguments[1..], &["--max-tries", "0"]].concat());
    let totals = &run["totals"];
    assert_eq!((&totals["steps"], &totals["operations"], commits(&run)), (&100.into(), &100.into(), 100));
    let (retried, retries) = (totals["retried"].as_u64().unwrap(), totals["retries"].as_u64().unwrap());
    assert!(retried > 0 && retries >= retried, "{totals}");
    let statements = run["transaction_types"][0]["statements"].as_array().unwrap();
    let update = &statements[2];
    assert_eq!(update["retries"], update["failures"], "each was tried again");
    assert_eq!(update["failures"].as_u64().unwrap() + statements[3]["failures"].as_u64().unwrap(), retries);
    assert_eq!(update["service"]["count"].as_u64().unwrap() - statements[3]["failures"].as_u64().unwrap(), 100);
    assert_eq!(server.ask("select n from hot").parse::<u64>().unwrap(), rows + 104, "with one of each job before");
}

#[test]
fn scripts_with_variables_conditions_answers_and_pipelines_run_unchanged() {
    let bench = Bench::new();
    let files = [
        (
            "choose.sql",
            "\\set aid random_zipfian(1, 100000 * :scale, 1.2)\n\\if :aid > :size\n\\set aid :size\n\\endif\n\
                        select :aid as aid, 'in text :aid' as text \\gset p_\n\
                        select abalance from pgbench_accounts where aid = :p_aid;\n\
                        do $$ begin if :p_aid > 100 then raise 'too large'; end if; end $$;\n",
        ),
        (
            "together.sql",
            "\\set aid random(1, 100)\n\\startpipeline\nbegin;\n\
                          update pgbench_accounts set abalance = abalance + 1 where aid = :aid;\nend;\n\\endpipeline\n",
        ),
    ];
    files.iter().for_each(|(name, text)| fs::write(bench.path().join(name), text).unwrap());
    let scripts = ["--script", "./choose.sql@2", "--script", "together.sql", "-D", "size=100", "--initialize"];
    let refused = bench.run(&[&["run", "--target", "local:postgres"], &scripts[..], &EXACT].concat());
    assert!(refused.code != 0, "a variable in quotes cannot be bound, and its answer is kept");
    assert!(bench.record("r.jsonl")["runs"][0]["outcome"]["message"].as_str().unwrap().contains("./choose.sql:5:"));
    fs::remove_file(bench.path().join("r.jsonl")).unwrap();
    fs::write(bench.path().join("choose.sql"), files[0].1.replace("'in text :aid'", "'in text'")).unwrap();
    let target = ["--target", "local:postgres?autovacuum=off", "--jobs", "2", "--steps", "50"];
    let run = measured(&bench, &[&scripts[..], &target].concat());
    assert_eq!(
        (&run["totals"]["operations"], &run["changes"], &run["reads_too"]),
        (&100.into(), &true.into(), &true.into())
    );
    let plan = &bench.record("r.jsonl")["plan"];
    assert_eq!(plan["scripts"]["scripts"][1]["text"], files[1].1);
    assert_eq!(plan["scripts"]["variables"]["size"], "100");
    assert_eq!(plan["scripts"]["initialized_scale"], 1);
    let resumed = bench.run(&["run", "--resume", "r.jsonl"]);
    assert!(resumed.code == 2 && resumed.err.contains("scripts are not taken from the record"), "{}", resumed.err);
    let other = bench.run(&["run", "--resume", "r.jsonl", "--script", "together.sql"]);
    assert!(other.err.contains("the scripts are others than those of the record"), "{}", other.err);
}

#[test]
fn portable_scripts_run_on_an_engine_without_a_server() {
    let bench = Bench::new();
    let run = measured(&bench, &["--builtin", "tpcb-like", "--initialize", "--jobs", "2", "--steps", "30"]);
    assert_eq!(run["totals"]["steps"], 60);
    let done = run["totals"]["operations"].as_u64().unwrap();
    assert_eq!(commits(&run), done);
    assert!(done >= 30, "{}", run["totals"]);
}

#[test]
fn agents_of_a_fleet_run_scripts_too() {
    let bench = Bench::new();
    let fleet = ["fleet", "run", "--agents", "2", "--target", "local:postgres?autovacuum=off"];
    let two = ["--builtin", "select-only@3", "--builtin", "simple-update"];
    let scripts = [&two[..], &["--initialize", "--jobs", "2", "--steps", "40"]].concat();
    bench.succeed(&[&fleet[..], &scripts, &EXACT].concat());
    let record = bench.record("r.jsonl");
    let run = runs(&record, "X100")[0];
    assert_eq!((&run["outcome"]["status"], &run["totals"]["operations"]), (&"done".into(), &80.into()), "{run}");
    assert_eq!(run["agents"].as_array().unwrap().len(), 2);
    let types = run["transaction_types"].as_array().unwrap();
    let steps: Vec<u64> = types.iter().map(|of| of["totals"]["steps"].as_u64().unwrap()).collect();
    assert_eq!((steps.len(), steps.iter().sum()), (2, 80_u64));
    assert_eq!(types[1]["statements"][1]["service"]["count"].as_u64(), Some(steps[1]), "of both agents");
}

#[test]
fn a_mistake_in_a_script_is_named_before_anything_is_made() {
    let bench = Bench::new();
    fs::write(bench.path().join("a.sql"), "select 1;\n\\shell rm -rf x\n").unwrap();
    fs::write(bench.path().join("b.sql"), "\\set x randon(1, 2)\n").unwrap();
    for (arguments, message, hint) in [
        (&["--script", "a.sql"][..], "a.sql:2: \\shell runs a program on this host", "--define NAME=VALUE"),
        (&["--script", "b.sql"], "b.sql:1: function randon is not known", "did you mean random"),
        (&["--script", "c.sql"], "script c.sql cannot be read", "path of a file"),
        (&["--script", "b.sql@x"], "weight `x` of script b.sql", "read.sql@9"),
        (&["--builtin", "tpch"], "built-in script tpch is not known", "tpcb-like"),
        (&["--define", "a=1"], "--define is given, and no script", "--script FILE"),
        (&["--define", "a"], "define a is no definition", "NAME=VALUE"),
        (&["--builtin", "select", "--scale", "0"], "scale", "1"),
    ] {
        let output = bench.run(&[&["run", "--target", "sqlite"], arguments].concat());
        assert_eq!(output.code, 2, "{arguments:?}: {}", output.err);
        assert!(output.err.contains(message) && output.err.contains(hint), "{arguments:?}: {}", output.err);
    }
    assert_eq!(bench.files().len(), 2, "{:?}", bench.files());
}
