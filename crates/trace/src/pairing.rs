//! Pairs the events of each request: from events to latencies.
//!
//! A tracepoint identifies a request only by device, operation and sector. Of several equal requests, a completion is
//! paired with the one issued last: the sum is right in any case, and a request whose completion was lost does not
//! shift all later ones. Flushes have no sector, and are all equal.

use std::collections::HashMap;
use std::convert::Infallible;

use crate::counting::Counted;
use crate::event::{BlockEvent, Event, EventKind, FLUSH};
use crate::layout::{self, OPERATIONS, WORDS, Words};
use crate::request;

/// Maximum inserted requests that were not issued (merged with others); all are dropped beyond that.
const INSERTED_MAX: usize = 65_536;

/// Identifies a request: operation and sector.
type Key = (u32, u64);

/// A request issued to the driver.
#[derive(Clone, Copy, Debug)]
struct Pending {
    queued_ns: u64,
    issued_ns: u64,
    /// Sectors not completed yet.
    sectors: u64,
    bytes: u64,
}

/// Pairs events in the order of time.
pub(crate) struct Pairing {
    /// Insertion times of the requests in the queue.
    inserted: HashMap<Key, u64>,
    pending: HashMap<Key, Vec<Pending>>,
    /// The window: requests issued and completed in it count.
    window_ns: (u64, u64),
    /// By operation, from the queue, then from the driver.
    histograms: Vec<Words>,
    lost_count: u64,
}

impl Pairing {
    /// Without a window, until [`Pairing::within`] sets one.
    pub(crate) fn new() -> Pairing {
        Pairing {
            inserted: HashMap::new(),
            pending: HashMap::new(),
            window_ns: (0, u64::MAX),
            histograms: vec![[0; WORDS]; 2 * OPERATIONS as usize],
            lost_count: 0,
        }
    }

    /// Sets the window: only requests issued and completed from `start_ns` to `end_ns` count.
    pub(crate) fn within(&mut self, start_ns: u64, end_ns: u64) {
        self.window_ns = (start_ns, end_ns);
    }

    /// The latencies.
    pub(crate) fn counted(&self) -> Counted {
        let Ok(latencies) = request::rows::<Infallible>(|index| Ok(vec![self.histograms[index as usize]]));
        Counted { latencies, missing: Vec::new(), lost_count: self.lost_count }
    }

    /// Sets the minimum of lost events, as losses at the end are not reported as events.
    pub(crate) fn lost_at_least(&mut self, count: u64) {
        self.lost_count = self.lost_count.max(count);
    }

    /// Processes the next event.
    pub(crate) fn take(&mut self, event: &Event) {
        match event {
            Event::Block(event) => self.take_block(event),
            Event::Lost { count, .. } => {
                // The completions may be among the lost events: later ones would be paired with these requests.
                self.inserted.clear();
                self.pending.clear();
                self.lost_count = self.lost_count.saturating_add(*count);
            }
        }
    }

    fn take_block(&mut self, event: &BlockEvent) {
        let key = (event.operation, if event.operation == FLUSH { 0 } else { event.sector });
        match event.kind {
            EventKind::Inserted => {
                if self.inserted.len() >= INSERTED_MAX {
                    self.inserted.clear();
                }
                self.inserted.insert(key, event.at_ns);
            }
            EventKind::Issued => {
                let queued_ns = self.inserted.remove(&key).unwrap_or(event.at_ns);
                let pending = Pending {
                    queued_ns: queued_ns.min(event.at_ns),
                    issued_ns: event.at_ns,
                    sectors: event.sectors,
                    bytes: event.bytes(),
                };
                self.pending.entry(key).or_default().push(pending);
            }
            EventKind::Requeued => {
                if let Some(pending) = self.pending.get_mut(&key).and_then(Vec::pop) {
                    self.inserted.insert(key, pending.queued_ns);
                }
            }
            EventKind::Completed => self.complete(key, event),
        }
    }

