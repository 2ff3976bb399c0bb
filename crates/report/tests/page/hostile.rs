//! Texts of a record cannot become markup, and whatever a record holds makes a page.

use crate::document::{parse, select, texts, xml};
use crate::drawn::html;
use crate::finding_sample::worded;
use crate::sample;
use dbdyno_report::SheetOptions;
use record::{Latency, Nanos, Outcome, Record, Totals, Verdict};

const HOSTILE: &str = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)> & ]]> <!--";

fn spoiled() -> Record {
    let mut record = sample::record();
    let text = || HOSTILE.to_owned();
    (record.id, record.tool.version, record.reason) = (text(), text(), Some(text()));
    (record.plan.target, record.plan.directory) = (text(), text());
    record.plan.skipped[0].reason = text();
    record.plan.test_files = vec![text()];
    (record.host.host_name, record.host.product, record.host.cpu.model) = (Some(text()), Some(text()), Some(text()));
    (record.host.virtualisation, record.host.kernel.command_line) = (Some(text()), Some(text()));
    record.host.devices[0].name = text();
    record.host.devices[0].model = Some(text());
    if let Some(engine) = &mut record.engine {
        (engine.title, engine.version, engine.durability) = (text(), text(), text());
        (engine.settings[0].name, engine.settings[0].value, engine.settings[0].default) =
            (text(), text(), Some(text()));
    }
    record.data_sets[0].table = text();
    for run in &mut record.runs {
        if run.test == "T611" {
            (run.test, run.title) = (text(), text());
        }
        run.findings = [Verdict::Pass, Verdict::Unknown, Verdict::Warn, Verdict::Fail]
            .map(|verdict| worded(verdict, &text()))
            .into();
    }
    record.runs[0].outcome = Outcome::Failed { message: text() };
    record
}

#[test]
fn no_text_of_a_record_becomes_markup() {
    let record = spoiled();
    let options = SheetOptions { path: HOSTILE, record_sha256: Some(HOSTILE), ..SheetOptions::default() };
    let page = html(&record, &options);
    let xml = xml(&page);
    let document = parse(&xml);
    let count = |selector: &str| select(document.root(), selector).len();
    assert_eq!((count("script"), count("img"), count("style")), (1, 0, 1));
    assert_eq!(count("[onerror], [onclick], [style]"), 0);
    assert!(!page.contains("<script>alert"), "a text was not escaped");
    let shown = texts(&document, "h1");
    assert!(shown[0].contains("<script>alert(1)</script>"), "{shown:?}");
}

#[test]
fn nothing_and_too_much_make_a_page() {
    let empty = Record { runs: Vec::new(), engine: None, data_sets: Vec::new(), ..sample::record() };
    assert!(html(&empty, &SheetOptions::default()).contains("no run is finished"));
    let mut extreme = sample::record();
    for run in &mut extreme.runs {
        run.window_ns = Nanos(u64::MAX);
        run.totals = Totals { steps: u64::MAX, operations: u64::MAX, rows: u64::MAX, ..Totals::default() };
        run.service = Latency { count: u64::MAX, max_ns: Nanos(u64::MAX), ..Latency::default() };
        run.response = Latency { count: 1, histogram: "not a histogram".to_owned(), ..Latency::default() };
        (run.dop.jobs, run.dop.threads) = (u32::MAX, u32::MAX);
    }
    assert!(html(&extreme, &SheetOptions::default()).ends_with("</html>"));
    for run in &mut extreme.runs {
        (run.window_ns, run.dop.jobs, run.dop.threads) = (Nanos(0), 0, 0);
        run.seconds.clear();
        run.readings.clear();
        run.findings.clear();
    }
    assert!(html(&extreme, &SheetOptions::default()).ends_with("</html>"));
}

#[test]
fn many_runs_make_a_page_of_a_size_that_can_be_opened() {
    let mut record = sample::record();
    let base = record.runs.clone();
    record.runs = (0..10_000).map(|index| base[index % base.len()].clone()).collect();
    let page = html(&record, &SheetOptions::default());
    assert!(page.len() < 4_000_000, "{} bytes", page.len());
    assert!(page.contains("of 10000 runs are shown"));
}
