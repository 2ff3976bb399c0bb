//! Indexes of a load that is gone on with.

use std::fs;

use crate::bench::{Bench, Said};
use crate::cmd_load::{count, is_right, malformed, only_run};

fn load(bench: &Bench, record: &str, more: &[&str]) -> Said {
    let arguments = ["load", "bad.tbl", "--jobs", "1", "--piece", "4KiB", "--record", record];
    bench.run(&[&arguments[..], more].concat())
}

#[test]
fn indexes_that_a_load_was_broken_off_before_it_had_them_are_made_when_it_goes_on() {
    for (begun, gone_on) in [("none", "before"), ("before", "before"), ("after", "after")] {
        let bench = Bench::new();
        fs::write(bench.path().join("bad.tbl"), malformed().0).unwrap();
        // Stopped in the middle; without indexes the table is as a crash between its making and theirs leaves it.
        let stopped = load(&bench, "a.json", &["--max-errors", "2", "--indexes", begun]);
        assert_eq!(stopped.code, 1, "{begun}: {}\n{}", stopped.out, stopped.err);
        let said = load(&bench, "b.json", &["--max-errors", "5", "--resume", "--indexes", gone_on]);
        assert_eq!(said.code, 0, "{begun}, {gone_on}: {}\n{}", said.out, said.err);
        let record = bench.record("b.json");
        let run = only_run(&record, "L100");
        is_right(run, &said);
        assert!(count(run, "index_bytes") > 0, "{begun}, {gone_on}: {}", run["load"]);
        bench.succeed(&["clean", "--yes"]);
    }
}
