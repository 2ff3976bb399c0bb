//! Card transactions generated from a seed: the same rows on any number of threads, and a smaller set is a prefix of a
//! larger one.
//!
//! Row i depends only on the seed and i, through mixed counters, without floating point. All parts of the set are
//! alike: cards come from a window that moves with i, on average each 24 times and every eighth one 72 times; days,
//! merchants and amounts are drawn for each row. Seven of eight purchases are in the home state of the card.

mod category;
mod city;
mod digits;
mod draw;
mod line;
mod tables;

use std::ops::Range;
use std::sync::OnceLock;

use record::Bytes;

use category::CATEGORIES;
use digits::{check_digit, eight_digits};
use draw::Draw;
use line::{Fragments, LINE_ROOM};
use tables::{GOLDEN, Tables, days_of_year, first_day, mix};

pub use draw::Style;

/// Incremented with every change of the generated rows.
const VERSION: u64 = 1;

/// Purchases of a card, on average.
const ROWS_PER_CARD: u64 = 24;
/// Size of the window of cards, bits.
const WINDOW_BITS: u32 = 18;
/// Bits cleared in a drawn card number: a quarter of the draws gives the first card of two, and another quarter the
/// first of eight.
const BUSY: [u64; 4] = [0, 0, 1, 7];
/// Card numbers of an issuer: nine digits between its own six and the check digit.
const ACCOUNTS: u64 = 1_000_000_000;
/// Rows of the sample for the average length of a row.
const SAMPLE_ROWS: u64 = 1 << 15;
/// Buffer size of lines: fits the first-level cache.
const BUFFER_BYTES: usize = 16 << 10;

/// A card transaction: a row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Card {
    /// 16 digits, the last one a check digit.
    pub card_no: u64,
    /// The kind of card, such as `VISA`.
    pub card_type: &'static str,
    /// Merchant category code, four digits.
    pub mcc: u16,
    /// The amount, in hundredths of the currency.
    pub purchase_amt_cents: u32,
    /// The date, days since 1970-01-01.
    pub purchase_dt: i32,
    /// The number of the merchant, eight digits.
    pub merchant_code: u32,
    /// City of the merchant.
    pub merchant_city: &'static str,
    /// State of the merchant, two letters.
    pub merchant_state: &'static str,
    /// Postal code of the merchant, written with five digits.
    pub merchant_zip: u32,
}

/// Generates card transactions, each from its number alone.
#[derive(Clone, Copy, Debug)]
pub struct Cards {
    rows: u64,
    /// Key of the draws of a row.
    row_key: u64,
    /// Key of the properties of a card.
    card_key: u64,
}

impl Cards {
    /// `rows` transactions of `seed`.
    pub fn new(seed: u64, rows: u64) -> Cards {
        let key = mix(mix(seed.wrapping_add(GOLDEN)) ^ VERSION);
        Cards { rows, row_key: mix(key ^ 1), card_key: mix(key ^ 2) }
    }

    /// Number of rows.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Rows for about `bytes` of a flat file with bars; at least one.
    pub fn rows_for(bytes: Bytes) -> u64 {
        Cards::rows_in(bytes, Style::Bars)
    }

    /// Rows for about `bytes` of a flat file; at least one.
    pub fn rows_in(bytes: Bytes, style: Style) -> u64 {
        let rows = u128::from(bytes.0) * u128::from(SAMPLE_ROWS) / u128::from(sample_bytes(style));
        u64::try_from(rows).unwrap_or(u64::MAX).max(1)
    }

    /// Approximate bytes of a flat file with `rows`.
    pub fn bytes_of(rows: u64, style: Style) -> Bytes {
        let bytes = u128::from(rows) * u128::from(sample_bytes(style)) / u128::from(SAMPLE_ROWS);
        Bytes(u64::try_from(bytes).unwrap_or(u64::MAX))
    }

    /// The days with purchases, since 1970-01-01.
    pub fn days() -> Range<i32> {
        first_day()..first_day() + days_of_year()
    }

