//! The latency table on a terminal and as comma-separated values.

use dbdyno_report::{LayersQuery, Style, layers, layers_csv};
use proptest::prelude::*;
use record::{
    Latency, LayerLatency, MeasuringPoint, MissingLayer, Nanos, OperationClass, Record, Resource, Trace, TracerKind,
    UnavailableTracer, Variation,
};

use crate::drawn::text;
use crate::layers_sample::{record, without_privileges};

fn shown(record: &Record, query: &LayersQuery, width: usize) -> String {
    layers(record, query, "r.json").unwrap().text(Style::default(), width)
}

#[test]
fn the_tables_of_all_tests_at_80_columns() {
    let shown = shown(&record(), &LayersQuery::All, 80);
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    insta::assert_snapshot!(shown);
}

#[test]
fn without_privileges_the_same_command_says_what_is_missing_and_how_to_get_it() {
    let shown = shown(&without_privileges(), &LayersQuery::Test("T311".to_owned()), 80);
    insta::assert_snapshot!(shown);
}

#[test]
fn a_lower_rung_says_which_it_is_what_it_lost_and_why_a_better_one_was_not_to_be_had() {
    let mut record = record();
    let run = record.runs.iter_mut().find(|run| run.variation == Some(Variation::Traced)).unwrap();
    let trace = run.trace.as_mut().unwrap();
    (trace.tracer, trace.lost_count) = (TracerKind::Tracefs, 1_234);
    trace.latencies.retain(|latency| latency.point != MeasuringPoint::SystemCall);
    let unavailable =
        |tracer, reason: &str| UnavailableTracer { tracer, reason: reason.to_owned(), hint: "run as root".to_owned() };
    trace.unavailable = vec![unavailable(TracerKind::Bpf, "no types")];
    trace.missing = vec![MissingLayer {
        point: MeasuringPoint::SystemCall,
        reason: "only programs in the kernel (BPF) see system calls, and no types".to_owned(),
        hint: String::new(),
    }];
    let shown = shown(&record, &LayersQuery::Run(40), 200);
    assert!(
        shown.contains("tracer\ntracefs: every event of the block layer read by dbdyno, 1234 events were lost"),
        "{shown}"
    );
    assert!(!shown.contains("tracer BPF"), "the layer that is missing says so already: {shown}");
    assert!(shown.contains("tracefs, tracepoints block_rq_issue"), "{shown}");
    let csv = layers_csv(&record, &LayersQuery::Run(40)).unwrap();
    assert!(csv.lines().skip(1).all(|line| line.ends_with(",tracefs,1234")), "{csv}");
    let run = record.runs.iter_mut().find(|run| run.variation == Some(Variation::Traced)).unwrap();
    let trace = run.trace.as_mut().unwrap();
    trace.tracer = TracerKind::Counters;
    trace.unavailable.push(unavailable(TracerKind::Tracefs, "not mounted"));
    let shown = layers(&record, &LayersQuery::Run(40), "r.json").unwrap().text(Style::default(), 200);
    assert!(shown.contains("tracer tracefs not available: not mounted; hint: run as root"), "{shown}");
    assert!(!shown.contains("tracer BPF"), "the layer that is missing says so already: {shown}");
}

#[test]
fn a_run_and_its_traced_repeat_have_the_same_table() {
    let record = record();
    let plain = record.runs.iter().find(|run| run.test == "T311").unwrap().number;
    let of = |number| shown(&record, &LayersQuery::Run(number), 80);
    assert_eq!(of(plain), of(40));
    assert!(of(plain).contains(&format!("run 40, traced repeat of run {plain}")), "{}", of(plain));
}

#[test]
fn a_run_with_less_than_the_plain_one_says_so_in_its_head() {
    let of = |variation| {
        let mut record = record();
        let run = record.runs.iter_mut().find(|run| run.test == "T311" && run.variation.is_none()).unwrap();
        run.variation = Some(variation);
        let number = run.number;
        let table = layers_csv(&record, &LayersQuery::Run(number)).unwrap();
        (shown(&record, &LayersQuery::Run(number), 80), table)
    };
    let perturbed = |share| of(Variation::Perturbed { resource: Resource::Processors, share });
    assert!(perturbed(0.8).0.contains(", a perturbed run: with 80 % of processors"), "{}", perturbed(0.8).0);
    assert!(perturbed(1.0).0.contains(", control of a perturbed run: 100 % of processors"), "{}", perturbed(1.0).0);
    assert!(
        perturbed(0.8).1.lines().skip(1).all(|line| line.contains(",perturbed,processors,0.8,")),
        "{}",
        perturbed(0.8).1
    );
    let paced = of(Variation::ShareOfCapacity { share: 0.5 }).0;
    assert!(paced.contains(", not the plain run: 50 % of capacity"), "{paced}");
}

