//! Finds the end of each request: from events to latencies.
//!
//! A tracepoint says no more of a request than its device, its operation and its sector, so that is what ends are found
//! by. Of several requests that say the same, the one that was issued last is taken: their sum is right whichever it is, and
//! one whose end the kernel did not hand over stays where it is instead of shifting all that come after it. Flushes have no
//! sector, and all say the same.

use std::collections::HashMap;

use crate::event::{BlockEvent, Event, What};
use crate::layout::{self, OPERATIONS, WORDS, Words};
use crate::request::FLUSH;

/// Requests that were inserted and never seen again (they were merged with others): more are forgotten.
const INSERTED_MAX: usize = 65_536;

/// By what a request is known: its operation, and where it begins.
type Name = (u32, u64);

/// A request that the driver has.
#[derive(Clone, Copy, Debug)]
struct Pending {
    queued_ns: u64,
    issued_ns: u64,
    /// Sectors that are still to come.
    sectors: u64,
    bytes: u64,
}

/// Pairs events that come in the order of time.
pub(crate) struct Pairing {
    /// When requests were put into the queue that are still there.
    inserted: HashMap<Name, u64>,
    pending: HashMap<Name, Vec<Pending>>,
    /// The window: what is issued and completed in it counts.
    window_ns: (u64, u64),
    /// From the queue by operation, then from the driver.
    histograms: Vec<Words>,
    lost_count: u64,
}

impl Pairing {
    /// Pairs whatever comes, until [`Pairing::within`] sets a window.
    pub(crate) fn new() -> Pairing {
        Pairing {
            inserted: HashMap::new(),
            pending: HashMap::new(),
            window_ns: (0, u64::MAX),
            histograms: vec![[0; WORDS]; 2 * OPERATIONS as usize],
            lost_count: 0,
        }
    }

    /// Only what is issued and completed from `start_ns` to `end_ns` counts from now on.
    pub(crate) fn within(&mut self, start_ns: u64, end_ns: u64) {
        self.window_ns = (start_ns, end_ns);
    }

    /// The histograms of a place, as [`crate::request::rows`] wants them.
    pub(crate) fn histogram(&self, place: u32) -> Option<Words> {
        self.histograms.get(place as usize).copied()
    }

    /// Events that were lost.
    pub(crate) fn lost_count(&self) -> u64 {
        self.lost_count
    }

    /// Of events that are lost at the end nothing tells but their number.
    pub(crate) fn lost_at_least(&mut self, count: u64) {
        self.lost_count = self.lost_count.max(count);
    }

    /// Takes the next event.
    pub(crate) fn take(&mut self, event: &Event) {
        match event {
            Event::Block(event) => self.take_block(event),
            Event::Lost { count, .. } => {
                // The end of any of these may be among what was lost: that of a later one would be taken for it.
                self.inserted.clear();
                self.pending.clear();
                self.lost_count = self.lost_count.saturating_add(*count);
            }
        }
    }

    fn take_block(&mut self, event: &BlockEvent) {
        let name = (event.operation, if event.operation == FLUSH { 0 } else { event.sector });
        match event.what {
            What::Inserted => {
                if self.inserted.len() >= INSERTED_MAX {
                    self.inserted.clear();
                }
                self.inserted.insert(name, event.at_ns);
            }
            What::Issued => {
                let queued_ns = self.inserted.remove(&name).unwrap_or(event.at_ns);
                let pending = Pending {
                    queued_ns: queued_ns.min(event.at_ns),
                    issued_ns: event.at_ns,
                    sectors: event.sectors,
                    bytes: event.bytes(),
                };
                self.pending.entry(name).or_default().push(pending);
            }
            What::Requeued => {
                if let Some(pending) = self.pending.get_mut(&name).and_then(Vec::pop) {
                    self.inserted.insert(name, pending.queued_ns);
                }
            }
            What::Completed => self.complete(name, event),
        }
    }

