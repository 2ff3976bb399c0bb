//! `dbdyno model load`: plans from given figures, from a record, and a published plan.

use std::fs;

use serde_json::{Value, json};

use crate::bench::Bench;

/// The words of a text, independent of line breaks.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn prints(bench: &Bench, arguments: &[&str], expected: &[&str]) -> String {
    let output = bench.succeed(&[&["model", "load"], arguments].concat()).out;
    let flat = words(&output);
    for words in expected {
        assert!(flat.contains(words), "no {words:?} in\n{output}");
    }
    assert!(output.lines().all(|line| line.chars().count() <= 80), "{output}");
    flat
}

#[test]
fn a_terabyte_an_hour_over_two_gigabit_links() {
    let goal = ["--goal", "1TB/h", "--network", "2x1GbE"];
    let plain = [
        "1.00 TB/h is 278 MB/s of flat file.",
        "2 x 1 GbE carry 235 MB/s",
        "not enough for uncompressed input: 4249 s",
    ];
    prints(&Bench::new(), &goal, &plain);
    let gzip = [&goal[..], &["--compression", "gzip:2.1", "--inflate", "20MB/s@0.25", "--cores", "4"]].concat();
    let expected = [
        "gzip at ratio 2.10 reduces it to 132 MB/s, which fits, 2023 s",
        "Decompressing requires 3.47 cores (14 workers of 0.25 cores each): at least 3.47 cores in total, rounded up \
         to 4, 4 available; the rate of parse, convert, insert is not known.",
        "network 132 MB/s 235 MB/s 56 %",
        "The bottleneck of the known resources is processors",
        "disks - - -",
    ];
    let output = prints(&Bench::new(), &gzip, &expected);
    assert!(!output.contains("It fits"), "what is not known is not taken to fit: {output}");
}

#[test]
fn a_published_plan_has_its_own_units() {
    let expected = [
        "1.00 TiB/h is 291 MiB/s of flat file.",
        "2 x 1 GbE carry 230 MiB/s (as published), not enough for uncompressed input: 4559 s in total",
        "gzip at ratio 2.10 reduces it to 139 MiB/s, which fits",
        "Decompressing requires 3.64 cores (15 workers of 0.25 cores each)",
        "rounded up to 4",
        "published: 1 TB/h is 291 MB/s; 2 x gigabit Ethernet carry 230 MB/s, 4600 s for a TB; gzip at 2.1 makes it 138 MB/s; \
         inflating that needs 15 quarters of a core at 20 MB/s, 4 cores",
        "load: 291 MB/s are 4.8 % more than 1 TB/h = 278 MB/s; they agree if a TB is 2^40 and a MB 2^20 bytes",
        "load: 4600 s for a TB are 5.8 % more than those at 230 MB/s, 4348 s",
    ];
    prints(&Bench::new(), &["--from", "closson"], &expected);
}

#[test]
fn what_fits_and_what_does_not() {
    let all = [
        "--data",
        "10TB",
        "--within",
        "4h",
        "--compression",
        "zstd:4",
        "--inflate",
        "1200MB/s",
        "--parse",
        "none",
        "--convert",
        "none",
        "--insert",
        "50MB/s",
        "--network",
        "10GbE",
        "--target-utilisation",
        "0.7",
        "--disks",
        "20@200MB/s",
        "--write-amplification",
        "2.5",
    ];
    let expected =
        ["10.0 TB in 4.00 h is 694 MB/s", "network 174 MB/s 1177 MB/s 15 %", "21 cores", "20.7 cores in total"];
    let bench = Bench::new();
    prints(
        &bench,
        &[&all[..], &["--cores", "32"]].concat(),
        &[&expected[..], &["It fits (estimate). The bottleneck is processors, 65 % utilised"]].concat(),
    );
    prints(
        &bench,
        &[&all[..], &["--cores", "16"]].concat(),
        &["It does not fit (estimate). The bottleneck is processors, 129 % utilised", "allow 1.94 TB/h."],
    );
    let indexed = [&all[..], &["--cores", "64", "--index", "100MB/s", "--indexes", "2", "--replicas", "1"]].concat();
    prints(
        &bench,
        &indexed,
        &["building indexes takes", "so that the load has to reach", "in each of 2 copies", "index x 2"],
    );
}

#[test]
fn published_rates_are_marked_and_only_used_on_request() {
    let bench = Bench::new();
    let goal = ["--goal", "1TB/h", "--compression", "gzip:2.1"];
    let output = prints(&bench, &goal, &["The number of required processors is not known"]);
    assert!(!output.contains("NOT MEASURED"), "{output}");
    let expected = ["250 MB/s 250 to 400", "NOT MEASURED", "replace them"];
    prints(&bench, &[&goal[..], &["--starting-rates"]].concat(), &expected);
}

