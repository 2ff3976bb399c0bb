//! Bulk loads in text and page.

use dbdyno_report::{SheetOptions, Style};
use proptest::prelude::*;
use record::{
    Bytes, Ceiling, Dop, IndexTime, Load, LoadForm, LoadModel, LoadStage, LoadStageKind, Nanos, Record, Run, RunKind,
    Scan, ScanKind, Totals, Unit, name,
};

use crate::drawn::{html, text};
use crate::sample;

const SECOND: u64 = 1_000_000_000;

fn stage(kind: LoadStageKind, threads: u32, busy_ns: u64) -> LoadStage {
    LoadStage { kind, threads, busy_ns: Nanos(busy_ns), cpu_ns: None, bytes: Bytes(1_000_000_000) }
}

/// A gigabyte in ten seconds.
fn loaded(plain: &Run, number: u32, model: LoadModel, form: LoadForm) -> Run {
    let mut run = plain.clone();
    (run.number, run.test, run.window_ns) = (number, format!("L100@{}", model.word()), Nanos(10 * SECOND));
    run.kind = RunKind::Load { model, form };
    run.totals = Totals { steps: 100, rows: 10_000_000, bytes: Some(Bytes(1_000_000_000)), ..Totals::default() };
    run.findings.clear();
    let last = run.readings.len() - 1;
    let counters = [
        (name::CLIENT_CPU_NS, 4 * SECOND),
        (name::SERVER_CPU_NS, 12 * SECOND),
        (name::REDO_WRITE_BYTES, 1_250_000_000),
        (name::DEVICE_WRITE_BYTES, 2_500_000_000),
    ];
    for (counter, grown) in counters {
        run.readings.iter_mut().for_each(|reading| {
            reading.values.remove(counter);
        });
        run.readings[0].values.insert(counter.to_owned(), 5);
        run.readings[last].values.insert(counter.to_owned(), 5 + grown);
    }
    let table = if model.compressed { 400_000_000 } else { 1_080_000_000 };
    run.load = Some(Box::new(Load {
        model,
        form,
        source: "cards.tbl.gz".to_owned(),
        compression: "gzip".to_owned(),
        layout: "cards".to_owned(),
        input_bytes: Bytes(500_000_000),
        flat_bytes: Bytes(1_000_000_000),
        batch_bytes: Bytes(8 << 20),
        batches: 120,
        rows: 10_000_000,
        rejected_rows: 17,
        resumed_rows: 0,
        retried_batches: 0,
        deferred_batches: 0,
        notes: Vec::new(),
        in_flight_bytes_max: Bytes(64 << 20),
        stages: vec![
            stage(LoadStageKind::Read, 1, SECOND),
            stage(LoadStageKind::Decompress, 1, 5 * SECOND),
            stage(LoadStageKind::Parse, 2, 3 * SECOND),
            stage(LoadStageKind::Convert, 1, SECOND),
            stage(LoadStageKind::Send, 1, 8 * SECOND),
            stage(LoadStageKind::Commit, 1, SECOND / 2),
        ],
        table_bytes: Some(Bytes(table)),
        index_bytes: Some(Bytes(120_000_000)),
        indexes: IndexTime::After,
        index_build_ns: Some(Nanos(3 * SECOND)),
        first_query_ns: Some(Nanos(SECOND / 4)),
        checked: Vec::new(),
    }));
    run
}

fn record_of(make: impl Fn(&Run) -> Vec<Run>) -> Record {
    let mut record = sample::record();
    let plain = record.runs.iter().find(|run| run.service.count > 0 && run.readings.len() > 1).expect("a run").clone();
    record.runs = make(&plain);
    for run in &mut record.plan.runs {
        let kind = RunKind::Load { model: LoadModel::default(), form: LoadForm::Typed };
        (run.test, run.kind) = ("L100".to_owned(), kind);
    }
    record
}

fn models() -> Record {
    let [plain, _, compressed, _] = LoadModel::ALL;
    record_of(|run| vec![loaded(run, 1, plain, LoadForm::Typed), loaded(run, 2, compressed, LoadForm::AsIs)])
}

