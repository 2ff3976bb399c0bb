//! Rows as lines: most of a line is printed once for all rows and copied.

use std::sync::OnceLock;

use super::category::CATEGORIES;
use super::digits::{ZEROS, amount};
use super::world::{Merchant, World, days_of_year, first_day};
use super::{Draw, Style};
use crate::date::date_text;

/// Room that a line is written in; it may be shorter, and what follows it then is of no use.
pub(super) const LINE_ROOM: usize = 128;

/// Pieces are copied with their whole room, so that every copy is a few instructions; their lengths say what counts.
const KIND_ROOM: usize = 16;
const CODE_ROOM: usize = 8;
const DAY_ROOM: usize = 16;
const MERCHANT_ROOM: usize = 48;

/// The pieces of lines in one style.
pub(super) struct Printed {
    /// For each place of the issuers: separator, kind, separator.
    kinds: Vec<Piece<KIND_ROOM>>,
    /// Separator and date of each day of the year.
    days: Vec<[u8; DAY_ROOM]>,
    merchants: Vec<PrintedMerchant>,
}

#[derive(Clone, Copy)]
struct Piece<const ROOM: usize> {
    bytes: [u8; ROOM],
    length: u8,
}

/// One line of the cache.
#[repr(align(64))]
struct PrintedMerchant {
    /// Separator, code, city, state, postal code and the end of the line.
    bytes: [u8; MERCHANT_ROOM],
    /// Code of the category, and the separator behind it.
    category: [u8; CODE_ROOM],
    median_cents: u32,
    length: u8,
    spread: u8,
}

impl Printed {
    /// The pieces in `style`.
    pub(super) fn get(style: Style) -> &'static Printed {
        static BARS: OnceLock<Printed> = OnceLock::new();
        static COMMAS: OnceLock<Printed> = OnceLock::new();
        match style {
            Style::Bars => BARS.get_or_init(|| Printed::make('|', "|\n")),
            Style::Commas => COMMAS.get_or_init(|| Printed::make(',', "\n")),
        }
    }

    fn make(separator: char, end: &str) -> Printed {
        let world = World::get();
        let day = |day| Piece::of(&format!("{separator}{}", date_text(first_day() + day))).bytes;
        Printed {
            kinds: world
                .issuers
                .iter()
                .map(|issuer| Piece::of(&format!("{separator}{}{separator}", issuer.kind)))
                .collect(),
            days: (0..days_of_year()).map(day).collect(),
            merchants: world.merchants.iter().map(|merchant| PrintedMerchant::make(merchant, separator, end)).collect(),
        }
    }

    /// Writes the line of `draw` and returns its length.
    #[inline]
    pub(super) fn print(&self, world: &World, draw: &Draw, line: &mut [u8; LINE_ROOM]) -> usize {
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
        let factors = &world.factors[usize::from(merchant.spread)];
        let (paid, length) = amount(draw.cents(factors, merchant.median_cents));
        line[at..at + 8].copy_from_slice(&paid);
        at += length;
        line[at..at + DAY_ROOM].copy_from_slice(&self.days[draw.day]);
        at += 11;
        line[at..at + MERCHANT_ROOM].copy_from_slice(&merchant.bytes);
        at + usize::from(merchant.length)
    }
}

impl<const ROOM: usize> Piece<ROOM> {
    /// `text`, which is no longer than its room.
    fn of(text: &str) -> Piece<ROOM> {
        let mut bytes = [0; ROOM];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Piece { bytes, length: text.len() as u8 }
    }
}

impl PrintedMerchant {
    fn make(merchant: &Merchant, separator: char, end: &str) -> PrintedMerchant {
        let (place, category) = (merchant.place(), &CATEGORIES[merchant.category]);
        let code = merchant.code.to_string();
        let zip = format!("{:05}", merchant.zip);
        let text = ["", &code, place.city, place.state, &zip].join(&separator.to_string()) + end;
        let piece = Piece::<MERCHANT_ROOM>::of(&text);
        PrintedMerchant {
            bytes: piece.bytes,
            category: Piece::of(&format!("{:04}{separator}", category.code)).bytes,
            median_cents: category.median_cents,
            length: piece.length,
            spread: category.spread as u8,
        }
    }
}
