//! That every published figure arrives, and that what has no place is refused.

use std::collections::BTreeMap;

use model::{Cell, Claim, Columns, System};
use record::{Dop, Nanos, Rate};
use toml::Table;
use toml::Value;

use super::*;
use crate::lookup::{FILES, find};

/// Every number below `value`.
fn numbers(value: &Value, found: &mut Vec<f64>) {
    match value {
        Value::Integer(number) => found.push(*number as f64),
        Value::Float(number) if !number.is_nan() => found.push(*number),
        Value::Array(values) => values.iter().for_each(|value| numbers(value, found)),
        Value::Table(table) => table.values().for_each(|value| numbers(value, found)),
        _ => {}
    }
}

fn published_numbers(text: &str) -> Vec<f64> {
    let mut found = Vec::new();
    numbers(&Value::Table(text.parse().unwrap()), &mut found);
    found
}

/// The figures in `text`: digits with commas and a point between them.
fn figures_in(text: &str) -> Vec<f64> {
    let words = text.split(|letter: char| !(letter.is_ascii_digit() || ",.".contains(letter)));
    words.filter_map(|word| word.trim_matches([',', '.']).replace(',', "").parse().ok()).collect()
}

/// The columns in the units of publications: percent, MB/s, milliseconds.
fn column_figures(columns: &Columns) -> Vec<f64> {
    let rates = [
        columns.operations_per_second,
        columns.rows_per_second,
        columns.transactions_per_second,
        columns.reads_per_second,
        columns.writes_per_second,
    ];
    let bytes = [
        columns.bytes_per_second,
        columns.read_bytes_per_second,
        columns.write_bytes_per_second,
        columns.redo_bytes_per_second,
    ];
    let times = [columns.service_mean_ns, columns.service_at_most_ns, columns.time_ns];
    let mut figures: Vec<f64> = rates.into_iter().flatten().map(|rate| rate.0).collect();
    for Rate(bytes) in bytes.into_iter().flatten() {
        figures.extend([bytes / 1e6, bytes / 1e9, bytes / 1_048_576.0, bytes / 1_073_741_824.0]);
    }
    for Nanos(time) in times.into_iter().flatten() {
        figures.extend([time as f64 / 1e6, time as f64 / 1e9]);
    }
    figures.extend(columns.cpu_busy.map(|share| share.0 * 100.0));
    figures
}

/// Every figure of a system, in the units of publications.
fn system_figures(system: &System) -> Vec<f64> {
    let Origin::Published { year, .. } = system.origin else { panic!("{} was published", system.name) };
    let mut figures = vec![f64::from(year)];
    for test in &system.tests {
        figures.extend(figures_in(&test.title));
        figures.extend(test.note.iter().flat_map(|note| figures_in(note)));
        figures.extend(test.data_bytes.map(|bytes| bytes.0 as f64));
        figures.extend(test.parameters.values().map(|value| *value as f64));
        for point in &test.points {
            let Dop { nodes, jobs, threads } = point.degree.dop;
            figures.extend([nodes, jobs, threads].map(f64::from));
            figures.extend(point.degree.in_flight.map(f64::from));
            figures.extend(point.rates.iter().map(|rate| rate.per_second.0));
            figures.extend(column_figures(&point.columns));
        }
    }
    figures.extend(system.facts.iter().flat_map(|fact| figures_in(stated(fact))));
    for claim in &system.claims {
        let bytes = claim.bytes_per_second.map_or(0.0, |rate| rate.0);
        figures.extend([f64::from(claim.n), claim.rate.0, bytes]);
    }
    for cell in system.tables.iter().flat_map(|table| table.rows.iter().flatten()) {
        match cell {
            Cell::Number(number) => figures.push(*number),
            Cell::Text(words) => figures.extend(figures_in(words)),
            Cell::Absent => {}
        }
    }
    if let Some(book) = &system.price {
        figures.push(f64::from(book.years));
        figures.extend(book.items.iter().map(|item| item.list_price));
    }
    figures
}

fn stated(fact: &Fact) -> &str {
    fact.value.text().unwrap()
}

#[test]
fn every_figure_of_every_publication_arrives() {
    for (name, text) in FILES {
        let mut found = system_figures(find(name).unwrap());
        // The plan of a load stands beside the system.
        let load = text.parse::<Table>().unwrap().remove("load");
        load.iter().for_each(|load| numbers(load, &mut found));
        for figure in published_numbers(text) {
            let arrived = found.iter().any(|found| (found - figure).abs() <= 1e-9 * figure.abs());
            assert!(arrived, "{figure} of {name} is lost");
        }
    }
}

