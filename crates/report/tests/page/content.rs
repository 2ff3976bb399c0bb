//! The figures on the page are those of the record.

use dbdyno_report::SheetOptions;
use record::{Record, Run, SteadyVerdict, Sweep, Verdict};
use roxmltree::Document;

use crate::document::{parse, select, text, texts, xml};
use crate::drawn::html;
use crate::{finding_sample, sample, series};

fn page(record: &Record) -> String {
    xml(&html(record, &SheetOptions { path: "record.json", ..SheetOptions::default() }))
}

/// The lines of a table without its heads: per cell the words and the value that it is sorted by.
fn lines(document: &Document<'_>, table: &str) -> Vec<Vec<(String, Option<f64>)>> {
    let rows = select(document.root(), &format!("#{table} tbody tr:not(.group)"));
    let value = |cell: &roxmltree::Node<'_, '_>| match cell.attribute("data-v") {
        Some(value) => Some(value.parse().unwrap()),
        None => text(*cell).parse().ok(),
    };
    rows.into_iter().map(|row| select(row, "th, td").iter().map(|cell| (text(*cell), value(cell))).collect()).collect()
}

/// The value that a figure with an SI prefix, a time or a share shows.
fn read(figure: &str) -> f64 {
    let (digits, unit) = figure.split_once(' ').unwrap_or((figure, ""));
    let factor = match unit {
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "ns" => 1.0,
        "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        "min" => 60e9,
        "%" => 0.01,
        _ => 1.0,
    };
    digits.parse::<f64>().unwrap_or_else(|_| panic!("{figure:?} is no figure")) * factor
}

fn agree(shown: &str, value: f64, digits: i32) {
    let read = read(shown);
    let limit = value.abs() * 0.5 * 10f64.powi(1 - digits) * 1.001 + 1e-9;
    assert!((read - value).abs() <= limit, "{shown} stands for {read}, and the record says {value}");
}

#[test]
fn every_figure_of_the_sheet_is_that_of_the_model() {
    for record in [sample::record(), series::record()] {
        let page = page(&record);
        let document = parse(&page);
        let (shown, sheet) = (lines(&document, "sheet"), model::sheet(&record));
        assert_eq!(shown.len(), sheet.lines.len());
        for line in &sheet.lines {
            let cells = shown.iter().find(|cells| cells[13].0 == line.test).unwrap();
            let figure = |index: usize, value: Option<f64>, digits: i32| match value {
                Some(value) => agree(&cells[index].0, value, digits),
                None => assert_eq!(cells[index].0, "-"),
            };
            let rate = |point: Option<&model::Point>| point.map(|point| point.operations_per_second.0);
            figure(2, rate(line.speed.as_ref()), 4);
            figure(3, rate(line.best.as_ref()), 4);
            figure(5, line.scalability, 3);
            let optimum = line.optimum.as_ref();
            figure(6, rate(optimum.map(|found| &found.point)), 4);
            figure(8, optimum.map(|found| found.utilisation.0), 2);
            let service = line.best.as_ref().and_then(|best| best.service);
            figure(9, service.map(|service| service.p50_ns.0 as f64), 3);
            figure(10, service.and_then(|service| service.p99_ns).map(|time| time.0 as f64), 3);
            let limit = line.best.as_ref().and_then(|best| best.ceiling.as_ref());
            figure(11, limit.map(|limit| limit.efficiency.0), 2);
        }
    }
}

#[test]
fn a_share_above_the_ceiling_has_a_word_beside_it_everywhere() {
    let notes = [
        "of C11, J4: no bound",
        "without a database): no bound",
        "C11 is not an upper bound of the test in this record",
    ];
    let within = page(&sample::record());
    let mut record = sample::record();
    record.runs.iter_mut().filter(|run| run.test == "T131").for_each(|run| run.totals.operations *= 60);
    // The tiles show four tests.
    record.runs.retain(|run| ["C11", "T131"].contains(&run.test.as_str()));
    let above = page(&record);
    assert_eq!(notes.map(|words| (within.contains(words), above.contains(words))), [(false, true); 3]);
}