    fn complete(&mut self, key: Key, event: &BlockEvent) {
        let Some(waiting) = self.pending.get_mut(&key) else { return };
        let Some(mut pending) = waiting.last().copied() else { return };
        // A request without data that is not a flush was never issued: an empty request with a preflush.
        if event.sectors == 0 && event.operation != FLUSH {
            return;
        }
        waiting.pop();
        if waiting.is_empty() {
            self.pending.remove(&key);
        }
        if event.operation != FLUSH && event.sectors < pending.sectors {
            pending.sectors -= event.sectors;
            let rest = (key.0, key.1.saturating_add(event.sectors));
            return self.pending.entry(rest).or_default().push(pending);
        }
        let (start_ns, end_ns) = self.window_ns;
        if pending.issued_ns < start_ns || event.at_ns > end_ns || event.at_ns < pending.issued_ns {
            return;
        }
        for (index, since_ns) in [(key.0, pending.queued_ns), (OPERATIONS + key.0, pending.issued_ns)] {
            if let Some(words) = self.histograms.get_mut(index as usize) {
                layout::count(words, event.at_ns - since_ns, pending.bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::layout::Head;

    fn event(kind: EventKind, at_ns: u64, operation: u32, sector: u64, sectors: u64) -> Event {
        Event::Block(BlockEvent { kind, at_ns, operation, sector, sectors })
    }

    fn paired(events: &[Event]) -> Pairing {
        let mut pairing = Pairing::new();
        events.iter().for_each(|event| pairing.take(event));
        pairing
    }

    /// Count, sum and bytes from the queue and from the driver.
    fn counted(pairing: &Pairing, operation: u32) -> [(u64, u64, u64); 2] {
        [operation, OPERATIONS + operation].map(|index| {
            let head = Head::of(&pairing.histograms[index as usize]);
            (head.count, head.sum_ns, head.bytes)
        })
    }

    use EventKind::{Completed, Inserted, Issued, Requeued};

    #[test]
    fn a_request_is_timed_from_the_queue_and_from_the_driver() {
        let through = [event(Inserted, 10, 1, 64, 8), event(Issued, 30, 1, 64, 8), event(Completed, 130, 1, 64, 8)];
        assert_eq!(counted(&paired(&through), 1), [(1, 120, 4_096), (1, 100, 4_096)]);
        let direct = [event(Issued, 30, 0, 64, 8), event(Completed, 130, 0, 64, 8)];
        assert_eq!(counted(&paired(&direct), 0), [(1, 100, 4_096), (1, 100, 4_096)], "not inserted into the queue");
    }

    #[test]
    fn flushes_are_paired_although_their_sectors_differ() {
        let last = u64::MAX;
        let events = [
            event(Issued, 10, FLUSH, 0, 0),
            event(Issued, 11, 1, 0, 8),
            event(Completed, 40, FLUSH, last, 0),
            event(Completed, 50, 1, 0, 0),
            event(Completed, 60, 1, 0, 8),
        ];
        let pairing = paired(&events);
        assert_eq!(counted(&pairing, FLUSH)[1], (1, 30, 0));
        assert_eq!(counted(&pairing, 1)[1], (1, 49, 4_096), "an empty write does not complete it");
    }

    #[test]
    fn a_requeued_request_is_timed_from_its_last_issue_and_its_first_insertion() {
        let events = [
            event(Inserted, 1, 0, 8, 8),
            event(Issued, 5, 0, 8, 8),
            event(Requeued, 6, 0, 8, 8),
            event(Issued, 20, 0, 8, 8),
            event(Completed, 50, 0, 8, 8),
        ];
        assert_eq!(counted(&paired(&events), 0), [(1, 49, 4_096), (1, 30, 4_096)]);
    }

    #[test]
    fn a_request_that_completes_in_parts_is_one() {
        let events = [
            event(Issued, 0, 1, 100, 24),
            event(Completed, 10, 1, 100, 8),
            event(Completed, 20, 1, 108, 8),
            event(Completed, 35, 1, 116, 8),
        ];
        assert_eq!(counted(&paired(&events), 1)[1], (1, 35, 24 * 512));
    }

    #[test]
    fn nothing_is_paired_across_a_loss() {
        let events = [
            event(Issued, 0, 0, 8, 8),
            Event::Lost { at_ns: 5, count: 3 },
            event(Completed, 1_000_000, 0, 8, 8),
            event(Issued, 1_000_001, 0, 8, 8),
            event(Completed, 1_000_011, 0, 8, 8),
        ];
        let pairing = paired(&events);
        assert_eq!((counted(&pairing, 0)[1], pairing.lost_count), ((1, 10, 4_096), 3));
    }

    #[test]
    fn the_count_of_losses_saturates() {
        let lost = Event::Lost { at_ns: 5, count: u64::MAX };
        assert_eq!(paired(&[lost, lost]).lost_count, u64::MAX);
    }

    #[test]
    fn only_requests_within_the_window_count() {
        let mut pairing = Pairing::new();
        pairing.within(100, 200);
        for (start, end) in [(90, 110), (110, 150), (190, 210)] {
            pairing.take(&event(Issued, start, 0, start, 8));
            pairing.take(&event(Completed, end, 0, start, 8));
        }
        assert_eq!(counted(&pairing, 0)[1], (1, 40, 4_096));
    }

    proptest! {
        /// With any number of requests at the same sector, the count and the sum are exact.
        #[test]
        fn counts_and_sums_are_exact(
            requests in prop::collection::vec((0u32..4, 0u64..6, 0u64..1_000, 0u64..1_000), 1..200),
        ) {
            let mut events: Vec<Event> = Vec::new();
            for (operation, sector, start, duration) in &requests {
                let sectors = if *operation == FLUSH { 0 } else { 8 };
                let (start, duration) = (start * 2, duration * 2 + 1);
                events.push(event(Issued, start, *operation, sector * 8, sectors));
                events.push(event(Completed, start + duration, *operation, sector * 8, sectors));
            }
            // No issue at the time of a completion.
            events.sort_by_key(Event::at_ns);
            let pairing = paired(&events);
            for operation in 0..OPERATIONS {
                let of: Vec<u64> =
                    requests.iter().filter(|request| request.0 == operation).map(|request| request.3 * 2 + 1).collect();
                let (count, sum, _) = counted(&pairing, operation)[1];
                prop_assert_eq!((count, sum), (of.len() as u64, of.iter().sum::<u64>()));
            }
            prop_assert!(pairing.pending.is_empty());
        }

        #[test]
        fn no_order_panics(
            events in prop::collection::vec((0u8..5, any::<u64>(), 0u32..4, any::<u64>(), any::<u64>()), 0..100),
        ) {
            let mut pairing = Pairing::new();
            for (number, at_ns, operation, sector, sectors) in events {
                let kind = [Inserted, Issued, Requeued, Completed].get(usize::from(number)).copied();
                let lost = Event::Lost { at_ns, count: 1 };
                pairing.take(&kind.map_or(lost, |kind| event(kind, at_ns, operation, sector, sectors)));
            }
        }
    }
}
