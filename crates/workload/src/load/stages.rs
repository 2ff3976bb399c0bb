//! The busy time of each stage.

use std::sync::atomic::{AtomicU64, Ordering};

use measure::clock;
use record::{Bytes, LoadStage, LoadStageKind, Nanos};

use crate::sessions::thread_cpu;

/// All kinds, in pipeline order.
pub(super) const KINDS: [LoadStageKind; 8] = [
    LoadStageKind::Generate,
    LoadStageKind::Read,
    LoadStageKind::Decompress,
    LoadStageKind::Parse,
    LoadStageKind::Convert,
    LoadStageKind::Send,
    LoadStageKind::Insert,
    LoadStageKind::Commit,
];

/// The counts of all stages, updated by all threads once per batch, to avoid contention.
#[derive(Default)]
pub(super) struct Stages {
    of_kind: [Counts; KINDS.len()],
}

#[derive(Default)]
struct Counts {
    busy_ns: AtomicU64,
    cpu_ns: AtomicU64,
    bytes: AtomicU64,
}

/// The cost of a stage for one batch, or a part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Spent {
    pub busy: Nanos,
    pub cpu: Nanos,
}

impl Spent {
    /// This without the cost of `part`.
    pub(super) fn without(self, part: Spent) -> Spent {
        Spent { busy: self.busy - part.busy, cpu: self.cpu - part.cpu }
    }
}

/// A stopwatch for the calling thread.
pub(super) struct Watch {
    start: Nanos,
    cpu: Nanos,
}

impl Watch {
    pub(super) fn start() -> Watch {
        Watch { start: clock::now(), cpu: thread_cpu() }
    }

    pub(super) fn spent(&self) -> Spent {
        Spent { busy: clock::now() - self.start, cpu: thread_cpu() - self.cpu }
    }
}

impl Stages {
    /// Adds `spent` of `kind` for `flat_bytes` of flat file.
    pub(super) fn add(&self, kind: LoadStageKind, spent: Spent, flat_bytes: u64) {
        let counts = &self.of_kind[kind as usize];
        counts.busy_ns.fetch_add(spent.busy.0, Ordering::Relaxed);
        counts.cpu_ns.fetch_add(spent.cpu.0, Ordering::Relaxed);
        counts.bytes.fetch_add(flat_bytes, Ordering::Relaxed);
    }

    /// The stages with work; `threads` is the number of threads of a kind.
    pub(super) fn done(&self, threads: impl Fn(LoadStageKind) -> u32) -> Vec<LoadStage> {
        let stage = |kind: LoadStageKind| {
            let counts = &self.of_kind[kind as usize];
            let busy_ns = Nanos(counts.busy_ns.load(Ordering::Relaxed));
            // Within one call of the engine, its clock separates the two, which gives no CPU time.
            let has_cpu = !matches!(kind, LoadStageKind::Convert | LoadStageKind::Send);
            (busy_ns.0 > 0).then(|| LoadStage {
                kind,
                threads: threads(kind),
                busy_ns,
                cpu_ns: has_cpu.then(|| Nanos(counts.cpu_ns.load(Ordering::Relaxed))),
                bytes: Bytes(counts.bytes.load(Ordering::Relaxed)),
            })
        };
        KINDS.into_iter().filter_map(stage).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_stages_are_left_out_and_the_others_are_summed() {
        for (place, kind) in KINDS.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
        }
        let stages = Stages::default();
        let spent = |busy, cpu| Spent { busy: Nanos(busy), cpu: Nanos(cpu) };
        stages.add(LoadStageKind::Parse, spent(70, 60), 1_000);
        stages.add(LoadStageKind::Parse, spent(30, 20), 500);
        stages.add(LoadStageKind::Send, spent(9, 1), 500);
        let done = stages.done(|kind| if kind == LoadStageKind::Parse { 2 } else { 1 });
        assert_eq!(done.len(), 2);
        assert_eq!((done[0].kind, done[0].threads, done[0].busy_ns), (LoadStageKind::Parse, 2, Nanos(100)));
        assert_eq!((done[0].cpu_ns, done[0].bytes), (Some(Nanos(80)), Bytes(1_500)));
        assert_eq!((done[1].kind, done[1].cpu_ns), (LoadStageKind::Send, None));
        assert_eq!(spent(9, 4).without(spent(5, 6)), spent(4, 0), "never negative");
    }

    #[test]
    fn a_watch_counts_what_its_own_thread_does() {
        let watch = Watch::start();
        std::thread::sleep(std::time::Duration::from_millis(20));
        let spent = watch.spent();
        assert!(spent.busy >= Nanos(20_000_000) && spent.cpu < spent.busy);
    }
}
