use proptest::prelude::*;
use record::{Activity, LayerLatency, Nanos, PlannedRun, SampledWait, Trace, TracerKind, Variation, WaitClass, name};

use super::*;
use crate::fixture::{counted, faster, latency, record, run};

/// The latency table of one run of `record`.
fn table_of(record: &Record, run: &Run) -> Option<LayerTable> {
    LayerTables::of(record).table(run)
}

fn traced(point: MeasuringPoint, class: OperationClass, name: &str, count: u64, mean_ns: u64) -> LayerLatency {
    LayerLatency { point, class, name: name.to_owned(), bytes: None, latency: latency(count, mean_ns) }
}

fn trace(latencies: Vec<LayerLatency>) -> Option<Box<Trace>> {
    Some(Box::new(Trace {
        tracer: TracerKind::Bpf,
        unavailable: Vec::new(),
        missing: Vec::new(),
        lost_count: 0,
        latencies,
    }))
}

/// TPC-B with one client on a busy machine: 3705 steps of 2695 µs, as they were measured.
fn published() -> Run {
    let us = 1_000;
    let mut run = counted(
        run("T311", 1),
        &[
            (name::DATABASE_TIME_NS, 3_709 * 2_181 * us),
            ("engine_wait_wal_sync_ns", 3_724 * 1_970 * us),
            ("engine_wait_wal_sync_count", 3_724),
        ],
    );
    run.totals.steps = 3_705;
    (run.service, run.response) = (latency(3_705, 2_695 * us), latency(3_705, 2_695 * us));
    run.trace = trace(vec![
        traced(MeasuringPoint::SystemCall, OperationClass::Sync, "fdatasync", 3_698, 1_959 * us),
        traced(MeasuringPoint::Device, OperationClass::Write, "WRITE", 5_820, 77 * us),
        traced(MeasuringPoint::Device, OperationClass::Flush, "FLUSH", 3_721, 30 * us),
    ]);
    let hidden =
        record::MissingLayer { point: MeasuringPoint::Block, reason: "not traced".to_owned(), hint: String::new() };
    if let Some(trace) = &mut run.trace {
        trace.missing.push(hidden);
    }
    run
}

fn table(run: Run) -> LayerTable {
    let record = record(vec![run]);
    table_of(&record, &record.runs[0]).expect("a table")
}

fn gap(table: &LayerTable, point: MeasuringPoint) -> (MeasuringPoint, f64) {
    let unaccounted = table.layer(point).and_then(|layer| layer.unaccounted).expect("a layer below");
    (unaccounted.below, unaccounted.per_step_ns / 1e3)
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 0.005 * expected.abs()
}

#[test]
fn the_gap_lies_between_the_system_call_and_the_device() {
    let table = table(published());
    let syscall = &table.layer(MeasuringPoint::SystemCall).unwrap().rows[0];
    assert_eq!((syscall.count, syscall.mean_ns()), (Some(3_698), Some(1_959_000.0)));
    let device = table.layer(MeasuringPoint::Device).unwrap();
    let fan_out: Vec<f64> = device.rows.iter().filter_map(|row| row.fan_out).collect();
    // 1.57 writes and 1.01 flushes for each of the 3698 system calls.
    assert!(near(fan_out[0], 5_820.0 / 3_698.0) && near(fan_out[1], 3_721.0 / 3_698.0), "{fan_out:?}");
    // 1959 - (77 × 1.57 + 30 × 1.01) = 1808 µs per sync, of which there are 0.998 in a step.
    let (below, unaccounted) = gap(&table, MeasuringPoint::SystemCall);
    assert_eq!(below, MeasuringPoint::Device, "the block layer is skipped");
    assert!(near(unaccounted, (1_959.0 - 77.0 * fan_out[0] - 30.0 * fan_out[1]) * 3_698.0 / 3_705.0));
    assert!(near(unaccounted, 1_804.2), "{unaccounted}");
    assert!(near(gap(&table, MeasuringPoint::ClientService).1, 2_695.0 - 2_181.0 * 3_709.0 / 3_705.0));
    assert!(near(gap(&table, MeasuringPoint::DatabaseTime).1, (3_709.0 * 2_181.0 - 3_724.0 * 1_970.0) / 3_705.0));
    assert_eq!(gap(&table, MeasuringPoint::ClientResponse).1, 0.0, "a closed loop");
    let largest = table.largest_part().unwrap();
    assert_eq!((largest.point, largest.below), (MeasuringPoint::SystemCall, Some(MeasuringPoint::Device)));
    assert!(near(largest.per_step_ns / 1e3, unaccounted));
    let block = table.layer(MeasuringPoint::Block).unwrap();
    assert!(block.per_step_ns.is_none() && matches!(block.missing, Some(LayerAbsence::Recorded(_))), "{block:?}");
}

