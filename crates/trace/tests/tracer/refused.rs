//! Without privileges.

use dbdyno_trace::{Scope, Tracer};
use record::{MeasuringPoint, TracerKind};
use rustix::thread::{CapabilitySets, set_capabilities};

/// The refusal of a thread without capabilities.
fn without_capabilities() -> Option<dbdyno_trace::Refused> {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let mut none: CapabilitySets = rustix::thread::capabilities(None).unwrap();
            none.effective = rustix::thread::CapabilitySet::empty();
            set_capabilities(None, none).unwrap();
            assert!(!crate::has_capabilities());
            let scope = Scope { roots: vec![std::process::id()], device: None };
            Tracer::start(&scope, None).err()
        });
        thread.join().unwrap()
    })
}

#[test]
fn without_capabilities_there_is_a_reason_and_a_hint() {
    let refused = without_capabilities().expect("a refusal");
    assert!(refused.reason.contains("CAP_BPF and CAP_PERFMON"), "{refused:?}");
    assert!(refused.hint.contains("setcap cap_bpf,cap_perfmon+ep"), "{refused:?}");
    let trace = refused.trace(true);
    assert_eq!(trace.tracer, TracerKind::Counters);
    assert!(trace.latencies.is_empty());
    let points: Vec<MeasuringPoint> = trace.missing.iter().map(|missing| missing.point).collect();
    assert_eq!(points, [MeasuringPoint::SystemCall, MeasuringPoint::Device]);
}

#[test]
fn an_engine_on_another_host_cannot_be_traced() {
    let refused = Tracer::start(&Scope::default(), None).err().expect("there is nothing to trace");
    assert!(refused.reason.contains("not on this host"), "{refused:?}");
}