#[test]
fn every_figure_of_the_table_of_runs_is_that_of_the_model() {
    let record = sample::record();
    let page = page(&record);
    let document = parse(&page);
    let shown = lines(&document, "runs-table");
    assert_eq!(shown.len(), record.runs.len());
    let mut compared = 0;
    for (cells, run) in shown.iter().zip(&record.runs) {
        let row = model::row(run);
        assert_eq!((&cells[0].0, &cells[1].0), (&run.number.to_string(), &run.test));
        let per_second = |rate: Option<record::Rate>| rate.map(|rate| rate.0);
        let of_host = |cpu: Option<model::CpuUse>| Some(cpu?.of_host?.0);
        let time = |times: Option<model::Times>| times?.p99_ns.map(|time| time.0 as f64);
        let expected = [
            per_second(row.operations_per_second),
            per_second(row.rows_per_second),
            row.cpu.map(|cpu| cpu.busy().0),
            of_host(row.client_cpu),
            of_host(row.server_cpu),
            of_host(row.foreign_cpu),
            per_second(row.engine_io.reads_per_second),
            per_second(row.engine_io.writes_per_second),
            per_second(row.engine_io.total_per_second()),
            per_second(row.engine_io.read_bytes_per_second),
            per_second(row.engine_io.write_bytes_per_second),
            per_second(row.engine_io.total_bytes_per_second()),
            per_second(row.device_io.reads_per_second),
            per_second(row.device_io.writes_per_second),
            per_second(row.device_io.total_per_second()),
            per_second(row.device_io.read_bytes_per_second),
            per_second(row.device_io.write_bytes_per_second),
            per_second(row.device_io.total_bytes_per_second()),
            per_second(row.redo_bytes_per_second),
            row.service.map(|quantiles| quantiles.p50_ns.0 as f64),
            time(row.service),
            time(row.response),
        ];
        for (index, value) in expected.into_iter().enumerate() {
            let found = cells[6 + index].1;
            assert_eq!(
                found,
                value.filter(|_| row.verdict != Verdict::Fail),
                "run {} column {}",
                run.number,
                6 + index
            );
            compared += usize::from(found.is_some());
        }
        if row.verdict == Verdict::Fail {
            assert_eq!(cells.last().unwrap().0, "invalid");
            assert!(cells[6..28].iter().all(|(shown, _)| shown.is_empty()), "an invalid run has no figures");
        } else {
            agree(&cells[6].0, row.operations_per_second.unwrap().0, 4);
        }
    }
    assert!(compared > 400, "{compared} figures");
}

/// The data below the chart `id`.
fn data(document: &Document<'_>, id: &str) -> Vec<csv::StringRecord> {
    let found = select(document.root(), &format!("details[data-file={id}] pre"));
    let text = text(found[0]);
    csv::Reader::from_reader(text.as_bytes()).records().map(Result::unwrap).collect()
}

#[test]
fn a_throughput_chart_has_every_valid_point_with_its_exact_rate() {
    let record = sample::record();
    let page = page(&record);
    let document = parse(&page);
    let sheet = model::sheet(&record);
    let figures = select(document.root(), "#charts figure, #throughput figure");
    assert_eq!(figures.len(), sheet.lines.iter().filter(|line| line.runs - line.invalid_runs > 1).count());
    let mut checked = 0;
    for figure in figures {
        let caption = text(select(figure, "figcaption")[0]);
        let rows = data(&document, figure.attribute("id").unwrap());
        for run in record.runs.iter().filter(|run| caption.starts_with(&run.test) && !model::is_invalid(run)) {
            let workers = if run.sweep == Sweep::Threads { run.dop.threads } else { run.dop.jobs };
            let rate = model::row(run).operations_per_second.unwrap().0;
            let text_of = |row: &&csv::StringRecord| {
                let values: Vec<f64> = row.iter().filter_map(|field| field.parse().ok()).collect();
                values.contains(&f64::from(workers)) && values.contains(&rate)
            };
            assert!(rows.iter().any(|row| text_of(&row)), "{caption}: no {rate} at {workers}");
            checked += 1;
        }
    }
    assert!(checked > 30, "{checked} points");
}

