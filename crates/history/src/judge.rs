//! What makes the figures of a source doubtful, whatever its form.

use std::collections::BTreeSet;

use record::load_profile::{DoubtKind, LoadQuantity, Scope};

use crate::found::{Found, add};
use crate::limit::{IDLE_ACTIVE_SESSIONS, IDLE_PER_SECOND, INTERVAL_SECONDS_MAX, SHORT_INTERVAL_SECONDS};
use crate::part::Span;

/// What is judged.
pub(crate) struct Subject {
    pub(crate) scope: Scope,
    /// How many instances it should tell of, each by itself.
    pub(crate) instances_expected: Option<u32>,
}

/// Adds what holds for the intervals of a source, each with the index of its instance.
pub(crate) fn source(subject: &Subject, spans: &[(u32, Span)], doubts: &mut Vec<Found>) {
    long(spans, doubts);
    averages(spans, doubts);
    idle(subject, spans, doubts);
    instances(subject, spans, doubts);
}

fn long(spans: &[(u32, Span)], doubts: &mut Vec<Found>) {
    let long = || spans.iter().map(|(_, span)| span).filter(|span| span.seconds > INTERVAL_SECONDS_MAX);
    let Some(seconds) = long().map(|span| span.seconds).reduce(f64::max) else { return };
    let kind = DoubtKind::LongInterval { seconds, seconds_max: INTERVAL_SECONDS_MAX };
    let begin_ms = long().map(|span| span.started_at_ms).min().unwrap_or_default();
    add(doubts, Found::warning(kind).at(begin_ms).times(long().count() as u64));
}

fn averages(spans: &[(u32, Span)], doubts: &mut Vec<Found>) {
    let has_max = spans.iter().any(|(_, span)| span.amounts.values().any(|amount| amount.max.is_some()));
    let count = spans.iter().filter(|(_, span)| span.seconds > SHORT_INTERVAL_SECONDS).count();
    if !has_max && count > 0 {
        add(doubts, Found::warning(DoubtKind::AveragesOnly).times(count as u64));
    }
}

fn idle(subject: &Subject, spans: &[(u32, Span)], doubts: &mut Vec<Found>) {
    if subject.scope == Scope::Host || spans.is_empty() {
        return;
    }
    let largest = |quantity: LoadQuantity| {
        spans.iter().filter_map(|(_, span)| span.amounts.get(&quantity)).map(|amount| amount.average).reduce(f64::max)
    };
    let active_sessions = largest(LoadQuantity::ActiveSessions);
    let statements = largest(LoadQuantity::StatementsPerSecond);
    let commits = largest(LoadQuantity::CommitsPerSecond);
    let statements_per_second = [statements, commits].into_iter().flatten().reduce(f64::max);
    // A source that tells neither is not known to be idle.
    let is_idle = match (active_sessions, statements_per_second) {
        (None, None) => false,
        (active, statements) => {
            active.is_none_or(|active| active < IDLE_ACTIVE_SESSIONS)
                && statements.is_none_or(|statements| statements < IDLE_PER_SECOND)
        }
    };
    if is_idle {
        add(doubts, Found::warning(DoubtKind::Idle { active_sessions, statements_per_second }));
    }
}

fn instances(subject: &Subject, spans: &[(u32, Span)], doubts: &mut Vec<Found>) {
    let read = spans.iter().map(|(instance, _)| instance).collect::<BTreeSet<_>>().len() as u32;
    if let Some(expected) = subject.instances_expected.filter(|expected| *expected > read) {
        add(doubts, Found::warning(DoubtKind::InstancesMissing { read, expected }));
    }
}
