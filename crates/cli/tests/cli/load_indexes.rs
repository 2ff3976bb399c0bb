//! Indexes of a load: built before it, after it, and by a resumed load.

use std::fs;

use crate::bench::{Bench, Finished};
use crate::cmd_load::{count, found, is_right, loaded, malformed, only_run};

fn load(bench: &Bench, record: &str, more: &[&str]) -> Finished {
    let arguments = ["load", "bad.tbl", "--jobs", "1", "--batch", "4KiB", "--record", record];
    bench.run(&[&arguments[..], more].concat())
}

#[test]
fn missing_indexes_of_an_aborted_load_are_built_when_it_is_resumed() {
    for (first, second) in [("none", "before"), ("before", "before"), ("after", "after")] {
        let bench = Bench::new();
        fs::write(bench.path().join("bad.tbl"), malformed().0).unwrap();
        // Stopped in the middle; a table without indexes is the state after a crash between their creation.
        let stopped = load(&bench, "a.json", &["--max-errors", "2", "--indexes", first]);
        assert_eq!(stopped.code, 1, "{first}: {}\n{}", stopped.out, stopped.err);
        let output = load(&bench, "b.json", &["--max-errors", "5", "--resume", "--indexes", second]);
        assert_eq!(output.code, 0, "{first}, {second}: {}\n{}", output.out, output.err);
        let record = bench.record("b.json");
        let run = only_run(&record, "L100");
        is_right(run, &output);
        assert!(count(run, "index_bytes") > 0, "{first}, {second}: {}", run["load"]);
        bench.succeed(&["clean", "--yes"]);
    }
}

#[test]
fn indexes_are_built_before_or_after_with_a_custom_layout() {
    let bench = Bench::new();
    let layout = "name = \"orders\"\nseparator = \";\"\nheader = true\n\
                  [[fields]]\nname = \"Id\"\nkind = \"int\"\n\
                  [[fields]]\nname = \"price\"\nkind = \"decimal\"\nprecision = 9\nscale = 3\n\
                  [[fields]]\nname = \"day\"\nkind = \"date\"\n";
    fs::write(bench.path().join("orders.toml"), layout).unwrap();
    fs::write(bench.path().join("orders.csv"), "Id;price;day\n1;0.125;2024-02-29\n2;-7.5;1999-12-31\n3;10;2024-03-01")
        .unwrap();
    let load = ["orders.csv", "--layout", "orders.toml", "--jobs", "1", "--target", "local:postgres"];
    for (time, record) in [("before", "b.json"), ("after", "a.json")] {
        let (record, _) = loaded(&bench, record, &[&load[..], &["--indexes", time]].concat());
        let run = only_run(&record, "L100");
        assert_eq!((found(run, "rows"), found(run, "sum of price")), ("3", "2.625"));
        assert_eq!((found(run, "first day"), found(run, "last day")), ("1999-12-31", "2024-03-01"));
        assert_eq!(run["load"]["index_build_ns"].is_u64(), time == "after");
        assert!(count(run, "index_bytes") > 0, "{time}: two indexes take some room");
    }
    let (record, _) = loaded(&bench, "n.json", &load);
    assert_eq!(count(only_run(&record, "L100"), "index_bytes"), 0);
}
