//! Figures by hand, and predictions of loads of a machine whose costs are known.

use proptest::prelude::*;
use record::{LoadForm, LoadModel, LoadStageKind, Outcome, Rate, Record, Run};

use super::fixture::Machine;
use super::*;
use crate::fixture::run;

const PLAIN: LoadModel = LoadModel::ALL[0];
const PARTITIONED: LoadModel = LoadModel::ALL[1];
const COMPRESSED: LoadModel = LoadModel::ALL[2];
const BOTH: LoadModel = LoadModel::ALL[3];

/// Tolerated error of a prediction.
const GOAL: f64 = 0.15;

fn target(model: LoadModel, jobs: u32, input: &str) -> Target {
    let input = input.to_owned();
    Target { model, form: LoadForm::Typed, jobs, input, input_cost: None, processors: None }
}

fn close(found: f64, expected: f64) -> bool {
    (found / expected - 1.0).abs() < 1e-3
}

#[test]
fn figures_by_hand() {
    let made = Machine { cores: 16.0, ..Machine::SMALL }.run(COMPRESSED, 1, true);
    let told = figures(&made).expect("a load");
    let rate = made.totals.bytes.unwrap().0 as f64 / 10.0;
    assert!(close(told.flat_per_second.unwrap().0, rate) && close(told.rows_per_second.unwrap().0, rate / 100.0));
    assert!(close(told.terabytes_per_hour().unwrap(), rate * 3_600.0 / 1e12));
    // Nanoseconds of a byte are a thousand seconds of a terabyte.
    assert!(close(told.client_seconds_per_terabyte.unwrap(), 6_500.0), "{told:?}");
    assert!(close(told.server_seconds_per_terabyte.unwrap(), 11_000.0), "{told:?}");
    assert!(close(told.cores().unwrap(), rate * 17.5e-9));
    assert!(close(told.written.redo.unwrap(), 1.25) && close(told.written.device.unwrap(), 2.0));
    assert_eq!(told.written.engine, None, "absent without a source");
    assert!(close(told.table_ratio.unwrap(), 2.7 / 1.1) && close(told.input_ratio.unwrap(), 2.1));
    assert_eq!(figures(&run("T331", 1)), None);
}

#[test]
fn rows_of_an_earlier_invocation_leave_no_ratio() {
    let mut run = Machine::SMALL.run(PLAIN, 1, false);
    run.load.as_mut().unwrap().resumed_rows = 5;
    let told = figures(&run).unwrap();
    assert_eq!((told.table_ratio, told.input_ratio), (None, None));
    let mut record = Machine::SMALL.record(&[(PLAIN, 1, false)]);
    assert_eq!(inputs(&record).len(), 1);
    record.runs[0].load.as_mut().unwrap().resumed_rows = 5;
    assert!(inputs(&record).is_empty(), "not used for plans");
}

#[test]
fn the_slowest_stage_is_the_busiest_of_the_busiest_workers() {
    let made = Machine { cores: 16.0, ..Machine::SMALL }.run(PLAIN, 1, false);
    let send = slowest(&made).expect("stages");
    assert_eq!((send.kind, workers(send.kind, LoadForm::Typed)), (LoadStageKind::Send, Workers::Senders));
    let window = made.window_ns.0 as f64;
    let busy = |kind: LoadStageKind| {
        let load = made.load.as_deref().unwrap();
        load.stages.iter().find(|stage| stage.kind == kind).unwrap().busy_ns.0 as f64 / window
    };
    assert!(close(send.busy.0, busy(LoadStageKind::Send)));
    let of_workers = [LoadStageKind::Convert, LoadStageKind::Send, LoadStageKind::Commit].map(busy).iter().sum();
    assert!(close(send.workers_busy.0, of_workers));
    // Decompression is shorter than sending, and sets the pace where it has fewer threads.
    let mut slow = Machine { cores: 16.0, ..Machine::SMALL }.run(PLAIN, 4, true);
    for stage in &mut slow.load.as_mut().unwrap().stages {
        stage.threads = if workers(stage.kind, LoadForm::Typed) == Workers::Readers { 1 } else { 4 };
    }
    assert_eq!(slowest(&slow).unwrap().kind, LoadStageKind::Decompress);
    assert_eq!(slowest(&run("T331", 1)), None);
}

