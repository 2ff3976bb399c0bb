//! The price book of a user, a TOML file.
//!
//! ```toml
//! currency = "CHF"
//! date     = "2026-11-01"
//! source   = "offer 4711 of the vendor"
//! years    = 3                      # period over which yearly and hourly prices are counted; default 3
//!
//! [[item]]
//! name        = "database licence"
//! quantity    = 32                  # cores; default 1
//! list_price  = 47_500
//! discount    = "20 %"              # or 0.2; default none
//! kind        = "per_core"          # once, per_core, per_year, per_hour
//! core_factor = 0.5                 # licences per core, per_core only; default 1
//! ```

use std::fmt;

use model::{PriceBook, PriceItem, PriceKind};
use record::Ratio;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer};
use toml::Spanned;
use toml::value::Datetime;

/// Default period, years: that of published price/performance.
const YEARS: u32 = 3;
/// The longest period accepted.
const YEARS_MAX: i64 = 30;
/// Larger prices, quantities and factors are mistakes, and would lose digits.
const FIGURE_MAX: f64 = 1e12;
/// So are smaller ones, whose cost may round to 0.
const FIGURE_MIN: f64 = 1e-12;
/// A minimal price book.
const SMALLEST: &str = "currency = \"USD\", date = \"2026-01-31\", source = \"whose prices\", then per item [[item]] \
                        with name, list_price and kind = \"once\"";

/// A price book as written, not validated yet.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct BookFile {
    currency: Spanned<String>,
    date: Spanned<Date>,
    source: Spanned<String>,
    years: Option<Spanned<i64>>,
    #[serde(default, rename = "item")]
    items: Vec<ItemFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ItemFile {
    name: Spanned<String>,
    quantity: Option<Spanned<f64>>,
    list_price: Spanned<f64>,
    discount: Option<Spanned<Discount>>,
    kind: Spanned<Kind>,
    core_factor: Option<Spanned<f64>>,
}

#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Once,
    PerCore,
    PerYear,
    PerHour,
}

/// A TOML date, or words such as `spring 2026`.
struct Date(String);

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Date, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged, expecting = "a date or words such as \"spring 2026\"")]
        enum Form {
            Words(String),
            Date(Datetime),
        }
        Form::deserialize(deserializer).map(|form| match form {
            Form::Words(words) => Date(words),
            Form::Date(date) => Date(date.to_string()),
        })
    }
}

/// A ratio, or percent as text.
struct Discount(f64);

impl<'de> Deserialize<'de> for Discount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Discount, D::Error> {
        deserializer.deserialize_any(DiscountVisitor)
    }
}

struct DiscountVisitor;

impl Visitor<'_> for DiscountVisitor {
    type Value = Discount;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a ratio such as 0.2, or percent as text such as \"20 %\"")
    }

    fn visit_f64<E: de::Error>(self, ratio: f64) -> Result<Discount, E> {
        Ok(Discount(ratio))
    }

    fn visit_i64<E: de::Error>(self, ratio: i64) -> Result<Discount, E> {
        Ok(Discount(ratio as f64))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Discount, E> {
        let percent = text.trim().strip_suffix('%').and_then(|digits| digits.trim().parse::<f64>().ok());
        match percent {
            Some(percent) => Ok(Discount(percent / 100.0)),
            None => Err(E::invalid_value(de::Unexpected::Str(text), &self)),
        }
    }
}

/// A price book that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct PriceError {
    /// The file, as named by the caller.
    pub path: String,
    /// The line, counted from 1, where known.
    pub line: Option<usize>,
    /// What is wrong: thing, value, limit.
    pub message: String,
    /// What the user can do about it, as a clause.
    pub hint: Option<String>,
}

impl fmt::Display for PriceError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "price book {}", self.path)?;
        if let Some(line) = self.line {
            write!(formatter, " line {line}")?;
        }
        write!(formatter, ": {}", self.message)?;
        match &self.hint {
            Some(hint) => write!(formatter, "; hint: {hint}"),
            None => Ok(()),
        }
    }
}

/// The prices in `text`; `path` is named in errors.
///
/// Refused, with key, value and limit: invalid TOML, unknown or missing keys, no items, a currency that is not three
/// capital letters, a figure that is not finite, negative or absurdly large, a discount above 1, a core factor of an
/// item that is not priced per core.
pub fn price_book(text: &str, path: &str) -> Result<PriceBook, PriceError> {
    let refusal = Refusal { text, path };
    refusal.book(toml::from_str(text).map_err(|error| refusal.of_toml(&error))?)
}

impl PriceError {
    fn without_line(self) -> PriceError {
        PriceError { line: None, ..self }
    }
}

/// Builds errors that have their line.
pub(crate) struct Refusal<'a> {
    /// The whole file.
    pub(crate) text: &'a str,
    /// Its name, for errors.
    pub(crate) path: &'a str,
}

