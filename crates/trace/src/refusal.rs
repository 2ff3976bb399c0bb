//! Why tracing or a layer is not available, and how to enable it.

use record::{MeasuringPoint, MissingLayer, Trace, TracerKind, UnavailableTracer};

/// Tracing is not available, by one tracer or by any. Not an error: runs continue untraced, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The reason.
    pub reason: String,
    /// How to enable it.
    pub hint: String,
    /// All tracers that were tried, best first, each with its reason.
    pub unavailable: Vec<UnavailableTracer>,
}

impl Refused {
    pub(crate) fn new(reason: impl Into<String>, hint: &str) -> Refused {
        Refused { reason: reason.into(), hint: hint.to_owned(), unavailable: Vec::new() }
    }

    /// Tracing was not requested.
    pub fn unwanted() -> Refused {
        Refused::new("only the kernel's counters were requested", "request another tracer, or none")
    }

    /// The trace of an untraced run, with the missing layers. With counters of the device (`with_device`) the block
    /// layer is not missing: they give its mean.
    pub fn trace(&self, with_device: bool) -> Trace {
        let points = [
            Some(MeasuringPoint::SystemCall),
            (!with_device).then_some(MeasuringPoint::Block),
            Some(MeasuringPoint::Device),
        ];
        let unavailable = Unavailable::new(self.reason.clone(), &self.hint);
        Trace {
            tracer: if with_device { TracerKind::Counters } else { TracerKind::Engine },
            unavailable: self.unavailable.clone(),
            missing: points.into_iter().flatten().map(|point| unavailable.missing(point)).collect(),
            lost_count: 0,
            latencies: Vec::new(),
        }
    }
}

/// Why a layer is not available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unavailable {
    pub reason: String,
    pub hint: String,
}

impl Unavailable {
    pub(crate) fn new(reason: impl Into<String>, hint: &str) -> Unavailable {
        Unavailable { reason: reason.into(), hint: hint.to_owned() }
    }

    /// The missing layer at `point`.
    pub(crate) fn missing(&self, point: MeasuringPoint) -> MissingLayer {
        MissingLayer { point, reason: self.reason.clone(), hint: self.hint.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_untraced_run_lists_all_missing_layers() {
        let refused = Refused::new("it requires two capabilities", "run as root");
        let points = |trace: Trace| trace.missing.iter().map(|missing| missing.point).collect::<Vec<_>>();
        assert_eq!(points(refused.trace(true)), [MeasuringPoint::SystemCall, MeasuringPoint::Device]);
        let all = refused.trace(false);
        assert_eq!((refused.trace(true).tracer, all.tracer), (TracerKind::Counters, TracerKind::Engine));
        assert_eq!((all.lost_count, all.latencies.len()), (0, 0));
        assert!(all.missing.iter().all(|missing| missing.reason == refused.reason && missing.hint == refused.hint));
        assert_eq!(
            points(all),
            [MeasuringPoint::SystemCall, MeasuringPoint::Block, MeasuringPoint::Device],
            "in the order of the layers"
        );
    }
}
