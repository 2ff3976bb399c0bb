//! Card transactions, made from a seed: the same rows on any number of threads, and a larger set begins with the
//! smaller one.
//!
//! Row i depends on the seed and i alone, through mixed counters; nothing is computed in floating point. Every part of
//! the set looks like every other: cards come from a window that moves with i, on average each 24 times and every eighth
//! one 72 times; days, merchants and amounts are drawn for each row. Seven of eight purchases are made in the state of
//! the card.

mod category;
mod digits;
mod line;
mod place;
mod world;

use std::ops::Range;
use std::sync::OnceLock;

use record::Bytes;

use category::CATEGORIES;
use digits::{check_digit, eight_digits};
use line::{LINE_ROOM, Printed};
use world::{FACTOR_STEPS, Merchant, World, days_of_year, first_day};

/// Counted up whenever rows come out differently.
const VERSION: u64 = 1;

/// Purchases of a card, on average.
const ROWS_PER_CARD: u64 = 24;
/// Cards that are in use at the same time.
const WINDOW_BITS: u32 = 18;
/// Bits of the number of a card that a draw leaves out: every fourth one falls on the first card of two, and another
/// fourth on the first of eight.
const BUSY: [u64; 4] = [0, 0, 1, 7];
/// Card numbers of an issuer: nine digits between its own six and the check digit.
const ACCOUNTS: u64 = 1_000_000_000;
/// No purchase is larger.
const CENTS_MAX: u64 = 9_999_999;
/// Rows that the length of a row is found out from.
const SAMPLE_ROWS: u64 = 1 << 15;
/// Bytes that are put together before they are appended: they stay in the first cache.
const BATCH_BYTES: usize = 16 << 10;

/// The golden ratio in 64 bits: distance of the counters that [`mix`] is fed with.
const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finalizer of splitmix64 (Steele, Lea, Flood 2014; constants of Stafford's mix 13): neighbouring inputs give
/// independent looking outputs.
#[inline]
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

/// How rows are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Bars between the fields and at the end of the line: [`Layout::cards`](crate::Layout::cards).
    Bars,
    /// Commas between the fields: [`Layout::cards_csv`](crate::Layout::cards_csv). The line of names is not written.
    Commas,
}

/// One transaction of a card: a row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Card {
    /// 16 digits, the last one a check digit.
    pub card_no: u64,
    /// The kind of card, such as `VISA`.
    pub card_type: &'static str,
    /// Merchant category code, four digits.
    pub mcc: u16,
    /// The amount of the purchase, hundredths of the currency.
    pub purchase_amt_cents: u32,
    /// The day, since 1970-01-01.
    pub purchase_dt: i32,
    /// The number of the merchant, eight digits.
    pub merchant_code: u32,
    /// City of the merchant.
    pub merchant_city: &'static str,
    /// Its state, two letters.
    pub merchant_state: &'static str,
    /// Its postal code, to be written with five digits.
    pub merchant_zip: u32,
}

/// Makes card transactions, each from its number alone.
#[derive(Clone, Copy, Debug)]
pub struct Cards {
    rows: u64,
    /// For what is drawn anew in each row.
    row_key: u64,
    /// For what belongs to a card.
    card_key: u64,
}

/// What was drawn for a row, before it is written or told.
struct Draw {
    /// The card number: digits in two halves.
    digits: [u64; 2],
    issuer: usize,
    merchant: usize,
    day: usize,
    /// Four numbers of 16 bits.
    size: u64,
    ending: usize,
}

impl Cards {
    /// `rows` transactions drawn from `seed`.
    pub fn new(seed: u64, rows: u64) -> Cards {
        let key = mix(mix(seed.wrapping_add(GOLDEN)) ^ VERSION);
        Cards { rows, row_key: mix(key ^ 1), card_key: mix(key ^ 2) }
    }

    /// How many there are.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Rows that give about so many bytes of flat file, with bars; at least one.
    pub fn rows_for(bytes: Bytes) -> u64 {
        Cards::rows_in(bytes, Style::Bars)
    }

    /// Rows that give about so many bytes of flat file; at least one.
    pub fn rows_in(bytes: Bytes, style: Style) -> u64 {
        let rows = u128::from(bytes.0) * u128::from(SAMPLE_ROWS) / u128::from(sample_bytes(style));
        u64::try_from(rows).unwrap_or(u64::MAX).max(1)
    }