#[test]
fn no_figure_of_a_publication_was_dropped_from_its_file() {
    let counted: Vec<(&str, usize)> = FILES.iter().map(|(name, text)| (*name, published_numbers(text).len())).collect();
    assert_eq!(
        counted,
        [
            ("closson-1999-2010", 66),
            ("hp-dl980-violin-vma3205", 698),
            ("bolinski-nvmesh-2018", 25),
            ("datrium-slob-2018", 20),
            ("abakus-nvmeof-2024", 97),
        ]
    );
}

/// Column by column: a figure may not arrive at another degree of parallelism, or in another column.
#[test]
fn the_tables_of_tests_arrive_at_their_place() {
    let figures = |value: &Value| match value {
        Value::Integer(number) => *number as f64,
        Value::Float(number) => *number,
        other => panic!("{other} is no figure"),
    };
    for (name, text) in FILES {
        let file: Table = text.parse().unwrap();
        let tests = file.get("test").and_then(Value::as_array).into_iter().flatten();
        for published in tests {
            let code = published["code"].as_str().unwrap();
            let system = find(name).unwrap();
            let test = system.tests.iter().find(|test| test.code == code).unwrap();
            let column = |key: &str| published.get(key).and_then(Value::as_array).map(|all| all.iter().map(figures));
            let degrees: Vec<f64> = test.points.iter().map(|point| f64::from(point.degree.parallelism())).collect();
            let varied = ["nodes", "jobs", "threads"].iter().find_map(|key| column(key));
            assert_eq!(degrees, varied.map_or(vec![1.0], Iterator::collect), "{code}");
            for key in PUBLISHED {
                let absent = || vec![f64::NAN; degrees.len()];
                for (point, figure) in test.points.iter().zip(column(key).map_or_else(absent, Iterator::collect)) {
                    match column_of(&point.columns, key) {
                        Some(found) => {
                            assert!((found - figure).abs() <= 1e-9 * figure.abs(), "{key} of {code} {figure}")
                        }
                        None => assert!(figure.is_nan(), "{key} of {code}: {figure} is lost"),
                    }
                }
            }
        }
    }
}

/// Every key that stands for one column alone.
const PUBLISHED: [&str; 10] =
    ["rps", "ops", "tps", "read_iops", "write_iops", "redo_mbps", "cpu", "time", "service_ms", "service_ms_at_most"];

fn column_of(columns: &Columns, key: &str) -> Option<f64> {
    let megabytes = |rate: Option<Rate>| rate.map(|rate| rate.0 / 1e6);
    let millis = |time: Option<Nanos>| time.map(|time| time.0 as f64 / 1e6);
    match key {
        "rps" => columns.rows_per_second.map(|rate| rate.0),
        "ops" => columns.operations_per_second.map(|rate| rate.0),
        "tps" => columns.transactions_per_second.map(|rate| rate.0),
        "read_iops" => columns.reads_per_second.map(|rate| rate.0),
        "write_iops" => columns.writes_per_second.map(|rate| rate.0),
        "redo_mbps" => megabytes(columns.redo_bytes_per_second),
        "cpu" => columns.cpu_busy.map(|share| share.0 * 100.0),
        "time" => columns.time_ns.map(|time| time.seconds()),
        "service_ms" => millis(columns.service_mean_ns),
        "service_ms_at_most" => millis(columns.service_at_most_ns),
        _ => panic!("{key} is no column"),
    }
}

/// Code, unit, degree of parallelism of the best rate, and that rate.
fn best(name: &str) -> Vec<(String, Unit, u32, f64)> {
    let tests = &find(name).unwrap().tests;
    let best = |test: &SystemTest| {
        let rates = test
            .points
            .iter()
            .flat_map(|point| point.rates.iter().map(|rate| (point.degree.parallelism(), rate.per_second.0)));
        rates.max_by(|one, other| one.1.total_cmp(&other.1)).map(|(n, rate)| (test.code.clone(), test.unit, n, rate))
    };
    tests.iter().filter_map(best).collect()
}

