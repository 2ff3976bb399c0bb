//! The tables that card transactions are drawn from: merchants and their cities, issuers, days of the year, amounts.
//!
//! The same for every seed, and computed from integers and floating point additions and multiplications with identical
//! rounding on every machine, so that equal seeds give equal rows.

use std::sync::OnceLock;

use super::category::{CATEGORIES, Spread};
use super::city::{CITIES, City};
use crate::date::{calendar, days_since_epoch};

/// The golden ratio in 64 bits: increment of the counters for [`mix`].
pub(super) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Approximate number of merchants, and the minimum of each city.
const MERCHANTS: u64 = 4_096;
const MERCHANTS_OF_CITY_MIN: u64 = 8;

/// Sizes of the tables; powers of two, so that random bits are an index.
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

/// The finalizer of splitmix64 (Steele, Lea, Flood 2014; constants of Stafford's mix 13): consecutive inputs give
/// pseudo-random outputs.
#[inline]
pub(super) fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// A merchant, with a fixed code, city and category.
#[derive(Clone, Copy, Debug)]
pub(super) struct Merchant {
    /// Eight digits, unique.
    pub code: u32,
    /// Index in [`CATEGORIES`].
    pub category: usize,
    /// Index in [`CITIES`].
    pub city: usize,
    pub zip: u32,
}

impl Merchant {
    pub(super) fn city(&self) -> &'static City {
        &CITIES[self.city]
    }
}

/// A card issuer: the kind of card, and the first six digits of its numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Issuer {
    pub kind: &'static str,
    pub first_six: u32,
}

/// Kinds of cards with 16 digits: name, slots of 256, and the range of the first six digits.
const KINDS: &[(&str, usize, u32, u32)] = &[
    ("VISA", 133, 400_000, 499_999),
    ("MASTERCARD", 72, 510_000, 559_999),
    ("DISCOVER", 18, 650_000, 659_999),
    ("UNIONPAY", 12, 622_126, 622_925),
    ("MAESTRO", 12, 501_800, 501_899),
    ("JCB", 9, 352_800, 358_999),
];

/// The tables.
pub(super) struct Tables {
    pub merchants: Vec<Merchant>,
    pub issuers: Vec<Issuer>,
    /// Home state of a card, as an index of `local`.
    pub homes: Vec<u8>,
    /// The merchants of each state, larger ones more often.
    pub local: Vec<Vec<u16>>,
    /// Merchants of all states.
    pub everywhere: Vec<u16>,
    /// Day of the year, from 0.
    pub days: Vec<u16>,
    /// For each [`Spread`] the factor of the median, in units of 2^-16, by the sum of four 16-bit numbers in steps of
    /// 2^8; one more than steps.
    pub factors: Vec<Vec<u32>>,
}

impl Tables {
    /// The shared tables.
    pub(super) fn get() -> &'static Tables {
        static TABLES: OnceLock<Tables> = OnceLock::new();
        TABLES.get_or_init(Tables::new)
    }

    fn new() -> Tables {
        let merchants = merchants();
        let mut states: Vec<&str> = CITIES.iter().map(|city| city.state).collect();
        states.dedup();
        let inhabitants = |state: &str| CITIES.iter().filter(|p| p.state == state).map(|p| u64::from(p.weight)).sum();
        let homes = slots(&states.iter().map(|state| inhabitants(state)).collect::<Vec<u64>>(), HOME_SLOTS);
        let local = states.iter().map(|state| {
            let of_state: Vec<u16> = (0..merchants.len() as u16)
                .filter(|index| merchants[usize::from(*index)].city().state == *state)
                .collect();
            let weights: Vec<u64> = (0..of_state.len()).map(size_of_rank).collect();
            slots(&weights, LOCAL_SLOTS).into_iter().map(|rank| of_state[usize::from(rank)]).collect()
        });
        let everywhere: Vec<u64> =
            (0..merchants.len()).map(|index| size_of_rank(index.wrapping_mul(2_659) % 997)).collect();
        Tables {
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

/// Relative number of purchases of a merchant by its rank: 1 / (rank + 8), a flattened Zipf distribution.
fn size_of_rank(rank: usize) -> u64 {
    1_000_000 / (rank as u64 + 8)
}

fn merchants() -> Vec<Merchant> {
    let inhabitants: u64 = CITIES.iter().map(|city| u64::from(city.weight)).sum();
    let counts = CITIES.iter().map(|c| (MERCHANTS * u64::from(c.weight) / inhabitants).max(MERCHANTS_OF_CITY_MIN));
    let categories: u64 = CATEGORIES.iter().map(|category| u64::from(category.weight)).sum();
    let mut merchants: Vec<Merchant> = Vec::new();
    for (city, count) in counts.enumerate() {
        for _ in 0..count {
            let number = merchants.len() as u64;
            let span = u64::from(CITIES[city].zip_last - CITIES[city].zip_first + 1);
            merchants.push(Merchant {
                // 21 937 501 is coprime to 9 x 10^7: codes are unique.
                code: 10_000_000 + (number * 21_937_501 % 90_000_000) as u32,
                category: category(scrambled(number) % categories),
                city,
                zip: CITIES[city].zip_first + (scrambled(number + (1 << 20)) % span) as u32,
            });
        }
    }
    // Grouped by state, in random order within it: the size of a merchant does not depend on its city.
    merchants.sort_by_key(|merchant| (merchant.city().state, scrambled(u64::from(merchant.code))));
    merchants
}

/// The category at `point` of the cumulative weights.
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
            // Issuers with 1, 3, 5, ... slots each.
            let number = scrambled(u64::from(*first) + slot.isqrt() as u64);
            issuers.push(Issuer { kind, first_six: first + (number % u64::from(last - first + 1)) as u32 });
        }
    }
    issuers
}