    /// About how many bytes of flat file so many rows are.
    pub fn bytes_of(rows: u64, style: Style) -> Bytes {
        let bytes = u128::from(rows) * u128::from(sample_bytes(style)) / u128::from(SAMPLE_ROWS);
        Bytes(u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    /// The first day on which there is a purchase and the one after the last, since 1970-01-01.
    pub fn days() -> Range<i32> {
        first_day()..first_day() + days_of_year()
    }

    /// Appends the lines of `rows`, counted from 0, with bars.
    pub fn write(&self, rows: Range<u64>, into: &mut Vec<u8>) {
        self.write_as(Style::Bars, rows, into);
    }

    /// Appends the lines of `rows`, counted from 0.
    pub fn write_as(&self, style: Style, rows: Range<u64>, into: &mut Vec<u8>) {
        let (world, printed) = (World::get(), Printed::get(style));
        let mut batch = [0; BATCH_BYTES];
        let mut length = 0;
        for row in rows {
            let Some(room) = batch[length..].first_chunk_mut::<LINE_ROOM>() else { continue };
            let draw = self.draw(world, row);
            length += printed.print(world, &draw, room);
            if length > BATCH_BYTES - LINE_ROOM {
                into.extend_from_slice(&batch[..length]);
                length = 0;
            }
        }
        into.extend_from_slice(&batch[..length]);
    }

    /// The row at `row`, counted from 0.
    pub fn card(&self, row: u64) -> Card {
        let world = World::get();
        let draw = self.draw(world, row);
        let merchant: &Merchant = &world.merchants[draw.merchant];
        let category = &CATEGORIES[merchant.category];
        let [first, last] = draw
            .digits
            .map(|digits| digits.to_le_bytes().iter().fold(0, |number, digit| number * 10 + u64::from(*digit)));
        Card {
            card_no: first * 100_000_000 + last,
            card_type: world.issuers[draw.issuer].kind,
            mcc: category.code,
            purchase_amt_cents: draw.cents(&world.factors[category.spread as usize], category.median_cents),
            purchase_dt: first_day() + draw.day as i32,
            merchant_code: merchant.code,
            merchant_city: merchant.place().city,
            merchant_state: merchant.place().state,
            merchant_zip: merchant.zip,
        }
    }

    #[inline]
    fn draw(&self, world: &World, row: u64) -> Draw {
        let bits = mix(self.row_key ^ row.wrapping_mul(GOLDEN));
        let card = card_at(row, bits);
        let owner = mix(self.card_key ^ card.wrapping_mul(GOLDEN));
        let issuer = owner as usize % world::ISSUER_SLOTS;
        let home = home(world, owner);
        // Without a common factor with 10^9: neighbours lie far apart and no two cards of an issuer are equal.
        let account = card.wrapping_mul(618_033_989).wrapping_add(self.card_key >> 32) % ACCOUNTS;
        let first = world.issuers[issuer].first_six * 100 + (account / 10_000_000) as u32;
        let first = eight_digits(first);
        let last = eight_digits((account % 10_000_000 * 10) as u32);
        let place = (bits >> 23) as usize;
        let merchant = match (bits >> 20) & 7 {
            0 => world.everywhere[place % world::EVERYWHERE_SLOTS],
            _ => world.local[home][place % world::LOCAL_SLOTS],
        };
        Draw {
            digits: [first, last | (check_digit(first, last) << 56)],
            issuer,
            merchant: usize::from(merchant),
            day: usize::from(world.days[(bits >> 36) as usize % world::DAY_SLOTS]),
            size: mix(bits ^ 0xD6E8_FEB8_6659_FD93),
            ending: (bits >> 49) as usize & 15,
        }
    }
}

impl Draw {
    /// What was paid where half of all pay less than `median_cents`. Three of eight amounts end as prices like to.
    #[inline]
    fn cents(&self, factors: &[u32], median_cents: u32) -> u32 {
        const ENDINGS: [Option<u64>; 16] = {
            let mut endings = [None; 16];
            endings[0] = Some(0);
            endings[1] = Some(0);
            endings[2] = Some(99);
            endings[3] = Some(99);
            endings[4] = Some(95);
            endings[5] = Some(50);
            endings
        };
        let pairs = (self.size & 0x0000_FFFF_0000_FFFF) + ((self.size >> 16) & 0x0000_FFFF_0000_FFFF);
        let sum = (pairs & 0x000F_FFFF) + (pairs >> 32);
        let index = (sum >> 8) as usize % FACTOR_STEPS;
        let (low, high) = (u64::from(factors[index]), u64::from(factors[index + 1]));
        let factor = low + (((high - low) * (sum & 0xFF)) >> 8);
        let cents = (u64::from(median_cents) * factor) >> 16;
        let cents = ENDINGS[self.ending].map_or(cents, |ending| cents / 100 * 100 + ending);
        cents.clamp(1, CENTS_MAX) as u32
    }
}

/// The card of a row, for which `bits` were drawn: one of the window, sometimes the first of its neighbours.
#[inline]
fn card_at(row: u64, bits: u64) -> u64 {
    let drawn = row / ROWS_PER_CARD + (bits & ((1 << WINDOW_BITS) - 1));
    drawn & !BUSY[(bits >> WINDOW_BITS) as usize & 3]
}

/// The state in which the card with the bits `owner` is at home.
#[inline]
fn home(world: &World, owner: u64) -> usize {
    usize::from(world.homes[(owner >> 8) as usize % world::HOME_SLOTS])
}

/// Bytes of [`SAMPLE_ROWS`] rows.
fn sample_bytes(style: Style) -> u64 {
    static BARS: OnceLock<u64> = OnceLock::new();
    let bars = *BARS.get_or_init(|| {
        let mut lines = Vec::new();
        Cards::new(0, SAMPLE_ROWS).write(0..SAMPLE_ROWS, &mut lines);
        lines.len() as u64
    });
    match style {
        Style::Bars => bars,
        // The bar at the end.
        Style::Commas => bars - SAMPLE_ROWS,
    }
}

#[cfg(test)]
mod tests;