/// The words of `shown` on one line.
fn flat(shown: &str) -> String {
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn rate_price_table_and_stages_are_shown() {
    let record = models();
    let shown = text(&record, "r.json", Style::default(), 100);
    let words = flat(&shown);
    for expected in [
        "1.00 GB of flat file in the layout cards, cards.tbl.gz, read as gzip at 2.00",
        "indexes were built after the load",
        "as-is: lines were sent unparsed",
        "1.000 M 100.0 0.3600 17",
        "4.000 k 12.00 k 0.40 1.20 1.25",
        "1.08 GB 0.93 - 120 MB 3.00 s 250 ms",
        "400 MB 2.50 2.70",
        "10 50 15 10 80 5.0 send 95",
        "run 1 rejected 17 lines",
        "send includes waiting for the server",
    ] {
        assert!(words.contains(expected), "no {expected:?} in\n{shown}");
    }
    assert_eq!(text(&record, "r.json", Style::default(), 100), shown, "a record of nothing else is shown so");
}

#[test]
fn lines_fit_the_page() {
    for width in [60, 80, 100] {
        let shown = text(&models(), "r.json", Style::default(), width);
        assert!(shown.lines().all(|line| line.chars().count() <= width), "{width}\n{shown}");
    }
}

#[test]
fn the_page_draws_processors_over_the_rate_of_each_kind_of_table() {
    let page = html(&models(), &SheetOptions::default());
    for expected in
        ["Bulk load", "Processors over the rate of the load", "compressed, as-is", "MB of flat file per second"]
    {
        assert!(page.contains(expected), "no {expected:?}");
    }
    let none = html(&sample::record(), &SheetOptions::default());
    assert!(!none.contains("id=\"bulk-load\""), "nothing of a record without loads");
}

/// The table of the first load read with two threads in five seconds.
fn read(plain: &Run, number: u32, code: &str) -> Run {
    let mut run = loaded(plain, number, LoadModel::default(), LoadForm::Typed);
    (run.test, run.load, run.window_ns) = (code.to_owned(), None, Nanos(5 * SECOND));
    let kind = ScanKind::ALL.into_iter().find(|kind| code.starts_with(kind.code())).expect("the code of a scan");
    run.kind = RunKind::Scan(Scan { kind, model: LoadModel::default(), is_cold: code.ends_with(",cold") });
    run.dop = Dop { nodes: 1, jobs: 1, threads: 2 };
    run.totals =
        Totals { steps: 1, rows: 10_000_000, transactions: 1, bytes: Some(Bytes(1_080_000_000)), ..Totals::default() };
    run.service.mean_ns = Nanos(5 * SECOND);
    run.data_bytes = Some(Bytes(1_000_000_000));
    run.ceiling = Some(Ceiling { probe: "S11".to_owned(), unit: Unit::Byte });
    run
}

/// A probe that read 432 MB/s, a load, and scans of its table.
fn with_scans(codes: &[&str]) -> Record {
    let mut record = record_of(|plain| {
        let mut probe = loaded(plain, 1, LoadModel::default(), LoadForm::Typed);
        (probe.test, probe.kind, probe.load, probe.unit) = ("S11".to_owned(), RunKind::Probe, None, Unit::Block);
        probe.totals.bytes = Some(Bytes(4_320_000_000));
        let load = loaded(plain, 2, LoadModel::default(), LoadForm::Typed);
        let scans = codes.iter().zip(3..).map(|(code, number)| read(plain, number, code));
        [probe, load].into_iter().chain(scans).collect()
    });
    record.plan.runs.truncate(1);
    record
}

#[test]
fn what_was_loaded_is_read_beside_what_storage_gives() {
    let record = with_scans(&["L431,cold", "L431", "L441,cold"]);
    for width in [60, 80, 100] {
        let shown = text(&record, "r.json", Style::default(), width);
        assert!(shown.lines().all(|line| line.chars().count() <= width), "{width}\n{shown}");
    }
    let shown = text(&record, "r.json", Style::default(), 120);
    let words = flat(&shown);
    for expected in [
        "Scans of the loaded tables",
        "3 L431 plain 2 cold 5.00 s 2.000 M 216.0 200.0",
        "4 L431 plain 2 warm",
        "5 L441 plain 2 cold",
        "50 3.20",
        "bytes of the table over the 432.0 MB/s of S11",
        "cold: engine restarted",
    ] {
        assert!(words.contains(expected), "no {expected:?} in\n{shown}");
    }
    let page = html(&record, &SheetOptions::default());
    for expected in
        ["Scans of the loaded tables", "Scans of the plain table", "L431, cold", "L441, cold", "S11, sequential reads"]
    {
        assert!(page.contains(expected), "no {expected:?}");
    }
}

#[test]
fn what_was_not_read_cold_is_not_called_so() {
    let shown = text(&with_scans(&["L431"]), "r.json", Style::default(), 100);
    assert!(shown.contains("no cold scans") && !shown.contains("cold: engine"), "{shown}");
    let without = text(&models(), "r.json", Style::default(), 100);
    assert!(!without.contains("SCANS OF"), "{without}");
    assert!(!html(&models(), &SheetOptions::default()).contains("id=\"bulk-read\""));
}

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1), Just(u64::MAX), 0..1_000_000u64, any::<u64>()]
}

proptest! {
    #[test]
    fn any_load_can_be_shown(
        numbers in prop::array::uniform12(number()),
        sizes in prop::array::uniform4(prop::option::of(number())),
        window in number(),
        words in ".{0,60}",
        indexes in prop::sample::select(vec![IndexTime::None, IndexTime::Before, IndexTime::After]),
        threads in any::<u32>(),
        width in 40usize..140,
    ) {
        let record = record_of(|run| {
            let mut run = loaded(run, 1, LoadModel::ALL[3], LoadForm::AsIs);
            run.window_ns = Nanos(window);
            run.totals.bytes = sizes[0].map(Bytes);
            let load = run.load.as_mut().expect("a load");
            load.deferred_batches = numbers[8];
            (load.source, load.layout, load.compression) = (words.clone(), words.clone(), words.clone());
            (load.input_bytes, load.flat_bytes, load.batch_bytes) = (Bytes(numbers[0]), Bytes(numbers[1]), Bytes(numbers[2]));
            (load.rows, load.rejected_rows, load.resumed_rows, load.retried_batches) = (numbers[3], numbers[4], numbers[5], numbers[6]);
            (load.table_bytes, load.index_bytes) = (sizes[1].map(Bytes), sizes[2].map(Bytes));
            (load.index_build_ns, load.first_query_ns, load.indexes) = (sizes[3].map(Nanos), sizes[1].map(Nanos), indexes);
            for (stage, number) in load.stages.iter_mut().zip(&numbers[6..]) {
                (stage.busy_ns, stage.bytes, stage.threads) = (Nanos(*number), Bytes(numbers[7]), threads);
            }
            vec![run]
        });
        let shown = text(&record, "r.json", Style::default(), width);
        let most = width.clamp(60, 120);
        prop_assert!(shown.lines().all(|line| line.chars().count() <= most), "{shown}");
        prop_assert!(html(&record, &SheetOptions::default()).contains("Bulk load"));
    }
}
