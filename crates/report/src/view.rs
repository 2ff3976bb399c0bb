//! Chosen columns of rows as a table of a document or comma-separated values: the same for every type of row. How a figure is
//! written follows from the kind of its column.

use std::borrow::Cow;

use record::{Bytes, Nanos, Ratio};
use tables::{Column, Kind, Row, Value, field_text};

use crate::document::{self, Cell, Extent, Tone};
use crate::figure::{UNKNOWN, count, duration, megabytes, memory, nanos, number, percent_digits, three_digits, volume};
use crate::layout::{Align, clean};
use crate::times::names;

/// Columns, in the order in which they are shown.
pub(crate) struct View<R> {
    shown: Vec<Shown<R>>,
    /// The first so many are shown on a page even where they are empty.
    kept: usize,
    /// Where those behind them are shown on pages and in files alone: so many identify the row.
    about: Option<usize>,
}

/// A column of a view.
enum Shown<R> {
    /// A column of the table.
    Figure(Column<R>),
    /// Text or a drawing that only this view has.
    Own { key: &'static str, group: &'static str, heading: &'static str, align: Align, cell: fn(&R) -> Cell },
}

impl<R: Row> View<R> {
    /// All of `columns`.
    pub(crate) fn of(columns: Vec<Column<R>>) -> View<R> {
        View { shown: columns.into_iter().map(Shown::Figure).collect(), kept: 0, about: None }
    }

    /// Text that only this view has, in place of the column `key` or after all others.
    pub(crate) fn words(
        self,
        key: &'static str,
        (group, heading): (&'static str, &'static str),
        cell: fn(&R) -> Cell,
    ) -> View<R> {
        self.own(Shown::Own { key, group, heading, align: Align::Left, cell })
    }

    /// The same, aligned to the right.
    pub(crate) fn figure(
        self,
        key: &'static str,
        (group, heading): (&'static str, &'static str),
        cell: fn(&R) -> Cell,
    ) -> View<R> {
        self.own(Shown::Own { key, group, heading, align: Align::Right, cell })
    }

    fn own(mut self, own: Shown<R>) -> View<R> {
        match self.shown.iter_mut().find(|shown| shown.key() == own.key()) {
            Some(replaced) => *replaced = own,
            None => self.shown.push(own),
        }
        self
    }

    /// The columns `keys` alone, in that order. Here and below `*` in a key stands for each quantile that is shown.
    pub(crate) fn only(mut self, keys: &[&str]) -> View<R> {
        debug_assert!(keys.iter().all(|key| self.has(key)), "a key is not in the table: {keys:?}");
        self.shown.retain(|shown| place(keys, shown).is_some());
        self.first(keys)
    }

    /// All columns but `keys`.
    pub(crate) fn except(mut self, keys: &[&str]) -> View<R> {
        debug_assert!(keys.iter().all(|key| self.has(key)), "a key is not in the table: {keys:?}");
        self.shown.retain(|shown| place(keys, shown).is_none());
        self
    }

    /// The columns `keys` in front of the others, in that order.
    pub(crate) fn first(mut self, keys: &[&str]) -> View<R> {
        debug_assert!(keys.iter().all(|key| self.has(key)), "a key is not in the table: {keys:?}");
        self.kept = self.shown.iter().filter(|shown| place(keys, shown).is_some()).count();
        self.shown.sort_by_key(|shown| place(keys, shown).unwrap_or(keys.len()));
        self
    }

    /// The same columns; those behind the chosen ones are shown on pages and in files alone, in tables of as many columns as were
    /// chosen. The first `about`, which identify the row, are repeated in each.
    pub(crate) fn with_others(self, about: usize) -> View<R> {
        View { about: Some(about), ..self }
    }

    /// The same columns without the headings that several share.
    pub(crate) fn ungrouped(mut self) -> View<R> {
        for shown in &mut self.shown {
            match shown {
                Shown::Figure(column) => column.group = "",
                Shown::Own { group, .. } => *group = "",
            }
        }
        self
    }

    fn has(&self, key: &str) -> bool {
        self.shown.iter().any(|shown| names(key, shown.key()))
    }

    /// A table of a document with a line for each of `rows`, in its role; columns that are empty in all of them are left out,
    /// except those that were chosen.
    pub(crate) fn table(
        &self,
        id: impl Into<String>,
        caption: impl Into<String>,
        rows: impl IntoIterator<Item = R>,
        tone: impl Fn(&R) -> Tone,
    ) -> document::Table {
        let rows: Vec<R> = rows.into_iter().collect();
        let shown = self.filled(&rows);
        let extent = |index| if self.about.is_some() && index >= self.kept { Extent::Whole } else { Extent::Screen };
        let columns = shown.iter().enumerate().map(|(index, shown)| shown.head().from(extent(index))).collect();
        let cells = |row: &R| shown.iter().map(|shown| shown.cell(row)).collect();
        let lines = rows.iter().map(|row| document::Row::new(cells(row)).in_tone(tone(row)));
        let parts = self.about.map(|about| (about, self.kept));
        document::Table { is_sortable: true, parts, ..document::Table::new(id, caption, columns).with(lines) }
    }

