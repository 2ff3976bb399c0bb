//! Why something cannot be seen, and how to get it.

use record::{MeasuringPoint, MissingLayer, PassedRung, Rung, Trace};

/// The kernel does not let itself be traced, on one rung or on any. That is no error: runs go on untraced, and say so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Why, as a clause.
    pub reason: String,
    /// How to get it.
    pub hint: String,
    /// All rungs that were tried, best first, each with its reason.
    pub passed: Vec<PassedRung>,
}

impl Refused {
    pub(crate) fn new(reason: impl Into<String>, hint: &str) -> Refused {
        Refused { reason: reason.into(), hint: hint.to_owned(), passed: Vec::new() }
    }

    /// Nothing is traced because nobody wants it.
    pub fn unwanted() -> Refused {
        Refused::new("the rung of the kernel's own counters was asked for", "ask for another rung, or for none")
    }

    /// The trace of a run that was not traced: what of the layers below the engine could not be seen. The block layer is
    /// not among it where the kernel counts the requests of the device (`with_device`): their mean can be had.
    pub fn trace(&self, with_device: bool) -> Trace {
        let points = [
            Some(MeasuringPoint::SystemCall),
            (!with_device).then_some(MeasuringPoint::Block),
            Some(MeasuringPoint::Device),
        ];
        let unseen = Unseen::new(self.reason.clone(), &self.hint);
        Trace {
            rung: if with_device { Rung::Counters } else { Rung::Engine },
            passed: self.passed.clone(),
            missing: points.into_iter().flatten().map(|point| unseen.missing(point)).collect(),
            lost_count: 0,
            latencies: Vec::new(),
        }
    }
}

/// Why one layer cannot be seen although others can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unseen {
    pub reason: String,
    pub hint: String,
}

impl Unseen {
    pub(crate) fn new(reason: impl Into<String>, hint: &str) -> Unseen {
        Unseen { reason: reason.into(), hint: hint.to_owned() }
    }

    /// That the layer at `point` is missing because of it.
    pub(crate) fn missing(&self, point: MeasuringPoint) -> MissingLayer {
        MissingLayer { point, reason: self.reason.clone(), hint: self.hint.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_traced_is_named_layer_by_layer() {
        let refused = Refused::new("it takes two capabilities", "run as root");
        let points = |trace: Trace| trace.missing.iter().map(|missing| missing.point).collect::<Vec<_>>();
        assert_eq!(points(refused.trace(true)), [MeasuringPoint::SystemCall, MeasuringPoint::Device]);
        let all = refused.trace(false);
        assert_eq!((refused.trace(true).rung, all.rung), (Rung::Counters, Rung::Engine));
        assert_eq!((all.lost_count, all.latencies.len()), (0, 0));
        assert!(all.missing.iter().all(|missing| missing.reason == refused.reason && missing.hint == refused.hint));
        assert_eq!(
            points(all),
            [MeasuringPoint::SystemCall, MeasuringPoint::Block, MeasuringPoint::Device],
            "in the order of the layers"
        );
    }
}
