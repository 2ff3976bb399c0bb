//! Sections of a platform file: keys with their lines, each read once, and what is left over.

use std::ops::{Range, RangeInclusive};

use base::quantity;
use model::platform::Basis;
use model::platform_plan::Origin;
use record::{Bytes, Rate};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::PlatformError;

/// Larger figures are mistakes.
const FIGURE_MAX: f64 = 1e15;
/// So are smaller ones, other than 0.
const FIGURE_MIN: f64 = 1e-15;
/// Bytes up to which sizes are accepted.
const SIZE_MAX: f64 = 1e18;
/// The most of anything that is counted.
pub(super) const COUNT_MAX: i64 = 100_000;
/// The most sections of one kind.
const SECTIONS_MAX: usize = 200;
/// Sections that a file may have once.
const SECTIONS: [&str; 9] =
    ["processor", "memory", "volume", "network", "fabric", "commit", "cache", "licence", "required"];
/// Sections that it may have several times.
const LISTS: [&str; 2] = ["link", "drive"];

type Read<T> = Result<T, PlatformError>;

/// The whole file.
pub(super) struct File<'a> {
    /// What stands before the first section.
    pub(super) top: Section<'a>,
    sections: Vec<Section<'a>>,
    finished: Vec<Section<'a>>,
}

/// A section: what was not read yet of it.
pub(super) struct Section<'a> {
    /// Its name.
    pub(super) name: &'static str,
    place: Range<usize>,
    entries: Vec<Entry>,
    asked: Vec<&'static str>,
    writer: Writer<'a>,
}

struct Entry {
    key: String,
    place: Range<usize>,
    value: Value,
}

/// A value, as far as a platform file has such ones.
enum Value {
    Number(f64),
    Words(String),
    Switch(bool),
    Pairs(Vec<(String, f64)>),
    Other(&'static str),
}

/// Makes errors with their line.
#[derive(Clone, Copy)]
pub(super) struct Writer<'a> {
    text: &'a str,
    path: &'a str,
}

impl Writer<'_> {
    pub(super) fn at(&self, place: &Range<usize>, message: String, hint: &str) -> PlatformError {
        let before = self.text.as_bytes().get(..place.start).unwrap_or(self.text.as_bytes());
        let line = Some(1 + before.iter().filter(|byte| **byte == b'\n').count());
        PlatformError { path: self.path.to_owned(), line, message, hint: hint.to_owned() }
    }

    /// An unknown key or section.
    fn unknown(&self, place: &Range<usize>, what: &str, name: &str, known: &[&'static str]) -> PlatformError {
        let hint = match base::similar(name, known.iter().copied()).first() {
            Some(near) => format!("did you mean {near}?"),
            None => format!("use {}", known.join(", ")),
        };
        let shown: String = name.chars().take(40).collect();
        self.at(place, format!("{what} {shown:?} is not known"), &hint)
    }
}