#[test]
fn the_best_rates_of_the_hp_dl980_are_the_published_ones() {
    let best = best("hp-dl980");
    let expected: [(&str, Unit, u32, f64); 16] = [
        ("T141", Unit::Operation, 128, 7.837e7),
        ("T132", Unit::Operation, 128, 1.928e7),
        ("T133", Unit::Operation, 128, 2.667e8),
        ("T421", Unit::Row, 128, 1.107e7),
        ("T611", Unit::Statement, 16, 2.097e5),
        ("T621", Unit::Statement, 128, 1.693e4),
        ("T426", Unit::Row, 64, 8.063e6),
        ("T211", Unit::Byte, 64, 8.89e8),
        ("T626", Unit::Block, 128, 3.393e5),
        ("T721", Unit::Transaction, 8, 526.4),
        ("T331", Unit::Row, 8, 1.036e6),
        ("T332", Unit::Row, 16, 1.151e6),
        ("T512", Unit::Row, 16, 4_530_973.0),
        ("T616", Unit::Transaction, 512, 4599.0),
        ("T311", Unit::Transaction, 16, 8197.0),
        ("T716", Unit::Transaction, 256, 2621.0),
    ];
    assert_eq!(best, expected.map(|(code, unit, n, rate)| (code.to_owned(), unit, n, rate)));
    let system = find("hp-dl980").unwrap();
    let fibonacci = system.tests.iter().find(|test| test.code == "FIB").unwrap();
    assert!(fibonacci.points[0].rates.is_empty() && fibonacci.points[0].invalid.is_empty(), "only its time is known");
    assert_eq!(fibonacci.points[0].columns.time_ns, Some(Nanos(15_000_000_000)));
    assert_eq!(fibonacci.title, "CPU, Fibonacci, recursive, n = 39");
    let price = system.price.as_ref().unwrap();
    assert_eq!(price.items.iter().map(|item| item.list_price).sum::<f64>(), 1_465_000.0);
    assert_eq!((price.currency.as_str(), price.date.as_str(), price.years), ("USD", "spring 2012", 3));
}

#[test]
fn threads_are_swept_as_threads_and_rates_that_were_not_published_are_noted() {
    let system = find("hp-dl980").unwrap();
    let test = |code: &str| system.tests.iter().find(|test| test.code == code).unwrap();
    assert_eq!((test("T426").sweep, test("T616").sweep), (Sweep::Threads, Sweep::Jobs));
    let index = test("T512");
    assert_eq!(index.points[0].rates[0].per_second, Rate(1.024e9 / 381.0));
    assert_eq!(index.points[0].columns.rows_per_second, None);
    assert_eq!(
        index.note.as_deref(),
        Some("rates are 1,024,000,000 rows over the time, only the best one was published")
    );
}

#[test]
fn generators_and_calibrations_bear_the_codes_of_our_own() {
    let rates: BTreeMap<String, f64> = best("abakus").into_iter().map(|(code, _, _, rate)| (code, rate)).collect();
    assert_eq!((rates["S11"], rates["S12"]), (69_200.0, 78_800.0));
    assert_eq!((rates["IO-4k-randread"], rates["IO-local-4k-randread"]), (1_642_000.0, 3_009_000.0));
    assert_eq!((rates["max_iops"], rates["max_mbps"]), (1_977_404.0, 16_045e6));
    assert_eq!(rates["SCAN"], 689_078_056.0 / 33.05);
    let system = find("abakus").unwrap();
    let codes: std::collections::BTreeSet<&str> = system.tests.iter().map(|test| test.code.as_str()).collect();
    assert_eq!(codes.len(), system.tests.len(), "a code is there once");
    let reads = system.tests.iter().find(|test| test.code == "S11").unwrap();
    assert_eq!(reads.title, "sequential read 256 KiB, database server (NVMe-oF over RDMA)");
    assert_eq!((reads.points[0].degree.in_flight, reads.points[0].degree.dop.jobs), (Some(320), 10));
    let latency = |name: &str| {
        let test = find(name).unwrap().tests.iter().find(|test| test.code == "max_iops").unwrap();
        test.points[0].columns.service_mean_ns
    };
    assert_eq!((latency("abakus"), latency("bolinski")), (Some(Nanos(40_000)), None), "a printed 0 is not known");
}

#[test]
fn the_claim_of_many_hosts_stands_beside_the_measured_point() {
    let system = find("datrium").unwrap();
    let test = system.tests.iter().find(|test| test.code == "SLOB-scale-out").unwrap();
    assert_eq!(test.points.len(), 1);
    assert_eq!((test.points[0].degree.parallelism(), test.points[0].degree.dop.nodes), (3, 3));
    assert_eq!(test.points[0].rates[0].per_second, Rate(165_000.0));
    let claim = Claim {
        test: "SLOB-scale-out".to_owned(),
        n: 128,
        rate: Rate(7_000_000.0),
        bytes_per_second: Some(Rate(55.4e9)),
        text: "linear extrapolation at the same latency; not measured".to_owned(),
    };
    assert_eq!(system.claims, [claim]);
}