#[test]
fn table_sizes_are_compared_per_row() {
    let record = Machine::SMALL.record(&[(PLAIN, 1, false), (COMPRESSED, 2, false)]);
    assert!(close(table_against_plain(&record, &record.runs[1]).unwrap(), 2.7));
    assert_eq!(table_against_plain(&record, &record.runs[0]), None);
    let alone = Machine::SMALL.record(&[(COMPRESSED, 2, false)]);
    assert_eq!(table_against_plain(&alone, &alone.runs[0]), None);
}

/// The error of a prediction from `measured`.
fn off(machine: &Machine, measured: &[(LoadModel, u32, bool)], (model, jobs, gzip): (LoadModel, u32, bool)) -> f64 {
    let record = machine.record(measured);
    let predicted = predict(&record, &target(model, jobs, if gzip { "gzip" } else { "none" })).expect("a prediction");
    (predicted.rate.0 / machine.rate(model, jobs, gzip) - 1.0).abs()
}

#[test]
fn other_sessions_another_compression_and_another_table_are_predicted() {
    let large = Machine { cores: 16.0, ..Machine::SMALL };
    for machine in [Machine::SMALL, large] {
        let sweep = [(PLAIN, 1, false), (PLAIN, 2, false)];
        assert!(off(&machine, &sweep, (PLAIN, 4, false)) < GOAL);
        let with_gzip = [&sweep[..], &[(PLAIN, 1, true)]].concat();
        assert!(off(&machine, &with_gzip, (PLAIN, 2, true)) < GOAL);
        let three = [&sweep[..], &[(PARTITIONED, 1, false), (COMPRESSED, 1, false)]].concat();
        assert!(off(&machine, &three, (BOTH, 1, false)) < GOAL);
    }
}

#[test]
fn the_binding_constraint_and_the_error_are_given() {
    let record = Machine::SMALL.record(&[(PLAIN, 1, false), (PLAIN, 2, false), (PLAIN, 4, false), (PLAIN, 1, true)]);
    let many = predict(&record, &target(PLAIN, 8, "none")).expect("a prediction");
    assert_eq!((many.binding, many.composed), (Binding::Processors, Composed::No));
    assert!(many.left_out >= 2 && many.off_max.unwrap() < GOAL, "{many:?}");
    let (low, high) = many.interval().unwrap();
    assert!(low.0 < many.rate.0 && many.rate.0 < high.0);
    assert!(close(measured(&record, &target(PLAIN, 4, "none")).unwrap().0, Machine::SMALL.rate(PLAIN, 4, false)));
    assert_eq!(measured(&record, &target(PLAIN, 8, "none")), None);
    let one = predict(&record, &target(PLAIN, 1, "none")).expect("a prediction");
    assert_eq!(one.binding, Binding::Sessions);
    let cost = InputCost { reading_ns: 30.0, cpu_ns: 0.1, readers_max: Some(1) };
    let slow = Target { input_cost: Some(cost), ..target(PLAIN, 4, "bzip2") };
    let slow = predict(&record, &slow).expect("a prediction");
    assert_eq!(slow.binding, Binding::Reading);
    assert!(close(slow.rate.0, 1e9 / 30.0));
}

#[test]
fn more_processors_are_used_and_no_more_than_sessions_can() {
    let record = Machine::SMALL.record(&[(PLAIN, 1, false), (PLAIN, 2, false), (PLAIN, 4, false)]);
    let at = |processors| predict(&record, &Target { processors, ..target(PLAIN, 4, "none") }).unwrap().rate.0;
    let doubled = at(Some(4)) / at(None);
    assert!(doubled > 1.8 && doubled < 2.1, "{doubled}");
}