impl<'a> File<'a> {
    /// Parses `text`.
    pub(super) fn read(text: &'a str, path: &'a str) -> Read<File<'a>> {
        let writer = Writer { text, path };
        let table = DeTable::parse(text).map_err(|error| {
            let message = error.message().trim_end().replace('\n', ", ");
            let hint = "a platform is TOML: sections such as [processor] or [[drive]], in each lines of key = value";
            writer.at(&error.span().unwrap_or(0..0), message, hint)
        })?;
        let section = |name| Section { name, place: 0..0, entries: Vec::new(), asked: Vec::new(), writer };
        let mut file = File { top: section("platform"), sections: Vec::new(), finished: Vec::new() };
        for (key, value) in table.into_inner() {
            let place = key.span();
            let name = key.into_inner();
            let found = SECTIONS.into_iter().chain(LISTS).find(|known| *known == name);
            match (found, value.into_inner()) {
                (Some(name), DeValue::Table(table)) if SECTIONS.contains(&name) => {
                    file.sections.push(Section { place, entries: entries(table), ..section(name) });
                }
                (Some(name), DeValue::Array(tables)) if LISTS.contains(&name) => {
                    if tables.len() > SECTIONS_MAX {
                        let message =
                            format!("{name} is there {} times, at most {SECTIONS_MAX} are read", tables.len());
                        return Err(writer.at(&place, message, "equal drives are one section with count"));
                    }
                    for table in tables {
                        let place = table.span();
                        let DeValue::Table(table) = table.into_inner() else {
                            return Err(writer.at(
                                &place,
                                format!("{name} is no list of sections"),
                                "write [[link]] or [[drive]] for each",
                            ));
                        };
                        file.sections.push(Section { place, entries: entries(table), ..section(name) });
                    }
                }
                (Some(name), _) => {
                    let form = if LISTS.contains(&name) { format!("[[{name}]]") } else { format!("[{name}]") };
                    return Err(writer.at(&place, format!("{name} is no section"), &format!("write it as {form}")));
                }
                (None, DeValue::Table(_)) | (None, DeValue::Array(_)) => {
                    let known: Vec<&'static str> = SECTIONS.into_iter().chain(LISTS).collect();
                    return Err(writer.unknown(&place, "section", &name, &known));
                }
                (None, value) => file.top.entries.push(Entry { key: name.into_owned(), place, value: of_toml(value) }),
            }
        }
        Ok(file)
    }

    /// All sections of that name, in the order of the file.
    pub(super) fn take(&mut self, name: &str) -> Vec<Section<'a>> {
        let (found, rest) = std::mem::take(&mut self.sections).into_iter().partition(|section| section.name == name);
        self.sections = rest;
        found
    }

    /// The section of that name, if there is one.
    pub(super) fn one(&mut self, name: &str) -> Option<Section<'a>> {
        self.take(name).pop()
    }

    /// Takes back a section that was read, so that it is checked at the end.
    pub(super) fn done(&mut self, section: Section<'a>) {
        self.finished.push(section);
    }

    /// An error about the whole section number `index` of that name.
    pub(super) fn about(&self, name: &str, index: usize, message: String, hint: &str) -> PlatformError {
        let section = self.finished.iter().filter(|section| section.name == name).nth(index);
        section.unwrap_or(&self.top).wrong(message, hint)
    }

    /// Refuses keys that nothing has asked for.
    pub(super) fn finish(self) -> Read<()> {
        for section in self.finished.iter().chain([&self.top]) {
            if let Some(entry) = section.entries.first() {
                let what = format!("key of {}", section.name);
                return Err(section.writer.unknown(&entry.place, &what, &entry.key, &section.asked));
            }
        }
        Ok(())
    }
}

fn entries(table: DeTable<'_>) -> Vec<Entry> {
    let of = |(key, value): (Spanned<_>, Spanned<DeValue<'_>>)| {
        let place = key.span();
        let key: std::borrow::Cow<'_, str> = key.into_inner();
        Entry { key: key.into_owned(), place, value: of_toml(value.into_inner()) }
    };
    table.into_iter().map(of).collect()
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(digits) => i64::from_str_radix(digits.as_str(), digits.radix()).ok().map(|whole| whole as f64),
        DeValue::Float(digits) => digits.as_str().parse().ok(),
        _ => None,
    }
}

fn of_toml(value: DeValue<'_>) -> Value {
    let pair = |pair: &Spanned<DeValue<'_>>| {
        let pair = pair.get_ref().as_array()?;
        match (pair.len(), pair.first()?.get_ref(), pair.get(1)?.get_ref()) {
            (2, DeValue::String(size), miss) => Some((size.clone().into_owned(), number(miss)?)),
            _ => None,
        }
    };
    match &value {
        DeValue::Integer(_) | DeValue::Float(_) => number(&value).map_or(Value::Other("number"), Value::Number),
        DeValue::String(words) => Value::Words(words.clone().into_owned()),
        DeValue::Boolean(is_on) => Value::Switch(*is_on),
        DeValue::Array(list) => match list.iter().map(pair).collect() {
            Some(pairs) => Value::Pairs(pairs),
            None => Value::Other("list"),
        },
        DeValue::Table(_) => Value::Other("table"),
        DeValue::Datetime(_) => Value::Words(value.as_datetime().map(ToString::to_string).unwrap_or_default()),
    }
}

impl<'a> Section<'a> {
    /// An error about the whole section.
    pub(super) fn wrong(&self, message: String, hint: &str) -> PlatformError {
        self.writer.at(&self.place, message, hint)
    }

