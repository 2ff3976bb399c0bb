//! `dbdyno run --repeats`: every repeat begins in the same state, and finds the same share of the rows in the cache.

use serde_json::Value;

use crate::bench::{Bench, growth, runs};
use crate::{load_duckdb, mysql_server};

/// Bytes of the engine's blocks that were read for a row.
fn read_bytes_per_row(run: &Value) -> f64 {
    let rows = run["totals"]["rows"].as_u64().unwrap();
    growth(run, "physical_read_bytes").unwrap() as f64 / rows as f64
}

/// Six repeats of reads and updates of random rows, in turn, of a table of several caches: the last ones do not find what
/// earlier ones left, which would be fewer reads per row than in the second and third. Rows are a fixed number, so that chance is about one per
/// cent; more reads, by up to a tenth, are seen in pools of a thousand pages, where what else is in them counts.
fn repeats_miss_alike(target: &str, jobs: u32) {
    let bench = Bench::new();
    let words = format!(
        "run --target {target} --preset smoke --tests T616,T716 --jobs {jobs} --repeats 6 --steps 200 --seconds 60 \
         --large-rows 256000 --quiet --record r.json"
    );
    bench.succeed(&words.split_whitespace().collect::<Vec<_>>());
    let record = bench.record("r.json");
    for test in ["T616", "T716"] {
        let read: Vec<f64> = runs(&record, test).into_iter().map(read_bytes_per_row).collect();
        assert_eq!(read.len(), 6);
        // Two of each: a ratio of single ones deviates by two per cent by chance.
        let ratio = (read[4] + read[5]) / (read[1] + read[2]);
        assert!((0.95..1.15).contains(&ratio), "{target}, {test}: bytes read per row {read:?}");
        for run in runs(&record, test) {
            let filled = &run["settling"]["cache_fill"];
            assert!(filled["rows"].as_u64().unwrap() > 10_000 && filled["read_ns"].as_u64().unwrap() > 0, "{filled}");
            assert!(run["settling"]["settle_ns"].as_u64().is_some());
            assert!(!run["settling"]["steps"].as_array().unwrap().is_empty(), "{}", run["settling"]);
        }
        begin_alike(&runs(&record, test));
    }
}

/// The state of the database is told at both edges of the window, and all windows begin with tables of the same size, and where
/// the engine has one cache, as full as before, but for the pages that are kept free: a hundred of a thousand here
/// (`innodb_lru_scan_depth`).
fn begin_alike(runs: &[&Value]) {
    let at_begin =
        |name: &str| -> Vec<Option<f64>> { runs.iter().map(|run| run["state_at_begin"][name].as_f64()).collect() };
    for (name, most) in [("table_bytes", 0.05), ("cached_bytes", 0.12)] {
        let told = at_begin(name);
        let Some(first) = told[0] else { continue };
        assert!(told.iter().all(|bytes| (bytes.unwrap() - first).abs() < most * first), "{name} {told:?}");
    }
    for name in ["table_bytes", "log_position_bytes", "log_since_checkpoint_bytes"] {
        assert!(at_begin(name).iter().all(Option::is_some), "{name} {:?}", at_begin(name));
        assert!(runs.iter().all(|run| run["state_at_end"][name].is_u64()), "{name}");
    }
}

/// With one job: a session drops its cache when another one has committed.
#[test]
fn repeats_miss_alike_on_embedded_sqlite() {
    repeats_miss_alike("sqlite?cache_size=8MiB", 1);
}

#[test]
fn repeats_miss_alike_on_postgresql() {
    repeats_miss_alike("local:postgres?shared_buffers=16MB", 2);
}

#[test]
fn repeats_miss_alike_on_mariadb() {
    repeats_miss_alike("local:mariadb?innodb_buffer_pool_size=16M&innodb_lru_scan_depth=100", 2);
}

#[test]
fn repeats_miss_alike_on_mysql() {
    repeats_miss_alike(&format!("{}&innodb_buffer_pool_size=16M&innodb_lru_scan_depth=100", mysql_server::target()), 2);
}

/// Its library counts no reads.
#[test]
fn the_cache_of_duckdb_is_filled() {
    let bench = Bench::new();
    let words = format!(
        "run --target {} --preset smoke --tests T616 --jobs 1 --steps 20 --seconds 60 --quiet --record r.json",
        load_duckdb::TARGET
    );
    bench.succeed(&words.split_whitespace().collect::<Vec<_>>());
    let record = bench.record("r.json");
    assert!(runs(&record, "T616")[0]["settling"]["cache_fill"]["rows"].as_u64().unwrap() > 0);
}