/// A record of loads on two processors, made from a measured one.
fn record(bench: &Bench, name: &str, loads: &[(u32, &str, f64)]) {
    let run = ["run", "--preset", "smoke", "--jobs", "1", "--tests", "T331", "--quiet", "--record", "base.json"];
    if !bench.path().join("base.json").exists() {
        bench.succeed(&run);
    }
    let mut record = bench.record("base.json");
    record["host"]["cpu"]["threads"] = json!(2);
    let base = record["runs"][0].clone();
    let made = loads.iter().zip(1..).map(|((jobs, input, rate), number)| load(&base, number, *jobs, input, *rate));
    record["runs"] = Value::Array(made.collect());
    let kind = json!({ "load": { "model": { "partitioned": false, "compressed": false }, "form": "typed" } });
    for planned in record["plan"]["runs"].as_array_mut().unwrap() {
        (planned["test"], planned["kind"]) = (json!("L100"), kind.clone());
    }
    bench.write_record(name, &record);
}

/// Ten seconds at `rate` MB/s; a byte costs the client 3.5 ns, 3 more with decompression, and the server 7.
fn load(base: &Value, number: u32, jobs: u32, input: &str, rate: f64) -> Value {
    let gzip = input == "gzip";
    let bytes = (rate * 1e7) as u64;
    let spent = |nanos: f64| (bytes as f64 * nanos) as u64;
    let (client, server) = (spent(if gzip { 6.5 } else { 3.5 }), spent(7.0));
    let mut run = base.clone();
    run["number"] = json!(number);
    (run["test"], run["kind"]) =
        (json!("L100"), json!({ "load": { "model": { "partitioned": false, "compressed": false }, "form": "typed" } }));
    run["dop"]["jobs"] = json!(jobs);
    run["outcome"] = json!({ "status": "done" });
    run["findings"] = json!([]);
    run["window_ns"] = json!(10_000_000_000u64);
    run["totals"]["bytes"] = json!(bytes);
    run["totals"]["rows"] = json!(bytes / 100);
    let reading = |at: u64, share: u64| {
        json!({ "at_ns": at, "values": {
            "client_cpu_ns": client * share,
            "server_cpu_ns": server * share,
            "host_cpu_user_ns": (client + server) * share,
            "host_cpu_system_ns": 0,
            "host_cpu_idle_ns": 20_000_000_000u64.saturating_sub(client + server) * share,
            "redo_write_bytes": bytes * share,
        } })
    };
    run["readings"] = json!([reading(0, 0), reading(10_000_000_000, 1)]);
    let stage = |kind: &str, nanos: f64, cpu: Option<f64>| {
        let mut stage = json!({ "kind": kind, "threads": jobs, "busy_ns": spent(nanos), "bytes": bytes });
        if let Some(cpu) = cpu {
            stage["cpu_ns"] = json!(spent(cpu));
        }
        stage
    };
    let mut stages = vec![stage("read", 0.1, Some(0.1))];
    stages.extend(gzip.then(|| stage("decompress", 3.0, Some(3.0))));
    stages.extend([stage("parse", 2.4, Some(2.4)), stage("convert", 1.0, Some(1.0)), stage("send", 7.5, None)]);
    run["load"] = json!({
        "model": { "partitioned": false, "compressed": false },
        "form": "typed",
        "source": "cards.tbl",
        "compression": input,
        "layout": "cards",
        "input_bytes": if gzip { bytes / 2 } else { bytes },
        "flat_bytes": bytes,
        "batch_bytes": 1 << 20,
        "batches": 1,
        "rows": bytes / 100,
        "rejected_rows": 0,
        "resumed_rows": 0,
        "retried_batches": 0,
        "deferred_batches": 0,
        "in_flight_bytes_max": 1 << 23,
        "stages": stages,
        "table_bytes": bytes,
        "index_bytes": 0,
        "indexes": "none",
        "index_build_ns": null,
        "first_query_ns": null,
        "checked": [],
    });
    run
}

