//! What card transactions are drawn from: merchants and their places, issuers of cards, days of the year, amounts.
//!
//! The same for every seed, and made of whole numbers and of additions and multiplications that round alike everywhere,
//! so that equal seeds give equal rows on every machine.

use std::sync::OnceLock;

use super::category::{CATEGORIES, Spread};
use super::place::{PLACES, Place};
use crate::date::{calendar, days_since_epoch};

/// Merchants, about: each city has at least eight.
const MERCHANTS: u64 = 4_096;
const MERCHANTS_OF_PLACE_MIN: u64 = 8;

/// Places of the tables that a draw looks into; powers of two, so that bits are an index.
pub(super) const ISSUER_SLOTS: usize = 256;
pub(super) const HOME_SLOTS: usize = 1 << 10;
pub(super) const LOCAL_SLOTS: usize = 1 << 11;
pub(super) const EVERYWHERE_SLOTS: usize = 1 << 13;
pub(super) const DAY_SLOTS: usize = 1 << 13;
pub(super) const FACTOR_STEPS: usize = 1 << 10;

/// The year of the purchases.
const YEAR: i32 = 2025;

/// Standard deviation of the sum of four numbers of 16 bits: 65536 x sqrt(4 / 12).
const DEVIATION_OF_FOUR: f64 = 37_837.0;
/// Mean of the sum of four numbers of 16 bits: 4 x 65535 / 2.
const MEAN_OF_FOUR: f64 = 131_070.0;

/// A merchant. Code, city and category belong together for ever.
#[derive(Clone, Copy, Debug)]
pub(super) struct Merchant {
    /// Eight digits, no other merchant's.
    pub code: u32,
    /// The kind of business, as an index of [`CATEGORIES`].
    pub category: usize,
    /// Where it is, as an index of [`PLACES`].
    pub place: usize,
    pub zip: u32,
}

impl Merchant {
    pub(super) fn place(&self) -> &'static Place {
        &PLACES[self.place]
    }
}

/// Who gives cards out: the kind of card, and the six digits that its numbers begin with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Issuer {
    pub kind: &'static str,
    pub first_six: u32,
}

/// Kinds of cards with 16 digits: name, places of 256, and the range of first six digits.
const KINDS: &[(&str, usize, u32, u32)] = &[
    ("VISA", 133, 400_000, 499_999),
    ("MASTERCARD", 72, 510_000, 559_999),
    ("DISCOVER", 18, 650_000, 659_999),
    ("UNIONPAY", 12, 622_126, 622_925),
    ("MAESTRO", 12, 501_800, 501_899),
    ("JCB", 9, 352_800, 358_999),
];

/// The tables from which rows are drawn.
pub(super) struct World {
    pub merchants: Vec<Merchant>,
    pub issuers: Vec<Issuer>,
    /// State in which a card is at home, as an index of `local`.
    pub homes: Vec<u8>,
    /// For each state its merchants, the larger ones more often.
    pub local: Vec<Vec<u16>>,
    /// Merchants of all states.
    pub everywhere: Vec<u16>,
    /// Day of the year, from 0.
    pub days: Vec<u16>,
    /// For each [`Spread`] what the median is multiplied with, in units of 2^-16, over the sum of four numbers of 16
    /// bits in steps of 2^8; one more than steps.
    pub factors: Vec<Vec<u32>>,
}

impl World {
    /// The one that there is.
    pub(super) fn get() -> &'static World {
        static WORLD: OnceLock<World> = OnceLock::new();
        WORLD.get_or_init(World::make)
    }

    fn make() -> World {
        let merchants = merchants();
        let mut states: Vec<&str> = PLACES.iter().map(|place| place.state).collect();
        states.dedup();
        let inhabitants = |state: &str| PLACES.iter().filter(|p| p.state == state).map(|p| u64::from(p.weight)).sum();
        let homes = slots(&states.iter().map(|state| inhabitants(state)).collect::<Vec<u64>>(), HOME_SLOTS);
        let local = states.iter().map(|state| {
            let of_state: Vec<u16> = (0..merchants.len() as u16)
                .filter(|index| merchants[usize::from(*index)].place().state == *state)
                .collect();
            let weights: Vec<u64> = (0..of_state.len()).map(size_of_rank).collect();
            slots(&weights, LOCAL_SLOTS).into_iter().map(|rank| of_state[usize::from(rank)]).collect()
        });
        let everywhere: Vec<u64> =
            (0..merchants.len()).map(|index| size_of_rank(index.wrapping_mul(2_659) % 997)).collect();
        World {
            local: local.collect(),
            issuers: issuers(),
            homes: homes.into_iter().map(|state| state as u8).collect(),
            everywhere: slots(&everywhere, EVERYWHERE_SLOTS),
            days: slots(&(0..days_of_year()).map(purchases_of_day).collect::<Vec<u64>>(), DAY_SLOTS),
            factors: Spread::ALL.into_iter().map(factors).collect(),
            merchants,
        }
    }
}