#[test]
fn without_system_calls_requests_are_compared_with_the_syncs_of_the_engine() {
    let mut run = published();
    let trace = run.trace.as_mut().unwrap();
    trace.latencies.remove(0);
    trace.missing[0].point = MeasuringPoint::SystemCall;
    for device in trace.latencies.clone() {
        trace.latencies.push(LayerLatency { point: MeasuringPoint::Block, ..device });
    }
    let table = table(run);
    let fan_out = |point| table.layer(point).unwrap().rows.iter().map(|row| row.fan_out.unwrap()).collect::<Vec<_>>();
    let block = fan_out(MeasuringPoint::Block);
    assert!((block[0] - 1.56).abs() < 0.005 && (block[1] - 1.00).abs() < 0.005, "{block:?}");
    assert_eq!(fan_out(MeasuringPoint::Device), [1.0, 1.0], "each request is issued once");
    assert_eq!(gap(&table, MeasuringPoint::Wait).0, MeasuringPoint::Block);
}

#[test]
fn system_calls_of_which_some_are_not_seen_are_shown_and_not_subtracted() {
    let mut run = published();
    run.trace.as_mut().unwrap().missing[0].point = MeasuringPoint::SystemCall;
    let table = table(run);
    let calls = table.layer(MeasuringPoint::SystemCall).unwrap();
    assert!(!calls.rows.is_empty() && calls.rows[0].per_step_ns > 0.0);
    assert!(calls.per_step_ns.is_none() && matches!(calls.missing, Some(LayerAbsence::Recorded(_))), "{calls:?}");
    assert_eq!(gap(&table, MeasuringPoint::Wait).0, MeasuringPoint::Block);
}

#[test]
fn quantiles_stand_where_the_source_has_them_and_nowhere_else() {
    let table = table(published());
    for layer in &table.layers {
        let timed = matches!(
            layer.point,
            MeasuringPoint::ClientResponse
                | MeasuringPoint::ClientService
                | MeasuringPoint::SystemCall
                | MeasuringPoint::Device
        );
        for row in &layer.rows {
            assert_eq!(row.times.is_some(), timed, "{row:?}");
            assert_eq!(row.method == LayerMethod::Timed, timed, "{row:?}");
        }
    }
}

#[test]
fn a_layer_without_a_source_has_a_reason() {
    let bare = table(run("T611", 1));
    let known: Vec<bool> = bare.layers.iter().map(|layer| layer.per_step_ns.is_some()).collect();
    assert_eq!(known, [true, true, false, false, false, false, false]);
    for layer in &bare.layers {
        assert_eq!(layer.missing.is_none(), layer.per_step_ns.is_some());
    }
    let missing = |table: &LayerTable, point| table.layer(point).unwrap().missing.clone();
    assert_eq!(missing(&bare, MeasuringPoint::SystemCall), Some(LayerAbsence::NotTraced));
    let mut inside = record(vec![run("T611", 1)]);
    inside.engine.as_mut().unwrap().location = Location::InProcess;
    let inside = table_of(&inside, &inside.runs[0]).unwrap();
    assert_eq!(missing(&inside, MeasuringPoint::DatabaseTime), Some(LayerAbsence::Embedded));
    let mut away = record(vec![run("T611", 1)]);
    away.engine.as_mut().unwrap().location = Location::Remote;
    let away = table_of(&away, &away.runs[0]).unwrap();
    assert_eq!(missing(&away, MeasuringPoint::Block), Some(LayerAbsence::OtherHost));
}

#[test]
fn a_source_without_operations_is_not_missing() {
    let idle = counted(
        run("T611", 1),
        &[("engine_wait_data_read_ns", 0), ("engine_wait_data_read_count", 0), (name::DATABASE_TIME_NS, 5_000_000)],
    );
    let table = table(idle);
    let waits = table.layer(MeasuringPoint::Wait).unwrap();
    assert_eq!((waits.rows.len(), waits.per_step_ns, &waits.missing), (0, Some(0.0), &None));
    assert_eq!(gap(&table, MeasuringPoint::DatabaseTime), (MeasuringPoint::Wait, 0.5), "5 ms over 10000 steps");
}

