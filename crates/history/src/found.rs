//! What a file shows of itself to be doubtful.

use record::load_profile::{DoubtKind, Weight};

use crate::limit::DOUBTS_MAX;

/// A doubt that a file raised by itself.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) weight: Weight,
    pub(crate) kind: DoubtKind,
    pub(crate) at_ms: Option<i64>,
    pub(crate) count: u64,
}

impl Found {
    pub(crate) fn warning(kind: DoubtKind) -> Found {
        Found { weight: Weight::Warning, kind, at_ms: None, count: 1 }
    }

    pub(crate) fn refusal(kind: DoubtKind) -> Found {
        Found { weight: Weight::Refusal, ..Found::warning(kind) }
    }

    pub(crate) fn at(self, at_ms: i64) -> Found {
        Found { at_ms: Some(at_ms), ..self }
    }

    pub(crate) fn times(self, count: u64) -> Found {
        Found { count, ..self }
    }
}

/// Adds `found` to `doubts`; those of one kind are one with their number.
pub(crate) fn add(doubts: &mut Vec<Found>, found: Found) {
    let same = |doubt: &Found| doubt.weight == found.weight && doubt.kind == found.kind;
    match doubts.iter().position(same) {
        Some(index) => {
            let doubt = &mut doubts[index];
            doubt.count = doubt.count.saturating_add(found.count);
            doubt.at_ms = [doubt.at_ms, found.at_ms].into_iter().flatten().min();
        }
        None if doubts.len() < DOUBTS_MAX => doubts.push(found),
        None => {}
    }
}