/// 1 January, in days since 1970-01-01.
pub(super) fn first_day() -> i32 {
    days_since_epoch(YEAR, 1, 1)
}

/// Days of the year of the purchases.
pub(super) fn days_of_year() -> i32 {
    days_since_epoch(YEAR + 1, 1, 1) - first_day()
}

/// How many purchases a merchant has, by its rank among its neighbours: as 1 / (rank + 8), which is Zipf's law without
/// the one that has it all.
fn size_of_rank(rank: usize) -> u64 {
    1_000_000 / (rank as u64 + 8)
}

fn merchants() -> Vec<Merchant> {
    let inhabitants: u64 = PLACES.iter().map(|place| u64::from(place.weight)).sum();
    let counts = PLACES.iter().map(|p| (MERCHANTS * u64::from(p.weight) / inhabitants).max(MERCHANTS_OF_PLACE_MIN));
    let categories: u64 = CATEGORIES.iter().map(|category| u64::from(category.weight)).sum();
    let mut merchants: Vec<Merchant> = Vec::new();
    for (place, count) in counts.enumerate() {
        for _ in 0..count {
            let number = merchants.len() as u64;
            let span = u64::from(PLACES[place].zip_last - PLACES[place].zip_first + 1);
            merchants.push(Merchant {
                // 21 937 501 has no factor in common with 9 x 10^7: no code comes twice.
                code: 10_000_000 + (number * 21_937_501 % 90_000_000) as u32,
                category: category(scrambled(number) % categories),
                place,
                zip: PLACES[place].zip_first + (scrambled(number + (1 << 20)) % span) as u32,
            });
        }
    }
    // Which merchant of a state is large has nothing to do with its city: states keep together, ranks are drawn.
    merchants.sort_by_key(|merchant| (merchant.place().state, scrambled(u64::from(merchant.code))));
    merchants
}

/// The category at `point` of all weights put in a row.
fn category(mut point: u64) -> usize {
    let holds = |category: &super::category::Category| match point.checked_sub(u64::from(category.weight)) {
        Some(rest) => {
            point = rest;
            false
        }
        None => true,
    };
    CATEGORIES.iter().position(holds).unwrap_or_default()
}

fn issuers() -> Vec<Issuer> {
    let mut issuers = Vec::with_capacity(ISSUER_SLOTS);
    for (kind, slots, first, last) in KINDS {
        for slot in 0..*slots {
            // Of issuers with 1, 3, 5, ... places each.
            let number = scrambled(u64::from(*first) + slot.isqrt() as u64);
            issuers.push(Issuer { kind, first_six: first + (number % u64::from(last - first + 1)) as u32 });
        }
    }
    issuers
}

/// Purchases of a day of the year, relative to the others: fewest in February, most before Christmas, and more towards
/// the end of the week.
fn purchases_of_day(day: i32) -> u64 {
    const OF_MONTH: [u64; 12] = [90, 88, 97, 98, 102, 101, 101, 103, 98, 102, 110, 128];
    const FROM_MONDAY: [u64; 7] = [91, 93, 96, 100, 119, 122, 89];
    let (_, month, day_of_month) = calendar(first_day() + day);
    // 1970-01-01 was a Thursday.
    let weekday = (first_day() + day + 3).rem_euclid(7);
    let weeks = if month == 12 && (15..25).contains(&day_of_month) { 115 } else { 100 };
    OF_MONTH[(month - 1) as usize] * FROM_MONDAY[weekday as usize] * weeks
}