#[test]
fn kernel_counters_replace_a_missing_trace() {
    let run = counted(
        run("T311", 1),
        &[
            (name::DEVICE_WRITE_COUNT, 20_000),
            (name::DEVICE_WRITE_NS, 5_000_000_000),
            (name::DEVICE_FLUSH_COUNT, 10_000),
            (name::DEVICE_FLUSH_NS, 1_000_000_000),
        ],
    );
    let table = table(run);
    let rows = &table.layer(MeasuringPoint::Block).unwrap().rows;
    let shown: Vec<_> = rows.iter().map(|row| (row.name.as_str(), row.mean_ns().unwrap(), row.method)).collect();
    // The five seconds of the writes have that of the flushes in them.
    assert_eq!(shown, [("WRITE", 200_000.0, LayerMethod::Mean), ("FLUSH", 100_000.0, LayerMethod::Mean)]);
    assert_eq!(rows[0].fan_out, Some(2.0), "for each step, where nothing stands between");
    assert!(table.layer(MeasuringPoint::Device).unwrap().missing.is_some());
}

#[test]
fn an_engine_that_times_only_locks_is_shown_and_skipped() {
    let run = counted(
        run("T311", 1),
        &[
            (name::DATABASE_TIME_NS, 50_000_000),
            ("engine_row_lock_wait_time_ns", 10_000_000),
            ("engine_row_lock_wait_count", 4),
            ("engine_flow_control_paused_time_ns", 10_000_000),
            (name::DEVICE_WRITE_COUNT, 20_000),
            (name::DEVICE_WRITE_NS, 20_000_000),
        ],
    );
    let table = table(run);
    let waits = table.layer(MeasuringPoint::Wait).unwrap();
    let rows: Vec<(&str, Option<u64>)> = waits.rows.iter().map(|row| (row.name.as_str(), row.count)).collect();
    assert_eq!((rows, waits.per_step_ns), (vec![("row lock wait", Some(4))], None));
    assert_eq!(waits.missing, Some(LayerAbsence::IoWaitsNotTimed));
    assert_eq!(gap(&table, MeasuringPoint::DatabaseTime), (MeasuringPoint::Block, 3.0));
    let write = &table.layer(MeasuringPoint::Block).unwrap().rows[0];
    assert_eq!(write.fan_out, Some(2.0), "for each step: no lock leads to a write");
}

#[test]
fn layers_below_one_that_exceeds_the_layer_above_are_ignored() {
    let mut run = published();
    let trace = run.trace.as_mut().unwrap();
    trace.latencies[1].latency = latency(582_000, 77_000);
    let largest = table(run).largest_part().unwrap();
    assert_eq!((largest.point, largest.exceeded_by), (MeasuringPoint::SystemCall, Some(MeasuringPoint::Device)));
    assert_eq!(largest.below, None);
}

#[test]
fn writes_of_others_are_not_the_largest_part() {
    let ns = |step: u64| step * 10_000;
    let run = counted(
        run("T626", 1),
        &[
            (name::DATABASE_TIME_NS, ns(600_000)),
            ("engine_wait_data_read_ns", ns(100)),
            ("engine_wait_data_read_count", 20),
            (name::DEVICE_WRITE_COUNT, 600),
            (name::DEVICE_WRITE_NS, ns(2_000_000)),
        ],
    );
    let table = table(run);
    let largest = table.largest_part().unwrap();
    assert_eq!((largest.point, largest.per_step_ns), (MeasuringPoint::DatabaseTime, 599_900.0));
    assert_eq!(gap(&table, MeasuringPoint::Wait), (MeasuringPoint::Block, -1_999.9));
}