#[test]
fn a_question_that_has_no_answer_says_why() {
    let record = record();
    let refused = |query| layers(&record, &query, "r.json").err().unwrap();
    assert_eq!(refused(LayersQuery::of(Some("99"))), "there is no run 99 in this record of 3 runs");
    assert_eq!(refused(LayersQuery::of(Some("T999"))), "there is no run of a test T999 in this record");
    let probes = Record { runs: Vec::new(), ..record.clone() };
    let nothing = layers(&probes, &LayersQuery::of(None), "r.json").err().unwrap();
    assert_eq!(nothing, "no valid run of this record does I/O or commits through an engine");
    assert_eq!(layers_csv(&probes, &LayersQuery::All), Err(nothing));
}

#[test]
fn the_sheet_names_the_command_only_where_there_is_a_table() {
    let sheet = |record: &Record| text(record, "r.json", Style::default(), 80);
    assert!(sheet(&record()).contains("dbdyno report r.json --layers\n"));
    let mut none = record();
    none.runs.iter_mut().for_each(|run| run.service = Latency::default());
    assert!(!sheet(&none).contains("--layers"));
}

#[test]
fn every_line_of_the_table_is_one_of_the_values_and_parts_add_up() {
    let record = record();
    let table = layers_csv(&record, &LayersQuery::Test("T311".to_owned())).unwrap();
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let heads: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let at = |name: &str| heads.iter().position(|head| head == name).unwrap();
    let lines: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let per_step = |line: &csv::StringRecord| line[at("per_step_ns")].parse::<f64>().unwrap_or(0.0);
    let sum = |wanted: &dyn Fn(&csv::StringRecord) -> bool| -> f64 {
        lines.iter().filter(|line| wanted(line)).map(per_step).sum()
    };
    let rows = |layer: &'static str| sum(&|line| &line[at("layer")] == layer && &line[at("kind")] == "row");
    let unaccounted = sum(&|line| &line[at("kind")] == "unaccounted");
    assert!((rows("L1") - (unaccounted + rows("L7"))).abs() < 1.0, "{table}");
    let fdatasync = lines.iter().find(|line| &line[at("name")] == "fdatasync").unwrap();
    assert_eq!(
        (&fdatasync[at("count")], &fdatasync[at("mean_ns")], &fdatasync[at("p99_ns")]),
        ("3698", "1959000", "8200000")
    );
    assert_eq!((&fdatasync[at("method")], &fdatasync[at("class")]), ("timed", "sync"));
    let cost: f64 = fdatasync[at("tracing_cost_ratio")].parse().unwrap();
    assert!((cost + 0.03).abs() < 1e-9, "{cost}");
}

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), Just(1), Just(u64::MAX), 0..1_000_000u64, any::<u64>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_trace_can_be_drawn(
        events in prop::collection::vec((0usize..7, 0usize..8, "\\PC{0,60}", number(), number()), 0..8),
        (steps, window, lost) in (number(), number(), number()),
        (words, is_bpf) in ("[a-zäµ \u{1b}\n]{0,200}", any::<bool>()),
        width in 0usize..300,
    ) {
        const POINTS: [MeasuringPoint; 7] = [
            MeasuringPoint::ClientResponse, MeasuringPoint::ClientService, MeasuringPoint::DatabaseTime,
            MeasuringPoint::Wait, MeasuringPoint::SystemCall, MeasuringPoint::Block, MeasuringPoint::Device,
        ];
        const CLASSES: [OperationClass; 8] = [
            OperationClass::Step, OperationClass::Read, OperationClass::Write, OperationClass::LogWrite,
            OperationClass::LogSync, OperationClass::Sync, OperationClass::Flush, OperationClass::Discard,
        ];
        let mut record = record();
        let latencies = events.into_iter().map(|(point, class, name, count, mean)| LayerLatency {
            point: POINTS[point],
            class: CLASSES[class],
            name,
            bytes: None,
            latency: Latency { count, mean_ns: Nanos(mean), max_ns: Nanos(mean), ..Latency::default() },
        });
        let missing = MissingLayer { point: MeasuringPoint::Device, reason: words.clone(), hint: words };
        let tracer = if is_bpf { TracerKind::Bpf } else { TracerKind::Counters };
        let run = record.runs.iter_mut().find(|run| run.variation == Some(Variation::Traced)).unwrap();
        run.trace = Some(Box::new(Trace { tracer, unavailable: Vec::new(), missing: vec![missing], lost_count: lost, latencies: latencies.collect() }));
        run.totals.steps = steps;
        run.window_ns = Nanos(window);
        let page = width.clamp(60, 120);
        let text = shown(&record, &LayersQuery::All, width);
        for line in text.lines() {
            let is_command = line.contains("dbdyno report r.json");
            prop_assert!(is_command || line.chars().count() <= page, "{} columns: {line}", line.chars().count());
            prop_assert!(!line.contains(char::is_control), "{line:?}");
        }
        let table = layers_csv(&record, &LayersQuery::All).unwrap();
        let mut reader = csv::Reader::from_reader(table.as_bytes());
        prop_assert!(reader.records().all(|line| line.is_ok()));
    }
}
