//! The two sides of a comparison in pairs, and which of them is measured first.

use measure::{Purpose, RunSeed};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::Side;

use crate::{Error, Fault};

/// The sides, in the order of all arrays with two elements.
pub(super) const SIDES: [Side; 2] = [Side::A, Side::B];

/// Which side is first in each pair: an independent fair coin for each. A difference between equal sides is then as
/// likely as its opposite, whatever drifts and whatever being first means, and each pair is independent of the others:
/// the signed-rank test requires that. Strict alternation would be more even, but not independent.
pub(super) struct SideOrder(Xoshiro256PlusPlus);

impl SideOrder {
    pub(super) fn new(seed: u64) -> SideOrder {
        let seed = RunSeed { plan: seed, run: 0 }.stream(Purpose::SideOrder, 0);
        SideOrder(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// The side that is first in the next pair.
    pub(super) fn first(&mut self) -> Side {
        if self.0.next_u64() >> 63 == 0 { Side::A } else { Side::B }
    }
}

/// The other side.
pub(super) fn other(side: Side) -> Side {
    match side {
        Side::A => Side::B,
        Side::B => Side::A,
    }
}

/// `error`, with the name of its side. An interruption by the user is about neither.
pub(super) fn of_side(side: Side, error: Error) -> Error {
    let name = match side {
        Side::A => "A",
        Side::B => "B",
    };
    match error.fault {
        Fault::Interrupted => error,
        _ => Error { message: format!("side {name}: {}", error.message), ..error },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_fair_independent_and_comes_from_the_seed() {
        let draw = |seed| {
            let mut side_order = SideOrder::new(seed);
            (0..4_000).map(|_| side_order.first()).collect::<Vec<Side>>()
        };
        let firsts = draw(42);
        assert_eq!((draw(42), draw(43) == firsts), (firsts.clone(), false));
        let count = |what: &dyn Fn(&[Side]) -> bool| firsts.windows(2).filter(|two| what(two)).count();
        // 2000 are expected of each with a standard deviation of 32.
        assert!((1_850..2_150).contains(&count(&|two| two[0] == Side::A)));
        assert!((1_850..2_150).contains(&count(&|two| two[0] == two[1])));
    }
}
