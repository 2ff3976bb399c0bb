//! Rows as lines, assembled from fragments that are formatted once.

use std::sync::OnceLock;

use super::category::CATEGORIES;
use super::digits::{ZEROS, amount};
use super::draw::{Draw, Style};
use super::tables::{Merchant, Tables, days_of_year, first_day};
use crate::date::date_text;

/// Buffer size of a line; bytes after the end of a shorter line are undefined.
pub(super) const LINE_ROOM: usize = 128;

/// Fragments are copied with their fixed size, which takes a few instructions; their lengths advance the position.
const KIND_ROOM: usize = 16;
const CODE_ROOM: usize = 8;
const DAY_ROOM: usize = 16;
const MERCHANT_ROOM: usize = 48;

/// The fragments of lines in one style.
pub(super) struct Fragments {
    /// For each slot of the issuers: separator, kind, separator.
    kinds: Vec<Fragment<KIND_ROOM>>,
    /// Separator and date of each day of the year.
    days: Vec<[u8; DAY_ROOM]>,
    merchants: Vec<MerchantFragment>,
}

#[derive(Clone, Copy)]
struct Fragment<const ROOM: usize> {
    bytes: [u8; ROOM],
    length: u8,
}

/// Aligned to a cache line.
#[repr(align(64))]
struct MerchantFragment {
    /// Separator, code, city, state, postal code and the end of the line.
    bytes: [u8; MERCHANT_ROOM],
    /// Code of the category, and a separator.
    category: [u8; CODE_ROOM],
    median_cents: u32,
    length: u8,
    spread: u8,
}

impl Fragments {
    /// The fragments in `style`.
    pub(super) fn get(style: Style) -> &'static Fragments {
        static BARS: OnceLock<Fragments> = OnceLock::new();
        static COMMAS: OnceLock<Fragments> = OnceLock::new();
        match style {
            Style::Bars => BARS.get_or_init(|| Fragments::new('|', "|\n")),
            Style::Commas => COMMAS.get_or_init(|| Fragments::new(',', "\n")),
        }
    }

    fn new(separator: char, end: &str) -> Fragments {
        let tables = Tables::get();
        let day = |day| Fragment::of(&format!("{separator}{}", date_text(first_day() + day))).bytes;
        Fragments {
            kinds: tables
                .issuers
                .iter()
                .map(|issuer| Fragment::of(&format!("{separator}{}{separator}", issuer.kind)))
                .collect(),
            days: (0..days_of_year()).map(day).collect(),
            merchants: tables
                .merchants
                .iter()
                .map(|merchant| MerchantFragment::new(merchant, separator, end))
                .collect(),
        }
    }

    /// Writes the line of `draw` and returns its length.
    #[inline]
    pub(super) fn print(&self, tables: &Tables, draw: &Draw, line: &mut [u8; LINE_ROOM]) -> usize {
        let merchant = &self.merchants[draw.merchant];
        let [first, last] = draw.digits.map(|digits| (digits | ZEROS).to_le_bytes());
        line[..8].copy_from_slice(&first);
        line[8..16].copy_from_slice(&last);
        let mut at = 16;
        let kind = &self.kinds[draw.issuer];
        line[at..at + KIND_ROOM].copy_from_slice(&kind.bytes);
        at += usize::from(kind.length);
        line[at..at + CODE_ROOM].copy_from_slice(&merchant.category);
        at += 5;
        let factors = &tables.factors[usize::from(merchant.spread)];
        let (paid, length) = amount(draw.cents(factors, merchant.median_cents));
        line[at..at + 8].copy_from_slice(&paid);
        at += length;
        line[at..at + DAY_ROOM].copy_from_slice(&self.days[draw.day]);
        at += 11;
        line[at..at + MERCHANT_ROOM].copy_from_slice(&merchant.bytes);
        at + usize::from(merchant.length)
    }
}

impl<const ROOM: usize> Fragment<ROOM> {
    /// `text`, of at most `ROOM` bytes.
    fn of(text: &str) -> Fragment<ROOM> {
        let mut bytes = [0; ROOM];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Fragment { bytes, length: text.len() as u8 }
    }
}

impl MerchantFragment {
    fn new(merchant: &Merchant, separator: char, end: &str) -> MerchantFragment {
        let (city, category) = (merchant.city(), &CATEGORIES[merchant.category]);
        let code = merchant.code.to_string();
        let zip = format!("{:05}", merchant.zip);
        let text = ["", &code, city.name, city.state, &zip].join(&separator.to_string()) + end;
        let fragment = Fragment::<MERCHANT_ROOM>::of(&text);
        MerchantFragment {
            bytes: fragment.bytes,
            category: Fragment::of(&format!("{:04}{separator}", category.code)).bytes,
            median_cents: category.median_cents,
            length: fragment.length,
            spread: category.spread as u8,
        }
    }
}
