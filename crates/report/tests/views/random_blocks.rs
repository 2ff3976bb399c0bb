//! Random blocks in text and page.

use dbdyno_report::Style;
use proptest::prelude::*;
use record::{
    BlockOperation, BlockOperations, Bytes, CacheState, Latency, LoopLocation, Nanos, RandomBlocks, Ratio, Record,
    RunKind, name,
};

use crate::drawn::{html, text};
use crate::sample;

/// Two runs of one invocation, with a small cache and with a large one.
fn tiers() -> Record {
    let mut record = sample::record();
    let plain = record.runs.iter().find(|run| run.service.count > 0 && run.readings.len() > 1).expect("a run").clone();
    let run = |number: u32, cache: u64, caches: CacheState, reads: u64| {
        let mut run = plain.clone();
        (run.number, run.test) = (number, format!("B100@{}MiB", cache >> 20));
        run.kind = RunKind::Blocks { cache_bytes: Some(Bytes(cache)) };
        run.totals.operations = 100;
        run.findings.clear();
        run.parameters = [("schemas", 2), ("update_pct", 30), ("redo_stress_heavy", 1)]
            .map(|(name, value)| (name.to_owned(), value))
            .into();
        let last = run.readings.len() - 1;
        for (place, grown) in [(0, 0), (last, 1)] {
            let values = &mut run.readings[place].values;
            values.insert(name::PHYSICAL_READ_COUNT.to_owned(), 1_000 + grown * reads);
            values.insert(name::LOGICAL_READ_COUNT.to_owned(), 1_000 + grown * 9_230);
        }
        for reading in &mut run.readings[1..last] {
            reading.values.remove(name::PHYSICAL_READ_COUNT);
            reading.values.remove(name::LOGICAL_READ_COUNT);
        }
        let service = Latency { count: 30, p50_ns: Nanos(4_000_000), max_ns: Nanos(9_000_000), ..Latency::default() };
        let kind = BlockOperations { operation: BlockOperation::Update, steps: 30, rows: 1_920, service };
        run.blocks = Some(Box::new(RandomBlocks {
            loop_location: LoopLocation::Client,
            operations_per_step: 1,
            caches,
            cache_bytes: Some(Bytes(cache)),
            block_bytes: Some(Bytes(8192)),
            page_cached: Some(Ratio(0.25)),
            blocks_per_schema: 10_240,
            work_unit: 64,
            operations: vec![kind],
        }));
        run
    };
    for run in &mut record.plan.runs {
        (run.test, run.kind) = ("B100@16MiB".to_owned(), RunKind::Blocks { cache_bytes: Some(Bytes(16 << 20)) });
    }
    record.runs = vec![run(1, 16 << 20, CacheState::Cold, 6_420), run(2, 256 << 20, CacheState::Preloaded, 0)];
    record
}

#[test]
fn the_line_the_averages_and_the_tiers_are_shown() {
    let record = tiers();
    let shown = text(&record, "r.json", Style::default(), 100);
    for words in [
        "10240 blocks of 8 KiB in each of 2 schemas",
        "30 % of the operations update 19 of 19 columns",
        "no block visited twice; 25 % of the engine's files remained in the page cache",
        "SLOB-style summary",
        "16 MiB cold",
        "engine ████",
        "64.2",
        "92.3",
        "update",
        "4.00 ms",
    ] {
        let flat = shown.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(words), "no {words:?} in\n{shown}");
    }
    assert_eq!(text(&record, "r.json", Style::default(), 100), shown, "a record of nothing else is shown so");
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
    let page = html(&record, &dbdyno_report::SheetOptions::default());
    assert!(page.contains("Random blocks") && page.contains("Reads per operation"));
    assert!(page.contains("<td>update</td><td class=\"figure\">30</td>"));
}