/// Relative number of purchases of a day of the year: fewest in February, most before Christmas, and more towards the
/// end of the week.
fn purchases_of_day(day: i32) -> u64 {
    const OF_MONTH: [u64; 12] = [90, 88, 97, 98, 102, 101, 101, 103, 98, 102, 110, 128];
    const FROM_MONDAY: [u64; 7] = [91, 93, 96, 100, 119, 122, 89];
    let (_, month, day_of_month) = calendar(first_day() + day);
    // 1970-01-01 was a Thursday.
    let weekday = (first_day() + day + 3).rem_euclid(7);
    let weeks = if month == 12 && (15..25).contains(&day_of_month) { 115 } else { 100 };
    OF_MONTH[(month - 1) as usize] * FROM_MONDAY[weekday as usize] * weeks
}

/// Factors of the median: the exponential of a normally distributed number, approximated by a sum of four uniform ones.
fn factors(spread: Spread) -> Vec<u32> {
    let deviation = f64::from(spread.hundredths()) / 100.0;
    let step = |index: usize| (index * 4 * 65_536 / FACTOR_STEPS) as f64;
    let factor = |index| exponential(deviation * (step(index) - MEAN_OF_FOUR) / DEVIATION_OF_FOUR);
    (0..=FACTOR_STEPS).map(|index| (factor(index) * 65_536.0) as u32).collect()
}

/// e^x for |x| below 8: the series of e^(x / 1024), then squared ten times. The system library may round differently
/// on other machines.
fn exponential(x: f64) -> f64 {
    let x = x / 1_024.0;
    let series = 1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0)));
    (0..10).fold(series, |power, _| power * power)
}

/// A table of `count` slots with each index of `weights` in proportion to its weight, and at least once.
fn slots(weights: &[u64], count: usize) -> Vec<u16> {
    let total: u64 = weights.iter().sum();
    let spare = (count - weights.len()) as u64;
    let mut table = Vec::with_capacity(count);
    let mut sum = 0;
    for (index, weight) in weights.iter().enumerate() {
        let before = spare * sum / total;
        sum += weight;
        let slots = 1 + spare * sum / total - before;
        table.extend(std::iter::repeat_n(index as u16, slots as usize));
    }
    table
}

fn scrambled(number: u64) -> u64 {
    mix(number.wrapping_mul(GOLDEN))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn tables_are_full_and_have_every_index() {
        let tables = Tables::get();
        assert_eq!((tables.issuers.len(), tables.homes.len()), (ISSUER_SLOTS, HOME_SLOTS));
        assert_eq!((tables.everywhere.len(), tables.days.len()), (EVERYWHERE_SLOTS, DAY_SLOTS));
        assert!(tables.local.iter().all(|table| table.len() == LOCAL_SLOTS));
        assert!(tables.factors.iter().all(|table| table.len() == FACTOR_STEPS + 1));
        let all: BTreeSet<u16> = tables.everywhere.iter().copied().collect();
        assert_eq!(all.len(), tables.merchants.len());
        assert_eq!(tables.days.iter().copied().collect::<BTreeSet<u16>>().len(), 365);
        assert!((4_000..6_000).contains(&tables.merchants.len()), "{}", tables.merchants.len());
    }

    #[test]
    fn merchants_have_unique_codes_and_postal_codes_of_their_city() {
        let tables = Tables::get();
        let codes: BTreeSet<u32> = tables.merchants.iter().map(|merchant| merchant.code).collect();
        assert_eq!(codes.len(), tables.merchants.len());
        assert!(codes.iter().all(|code| (10_000_000..100_000_000).contains(code)));
        for merchant in &tables.merchants {
            assert!((merchant.city().zip_first..=merchant.city().zip_last).contains(&merchant.zip));
        }
        for (state, table) in tables.local.iter().enumerate() {
            let states: BTreeSet<&str> =
                table.iter().map(|index| tables.merchants[usize::from(*index)].city().state).collect();
            assert_eq!(states.len(), 1, "state {state}");
        }
    }

    #[test]
    fn factors_have_the_given_deviation() {
        let tables = Tables::get();
        for (spread, factors) in Spread::ALL.into_iter().zip(&tables.factors) {
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
    fn the_exponential_is_that_of_the_standard_library() {
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