#[test]
fn a_record_gives_rates_predicts_and_is_checked() {
    let bench = Bench::new();
    // One session reaches 110 MB/s; from two on both processors are saturated: 2 / 10.5 ns.
    record(&bench, "a.json", &[(1, "none", 110.0), (2, "none", 188.0), (1, "gzip", 108.0)]);
    let rates = [
        "parse 417",
        "convert 1000",
        "insert 143",
        "decompress 333",
        "flat file over compressed: 2.00",
        "1 gzip",
        "4 none",
    ];
    prints(&bench, &["--from", "a.json"], &rates);
    record(&bench, "b.json", &[(4, "none", 189.0), (2, "gzip", 147.0)]);
    let checked =
        prints(&bench, &["--from", "a.json", "--check", "b.json"], &["Predicted and measured", "over 2 loads"]);
    let off = checked.split("max error ").last().unwrap().split(' ').next().unwrap().parse::<f64>().unwrap();
    assert!(off < 15.0, "{checked}");
    let own = prints(
        &bench,
        &["--from", "a.json", "--check", "a.json"],
        &["over 3 loads of kinds that the prediction is based on"],
    );
    assert_eq!(own.matches("max error").count(), 1, "{own}");
    let mut indexed = bench.record("b.json");
    for run in indexed["runs"].as_array_mut().unwrap() {
        run["load"]["indexes"] = json!("before");
    }
    bench.write_record("c.json", &indexed);
    let mixed = bench.run(&["model", "load", "--from", "a.json,c.json"]);
    let kinds = "c.json has loads with indexes, layout cards, the records before it without indexes, layout cards";
    assert!(mixed.code == 2 && mixed.err.contains(kinds), "{}", mixed.err);
    prints(&bench, &["--from", "a.json", "--check", "c.json"], &["those of the other with indexes, layout cards"]);
    for run in indexed["runs"].as_array_mut().unwrap() {
        run["load"]["resumed_rows"] = json!(1);
    }
    bench.write_record("rests.json", &indexed);
    let rests = bench.run(&["model", "load", "--from", "rests.json"]);
    assert!(rests.code == 2 && rests.err.contains("rests.json has no valid complete load"), "{}", rests.err);
    let both = prints(&bench, &["--from", "a.json,b.json", "--jobs", "4"], &["4 none", "189"]);
    assert!(both.contains("from 5 loads"), "{both}");
    let plan = ["--goal", "1TB/h", "--from", "a.json", "--compression", "gzip", "--cores", "4", "--network", "1GbE"];
    let expected = [
        "gzip at ratio 2.00 reduces it to 139 MB/s, which does not fit either",
        "It does not fit (estimate). The bottleneck is network",
        "measured rates are from plain typed into",
        "reached 188.0 MB/s",
        "2.00 bytes are written per byte of flat file (log and table as measured)",
    ];
    prints(&bench, &plan, &expected);
    // It was measured on two processors.
    let plan = ["--goal", "1TB/h", "--from", "a.json", "--compression", "gzip", "--network", "1GbE"];
    let of_record = prints(&bench, &plan, &["with 2 processors (--cores for others)"]);
    let output = prints(&bench, &[&plan[..], &["--cores", "2"]].concat(), &[]);
    assert_eq!(words(&of_record), words(&output));
    assert_ne!(words(&of_record), words(&prints(&bench, &[&plan[..], &["--cores", "16"]].concat(), &[])));
    for (arguments, expected) in [
        (["--from", "a.json,a.json", "--jobs", "4"], "--from names a.json twice"),
        (["--from", "a.json", "--network", "1GbE"], "--network needs a goal"),
        (["--from", "a.json", "--replicas", "2"], "--replicas needs a goal"),
    ] {
        let refused = bench.run(&[&["model", "load"], &arguments[..]].concat());
        assert!(refused.code == 2 && refused.err.contains(expected), "{}", refused.err);
    }
    let smoke =
        "a.json is of preset smoke, which only checks that everything works: results from its rates are meaningless";
    prints(&bench, &["--from", "a.json"], &[smoke]);
    prints(&bench, &["--from", "a.json", "--goal", "1TB/h"], &[smoke]);
    let missing = bench.run(&["model", "load", "--goal", "1TB/h", "--from", "a.json", "--model", "compressed"]);
    assert!(missing.code == 2 && missing.err.contains("has no load that is compressed typed"), "{}", missing.err);
    let none = bench.run(&["model", "load", "--from", "base.json"]);
    assert!(none.code == 2 && none.err.contains("base.json has no valid complete load"), "{}", none.err);
    let shown = bench.succeed(&["report", "a.json"]).out;
    assert!(words(&shown).contains("Rates") && words(&shown).contains("110.0 0.396"), "{shown}");
    bench.succeed(&["export", "a.json", "--format", "csv", "--out", "tables"]);
    let table = fs::read_to_string(bench.path().join("tables/loads.csv")).unwrap();
    assert_eq!(table.lines().count(), 4, "{table}");
}