#[test]
fn the_table_of_a_plain_run_is_that_of_its_traced_repeat() {
    let plain = faster(run("T311", 1), 2);
    let repeat = Run { variation: Some(Variation::Traced), ..published() };
    let slower = Run { totals: record::Totals { operations: 19_000, ..repeat.totals.clone() }, ..repeat };
    let record = record(vec![plain, run("T311", 2), slower]);
    let table = table_of(&record, &record.runs[0]).unwrap();
    assert_eq!(table.run, 3);
    let repeat = table.repeat.unwrap();
    assert_eq!(repeat.plain_run, 1);
    assert!((repeat.cost.unwrap().change.0 + 0.05).abs() < 1e-12, "{repeat:?}: 1900 a second where there were 2000");
    assert_eq!(table_of(&record, &record.runs[2]), Some(table), "for either run");
    assert_eq!(table_of(&record, &record.runs[1]).unwrap().repeat, None, "two jobs were not traced");
    let chosen: Vec<u32> = layered_runs(&record).iter().map(|run| run.number).collect();
    assert_eq!(chosen, [3]);
}

#[test]
fn with_a_traced_run_in_every_round_the_cost_is_the_median_of_the_pairs() {
    let at = |operations: u64, variation| {
        let run = published();
        Run { variation, totals: record::Totals { operations, ..run.totals.clone() }, ..run }
    };
    let rounds = |count: u32| {
        let pair = |round: u32| {
            let plain = 10_000 + u64::from(round) * 1_000;
            let traced = plain * (100 - u64::from(round)) / 100;
            [at(plain, None), at(traced, Some(Variation::Traced))]
        };
        let mut record = record((1..=count).flat_map(pair).collect());
        let planned = |run: &Run| PlannedRun {
            kind: run.kind.clone(),
            number: run.number,
            test: run.test.clone(),
            dop: run.dop,
            repeat: run.number.div_ceil(2),
            variation: run.variation,
        };
        record.plan.runs = record.runs.iter().map(planned).collect();
        table_of(&record, &record.runs[0]).unwrap().repeat.unwrap().cost.unwrap()
    };
    let cost = rounds(7);
    assert!((cost.change.0 + 0.04).abs() < 1e-9 && cost.pairs == 7, "{cost:?}");
    let interval = cost.interval.unwrap();
    assert!((interval.low + 0.07).abs() < 1e-9 && (interval.high + 0.01).abs() < 1e-9, "{interval:?}");
    assert_eq!((rounds(5).pairs, rounds(5).interval), (5, None));
}

#[test]
fn invalid_runs_and_probes_have_no_table() {
    let broken = Run { outcome: record::Outcome::Failed { message: String::new() }, ..run("T311", 1) };
    let record = record(vec![broken, run("C11", 1)]);
    assert!(record.runs.iter().all(|run| table_of(&record, run).is_none()));
    assert!(layered_runs(&record).is_empty());
}

#[test]
fn sampled_waits_complement_timed_ones() {
    let waits = |class, event: &str, session_count| SampledWait { class, event: event.to_owned(), session_count };
    let activity = Activity {
        period_ns: Nanos(100_000_000),
        sample_count: 100,
        observed_ns: Nanos(10_000_000_000),
        cost_ns: Nanos(50_000_000),
        waits: vec![
            waits(WaitClass::Cpu, "", 50),
            waits(WaitClass::Commit, "WalSync", 30),
            waits(WaitClass::Application, "transactionid", 20),
        ],
    };
    let rows = |run: Run| table(run).layer(MeasuringPoint::Wait).unwrap().rows.clone();
    let alone = rows(Run { activity: Some(activity.clone()), ..run("T311", 1) });
    let shown: Vec<_> = alone.iter().map(|row| (row.name.as_str(), row.total_ns / 1e9, row.count)).collect();
    assert_eq!(shown, [("WalSync", 3.0, None), ("transactionid", 2.0, None)]);
    assert_eq!(alone[0].method, LayerMethod::Sampled { period_ns: Nanos(100_000_000) });
    let sampled = table(Run { activity: Some(activity.clone()), ..published() });
    let of = |table: &LayerTable| table.layer(MeasuringPoint::DatabaseTime).unwrap().rows[0].total_ns;
    assert_eq!(of(&table(published())) - of(&sampled), 50e6, "sampling is no database time of a step");
    let few = Activity { sample_count: 3, ..activity.clone() };
    let few = table(Run { activity: Some(few), ..run("T311", 1) });
    assert!(few.layer(MeasuringPoint::Wait).unwrap().missing.is_some(), "three samples are too few");
    let both = rows(Run { activity: Some(activity), ..published() });
    let names: Vec<&str> = both.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["wal sync", "transactionid"]);
}

