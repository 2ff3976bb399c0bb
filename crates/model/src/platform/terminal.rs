//! The most that terminals with keying and think times can ask for.

/// One kind of transaction that terminals enter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TerminalMix {
    /// Its share of all transactions; shares add up to 1.
    pub share: f64,
    /// Time to key it in, seconds.
    pub keying_seconds: f64,
    /// Mean time until the next one, seconds.
    pub think_seconds: f64,
}

const fn kind(share: f64, keying_seconds: f64, think_seconds: f64) -> TerminalMix {
    TerminalMix { share, keying_seconds, think_seconds }
}

/// New-order, payment, order-status, delivery and stock-level of TPC-C 5.11, clause 5.2.5.7.
pub const TPCC_TERMINALS: [TerminalMix; 5] =
    [kind(0.45, 18.0, 12.0), kind(0.43, 3.0, 12.0), kind(0.04, 2.0, 10.0), kind(0.04, 2.0, 5.0), kind(0.04, 2.0, 5.0)];

impl TerminalMix {
    /// Mean time between two transactions of a terminal to which the system answers at once, seconds.
    pub fn cycle_seconds(mix: &[TerminalMix]) -> f64 {
        mix.iter().map(|kind| kind.share * (kind.keying_seconds + kind.think_seconds)).sum()
    }

    /// Transactions of the first kind per minute that `terminals` ask for at most. A TPC-C-like result with more than
    /// that per warehouse (10 terminals) was made without keying and think times.
    pub fn first_per_minute_max(mix: &[TerminalMix], terminals: f64) -> f64 {
        let share = mix.first().map_or(0.0, |kind| kind.share);
        terminals / TerminalMix::cycle_seconds(mix) * share * 60.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warehouse_asks_for_less_than_thirteen_new_orders_a_minute() {
        assert!((TerminalMix::cycle_seconds(&TPCC_TERMINALS) - 20.99).abs() < 1e-9);
        let per_warehouse = TerminalMix::first_per_minute_max(&TPCC_TERMINALS, 10.0);
        assert_eq!(format!("{per_warehouse:.2}"), "12.86");
    }
}