    fn entry(&mut self, key: &'static str) -> Option<Entry> {
        self.asked.push(key);
        let index = self.entries.iter().position(|entry| entry.key == key)?;
        Some(self.entries.remove(index))
    }

    fn refused(&self, entry: &Entry, problem: &str, hint: &str) -> PlatformError {
        let shown = match &entry.value {
            Value::Number(number) => number.to_string(),
            Value::Words(words) => format!("{:?}", words.chars().take(40).collect::<String>()),
            Value::Switch(is_on) => is_on.to_string(),
            Value::Pairs(_) => "list".to_owned(),
            Value::Other(kind) => (*kind).to_owned(),
        };
        let message = format!("{} of {} {shown} {problem}", entry.key, self.name);
        self.writer.at(&entry.place, message, hint)
    }

    /// Words that are not empty.
    pub(super) fn words(&mut self, key: &'static str) -> Read<Option<String>> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        match &entry.value {
            Value::Words(words) if !words.trim().is_empty() => Ok(Some(words.clone())),
            _ => Err(self.refused(&entry, "is no text", "write it between quotation marks")),
        }
    }

    /// One of these words, with what it stands for.
    pub(super) fn choice<T: Copy>(&mut self, key: &'static str, known: &[(&'static str, T)]) -> Read<Option<T>> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        let found = match &entry.value {
            Value::Words(words) => known.iter().find(|(name, _)| name.eq_ignore_ascii_case(words.trim())),
            _ => None,
        };
        let names: Vec<&'static str> = known.iter().map(|(name, _)| *name).collect();
        match found {
            Some((_, value)) => Ok(Some(*value)),
            None => {
                let near = match &entry.value {
                    Value::Words(words) => base::similar(words, names.iter().copied()).first().copied(),
                    _ => None,
                };
                let near = near.map_or(String::new(), |near| format!("did you mean {near}? "));
                let hint = format!("{near}use one of {}", names.join(", "));
                Err(self.refused(&entry, "is not known", &hint))
            }
        }
    }

    /// `true` or `false`.
    pub(super) fn switch(&mut self, key: &'static str) -> Read<bool> {
        let Some(entry) = self.entry(key) else { return Ok(false) };
        match entry.value {
            Value::Switch(is_on) => Ok(is_on),
            _ => Err(self.refused(&entry, "is neither true nor false", "write true or false")),
        }
    }

    /// A whole number within `range`.
    pub(super) fn count(&mut self, key: &'static str, range: RangeInclusive<i64>) -> Read<Option<u32>> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        let (least, most) = (*range.start() as f64, *range.end() as f64);
        match entry.value {
            Value::Number(number) if number.fract() == 0.0 && (least..=most).contains(&number) => {
                Ok(Some(number as u32))
            }
            _ => {
                let hint = format!("use a whole number from {least} to {most}");
                Err(self.refused(&entry, &format!("is not a whole number in {least}..={most}"), &hint))
            }
        }
    }

    /// A number or, by `parse`, text; within `range`.
    fn figure(
        &mut self,
        key: &'static str,
        range: RangeInclusive<f64>,
        parse: impl Fn(&str) -> Option<f64>,
        example: &str,
    ) -> Read<Option<f64>> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        let found = match &entry.value {
            Value::Number(number) => Some(*number),
            Value::Words(words) => parse(words),
            _ => None,
        };
        let (least, most) = range.clone().into_inner();
        let problem = match found {
            None => "is not a figure of this kind".to_owned(),
            Some(value) if !value.is_finite() => "is not a finite number".to_owned(),
            Some(value) if value < 0.0 => "is negative".to_owned(),
            Some(value) if range.contains(&value) => return Ok(Some(value.abs())),
            Some(value) if value < least && least == FIGURE_MIN => "is not above 0".to_owned(),
            Some(value) if value < least => format!("is less than {least}"),
            Some(_) => format!("is more than {most:e}").replace("e0", ""),
        };
        Err(self.refused(&entry, &problem, &format!("write it as in {key} = {example}")))
    }

    /// A number above 0.
    pub(super) fn number(&mut self, key: &'static str, range: RangeInclusive<f64>, example: &str) -> Read<Option<f64>> {
        self.figure(key, range, |_| None, example)
    }

    /// A number above 0 of any size.
    pub(super) fn positive(&mut self, key: &'static str, example: &str) -> Read<Option<f64>> {
        self.number(key, FIGURE_MIN..=FIGURE_MAX, example)
    }

    /// A price; may be 0.
    pub(super) fn price(&mut self) -> Read<Option<f64>> {
        self.number("price", 0.0..=1e12, "1500")
    }

    /// Bytes, at least 1.
    pub(super) fn size(&mut self, key: &'static str, example: &str) -> Read<Option<Bytes>> {
        let parse = quantity::size;
        let found = self.figure(key, 1.0..=SIZE_MAX, |words| parse(words).map(|bytes| bytes as f64), example)?;
        Ok(found.map(|bytes| Bytes(bytes as u64)))
    }

    /// Seconds, up to a day; 0 where it is accepted.
    pub(super) fn time(&mut self, key: &'static str, may_be_zero: bool, example: &str) -> Read<Option<f64>> {
        let parse = quantity::time_ns;
        let least = if may_be_zero { 0.0 } else { 1e-9 };
        self.figure(key, least..=86_400.0, |words| parse(words).map(|time_ns| time_ns as f64 / 1e9), example)
    }

    /// Of something, per second.
    pub(super) fn rate(&mut self, key: &'static str, example: &str) -> Read<Option<f64>> {
        self.figure(key, FIGURE_MIN..=FIGURE_MAX, quantity::rate, example)
    }

    /// Bytes per second.
    pub(super) fn data_rate(&mut self, key: &'static str, example: &str) -> Read<Option<Rate>> {
        let found = self.figure(key, FIGURE_MIN..=SIZE_MAX, bytes_per_second, example)?;
        Ok(found.map(Rate))
    }

    /// A share in [0, 1], also as percent.
    pub(super) fn share(&mut self, key: &'static str, example: &str) -> Read<Option<f64>> {
        self.figure(key, 0.0..=1.0, quantity::share, example)
    }

    /// Cycles per second, `"3.1GHz"` or a number.
    pub(super) fn clock(&mut self, key: &'static str) -> Read<Option<f64>> {
        let rate = quantity::rate;
        let hertz = |words: &str| rate(words.trim().strip_suffix("Hz")?);
        self.figure(key, 1e6..=1e12, hertz, "\"3.1GHz\"")
    }

    /// Pairs of a size and a share: at least two, sizes rising, shares falling and above 0.
    pub(super) fn curve(&mut self, key: &'static str) -> Read<Option<Vec<(Bytes, f64)>>> {
        let Some(entry) = self.entry(key) else { return Ok(None) };
        let size = quantity::size;
        let points: Option<Vec<(Bytes, f64)>> = match &entry.value {
            Value::Pairs(pairs) => pairs
                .iter()
                .map(|(words, miss)| {
                    let bytes = size(words).filter(|bytes| *bytes > 0 && *bytes as f64 <= SIZE_MAX)?;
                    (*miss > 0.0 && *miss <= 1.0).then_some((Bytes(bytes), *miss))
                })
                .collect(),
            _ => None,
        };
        let is_curve = |points: &Vec<(Bytes, f64)>| {
            points.len() >= 2 && points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 >= pair[1].1)
        };
        match points.filter(is_curve) {
            Some(points) => Ok(Some(points)),
            None => {
                let problem = "is not a list of two and more sizes, rising, with shares in (0, 1] that fall";
                Err(self.refused(&entry, problem, "write it as in miss = [[\"64GiB\", 0.2], [\"1TiB\", 0.02]]"))
            }
        }
    }

    /// What a key stands for, or an error that it is missing.
    pub(super) fn needed<T>(&self, key: &str, found: Option<T>, hint: &str) -> Read<T> {
        found.ok_or_else(|| self.wrong(format!("{} has no {key}", self.name), hint))
    }

    /// Where the figures of the section are from.
    pub(super) fn origin(&mut self, default: Basis) -> Read<Origin> {
        let known = [("measured", Basis::Measured), ("rated", Basis::Rated), ("assumed", Basis::Assumed)];
        let basis = self.choice("basis", &known)?.unwrap_or(default);
        Ok(Origin { basis, source: self.words("source")? })
    }
}

/// Bytes per second of a data rate in words.
fn bytes_per_second(text: &str) -> Option<f64> {
    base::data_rate::speed("", text).ok().map(|speed| speed.per_second())
}
