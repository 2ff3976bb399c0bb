//! All checks together on storage runs.

use std::collections::BTreeSet;

use proptest::prelude::*;
use record::{
    Bytes, Check, Finding, IoFile, IoKind, IoStream, Nanos, Pace, Rate, Ratio, Round, Run, Second, Verdict, name,
};

use super::{Context, findings};
use crate::fixture::{self, alone, counted, engine, instrument, io_run, storage};

fn checked(run: &Run) -> Vec<Finding> {
    let (engine, instrument) = (engine(), instrument());
    let context = Context { engine: Some(&engine), write_cache: Some("write back"), ..fixture::context(&instrument) };
    findings(run, &context)
}

/// A run of `io` whose counters agree with it.
fn calm(kind: IoKind) -> Run {
    let run = alone(io_run("S22", kind, 2));
    let bytes = run.totals.bytes.map_or(0, |bytes| bytes.0);
    counted(
        run,
        &[
            (name::HOST_CPU_USER_NS, 2_000_000_000),
            (name::HOST_CPU_SYSTEM_NS, 2_000_000_000),
            (name::HOST_CPU_IDLE_NS, 16_000_000_000),
            (name::HOST_CPU_STEAL_NS, 0),
            (name::HOST_SWAP_IN_COUNT, 0),
            (name::CLIENT_CPU_NS, 4_000_000_000),
            (name::CLIENT_READ_BYTES, bytes),
            (name::CLIENT_WRITE_BYTES, bytes),
            (name::DEVICE_READ_BYTES, bytes),
            (name::DEVICE_WRITE_BYTES, bytes),
            (name::DEVICE_FLUSH_COUNT, 20_000),
        ],
    )
}

#[test]
fn an_undisturbed_run_passes_except_for_its_length() {
    for kind in [IoKind::Read, IoKind::Write, IoKind::Commit] {
        let findings = checked(&calm(kind));
        let others: Vec<_> = findings.iter().filter(|finding| finding.verdict != Verdict::Pass).collect();
        assert_eq!(others.len(), 1, "{findings:#?}");
        assert_eq!((others[0].check(), others[0].verdict), (Check::WindowLength, Verdict::Unknown));
        assert!(findings.is_sorted_by_key(Finding::check));
    }
}

#[test]
fn checks_of_engines_do_not_apply() {
    let mut run = calm(IoKind::Commit);
    run.test = "log writer".to_owned();
    let checks: BTreeSet<Check> = checked(&run).iter().map(Finding::check).collect();
    let of_engines = [
        Check::Answers,
        Check::CommitCount,
        Check::CacheFit,
        Check::Durability,
        Check::OtherSessions,
        Check::PageCache,
    ];
    assert!(of_engines.iter().all(|check| !checks.contains(check)), "{checks:?}");
    let of_storage = [Check::DeviceIo, Check::Unwritten, Check::Compressible, Check::Flush, Check::StepDown];
    assert!(of_storage.iter().all(|check| checks.contains(check)), "{checks:?}");
}

#[test]
fn each_false_file_gets_its_verdict() {
    let invalid = |change: fn(&mut IoFile), device_bytes: u64| {
        let mut run = calm(IoKind::Read);
        change(&mut storage(&mut run).files[0]);
        run.readings.last_mut().unwrap().values.insert(name::DEVICE_READ_BYTES.to_owned(), 1_000 + device_bytes);
        let failed = checked(&run).into_iter().filter(|finding| finding.verdict == Verdict::Fail);
        failed.map(|finding| finding.check()).collect::<Vec<_>>()
    };
    assert_eq!(invalid(|file| file.hole_bytes = Some(Bytes::GIB), 0), [Check::DeviceIo, Check::Unwritten], "sparse");
    let allocated = |file: &mut IoFile| file.unwritten_bytes = Some(Bytes::GIB);
    assert_eq!(invalid(allocated, 0), [Check::DeviceIo, Check::Unwritten], "fallocated");
    assert_eq!(invalid(|file| file.cached = Some(Ratio(1.0)), 4_096), [Check::DeviceIo], "cached");
    assert_eq!(invalid(|file| file.has_device = Some(false), 1 << 40), [Check::DeviceIo], "tmpfs");
}