#[test]
fn a_rate_that_was_asked_for_gets_no_fit() {
    let mut record = sample::record();
    // A fourth degree, without which a fit has no band and is not shown.
    let mut more = record.runs.clone();
    more.iter_mut().for_each(|run| run.dop.jobs *= 16);
    record.runs.extend(more);
    let laws = |page: &str| {
        let document = parse(page);
        let notes = texts(&document, "#charts, #throughput");
        let count = |words: &str| notes.iter().map(|text| text.matches(words).count()).sum::<usize>();
        let figures = select(document.root(), "#charts figure, #throughput figure").len();
        (count("Universal Scalability Law") > 0, count("The rate is a target, not a result") == figures)
    };
    assert_eq!(laws(&page(&record)), (true, false));
    record.runs.iter_mut().for_each(|run| run.pace = record::Pace::Rate { steps_per_second: 100.0 });
    assert_eq!(laws(&page(&record)), (false, true));
}

#[test]
fn every_section_and_every_group_of_the_disclosure_is_there() {
    let page = page(&series::record());
    let document = parse(&page);
    let headings: Vec<String> = texts(&document, "main section h2");
    assert_eq!(
        headings,
        [
            "Workloads",
            "Main results over the degree of parallelism",
            "Spec sheet",
            "Result class",
            "Warnings",
            "Limits and ceilings",
            "Steadiness",
            "Throughput over degree of parallelism",
            "Runs",
            "Latency",
            "Latency by layer",
            "Database activity",
            "Throughput over time",
            "Waits and I/O",
            "Nodes, links and volume",
            "Measured",
            "Platform and settings",
            "Data",
            "Full disclosure"
        ]
    );
    let groups = select(document.root(), "#disclosure-table tr.group");
    assert_eq!(groups.len(), 12);
    for row in select(document.root(), "#disclosure-table tbody tr:not(.group)") {
        let value = text(select(row, "td")[0]);
        assert!(!value.is_empty(), "{}", text(row));
        assert!(value != "not available:", "a field without a reason: {}", text(row));
    }
    let ids: Vec<&str> = select(document.root(), "[id]").iter().filter_map(|element| element.attribute("id")).collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(ids.len(), unique.len(), "an id stands for two elements");
    for link in select(document.root(), "a[href]") {
        let target = &link.attribute("href").unwrap()[1..];
        assert!(unique.binary_search(&target).is_ok(), "{target} is nowhere");
    }
}

/// What the disclosure says of the field `name`.
pub fn disclosed(page: &str, name: &str) -> String {
    let document = parse(page);
    let rows = select(document.root(), "#disclosure-table tbody tr:not(.group)");
    let row = rows.into_iter().find(|row| text(select(*row, "th")[0]) == name).unwrap();
    text(select(row, "td")[0])
}

#[test]
fn the_interval_between_runs_is_that_of_repeats() {
    let mut record = sample::record();
    let once = page(&record);
    assert_eq!(disclosed(&once, "interval between runs"), "not available: one run each; use --repeats 6");
    assert!(once.contains("one run per test: repeatability unknown"));
    assert!(once.contains("This result is a FIRST LOOK and not PUBLISHABLE"));
    let run = record.runs.iter().find(|run| run.test == "T611" && run.dop.jobs == 4).unwrap().clone();
    record.runs.extend((0..5).map(|repeat| Run { number: 1000 + repeat, ..run.clone() }));
    let often = page(&record);
    let field = disclosed(&often, "interval between runs");
    assert!(field.starts_with("95 % interval of the median rate") && field.contains("of 1 of "), "{field}");
    let document = parse(&often);
    let text_of = "6 repeats, 95 % interval 59.96 k to 59.96 k";
    assert!(texts(&document, ".tiles li").iter().any(|tile| tile.contains(text_of)));
    assert!(lines(&document, "sheet").iter().any(|cells| cells[0].0.contains(text_of)));
}

