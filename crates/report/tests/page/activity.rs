//! Database activity on the page: its figures against the record, and its rendering in a browser.

use std::fs;

use dbdyno_report::SheetOptions;
use record::{Record, SampledWait};

use crate::activity_sample::record;
use crate::browser::Browser;
use crate::document::{parse, select, text, texts, xml};
use crate::drawn::html;
use crate::look::{SIZES, asked_nobody, part_picture, screenshots, serious};

fn page(record: &Record) -> String {
    html(record, &SheetOptions { path: "record.json", ..SheetOptions::default() })
}

#[test]
fn every_test_of_an_engine_has_its_part_with_the_figures_of_its_best_run() {
    let record = record();
    let page = xml(&page(&record));
    let document = parse(&page);
    let mut parts = select(document.root(), "#activity details.fold");
    // What is folded inside a part has a title of its own.
    parts.retain(|part| text(*part).starts_with('T'));
    let best = model::sheet(&record).lines.iter().filter(|line| line.best.is_some()).count();
    let probes = model::sheet(&record).lines.iter().filter(|line| line.is_probe).count();
    assert_eq!(parts.len(), best - probes);
    let part = parts.into_iter().find(|part| text(*part).starts_with("T311")).unwrap();
    let lines: Vec<Vec<String>> = select(part, "tbody tr, dl div")
        .into_iter()
        .map(|line| select(line, "th, td, dt, dd").into_iter().map(text).collect())
        .collect();
    let line =
        |name: &str| lines.iter().find(|line| line[0] == name).unwrap_or_else(|| panic!("no {name} in {lines:?}"));
    assert_eq!(line("wal sync")[1..], ["1200", "3.60 s", "3.00 ms", "48 %", "Commit", "timed"]);
    assert_eq!(line("Lock:transactionid")[1..], ["n.d.", "900 ms", "n.d.", "12 %", "Application", "sampled @100 ms"]);
    assert_eq!(line("CPU or not instrumented")[1..], ["", "3.00 s", "", "40 %", "CPU", "rest"]);
    assert!(lines.iter().any(|line| line[0] == "DB time" && line[1..] == ["2.50 s", "2.50 ms"]), "{lines:?}");
    assert_eq!(line("Commits per sync")[1], "2.500");
    assert_eq!(line("all of DB time")[1..], ["7.50 s", "5.70 s", "1.32"]);
    assert!(
        texts(&document, "#activity details.fold summary").iter().any(|words| words.contains("2.50 active sessions"))
    );
}

#[test]
fn what_an_engine_calls_its_waits_cannot_become_markup() {
    let mut record = record();
    let run = record.runs.iter_mut().find(|run| run.activity.is_some()).unwrap();
    let waits = &mut run.activity.as_mut().unwrap().waits;
    waits[2] = SampledWait { event: "<script>alert(1)</script>".to_owned(), ..waits[2].clone() };
    let page = page(&record);
    assert!(!page.contains("<script>alert") && page.contains("&lt;script&gt;alert(1)"));
}

#[test]
fn it_is_quiet_fits_and_can_be_used_by_everyone() {
    let path = screenshots().join("activity.html");
    // All parts open: closed ones are not checked.
    let open = page(&record()).replace("<details class=\"fold\">", "<details class=\"fold\" open>");
    fs::write(&path, open).unwrap();
    let mut browser = Browser::start();
    for (size, scheme) in SIZES.into_iter().zip(["light", "dark"]) {
        let place = format!("{} {scheme}", size.0);
        browser.open(&path, size, scheme);
        let overflow = browser.evaluate("document.documentElement.scrollWidth - innerWidth");
        assert!(overflow.as_i64().unwrap() <= 0, "{place}: the page is {overflow} pixels too wide");
        part_picture(&mut browser, &format!("activity-{}-{scheme}", size.0), "#activity details.fold:nth-of-type(1)");
        asked_nobody(&browser, &place);
        assert_eq!(serious(&mut browser), Vec::<String>::new(), "{place}");
    }
}