    fn complete(&mut self, name: Name, event: &BlockEvent) {
        let Some(waiting) = self.pending.get_mut(&name) else { return };
        let Some(mut pending) = waiting.last().copied() else { return };
        // What has no data and is no flush was never issued: an empty request that asks for a flush before it.
        if event.sectors == 0 && event.operation != FLUSH {
            return;
        }
        waiting.pop();
        if waiting.is_empty() {
            self.pending.remove(&name);
        }
        if event.operation != FLUSH && event.sectors < pending.sectors {
            pending.sectors -= event.sectors;
            let rest = (name.0, name.1.saturating_add(event.sectors));
            return self.pending.entry(rest).or_default().push(pending);
        }
        let (start_ns, end_ns) = self.window_ns;
        if pending.issued_ns < start_ns || event.at_ns > end_ns || event.at_ns < pending.issued_ns {
            return;
        }
        for (place, since_ns) in [(name.0, pending.queued_ns), (OPERATIONS + name.0, pending.issued_ns)] {
            if let Some(words) = self.histograms.get_mut(place as usize) {
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

    fn event(what: What, at_ns: u64, operation: u32, sector: u64, sectors: u64) -> Event {
        Event::Block(BlockEvent { what, at_ns, operation, sector, sectors })
    }

    fn paired(events: &[Event]) -> Pairing {
        let mut pairing = Pairing::new();
        events.iter().for_each(|event| pairing.take(event));
        pairing
    }

    /// Count, sum and bytes from the queue and from the driver.
    fn counted(pairing: &Pairing, operation: u32) -> [(u64, u64, u64); 2] {
        [operation, OPERATIONS + operation].map(|place| {
            let head = Head::of(&pairing.histogram(place).unwrap());
            (head.count, head.sum_ns, head.bytes)
        })
    }

    use What::{Completed, Inserted, Issued, Requeued};

    #[test]
    fn a_request_is_timed_from_the_queue_and_from_the_driver() {
        let through = [event(Inserted, 10, 1, 64, 8), event(Issued, 30, 1, 64, 8), event(Completed, 130, 1, 64, 8)];
        assert_eq!(counted(&paired(&through), 1), [(1, 120, 4_096), (1, 100, 4_096)]);
        let direct = [event(Issued, 30, 0, 64, 8), event(Completed, 130, 0, 64, 8)];
        assert_eq!(counted(&paired(&direct), 0), [(1, 100, 4_096), (1, 100, 4_096)], "it was never in the queue");
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
        assert_eq!(counted(&pairing, 1)[1], (1, 49, 4_096), "an empty write is no end of one");
    }

    #[test]
    fn what_the_driver_gave_back_is_timed_from_its_last_issue_and_its_first_queueing() {
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
        assert_eq!((counted(&pairing, 0)[1], pairing.lost_count()), ((1, 10, 4_096), 3));
    }

    #[test]
    fn losses_beyond_all_numbers_are_as_many_as_there_are_numbers() {
        let lost = Event::Lost { at_ns: 5, count: u64::MAX };
        assert_eq!(paired(&[lost, lost]).lost_count(), u64::MAX);
    }

    #[test]
    fn only_what_lies_in_the_window_counts() {
        let mut pairing = Pairing::new();
        pairing.within(100, 200);
        for (begun, ended) in [(90, 110), (110, 150), (190, 210)] {
            pairing.take(&event(Issued, begun, 0, begun, 8));
            pairing.take(&event(Completed, ended, 0, begun, 8));
        }
        assert_eq!(counted(&pairing, 0)[1], (1, 40, 4_096));
    }

    proptest! {
        /// The requests of a device, as many of them at the same sector as one likes: all of them are counted, and their
        /// sum is exact.
        #[test]
        fn counts_and_sums_are_exact(
            requests in prop::collection::vec((0u32..4, 0u64..6, 0u64..1_000, 0u64..1_000), 1..200),
        ) {
            let mut events: Vec<Event> = Vec::new();
            for (operation, sector, begun, took) in &requests {
                let sectors = if *operation == FLUSH { 0 } else { 8 };
                let (begun, took) = (begun * 2, took * 2 + 1);
                events.push(event(Issued, begun, *operation, sector * 8, sectors));
                events.push(event(Completed, begun + took, *operation, sector * 8, sectors));
            }
            // No two of them at the same moment: the kernel's clock tells them apart.
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
        fn no_order_is_too_strange(
            events in prop::collection::vec((0u8..5, any::<u64>(), 0u32..4, any::<u64>(), any::<u64>()), 0..100),
        ) {
            let mut pairing = Pairing::new();
            for (kind, at_ns, operation, sector, sectors) in events {
                let what = [Inserted, Issued, Requeued, Completed].get(usize::from(kind)).copied();
                let lost = Event::Lost { at_ns, count: 1 };
                pairing.take(&what.map_or(lost, |what| event(what, at_ns, operation, sector, sectors)));
            }
        }
    }
}
