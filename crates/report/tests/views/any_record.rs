//! Whatever a record holds, it can be drawn: missing fields, empty windows, numbers at their limits, texts that are
//! too long or would command the terminal.

use std::collections::BTreeMap;

use dbdyno_report::{FioJson, SheetOptions, Style, csv, fio_json, inventory, io_csv, io_plan_text, plan, run_line};
use model::platform::MeasuredRates;
use proptest::prelude::*;
use record::{
    Amount, Arrival, Bytes, Dop, HostInventory, Latency, Nanos, Outcome, Pace, Rate, Ratio, Reading, Record, Run,
    Totals, Until, Variation, Verdict,
};

use crate::drawn::{html, text};
use crate::finding_sample::worded;
use crate::{sample, storage_sample};

/// Numbers with the extremes among them.
fn number() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1), Just(u64::MAX), 0..1_000_000u64, any::<u64>()]
}

fn degree() -> impl Strategy<Value = u32> {
    prop_oneof![Just(0), Just(u32::MAX), 1..200u32]
}

/// Texts of any letters, some of them long.
fn words() -> impl Strategy<Value = String> {
    prop_oneof![".{0,12}", "[a-zäµ \u{1b}\n]{0,200}", Just("x".repeat(300))]
}

prop_compose! {
    fn run()(
        (number_of, code, title) in (any::<u32>(), words(), words()),
        sample in 0usize..39,
        dop in (degree(), degree(), degree()),
        (window, operations, rows, steps) in (number(), number(), number(), number()),
        bytes in prop::option::of(number()),
        latency in (number(), number(), number()),
        counters in prop::collection::vec((number(), prop::collection::vec(number(), 0..8)), 0..4),
        verdict in prop::sample::select(vec![Verdict::Pass, Verdict::Unknown, Verdict::Warn, Verdict::Fail]),
        (detail, failed) in (words(), any::<bool>()),
        rate in any::<f64>(),
        variation in prop::option::of((0usize..4, any::<bool>())),
    ) -> Run {
        let (count, p50, p99) = latency;
        let latency = Latency { count, p50_ns: Nanos(p50), p99_ns: Some(Nanos(p99)), ..Latency::default() }.printable();
        let base = sample::record().runs.swap_remove(sample);
        let names: Vec<String> = base.readings[0].values.keys().cloned().collect();
        let reading = |(at, values): (u64, Vec<u64>)| Reading { at_ns: Nanos(at), values: names.iter().cloned().zip(values).collect() };
        let pace = Pace::Rate { steps_per_second: rate };
        let variation = variation.map(|(kind, one_thread_per_core)| match kind {
            0 => Variation::Paced { pace, one_thread_per_core },
            1 => Variation::Paced { pace: Pace::ThinkTime { think_ns: Nanos(number_of.into()) }, one_thread_per_core },
            2 => Variation::ShareOfCapacity { share: rate },
            _ => Variation::Traced,
        });
        let pace = if let Some(Variation::Paced { pace, .. }) = variation { pace } else { pace };
        Run {
            number: number_of,
            test: code,
            title,
            variation,
            dop: Dop { nodes: dop.0, jobs: dop.1, threads: dop.2 },
            pace,
            window_ns: Nanos(window),
            outcome: if failed { Outcome::Failed { message: detail.clone() } } else { Outcome::Done },
            totals: Totals { steps, operations, rows, bytes: bytes.map(Bytes), ..Totals::default() },
            service: latency.clone(),
            response: latency,
            parameters: BTreeMap::new(),
            readings: counters.into_iter().map(reading).collect(),
            findings: vec![worded(verdict, &detail)],
            ..base
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_record_can_be_drawn(
        runs in prop::collection::vec(run(), 0..4),
        (bare, probes) in (any::<bool>(), any::<bool>()),
        name in words(),
        (size, load) in (number(), prop::option::of(number())),
        (cost, searched) in (any::<f64>(), any::<bool>()),
        width in 0usize..300,
    ) {
        let mut record = Record { runs, ..sample::record() };
        if searched {
            let level = if bare { "p99=5ms".to_owned() } else { name.clone() };
            record.plan.until = Some(Until { level, arrival: Arrival::Fixed, tolerance: Ratio(cost) });
        }
        record.host.cpu.model = Some(name.clone());
        record.host.devices[0].name = name.clone();
        record.instrument.loop_step_ns = cost;
        record.plan.skipped[0].reason = name.clone();
        record.data_sets[0].table = name.clone();
        record.data_sets[0].size_bytes = Bytes(size);
        record.data_sets[0].rows = size;
        record.data_sets[0].load_ns = load.map(Nanos);
        if bare {
            record.host = HostInventory::default();
        }
        if probes {
            record.engine = None;
        }
        let page = width.clamp(60, 120);
        let views = [
            text(&record, "r.json", Style::default(), width),
            inventory(&record.host, record.engine.as_ref(), &record.nodes, Some(&MeasuredRates::default()))
                .text(Style::default(), width),
        ];
        for view in views {
            for line in view.lines() {
                prop_assert!(line.chars().count() <= page, "{} columns: {line}", line.chars().count());
                prop_assert!(!line.contains(char::is_control), "{line:?}");
            }
        }
        for run in &record.runs {
            let line = run_line(run);
            prop_assert!(line.chars().count() <= 80 && !line.contains(char::is_control), "{line:?}");
        }
        prop_assert!(plan(&record.plan, width).lines().all(|line| line.chars().count() <= page.min(80)));
        prop_assert!(html(&record, &SheetOptions::default()).ends_with("</html>"));
        let table = csv(&record);
        let mut reader = ::csv::Reader::from_reader(table.as_bytes());
        prop_assert_eq!(reader.records().filter(Result::is_ok).count(), record.runs.len());
    }
}

prop_compose! {
    /// Storage runs with numbers at their limits and texts from anywhere.
    fn storage()(
        which in 0usize..3,
        (numbers, texts) in (prop::collection::vec(number(), 10), prop::collection::vec(words(), 6)),
        (clones, depth) in (degree(), degree()),
        (verdict, rate, share) in (
            prop::sample::select(vec![Verdict::Pass, Verdict::Unknown, Verdict::Warn, Verdict::Fail]),
            any::<f64>(),
            prop::option::of(any::<f64>()),
        ),
        (random, clone, planned) in (any::<bool>(), prop::option::of(any::<u32>()), any::<bool>()),
    ) -> Record {
        let samples = [storage_sample::io, storage_sample::search, storage_sample::calibration];
        let mut record = samples[which]();
        for run in &mut record.runs {
            run.window_ns = Nanos(numbers[0]);
            run.findings.push(worded(verdict, &texts[0]));
            let storage = run.storage.as_deref_mut().unwrap();
            (storage.modes, storage.refused) = (vec![texts[1].clone()], vec![texts[2].clone()]);
            (storage.bound, storage.generator_per_second) = (Some(texts[3].clone()), share.map(Rate));
            storage.files[0].path = texts[4].clone();
            (storage.files[0].size_bytes, storage.files[0].cached) = (Bytes(numbers[1]), share.map(Ratio));
            for stream in &mut storage.streams {
                (stream.job, stream.first_failure) = (texts[5].clone(), Some(texts[2].clone()));
                (stream.operations, stream.bytes, stream.window_ns) = (numbers[2], Bytes(numbers[3]), Nanos(numbers[4]));
                (stream.failures, stream.unfinished, stream.short) = (numbers[5], numbers[6], numbers[7]);
                (stream.block_bytes_min, stream.block_bytes_max) = (Bytes(numbers[8]), Bytes(numbers[9]));
                (stream.clones, stream.depth, stream.random, stream.clone) = (clones, depth, random, clone);
                (stream.slots, stream.duty_cycle) = (clones.saturating_mul(depth), Ratio(rate));
                stream.pace = Pace::Poisson { steps_per_second: rate };
                stream.service.count = numbers[5];
            }
        }
        let plan = record.plan.io.as_mut().unwrap();
        (plan.lints, plan.ignored) = (vec![texts[0].clone()], vec![texts[1].clone()]);
        for job in plan.phases.iter_mut().flat_map(|phase| &mut phase.jobs) {
            (job.clones, job.depth, job.files) = (clones, depth, vec![texts[4].clone(), "data.$jobnum".to_owned()]);
            (job.size, job.loops) = (Some(Amount::Bytes(Bytes(numbers[1]))), depth);
            (job.pace, job.run_time) = (Pace::Rate { steps_per_second: rate }, Some(Nanos(numbers[4])));
            job.io_bytes = share.map(|share| Amount::Share(Ratio(share)));
        }
        if !planned {
            record.plan.io = None;
        }
        record
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_storage_run_can_be_drawn(record in storage(), width in 0usize..300) {
        let style = Style::default();
        let page = width.clamp(60, 120);
        let views = [
            text(&record, "r.json", style, width),
            text(&record, "r.json", style, width),
        ];
        let plan = record.plan.io.as_ref().map(|plan| io_plan_text(plan, width)).unwrap_or_default();
        for line in views.iter().flat_map(|view| view.lines()) {
            prop_assert!(line.chars().count() <= page, "{} columns: {line}", line.chars().count());
            prop_assert!(!line.contains(char::is_control), "{line:?}");
        }
        prop_assert!(plan.lines().all(|line| line.chars().count() <= page.min(80) && !line.contains(char::is_control)), "{plan}");
        prop_assert!(html(&record, &SheetOptions::default()).ends_with("</html>"));
        let streams: usize = record.runs.iter().map(|run| run.storage.as_ref().unwrap().streams.len()).sum();
        let table = io_csv(&record);
        let mut reader = ::csv::Reader::from_reader(table.as_bytes());
        prop_assert_eq!(reader.records().filter(Result::is_ok).count(), streams);
        for form in [FioJson::Plain, FioJson::Plus] {
            prop_assert!(serde_json::from_str::<serde_json::Value>(&fio_json(&record, form)).is_ok());
        }
    }
}