fn kinds() -> impl Strategy<Value = IoKind> {
    prop::sample::select(vec![IoKind::Read, IoKind::Write, IoKind::Trim, IoKind::Sync, IoKind::Commit])
}

fn paces() -> impl Strategy<Value = Pace> {
    prop_oneof![
        Just(Pace::Unthrottled),
        any::<f64>().prop_map(|steps_per_second| Pace::Rate { steps_per_second }),
        any::<f64>().prop_map(|steps_per_second| Pace::Poisson { steps_per_second }),
    ]
}

prop_compose! {
    fn streams()(
        kind in kinds(),
        pace in paces(),
        counts in prop::array::uniform10(any::<u64>()),
        small in prop::array::uniform3(any::<u32>()),
        direct in any::<bool>(),
        rates in prop::collection::vec(any::<u64>(), 0..30),
    ) -> IoStream {
        let mut stream = crate::fixture::stream(&io_run("io", kind, 1), kind, small[0]);
        (stream.pace, stream.direct, stream.depth) = (pace, direct, small[1]);
        stream.slots = small[0].saturating_mul(small[1]);
        stream.clone = Some(small[2] % 2);
        (stream.operations, stream.bytes, stream.failures) = (counts[0], Bytes(counts[1]), counts[2]);
        (stream.unfinished, stream.verified, stream.corrupt) = (counts[3], counts[4], counts[5]);
        stream.stale = counts[9];
        (stream.service.count, stream.service.mean_ns) = (counts[0], Nanos(counts[6]));
        stream.response.count = counts[0].saturating_add(counts[3]);
        (stream.service.p50_ns, stream.window_ns) = (Nanos(counts[7]), Nanos(counts[8]));
        stream.seconds = rates.iter().map(|rate| Second { operations: *rate, ..Second::default() }).collect();
        stream
    }
}

prop_compose! {
    fn files()(
        sizes in prop::array::uniform4(prop::option::of(any::<u64>())),
        shares in prop::array::uniform3(prop::option::of(any::<f64>())),
        found in any::<bool>(),
        is_device in any::<bool>(),
        has_device in prop::option::of(any::<bool>()),
    ) -> IoFile {
        IoFile {
            path: "/data/file".to_owned(),
            size_bytes: Bytes(sizes[0].unwrap_or(0)),
            region_bytes: Bytes(sizes[1].unwrap_or(0)),
            found,
            is_device,
            has_device,
            hole_bytes: sizes[2].map(Bytes),
            unwritten_bytes: sizes[3].map(Bytes),
            cached: shares[0].map(Ratio),
            compressed: shares[1].map(Ratio),
            repeated: shares[2].map(Ratio),
            ..IoFile::default()
        }
    }
}

proptest! {
    #[test]
    fn no_counts_make_a_check_panic_or_report_twice(
        streams in prop::collection::vec(streams(), 0..4),
        files in prop::collection::vec(files(), 0..3),
        rates in prop::array::uniform2(any::<f64>()),
        rounds in prop::collection::vec(any::<f64>(), 0..8),
        stall in prop::option::of(any::<u64>()),
        bound in prop::option::of("(p|mean|max)[0-9.]{0,4}=[0-9]{1,3}(us|ms|s|)"),
        deltas in prop::array::uniform4(0u64..u64::MAX / 2),
    ) {
        let names = [
            name::DEVICE_READ_BYTES, name::DEVICE_WRITE_BYTES, name::DEVICE_FLUSH_COUNT, name::CLIENT_CPU_NS,
        ];
        let deltas: Vec<(&str, u64)> = names.into_iter().zip(deltas).collect();
        let mut run = counted(io_run("io", IoKind::Read, 1), &deltas);
        let storage = storage(&mut run);
        (storage.streams, storage.files, storage.bound) = (streams, files, bound);
        storage.generator_per_second = Some(Rate(rates[0]));
        storage.scheduling_delay_ns_max = stall.map(Nanos);
        let round = |rate: f64| Round { length_ns: Nanos::SECOND, operations_per_second: Rate(rate) };
        storage.rounds = rounds.into_iter().map(round).collect();
        let findings = checked(&run);
        let checks: BTreeSet<Check> = findings.iter().map(Finding::check).collect();
        prop_assert_eq!(checks.len(), findings.len());
        crate::in_flight(&run);
    }
}