#[test]
fn unknown_loads_are_refused_with_a_reason() {
    let record = Machine::SMALL.record(&[(PLAIN, 2, false)]);
    let refused = |target: Target| predict(&record, &target).expect_err("a refusal");
    assert_eq!(refused(target(PLAIN, 2, "gzip")), Refusal::Input("gzip".to_owned()));
    assert_eq!(refused(target(COMPRESSED, 2, "none")), Refusal::Model(COMPRESSED));
    let as_is = Target { form: LoadForm::AsIs, ..target(PLAIN, 2, "none") };
    assert_eq!(refused(as_is), Refusal::Form(LoadForm::AsIs));
    assert_eq!(refused(target(PLAIN, 1, "none")), Refusal::Jobs(1));
    let empty = Machine::SMALL.record(&[]);
    assert_eq!(predict(&empty, &target(PLAIN, 1, "none")), Err(Refusal::NoLoads));
    let mut broken = record.clone();
    broken.runs[0].outcome = Outcome::Failed { message: "the disk was full".to_owned() };
    assert_eq!(predict(&broken, &target(PLAIN, 2, "none")), Err(Refusal::NoLoads), "the only run is invalid");
}

#[test]
fn another_record_is_checked_against_its_prediction() {
    let machine = Machine::SMALL;
    let seen = machine.record(&[(PLAIN, 1, false), (PLAIN, 2, false), (PLAIN, 1, true)]);
    let unseen = machine.record(&[(PLAIN, 4, false), (PLAIN, 2, true), (BOTH, 1, false)]);
    let checks = check(&seen, &unseen);
    assert_eq!(checks.len(), 3);
    assert!(checks[..2].iter().all(|check| check.off().unwrap().abs() < GOAL), "{checks:?}");
    assert_eq!((checks[2].off(), checks[2].run), (None, 3));
    assert!(close(checks[0].measured.0, machine.rate(PLAIN, 4, false)));
}

fn without_server(record: &mut Record) {
    let forget = |run: &mut Run| {
        run.readings.iter_mut().for_each(|reading| {
            reading.values.remove(record::name::SERVER_CPU_NS);
        });
    };
    record.runs.iter_mut().for_each(forget);
}

#[test]
fn a_server_elsewhere_leaves_the_bound_of_sessions() {
    let mut record = Machine { cores: 16.0, ..Machine::SMALL }.record(&[(PLAIN, 1, false), (PLAIN, 2, false)]);
    without_server(&mut record);
    let predicted = predict(&record, &target(PLAIN, 4, "none")).expect("a prediction");
    assert_eq!(predicted.binding, Binding::Sessions);
}

proptest! {
    #[test]
    fn a_measured_load_is_predicted_as_it_was(
        cores in 1u32..64,
        session_ns in 2.0f64..40.0,
        inflate_ns in 0.5f64..10.0,
        jobs in 1u32..16,
        gzip in any::<bool>(),
    ) {
        let machine = Machine { cores: f64::from(cores), session_ns, inflate_ns, ..Machine::SMALL };
        let record = machine.record(&[(PLAIN, jobs, gzip)]);
        let predicted = predict(&record, &target(PLAIN, jobs, if gzip { "gzip" } else { "none" }));
        if let Ok(predicted) = predicted {
            let ratio = predicted.rate.0 / machine.rate(PLAIN, jobs, gzip);
            prop_assert!((0.99..1.3).contains(&ratio), "{ratio} {predicted:?}");
            let bounds = [predicted.sessions, predicted.processors, predicted.reading];
            prop_assert!(bounds.into_iter().flatten().all(|Rate(bound)| bound >= predicted.rate.0));
        }
    }
}