#[test]
fn a_plan_that_does_not_fit_is_reported_also_with_unknowns() {
    let bench = Bench::new();
    let rates = ["--goal", "1TB/h", "--insert", "50MB/s", "--index", "40MB/s"];
    prints(
        &bench,
        &[&rates[..], &["--network", "1GbE"]].concat(),
        &["It does not fit (estimate). The bottleneck is network"],
    );
    prints(
        &bench,
        &["--goal", "1TB/h", "--cores", "4", "--index", "10MB/s"],
        &["The bottleneck is processors, ", " % utilised"],
    );
}

#[test]
fn invalid_plans_are_refused_with_a_hint() {
    let bench = Bench::new();
    let goal = ["--goal", "1TB/h"];
    let refusals: [(&[&str], &str); 22] = [
        (&[], "no goal given"),
        (&["--goal", "fast"], "--goal fast is not a rate"),
        (&["--goal", "0TB/h"], "--goal 0TB/h is not a rate"),
        (&["--goal", "1TB"], "--goal 1TB is not a rate"),
        (&["--data", "10TB/h", "--within", "4h"], "--data 10TB/h is not a volume"),
        (&["--data", "10TB", "--within", "soon"], "--within soon is not a time"),
        (&["--data", "10TB", "--within", "0"], "--within 0 is not a time"),
        (&["--network", "two"], "--network two is not a number of links"),
        (&["--network", "1GbE", "--mtu", "52"], "--mtu 52 is not a number of bytes from 576 to 65535"),
        (&["--disks", "200MB/s"], "--disks 200MB/s is not a number of disks"),
        (&["--cores", "0"], "--cores 0 is less than 1"),
        (&["--cores", "-4"], "--cores -4 is not a whole number"),
        (&["--replicas", "1.5"], "--replicas 1.5 is not a whole number"),
        (&["--target-utilisation", "70"], "--target-utilisation 70 is not a number above 0 and up to 1"),
        (&["--write-amplification", "0"], "--write-amplification 0 is not a number above 0"),
        (&["--compression", "gzip"], "--compression gzip has no ratio"),
        (&["--compression", "gzip:0"], "--compression gzip:0 has no ratio"),
        (&["--insert", "50"], "--insert 50 is not a rate"),
        (&["--insert", "50MB/s@x"], "--insert 50MB/s@x has no number of cores after the @"),
        (&["--index", "50MB/s", "--indexes", "0"], "--indexes 0 is less than 1"),
        (&["--from", "nowhere.json"], "nowhere.json"),
        (&["--from", "hp-dl980"], "hp-dl980-violin-vma3205 has no load plan"),
    ];
    for (arguments, message) in refusals {
        let is_goal =
            arguments.is_empty() || ["--goal", "--data"].contains(&arguments[0]) || arguments[1] == "hp-dl980";
        let with_goal = if is_goal { arguments.to_vec() } else { [&goal[..], arguments].concat() };
        let output = bench.run(&[&["model", "load"], &with_goal[..]].concat());
        assert_eq!(output.code, 2, "{arguments:?}: {}{}", output.out, output.err);
        assert!(output.err.contains(message) && output.err.contains("hint: "), "{arguments:?}: {}", output.err);
    }
}

#[test]
fn a_plan_is_written_as_a_page_with_the_same_figures() {
    let bench = Bench::new();
    let goal = ["--goal", "1TB/h", "--network", "2x1GbE", "--compression", "none"];
    let output = bench.succeed(&[&["model", "load"], &goal[..], &["--html", "plan.html"]].concat()).out;
    assert_eq!(output.trim(), "page in plan.html");
    let page = fs::read_to_string(bench.path().join("plan.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<h1>Load plan: 1.00 TB/h</h1>"));
    assert!(page.contains("2 x 1 GbE carry 235 MB/s"), "the words of the terminal");
    bench.succeed(&["model", "load", "--from", "closson", "--html", "plan.html"]);
    let page = fs::read_to_string(bench.path().join("plan.html")).unwrap();
    assert!(page.contains("1.00 TiB/h is 291 MiB/s of flat file."), "a page is overwritten");
    fs::write(bench.path().join("notes.txt"), "mine").unwrap();
    let refused = bench.run(&["model", "load", "--from", "closson", "--html", "notes.txt"]);
    assert_eq!(refused.code, 2, "{}", refused.err);
    assert_eq!(fs::read_to_string(bench.path().join("notes.txt")).unwrap(), "mine");
    let refused = bench.run(&["model", "load", "--goal", "1TB/h", "--compression", "plain"]);
    assert!(refused.code == 2 && refused.err.contains("hint: write none"), "{}", refused.err);
}