/// What a median is multiplied with: the exponential of a normally distributed number, which a sum of four equally
/// distributed ones is nearly.
fn factors(spread: Spread) -> Vec<u32> {
    let deviation = f64::from(spread.hundredths()) / 100.0;
    let step = |index: usize| (index * 4 * 65_536 / FACTOR_STEPS) as f64;
    let factor = |index| exponential(deviation * (step(index) - MEAN_OF_FOUR) / DEVIATION_OF_FOUR);
    (0..=FACTOR_STEPS).map(|index| (factor(index) * 65_536.0) as u32).collect()
}

/// e^x for |x| below 8: the series of e^(x / 1024), then squared ten times. The one of the system's library may round
/// otherwise elsewhere, and rows would differ.
fn exponential(x: f64) -> f64 {
    let x = x / 1_024.0;
    let series = 1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0)));
    (0..10).fold(series, |power, _| power * power)
}

/// A table of `count` places in which each index of `weights` stands as often as its weight says, and at least once.
fn slots(weights: &[u64], count: usize) -> Vec<u16> {
    let total: u64 = weights.iter().sum();
    let spare = (count - weights.len()) as u64;
    let mut table = Vec::with_capacity(count);
    let mut sum = 0;
    for (index, weight) in weights.iter().enumerate() {
        let before = spare * sum / total;
        sum += weight;
        let places = 1 + spare * sum / total - before;
        table.extend(std::iter::repeat_n(index as u16, places as usize));
    }
    table
}

fn scrambled(number: u64) -> u64 {
    super::mix(number.wrapping_mul(super::GOLDEN))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn tables_are_full_and_everybody_is_in_them() {
        let world = World::get();
        assert_eq!((world.issuers.len(), world.homes.len()), (ISSUER_SLOTS, HOME_SLOTS));
        assert_eq!((world.everywhere.len(), world.days.len()), (EVERYWHERE_SLOTS, DAY_SLOTS));
        assert!(world.local.iter().all(|table| table.len() == LOCAL_SLOTS));
        assert!(world.factors.iter().all(|table| table.len() == FACTOR_STEPS + 1));
        let everybody: BTreeSet<u16> = world.everywhere.iter().copied().collect();
        assert_eq!(everybody.len(), world.merchants.len());
        assert_eq!(world.days.iter().copied().collect::<BTreeSet<u16>>().len(), 365);
        assert!((4_000..6_000).contains(&world.merchants.len()), "{}", world.merchants.len());
    }

    #[test]
    fn merchants_have_codes_of_their_own_and_postal_codes_of_their_city() {
        let world = World::get();
        let codes: BTreeSet<u32> = world.merchants.iter().map(|merchant| merchant.code).collect();
        assert_eq!(codes.len(), world.merchants.len());
        assert!(codes.iter().all(|code| (10_000_000..100_000_000).contains(code)));
        for merchant in &world.merchants {
            assert!((merchant.place().zip_first..=merchant.place().zip_last).contains(&merchant.zip));
        }
        for (state, table) in world.local.iter().enumerate() {
            let states: BTreeSet<&str> =
                table.iter().map(|index| world.merchants[usize::from(*index)].place().state).collect();
            assert_eq!(states.len(), 1, "state {state}");
        }
    }

    #[test]
    fn amounts_spread_as_their_deviation_says() {
        let world = World::get();
        for (spread, factors) in Spread::ALL.into_iter().zip(&world.factors) {
            let middle = f64::from(factors[FACTOR_STEPS / 2]) / 65_536.0;
            assert!((middle - 1.0).abs() < 1e-4, "{spread:?}: {middle}");
            let above = (f64::from(factors[FACTOR_STEPS / 2 + 148]) / 65_536.0).ln();
            let deviation = f64::from(spread.hundredths()) / 100.0;
            // 148 steps of 256 are a standard deviation.
            assert!((above - deviation).abs() < 0.01, "{spread:?}: {above}");
            assert!(factors.is_sorted());
        }
    }

    #[test]
    fn the_own_exponential_is_the_one_of_mathematics() {
        for x in [-3.5, -1.0, -0.1, 0.0, 0.35, 1.0, 3.47] {
            assert!((exponential(x) / f64::exp(x) - 1.0).abs() < 1e-9, "{x}");
        }
    }

    #[test]
    fn december_has_more_purchases_than_february_and_saturday_more_than_sunday() {
        let of_day = |month, day| purchases_of_day(days_since_epoch(YEAR, month, day) - first_day());
        assert!(of_day(12, 19) > of_day(2, 14) * 3 / 2);
        assert!(of_day(6, 7) > of_day(6, 8));
    }
}
