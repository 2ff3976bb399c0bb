//! What the members of a volume do during the window of a run.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use host::MemberCounters;
use record::{Bytes, MemberIo, Nanos};

/// The counters of the members, and their values at the edges of the window.
#[derive(Debug, Default)]
pub(super) struct Members(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    counters: Option<MemberCounters>,
    at_begin: Vec<MemberIo>,
    at_end: Vec<MemberIo>,
}

impl Members {
    /// The members of the volume below `path`; none without a path or a volume.
    pub(super) fn below(path: Option<&Path>) -> Members {
        let counters = path.and_then(MemberCounters::below);
        Members(Mutex::new(State { counters, ..State::default() }))
    }

    /// The window begins.
    pub(super) fn begin(&self) {
        let state = &mut *self.state();
        state.at_begin = state.counters.as_mut().map_or_else(Vec::new, MemberCounters::read);
    }

    /// The window ends.
    pub(super) fn end(&self) {
        let state = &mut *self.state();
        state.at_end = state.counters.as_mut().map_or_else(Vec::new, MemberCounters::read);
    }

    /// What each member that was there all the time did during the window.
    pub(super) fn during(&self) -> Vec<MemberIo> {
        let state = self.state();
        let before = |after: &MemberIo| state.at_begin.iter().find(|member| member.name == after.name).cloned();
        state.at_end.iter().filter_map(|after| Some(difference(after, &before(after)?))).collect()
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
