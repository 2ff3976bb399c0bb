//! What the members of a volume do during the window of a run, and what a cache device counts of itself.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use host::{CacheCounters, MemberCounters};
use record::{Bytes, CacheCounts, MemberIo, Nanos};

/// A window of so many periods in which a cache device adds to its counters misses no more than a tenth of them.
const PERIODS: u32 = 10;

/// The counters of the members, and their values at the edges of the window.
#[derive(Debug, Default)]
pub(super) struct Members(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    counters: Option<MemberCounters>,
    at_begin: Vec<MemberIo>,
    at_end: Vec<MemberIo>,
    cache: Option<CacheCounters>,
    cache_at_begin: Option<CacheCounts>,
    cache_at_end: Option<CacheCounts>,
}

impl Members {
    /// The members of the volume below `path`; none without a path or a volume.
    pub(super) fn below(path: Option<&Path>) -> Members {
        let counters = path.and_then(MemberCounters::below);
        let cache = path.and_then(CacheCounters::below);
        Members(Mutex::new(State { counters, cache, ..State::default() }))
    }

    /// The window begins.
    pub(super) fn begin(&self) {
        let state = &mut *self.state();
        state.at_begin = state.counters.as_mut().map_or_else(Vec::new, MemberCounters::read);
        state.cache_at_begin = state.cache.as_ref().and_then(CacheCounters::read);
    }

    /// The window ends.
    pub(super) fn end(&self) {
        let state = &mut *self.state();
        state.at_end = state.counters.as_mut().map_or_else(Vec::new, MemberCounters::read);
        state.cache_at_end = state.cache.as_ref().and_then(CacheCounters::read);
    }

    /// What each member that was there all the time did during the window.
    pub(super) fn during(&self) -> Vec<MemberIo> {
        let state = self.state();
        let before = |after: &MemberIo| state.at_begin.iter().find(|member| member.name == after.name).cloned();
        state.at_end.iter().filter_map(|after| Some(difference(after, &before(after)?))).collect()
    }

    /// What a cache device counted of itself during `window`, if it shows that soon enough.
    pub(super) fn cache_during(&self, window: Nanos) -> Option<CacheCounts> {
        let state = self.state();
        let is_soon = u128::from(window.0) >= (state.cache.as_ref()?.period() * PERIODS).as_nanos();
        let (before, after) = state.cache_at_begin.zip(state.cache_at_end).filter(|_| is_soon)?;
        Some(CacheCounts {
            read_hits: after.read_hits.checked_sub(before.read_hits)?,
            read_misses: after.read_misses.checked_sub(before.read_misses)?,
            promotions: after.promotions.zip(before.promotions).and_then(|(after, before)| after.checked_sub(before)),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn difference(after: &MemberIo, before: &MemberIo) -> MemberIo {
    MemberIo {
        name: after.name.clone(),
        read_count: after.read_count.saturating_sub(before.read_count),
        read_bytes: Bytes(after.read_bytes.0.saturating_sub(before.read_bytes.0)),
        read_ns: Nanos(after.read_ns.0.saturating_sub(before.read_ns.0)),
        write_count: after.write_count.saturating_sub(before.write_count),
        write_bytes: Bytes(after.write_bytes.0.saturating_sub(before.write_bytes.0)),
        write_ns: Nanos(after.write_ns.0.saturating_sub(before.write_ns.0)),
    }
}