    /// Appends the lines of `rows`, counted from 0, with bars.
    pub fn write(&self, rows: Range<u64>, into: &mut Vec<u8>) {
        self.write_as(Style::Bars, rows, into);
    }

    /// Appends the lines of `rows`, counted from 0.
    pub fn write_as(&self, style: Style, rows: Range<u64>, into: &mut Vec<u8>) {
        let (tables, fragments) = (Tables::get(), Fragments::get(style));
        let mut buffer = [0; BUFFER_BYTES];
        let mut length = 0;
        for row in rows {
            let Some(room) = buffer[length..].first_chunk_mut::<LINE_ROOM>() else { continue };
            let draw = self.draw(tables, row);
            length += fragments.print(tables, &draw, room);
            if length > BUFFER_BYTES - LINE_ROOM {
                into.extend_from_slice(&buffer[..length]);
                length = 0;
            }
        }
        into.extend_from_slice(&buffer[..length]);
    }

    /// Row number `row`, counted from 0.
    pub fn card(&self, row: u64) -> Card {
        let tables = Tables::get();
        let draw = self.draw(tables, row);
        let merchant = &tables.merchants[draw.merchant];
        let category = &CATEGORIES[merchant.category];
        let [first, last] = draw
            .digits
            .map(|digits| digits.to_le_bytes().iter().fold(0, |number, digit| number * 10 + u64::from(*digit)));
        Card {
            card_no: first * 100_000_000 + last,
            card_type: tables.issuers[draw.issuer].kind,
            mcc: category.code,
            purchase_amt_cents: draw.cents(&tables.factors[category.spread as usize], category.median_cents),
            purchase_dt: first_day() + draw.day as i32,
            merchant_code: merchant.code,
            merchant_city: merchant.city().name,
            merchant_state: merchant.city().state,
            merchant_zip: merchant.zip,
        }
    }

    #[inline]
    fn draw(&self, tables: &Tables, row: u64) -> Draw {
        let bits = mix(self.row_key ^ row.wrapping_mul(GOLDEN));
        let card = card_at(row, bits);
        let owner = mix(self.card_key ^ card.wrapping_mul(GOLDEN));
        let issuer = owner as usize % tables::ISSUER_SLOTS;
        let home = home(tables, owner);
        // Coprime to 10^9: consecutive numbers are far apart, and the cards of an issuer are unique.
        let account = card.wrapping_mul(618_033_989).wrapping_add(self.card_key >> 32) % ACCOUNTS;
        let first = tables.issuers[issuer].first_six * 100 + (account / 10_000_000) as u32;
        let first = eight_digits(first);
        let last = eight_digits((account % 10_000_000 * 10) as u32);
        let slot = (bits >> 23) as usize;
        let merchant = match (bits >> 20) & 7 {
            0 => tables.everywhere[slot % tables::EVERYWHERE_SLOTS],
            _ => tables.local[home][slot % tables::LOCAL_SLOTS],
        };
        Draw {
            digits: [first, last | (check_digit(first, last) << 56)],
            issuer,
            merchant: usize::from(merchant),
            day: usize::from(tables.days[(bits >> 36) as usize % tables::DAY_SLOTS]),
            size: mix(bits ^ 0xD6E8_FEB8_6659_FD93),
            ending: (bits >> 49) as usize & 15,
        }
    }
}

/// The card of a row with the random `bits`: one of the window, or the first one of its group.
#[inline]
fn card_at(row: u64, bits: u64) -> u64 {
    let drawn = row / ROWS_PER_CARD + (bits & ((1 << WINDOW_BITS) - 1));
    drawn & !BUSY[(bits >> WINDOW_BITS) as usize & 3]
}

/// The home state of the card with the random bits `owner`.
#[inline]
fn home(tables: &Tables, owner: u64) -> usize {
    usize::from(tables.homes[(owner >> 8) as usize % tables::HOME_SLOTS])
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
        // Without the bar at the end.
        Style::Commas => bars - SAMPLE_ROWS,
    }
}

#[cfg(test)]
mod tests;