#[test]
fn tables_are_whole_and_curves_ascend() {
    for system in crate::published() {
        for table in &system.tables {
            assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{}", table.title);
            if table.curves {
                let number = |cell: &Cell| match cell {
                    Cell::Number(number) => *number,
                    other => panic!("{other:?} cannot be drawn"),
                };
                let abscissae: Vec<f64> = table.rows.iter().map(|row| number(&row[0])).collect();
                assert!(abscissae.is_sorted(), "{}", table.title);
                assert!(table.rows.iter().flatten().all(|cell| number(cell).is_finite()), "{}", table.title);
            }
        }
    }
    let curves = |name: &str| find(name).unwrap().tables.iter().filter(|table| table.curves).count();
    assert_eq!((curves("closson"), curves("hp-dl980")), (2, 0));
    let gains = &find("hp-dl980").unwrap().tables[0];
    let computed: Vec<String> = gains
        .rows
        .iter()
        .map(|row| match &row[6] {
            Cell::Number(gain) => format!("{gain:.4}"),
            other => panic!("{other:?}"),
        })
        .collect();
    // 7.837 / 6.857, 1.928 / 1.600, 2.667 / 2.500.
    assert_eq!(computed, ["0.1429", "0.2050", "0.0668"]);
}

#[test]
fn facts_are_read_from_the_machine_to_how_it_was_measured() {
    let system = find("hp-dl980").unwrap();
    assert!(system.facts.is_sorted_by_key(|fact| fact.group));
    let shown: Vec<String> = system.facts.iter().map(|fact| format!("{}: {}", fact.name, stated(fact))).collect();
    assert_eq!(shown[..3], ["processor: Intel Xeon X7560", "clock: 2.26 GHz", "sockets: 4"]);
    assert!(shown.contains(&"large table: 1,024,000,000 rows".to_owned()));
    let datrium = find("datrium").unwrap();
    assert!(datrium.facts.iter().any(|fact| fact.name == "UPDATE_PCT" && stated(fact) == "30"));
}

#[test]
fn calibrations_bear_the_codes_of_our_own() {
    for name in ["abakus", "bolinski"] {
        let codes: Vec<&str> = find(name).unwrap().tests.iter().map(|test| test.code.as_str()).collect();
        assert!(codes.contains(&model::MAX_IOPS) && codes.contains(&model::MAX_MBPS), "{codes:?}");
    }
}

const HEAD: &str = "name = \"a\"\ntitle = \"A\"\nyear = 2012\nsource = \"B\"\n";
const TEST: &str = "[[test]]\ncode = \"T611\"\ntitle = \"x\"\nlayer = \"server\"\nunit = \"row\"\njobs = [1, 2]\n";

fn refused(rest: &str) -> String {
    parse(&format!("{HEAD}{rest}")).expect_err(rest)
}

#[test]
fn what_has_no_place_is_refused() {
    assert!(parse(&format!("{HEAD}{TEST}rps = [1, 2.5]")).is_ok());
    assert!(refused("[tset]").contains("unknown field `tset`"));
    assert_eq!(refused(&format!("{TEST}rpm = [1, 2]")), "unknown field `rpm` of T611");
    assert_eq!(refused(&format!("{TEST}rps = [1.0]")), "rps of T611 has 1 figures, 2 are needed");
    assert_eq!(refused(&format!("{TEST}threads = [1, 2]")), "T611 varies jobs and threads");
    assert_eq!(refused(&TEST.replace("[1, 2]", "[2, 1]")), "the degrees of parallelism of T611 are not ascending");
    let nothing = refused(&format!("{TEST}time = [9.0, 0.0]"));
    assert_eq!(nothing, "time of T611 has the figure 0, it has to be above 0");
    for figures in ["service_ms = [0.0, 1.0]", "rps = [-1.0, 1.0]", "ops = [inf, 1.0]"] {
        assert!(refused(&format!("{TEST}{figures}")).contains(" of T611 has the figure "), "{figures}");
    }
    assert!(parse(&format!("{HEAD}{TEST}read_iops = [0.0, nan]")).is_ok());
    assert!(refused("[[test]]\ncode = \"T611\"").contains("lacks code, title, layer or unit"));
    assert!(refused("[price]\ncurrency = \"usd\"\ndate = \"x\"\nsource = \"y\"").contains("line 6: currency \"usd\""));
}