    /// The columns that have a value in any of `rows`, and those that were chosen.
    fn filled(&self, rows: &[R]) -> Vec<&Shown<R>> {
        let has_value = |shown: &Shown<R>| rows.iter().any(|row| shown.has_value(row));
        let all = self.shown.iter().enumerate();
        all.filter(|(index, shown)| *index < self.kept || has_value(shown)).map(|(_, shown)| shown).collect()
    }

    /// `rows` as comma-separated values (RFC 4180, UTF-8) with every digit under one line of keys; unknown values are
    /// empty.
    pub(crate) fn csv(&self, rows: impl IntoIterator<Item = R>) -> String {
        let mut text = String::new();
        line(&mut text, self.shown.iter().map(Shown::key));
        for row in rows {
            line(&mut text, self.shown.iter().map(|shown| shown.exact(&row)));
        }
        text
    }
}

/// The place among `keys` of what names the column.
fn place<R: Row>(keys: &[&str], shown: &Shown<R>) -> Option<usize> {
    keys.iter().position(|key| names(key, shown.key()))
}

impl<R: Row> Shown<R> {
    fn key(&self) -> &'static str {
        match self {
            Shown::Figure(column) => column.key,
            Shown::Own { key, .. } => key,
        }
    }

    fn group(&self) -> &'static str {
        match self {
            Shown::Figure(column) => column.group,
            Shown::Own { group, .. } => group,
        }
    }

    fn heading(&self) -> Cow<'static, str> {
        match self {
            Shown::Figure(column) => column.heading(),
            Shown::Own { heading, .. } => Cow::Borrowed(heading),
        }
    }

    fn align(&self) -> Align {
        match self {
            Shown::Figure(column) if matches!(column.kind, Kind::Text | Kind::Flag) => Align::Left,
            Shown::Figure(_) => Align::Right,
            Shown::Own { align, .. } => *align,
        }
    }

    fn head(&self) -> document::Column {
        document::Column {
            head: self.heading().into_owned().into(),
            group: self.group(),
            is_figure: self.align() == Align::Right,
            extent: Extent::Screen,
        }
    }

    fn value<'r>(&self, row: &'r R) -> Value<'r> {
        match self {
            Shown::Figure(column) => column.value(row),
            Shown::Own { .. } => Value::Absent,
        }
    }

    /// With all of its digits, for a program.
    fn exact(&self, row: &R) -> String {
        match self {
            Shown::Figure(column) => column.value(row).exact().into_owned(),
            Shown::Own { cell, .. } => cell(row).words(),
        }
    }

    fn has_value(&self, row: &R) -> bool {
        matches!(self, Shown::Own { .. }) || self.value(row) != Value::Absent
    }

    fn cell(&self, row: &R) -> Cell {
        match self {
            Shown::Figure(column) => match column.value(row) {
                Value::Absent => Cell::Figure(absent(column, row).to_owned(), None),
                value if self.align() == Align::Left => Cell::text(shown(column.kind, &value)),
                value => Cell::Figure(shown(column.kind, &value), value.number()),
            },
            Shown::Own { cell, .. } => cell(row),
        }
    }
}

/// The cell of an absent value: empty where none is expected.
fn absent<R: Row>(column: &Column<R>, row: &R) -> &'static str {
    match column.kind {
        Kind::Text | Kind::Flag => "",
        _ if column.is_result() && row.is_invalid() => "",
        _ => UNKNOWN,
    }
}

/// A value as it is shown; units that the heading states are left out.
pub(crate) fn shown(kind: Kind, value: &Value<'_>) -> String {
    match (kind, value) {
        (_, Value::Absent) => UNKNOWN.to_owned(),
        (_, Value::Text(text)) => clean(text),
        (_, Value::Flag(flag)) => if *flag { "yes" } else { "no" }.to_owned(),
        (Kind::Bytes, Value::Count(size)) => volume(Bytes(*size)),
        (Kind::Memory, Value::Count(size)) => memory(Bytes(*size)),
        (Kind::Nanoseconds, Value::Count(time)) => duration(Nanos(*time)),
        (_, Value::Count(value)) => count(*value),
        (Kind::DerivedNanoseconds, Value::Number(time)) if *time < 0.0 => format!("-{}", nanos(-time)),
        (Kind::DerivedNanoseconds, Value::Number(time)) => nanos(*time),
        // No decimals from three to six digits before the point.
        (Kind::Iops, Value::Number(value)) if *value < 99.95 => three_digits(*value),
        (Kind::Iops, Value::Number(value)) if *value < 999_999.5 => format!("{value:.0}"),
        (Kind::PerSecond | Kind::IoPerSecond | Kind::Iops | Kind::Amount, Value::Number(value)) => number(*value),
        (Kind::BytesPerSecond, Value::Number(value)) => megabytes(Some(*value)),
        (Kind::Ratio, Value::Number(ratio)) => percent_digits(Ratio(*ratio)),
        (_, Value::Number(value)) => three_digits(*value),
    }
}

/// Appends one line. Fields are quoted where they must be.
pub(crate) fn line(text: &mut String, fields: impl Iterator<Item = impl AsRef<str>>) {
    for (index, field) in fields.enumerate() {
        let field = field_text(field.as_ref());
        if index > 0 {
            text.push(',');
        }
        if field.contains([',', '"', '\n', '\r']) {
            text.push('"');
            text.push_str(&field.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(&field);
        }
    }
    text.push('\n');
}