/// The paragraphs of `shown` in one line.
fn flat(shown: &str) -> String {
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn what_ended_a_cold_run_is_said() {
    let mut record = tiers();
    let jobs = u64::from(record.runs[0].dop.jobs);
    (record.plan.steps, record.runs[0].totals.steps) = (Some(19), 19 * jobs);
    let nowhere = flat(&text(&record, "r.json", Style::default(), 100));
    assert!(!nowhere.contains("ended after"), "whether the count was asked for is not known\n{nowhere}");
    for run in &mut record.runs {
        run.parameters.insert("work_loop".to_owned(), 0);
    }
    let shown = flat(&text(&record, "r.json", Style::default(), 100));
    assert!(shown.contains("run 1 ended after 100 operations in"), "{shown}");
    assert!(shown.contains("an eighth of the blocks is visited, each once"), "{shown}");
    assert!(shown.contains("or 19 operations of each session, whichever comes first"), "{shown}");
    assert!(!shown.contains("run 2 ended"), "it is not cold\n{shown}");
    record.runs[0].totals.steps -= 1;
    let by_time = flat(&text(&record, "r.json", Style::default(), 100));
    assert!(!by_time.contains("ended after"), "{by_time}");
}

#[test]
fn reads_are_held_against_the_work_unit_only_where_nothing_else_reads() {
    let mut record = tiers();
    let last = record.runs[1].readings.len() - 1;
    record.runs[1].readings[last].values.insert(name::PHYSICAL_READ_COUNT.to_owned(), 1_000 + 3_200);
    let expected = |record: &Record| flat(&text(record, "r.json", Style::default(), 100));
    let updating = expected(&record);
    assert!(updating.contains("run 2 had 32.0 reads per operation although every block was in"), "{updating}");
    assert!(updating.contains("may read back log") && !updating.contains("50 %"), "{updating}");
    assert!(!updating.contains("run 1 had"), "it is cold");
    for run in &mut record.runs {
        run.parameters.extend([("update_pct".to_owned(), 0), ("scan_pct".to_owned(), 0)]);
    }
    let reading = expected(&record);
    assert!(reading.contains("run 2 had 32.0 reads") && reading.contains("not all of them stayed there"), "{reading}");
    assert!(reading.contains("92.3 32.0 50 "), "{reading}");
    let page = html(&record, &dbdyno_report::SheetOptions::default());
    assert!(page.contains("not all of them stayed there"));
}

#[test]
fn a_record_without_a_run_says_so_and_is_not_gone_on_with() {
    let record = Record { runs: Vec::new(), ..tiers() };
    let shown = text(&record, "r.json", Style::default(), 80);
    assert!(shown.contains("no run is finished") && !shown.contains("--resume"), "{shown}");
}

#[test]
fn a_record_without_random_blocks_says_nothing_of_them() {
    let record = sample::record();
    let (shown, page) = (text(&record, "r.json", Style::default(), 80), html(&record, &Default::default()));
    assert!(!shown.contains("SLOB-style summary") && !page.contains("Random blocks"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_figures_can_be_drawn(
        counts in prop::array::uniform7(any::<u64>()),
        (parameter, cached) in (any::<i64>(), any::<f64>()),
        (sizes, in_engine) in (prop::option::of(any::<u64>()), any::<bool>()),
        width in 0usize..200,
    ) {
        let mut record = tiers();
        for run in &mut record.runs {
            run.parameters.values_mut().for_each(|value| *value = parameter);
            run.totals.operations = counts[0];
            run.dop.jobs = counts[1] as u32;
            let blocks = run.blocks.as_mut().expect("it has some");
            (blocks.operations_per_step, blocks.blocks_per_schema, blocks.work_unit) = (counts[2], counts[3], counts[4]);
            (blocks.cache_bytes, blocks.block_bytes) = (sizes.map(Bytes), sizes.map(Bytes));
            blocks.page_cached = Some(Ratio(cached));
            (blocks.operations[0].steps, blocks.operations[0].rows) = (counts[5], counts[6]);
            blocks.loop_location = if in_engine { LoopLocation::Engine } else { LoopLocation::Client };
        }
        let shown = text(&record, "r.json", Style::default(), width);
        let page = width.clamp(60, 120);
        for line in shown.lines() {
            prop_assert!(line.chars().count() <= page, "{} columns: {line}", line.chars().count());
            prop_assert!(!line.contains(char::is_control), "{line:?}");
        }
        prop_assert!(html(&record, &Default::default()).ends_with("</html>"));
    }
}