impl Refusal<'_> {
    /// The prices of `file`.
    pub(crate) fn book(&self, file: BookFile) -> Result<PriceBook, PriceError> {
        let currency = file.currency.get_ref();
        if currency.len() != 3 || !currency.bytes().all(|letter| letter.is_ascii_uppercase()) {
            let message = format!("currency {currency:?} is not a code of three capital letters");
            return Err(self.at(&file.currency, message, "give an ISO 4217 code such as \"USD\" or \"EUR\""));
        }
        for (name, value) in [("date", &file.date.get_ref().0), ("source", file.source.get_ref())] {
            if value.trim().is_empty() {
                let place = if name == "date" { file.date.span() } else { file.source.span() };
                return Err(self.within(
                    place,
                    format!("{name} is empty"),
                    "give the date and the source of the prices",
                ));
            }
        }
        let years = file.years.as_ref().map_or(Ok(YEARS), |years| self.years(years))?;
        if file.items.is_empty() {
            let message = "no [[item]], at least 1 is required".to_owned();
            return Err(self.within(0..0, message, "add [[item]] with name, list_price and kind").without_line());
        }
        let items = file.items.iter().map(|item| self.item(item)).collect::<Result<_, _>>()?;
        Ok(PriceBook {
            currency: currency.clone(),
            date: file.date.into_inner().0,
            source: file.source.into_inner(),
            years,
            items,
        })
    }

    fn within(&self, place: std::ops::Range<usize>, message: String, hint: &str) -> PriceError {
        let before = self.text.as_bytes().get(..place.start).unwrap_or(self.text.as_bytes());
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        PriceError { path: self.path.to_owned(), line: Some(line), message, hint: Some(hint.to_owned()) }
    }

    fn at<T>(&self, place: &Spanned<T>, message: String, hint: &str) -> PriceError {
        self.within(place.span(), message, hint)
    }

    /// A parser error.
    fn of_toml(&self, error: &toml::de::Error) -> PriceError {
        let message = error.message().trim_end().replace('\n', ", ");
        let hint = format!("a price book is TOML: {SMALLEST}");
        match error.span() {
            Some(place) => self.within(place, message, &hint),
            None => self.within(0..0, message, &hint).without_line(),
        }
    }

    fn years(&self, years: &Spanned<i64>) -> Result<u32, PriceError> {
        let value = *years.get_ref();
        match u32::try_from(value) {
            Ok(value @ 1..) if i64::from(value) <= YEARS_MAX => Ok(value),
            _ => {
                let message = format!("years {value} is not in 1..={YEARS_MAX}");
                Err(self.at(years, message, "prices are usually compared over 3 years"))
            }
        }
    }

    fn item(&self, item: &ItemFile) -> Result<PriceItem, PriceError> {
        let name = item.name.get_ref();
        if name.trim().is_empty() {
            return Err(self.at(&item.name, "name of an item is empty".to_owned(), "give the item a name"));
        }
        let optional = |figure: &Option<Spanned<f64>>, what: &str| {
            figure.as_ref().map_or(Ok(1.0), |figure| self.positive(figure, what, name))
        };
        let kind = match (*item.kind.get_ref(), &item.core_factor) {
            (Kind::PerCore, factor) => PriceKind::PerCore { core_factor: optional(factor, "core_factor")? },
            (_, Some(factor)) => {
                let message = format!("core_factor {} of {name:?} is not priced per core", exact(*factor.get_ref()));
                return Err(self.at(factor, message, "use it with kind = \"per_core\" only"));
            }
            (Kind::Once, None) => PriceKind::Once,
            (Kind::PerYear, None) => PriceKind::PerYear,
            (Kind::PerHour, None) => PriceKind::PerHour,
        };
        Ok(PriceItem {
            name: name.clone(),
            kind,
            quantity: optional(&item.quantity, "quantity")?,
            list_price: self.figure(&item.list_price, "list_price", name)?,
            discount: item.discount.as_ref().map_or(Ok(Ratio(0.0)), |discount| self.discount(discount, name))?,
        })
    }

    /// A finite figure that is not negative.
    fn figure(&self, figure: &Spanned<f64>, what: &str, name: &str) -> Result<f64, PriceError> {
        let value = *figure.get_ref();
        let problem = match value {
            _ if !value.is_finite() => "is not a finite number",
            _ if value < 0.0 => "is negative",
            _ if value > FIGURE_MAX => "is more than 1e12",
            _ if value > 0.0 && value < FIGURE_MIN => "is less than 1e-12",
            // -0 is 0.
            _ => return Ok(value.abs()),
        };
        let hint = match what {
            "list_price" => "give the price of one unit, before any discount",
            _ => "give a number above 0",
        };
        Err(self.at(figure, format!("{what} {} of {name:?} {problem}", exact(value)), hint))
    }

    fn positive(&self, figure: &Spanned<f64>, what: &str, name: &str) -> Result<f64, PriceError> {
        let value = self.figure(figure, what, name)?;
        match value > 0.0 {
            true => Ok(value),
            false => {
                Err(self.at(figure, format!("{what} 0 of {name:?} is not above 0"), "omit items that are not paid for"))
            }
        }
    }

    fn discount(&self, discount: &Spanned<Discount>, name: &str) -> Result<Ratio, PriceError> {
        let Discount(value) = *discount.get_ref();
        let problem = match value {
            _ if !value.is_finite() => "is not a finite number",
            _ if value < 0.0 => "is negative",
            _ if value > 1.0 => "is more than 1",
            _ => return Ok(Ratio(value.abs())),
        };
        let message = format!("discount {} of {name:?} {problem}", exact(value));
        Err(self.at(discount, message, "give a fraction of the list price: 0.2 or \"20 %\""))
    }
}

/// A figure with all its digits, grouped by thousands from 10,000 on: `0.99`, `1809`, `68,336`.
fn exact(value: f64) -> String {
    let digits = format!("{value}");
    let (whole, fraction) = digits.split_once('.').map_or((digits.as_str(), None), |(whole, rest)| (whole, Some(rest)));
    let (sign, whole) = whole.strip_prefix('-').map_or(("", whole), |rest| ("-", rest));
    let mut grouped = whole.to_owned();
    if value.is_finite() && whole.len() > 4 {
        let groups: Vec<&str> =
            whole.as_bytes().rchunks(3).rev().filter_map(|part| str::from_utf8(part).ok()).collect();
        grouped = groups.join(",");
    }
    match fraction {
        Some(fraction) => format!("{sign}{grouped}.{fraction}"),
        None => format!("{sign}{grouped}"),
    }
}

#[cfg(test)]
mod tests;
