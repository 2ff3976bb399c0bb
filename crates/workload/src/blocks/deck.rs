//! The mix of operations: a deck of a hundred cards, reshuffled when it is used up. Each hundred operations of a
//! session have exactly their share of updates, in an order that is independent of other sessions.

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::data::below;

/// The kind of an operation; each is a stream of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Reads `work_unit` scattered blocks.
    Read,
    /// Reads a scan table.
    Scan,
    /// Changes a row in `work_unit` scattered blocks.
    Update,
}

impl Kind {
    /// All kinds, in the order of their streams.
    pub const ALL: [Kind; 3] = [Kind::Read, Kind::Scan, Kind::Update];
}

const CARDS: usize = 100;

/// The next operations of a session.
#[derive(Clone, Debug)]
pub(crate) struct Deck {
    cards: [Kind; CARDS],
    next: usize,
    update_percent: u32,
    /// Percentage of the operations that change nothing.
    scan_percent: u32,
    /// Hundredths of a scan to be carried over: the share of scans need not be a whole number of cards.
    scans_owed: u32,
}

impl Deck {
    /// With `update_percent` updates, and `scan_percent` scans among the other operations; each at most 100.
    pub(crate) fn new(update_percent: u32, scan_percent: u32) -> Deck {
        Deck {
            cards: [Kind::Read; CARDS],
            next: CARDS,
            update_percent: update_percent.min(100),
            scan_percent: scan_percent.min(100),
            scans_owed: 0,
        }
    }

    /// The next operation.
    #[inline]
    pub(crate) fn draw(&mut self, random: &mut Xoshiro256PlusPlus) -> Kind {
        if self.next == CARDS {
            self.shuffle(random);
        }
        self.next += 1;
        self.cards[self.next - 1]
    }

    /// Starts a new deck.
    pub(crate) fn renew(&mut self) {
        (self.next, self.scans_owed) = (CARDS, 0);
    }

    fn shuffle(&mut self, random: &mut Xoshiro256PlusPlus) {
        let updates = self.update_percent;
        self.scans_owed += (100 - updates) * self.scan_percent;
        let scans = self.scans_owed / 100;
        self.scans_owed %= 100;
        for (card, index) in self.cards.iter_mut().zip(0..) {
            *card = match index {
                index if index < updates => Kind::Update,
                index if index < updates + scans => Kind::Scan,
                _ => Kind::Read,
            };
        }
        for at in (1..CARDS).rev() {
            self.cards.swap(at, below(random, at as u64 + 1) as usize);
        }
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;

    fn counted(deck: &mut Deck, random: &mut Xoshiro256PlusPlus, cards: usize) -> [usize; 3] {
        let drawn: Vec<Kind> = (0..cards).map(|_| deck.draw(random)).collect();
        [Kind::Read, Kind::Scan, Kind::Update].map(|kind| drawn.iter().filter(|card| **card == kind).count())
    }

    proptest! {
        #[test]
        fn each_hundred_has_exactly_its_share(update in 0u32..=100, scan in 0u32..=100, seed: u64) {
            let (mut deck, mut random) = (Deck::new(update, scan), Xoshiro256PlusPlus::seed_from_u64(seed));
            let mut scans = 0;
            for hundred in 1..=100u32 {
                let [read, scan_count, updates] = counted(&mut deck, &mut random, 100);
                prop_assert_eq!(updates, update as usize);
                scans += scan_count;
                prop_assert_eq!(scans, (hundred * (100 - update) * scan / 100) as usize, "carried over exactly");
                prop_assert_eq!(read + scan_count + updates, 100);
            }
        }
    }

    #[test]
    fn two_sessions_are_not_in_step() {
        let order = |seed| {
            let (mut deck, mut random) = (Deck::new(30, 0), Xoshiro256PlusPlus::seed_from_u64(seed));
            (0..100).map(|_| deck.draw(&mut random)).collect::<Vec<Kind>>()
        };
        assert_ne!(order(1), order(2));
        let first_half = order(1)[..50].iter().filter(|kind| **kind == Kind::Update).count();
        assert!((5..=25).contains(&first_half), "updates are not at the front: {first_half}");
    }
}