#[test]
fn every_run_that_is_long_enough_has_its_verdict() {
    let mut record = series::record();
    let again = Run { number: 1000, ..record.runs.iter().find(|run| run.test == "T611").unwrap().clone() };
    record.runs.push(again);
    let long = record.runs.iter().filter(|run| !model::is_invalid(run)).count();
    let whole = page(&record);
    let steady = lines(&parse(&whole), "steady");
    assert_eq!(steady.len(), long);
    assert!(steady.iter().any(|cells| cells[0].0 == "1000"));
    // Of a run without its seconds the record knows what was found.
    let last = record.runs.last_mut().unwrap();
    last.findings = vec![finding_sample::steady(Verdict::Warn, SteadyVerdict::Drifting, 0)];
    model::thin(last);
    let thinned = page(&record);
    let few = lines(&parse(&thinned), "not-steady");
    let found = few.iter().find(|cells| cells[0].0 == "1000").unwrap();
    assert_eq!(found[3].0, "DRIFTING");
    assert!(found[8].0.starts_with("the rate falls by 12 % over 300 s"), "{}", found[8].0);
    record.runs.last_mut().unwrap().findings.clear();
    assert!(page(&record).contains("No verdict on 1 more run:"));
}

#[test]
fn what_is_beyond_what_was_measured_is_an_estimate() {
    let page = page(&sample::record());
    let estimates = disclosed(&page, "estimated figures");
    assert!(estimates.contains("ESTIMATE: seconds of fibonacci(39)"), "{estimates}");
    // A curve needs more than three degrees of parallelism before its scatter is known.
    assert!(!estimates.contains("fitted curve beyond"), "{estimates}");
    let mut record = sample::record();
    let runs: Vec<Run> = record.runs.iter().filter(|run| run.test == "T611" && run.dop.jobs == 1).cloned().collect();
    record.runs = [1u32, 2, 4, 8, 16, 32]
        .map(|jobs| {
            let mut run = Run { number: jobs, dop: record::Dop::jobs(jobs), findings: Vec::new(), ..runs[0].clone() };
            let n = f64::from(jobs);
            let noise = 1.0 + 0.001 * f64::from(jobs % 3);
            run.totals.operations = (90_000.0 * noise * n / (1.0 + 0.05 * (n - 1.0))) as u64;
            run
        })
        .to_vec();
    let fitted = self::page(&record);
    let estimates = disclosed(&fitted, "estimated figures");
    assert!(estimates.contains("beyond the measurements in 1 chart of throughput"), "{estimates}");
    assert!(fitted.contains("ESTIMATE: ceiling") || fitted.contains("ESTIMATE: peak"));
}

#[test]
fn a_page_of_all_sections_is_small_and_asks_nobody() {
    let record = series::record();
    let other = |run: &Run, letter: &str| Run { test: run.test.replacen(['P', 'T'], letter, 1), ..run.clone() };
    let more = ["A", "B"].into_iter().flat_map(|letter| record.runs.iter().map(move |run| other(run, letter)));
    let full = Record { runs: record.runs.iter().cloned().chain(more).collect(), ..record.clone() };
    let page = html(&full, &SheetOptions::default());
    assert!(page.len() < 2_000_000, "{} bytes for {} runs", page.len(), full.runs.len());
    assert!(page.contains("default-src 'none'"));
    for forbidden in ["src=\"http", "href=\"http", "@import"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert!(page.split("url(").skip(1).all(|rest| rest.starts_with('#')), "an address that is not on the page");
}