#[test]
fn older_records_have_database_time_under_another_name() {
    let run = counted(run("T311", 1), &[("engine_active_time_ns", 7)]);
    assert_eq!(database_time(&run), Some(("engine_active_time_ns", 7)));
    let run = counted(run, &[(name::DATABASE_TIME_NS, 9)]);
    assert_eq!(database_time(&run), Some((name::DATABASE_TIME_NS, 9)));
}

const COUNTERS: [&str; 10] = [
    name::DATABASE_TIME_NS,
    "engine_wait_wal_sync_ns",
    "engine_wait_wal_sync_count",
    "engine_wait_x_ns",
    "engine_wait_x_count",
    name::DEVICE_WRITE_COUNT,
    name::DEVICE_WRITE_NS,
    name::DEVICE_FLUSH_COUNT,
    name::DEVICE_FLUSH_NS,
    name::DEVICE_READ_NS,
];

fn point() -> impl Strategy<Value = MeasuringPoint> {
    prop::sample::select(MEASURING_POINTS.to_vec())
}

proptest! {
    #[test]
    fn the_parts_add_up_to_the_whole(
        values in prop::collection::vec(prop::option::of(0u64..1 << 50), COUNTERS.len()),
        events in prop::collection::vec((point(), 1u64..1_000_000, 1u64..1_000_000_000), 0..6),
        (steps, is_traced) in (1u64..1_000_000, any::<bool>()),
    ) {
        let known: Vec<(&str, u64)> =
            COUNTERS.into_iter().zip(values).filter_map(|(name, value)| Some((name, value?))).collect();
        let mut run = counted(run("T311", 3), &known);
        run.totals.steps = steps;
        let latencies = events.into_iter().map(|(at, count, mean)| traced(at, OperationClass::Write, "w", count, mean));
        run.trace = is_traced.then(|| trace(latencies.collect())).flatten();
        let table = table(run);
        let points: Vec<MeasuringPoint> = table.layers.iter().map(|layer| layer.point).collect();
        prop_assert_eq!(points, MEASURING_POINTS.to_vec());
        let known: Vec<&LatencyLayer> = table.layers.iter().filter(|layer| layer.per_step_ns.is_some()).collect();
        let unaccounted: f64 = known.iter().filter_map(|layer| layer.unaccounted).map(|gap| gap.per_step_ns).sum();
        let lowest = known.last().and_then(|layer| layer.per_step_ns).unwrap();
        let whole = table.whole_ns().unwrap();
        let scale: f64 = known.iter().filter_map(|layer| layer.per_step_ns).fold(1.0, f64::max);
        prop_assert!((unaccounted + lowest - whole).abs() <= 1e-9 * scale, "{unaccounted} + {lowest} is not {whole}");
        prop_assert!(known.last().unwrap().unaccounted.is_none());
        if let Some(part) = table.largest_part().map(|part| part.per_step_ns) {
            prop_assert!(part > 0.0 && part <= whole * (1.0 + 1e-9), "{part} of {whole}");
        }
        for pair in known.windows(2) {
            prop_assert_eq!(pair[0].unaccounted.unwrap().below, pair[1].point);
        }
        for layer in &table.layers {
            prop_assert_eq!(layer.missing.is_some(), layer.per_step_ns.is_none());
            let sum: f64 = layer.rows.iter().map(|row| row.per_step_ns).sum();
            prop_assert!(layer.per_step_ns.is_none_or(|per_step_ns| (sum - per_step_ns).abs() <= 1e-9 * scale));
            for row in &layer.rows {
                prop_assert!(row.fan_out.is_none_or(|fan_out| fan_out.is_finite() && fan_out >= 0.0));
            }
        }
    }
}

#[test]
fn cpu_time_above_database_time_is_reported() {
    let of = |server_ns: u64| {
        let mut run = published();
        let first = run.readings.iter().map(|reading| reading.at_ns).min().unwrap();
        for reading in &mut run.readings {
            let so_far = if reading.at_ns == first { 0 } else { server_ns };
            reading.values.insert(name::SERVER_CPU_NS.to_owned(), so_far);
        }
        table(run)
    };
    let table = of(0);
    let steps = table.steps as f64;
    let counted = table.layer(MeasuringPoint::DatabaseTime).unwrap().per_step_ns.unwrap() * steps;
    assert_eq!(of((counted * 0.9) as u64).beyond_database_time_ns(), None);
    let beyond = of((counted * 2.0) as u64).beyond_database_time_ns().unwrap();
    assert!(near(beyond, counted * 2.0 / steps), "{beyond}");
}
