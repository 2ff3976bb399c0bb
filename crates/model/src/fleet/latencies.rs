//! Histograms of several parts, added bucket for bucket.

use hdrhistogram::Histogram;
use record::{Latency, Nanos, Slices};

use super::series::shift;
use super::{AgentPart, MergeError};
use crate::distribution::{VALUES_MAX, decoded, encoded, latency_of};

/// Maximum number of slices, as in a run of one process.
const SLICES_MAX: usize = 64;

/// The sum of `latencies`, each with the name of its agent.
pub(super) fn merged_latency<'a>(
    latencies: impl IntoIterator<Item = (&'a str, &'a Latency)>,
) -> Result<Latency, MergeError> {
    let mut sum = Sum::default();
    for (agent, latency) in latencies {
        if latency.histogram.is_empty() && latency.count == 0 {
            continue;
        }
        let found = sum.add_text(agent, &latency.histogram)?;
        if found != latency.count {
            let agent = agent.to_owned();
            return Err(MergeError::OtherCount { agent, found, expected: latency.count });
        }
    }
    Ok(sum.0.as_ref().map_or_else(Latency::default, latency_of))
}

/// A sum of histograms with equal buckets; empty at first.
#[derive(Clone, Default)]
struct Sum(Option<Histogram<u64>>);

impl Sum {
    /// Adds the stored histogram `text` of `agent`; returns the number of its values.
    fn add_text(&mut self, agent: &str, text: &str) -> Result<u64, MergeError> {
        let more = decoded(text).ok_or_else(|| MergeError::Unreadable { agent: agent.to_owned() })?;
        let count = more.len();
        self.add(agent, more)?;
        Ok(count)
    }

    fn add(&mut self, agent: &str, more: Histogram<u64>) -> Result<(), MergeError> {
        let Some(sum) = &mut self.0 else {
            self.0 = Some(more);
            return Ok(());
        };
        let buckets = |histogram: &Histogram<u64>| (histogram.sigfig(), histogram.low(), histogram.high());
        let other =
            MergeError::OtherBuckets { agent: agent.to_owned(), digits: more.sigfig(), expected_digits: sum.sigfig() };
        if sum.len().saturating_add(more.len()) > VALUES_MAX {
            let (agent, found, limit) = (agent.to_owned(), more.len(), VALUES_MAX);
            return Err(MergeError::TooManyValues { agent, found, limit });
        }
        match buckets(sum) == buckets(&more) {
            true => sum.add(&more).map_err(|_| other),
            false => Err(other),
        }
    }
}

/// The slices of all parts, from `begun`, the earliest start: neighbours are added until all have the widest width, and
/// there are no more than in a run of one process. None where no part has any.
pub(super) fn merged_slices(parts: &[AgentPart<'_>], begun: i64) -> Result<Option<Slices>, MergeError> {
    let with_slices: Vec<(&AgentPart<'_>, &Slices)> =
        parts.iter().filter_map(|part| Some((part, part.run.slices.as_ref()?))).collect();
    let widths = || with_slices.iter().map(|(_, slices)| slices.width_ns);
    let Some((narrowest, mut width)) = widths().min().zip(widths().max()) else { return Ok(None) };
    for (part, slices) in &with_slices {
        let is_multiple = slices.width_ns.0.checked_rem(narrowest.0) == Some(0);
        if !is_multiple || !(slices.width_ns.0 / narrowest.0).is_power_of_two() {
            let agent = part.agent.to_owned();
            return Err(MergeError::OtherWidth { agent, width: slices.width_ns, narrowest });
        }
    }
    // The place of a slice of a part is counted in slices of its own width first.
    let place = |part: &AgentPart<'_>, slices: &Slices, index: usize, width: Nanos| {
        let moved = index + shift(part.since(begun), slices.width_ns);
        moved / usize::try_from(width.0 / slices.width_ns.0).unwrap_or(usize::MAX)
    };
    // A part without values has a window nevertheless.
    let last_without = |width: Nanos| {
        let without = parts.iter().filter(|part| part.run.slices.is_none() && part.run.window_ns.0 > 0);
        let last = |part: &AgentPart<'_>| {
            shift(part.since(begun), width).saturating_add(((part.run.window_ns.0 - 1) / width.0) as usize)
        };
        without.map(last).max()
    };
    let last = |width: Nanos| {
        let ends = with_slices.iter().filter(|(_, slices)| !slices.responses.is_empty());
        let last_with = ends.map(|(part, slices)| place(part, slices, slices.responses.len() - 1, width)).max();
        last_with.max(last_without(width))
    };
    while last(width).is_some_and(|last| last >= SLICES_MAX) {
        width = Nanos(width.0.saturating_mul(2));
    }
    let mut sums = vec![Sum::default(); last(width).map_or(0, |last| last + 1)];
    let mut empty = None;
    for (part, slices) in &with_slices {
        for (index, text) in slices.responses.iter().enumerate() {
            sums[place(part, slices, index, width)].add_text(part.agent, text)?;
            empty = empty.or_else(|| decoded(text));
        }
    }
    // A slice in which no part has values lies in the gap before a part that started late, or in the window of one without any.
    let empty = empty.map(|mut histogram| (histogram.reset(), histogram).1);
    let texts = sums.iter().filter_map(|sum| sum.0.as_ref().or(empty.as_ref())).map(encoded);
    Ok(Some(Slices { width_ns: width, responses: texts.collect() }))
}
