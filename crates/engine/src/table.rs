//! A table as a test describes it; the dialect generates its statements.

use crate::IsoDate;

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// 64-bit integer.
    Int,
    /// Double.
    Float,
    /// Exact decimal; a double if the engine has none.
    Decimal {
        /// Total number of digits, at most 18.
        precision: u8,
        /// Digits after the decimal point.
        scale: u8,
    },
    /// A date from 0001-01-01 to 9999-12-31. It is bound and returned as text, `2010-02-28`.
    Date,
    /// Date and time without a time zone, to the microsecond. Statements set it (`current_timestamp`), it is never bound; it is
    /// returned as text, `2010-02-28 13:05:00`.
    Timestamp,
    /// ASCII text.
    Text {
        /// Maximum length in characters.
        size: u32,
    },
    /// A JSON document, bound and returned as text: as long text where the engine has no type for it.
    Json,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, lower case.
    pub name: String,
    /// Its type.
    pub kind: ColumnType,
    /// Whether its values may be null.
    pub nullable: bool,
}

impl Column {
    /// A column that is never null.
    pub fn new(name: impl Into<String>, kind: ColumnType) -> Column {
        Column { name: name.into(), kind, nullable: false }
    }

    /// What its definition ends with: ` not null` unless it may be.
    pub fn null_rule(&self) -> &'static str {
        if self.nullable { "" } else { " not null" }
    }
}

/// An index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// Its columns, in order, at least one.
    pub columns: Vec<String>,
}

/// Partitioning of a table: by range of a date, subpartitioned by hash of another column. Such a table has no primary
/// key: engines require the columns of both in every unique key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partitions {
    /// The date column.
    pub by_date: String,
    /// Upper ends of the ranges, exclusive, in days since 1970-01-01, ascending. Rows beyond the last one have a
    /// partition too.
    pub bounds: Vec<i32>,
    /// The column whose hash determines the subpartition of a row.
    pub by_hash: String,
    /// Subpartitions of each range, at least 1.
    pub hash_parts: u32,
}

impl Partitions {
    /// The upper bounds as dates. One outside the range of dates is omitted.
    pub fn ends(&self) -> Vec<IsoDate> {
        self.bounds.iter().filter_map(|days| IsoDate::of(*days)).collect()
    }
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name, lower case, without schema.
    pub name: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// The columns of the primary key, in order; one alone is an integer. Empty for a table without one.
    pub key: Vec<String>,
    /// Secondary indexes.
    pub indexes: Vec<Index>,
    /// Compressed by the engine.
    pub compressed: bool,
    /// Partitioning, if the engine supports it ([`crate::Caps::partitions`]).
    pub partitions: Option<Partitions>,
    /// Whether tests update its rows again and again: where a new version of a row takes new space, pages keep a sixteenth free,
    /// which others keep anyway. Without it, the first run that updates rows appends their versions at the end of the table, and later ones
    /// put them into pages that it freed, which they have to read.
    pub is_updated: bool,
}

impl Index {
    /// Its columns, as a list of names quoted by `quoted`.
    pub fn column_list(&self, quoted: fn(&str) -> String) -> String {
        list(&self.columns, quoted)
    }
}

fn list(names: &[String], quoted: fn(&str) -> String) -> String {
    names.iter().map(|name| quoted(name)).collect::<Vec<String>>().join(", ")
}

/// An identifier in double quotes, as in the SQL standard.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Table {
    /// The column definitions of a statement, with names quoted by `quoted` and types given by `kind`.
    pub fn definitions(&self, quoted: fn(&str) -> String, kind: fn(ColumnType) -> String) -> Vec<String> {
        let definition = |column: &Column| {
            let (name, kind) = (quoted(&column.name), kind(column.kind));
            format!("{name} {kind}{}", column.null_rule())
        };
        self.columns.iter().map(definition).collect()
    }

    /// The statements that add the key and then the missing indexes, in standard SQL plus `if not exists`.
    pub fn additions(&self) -> Vec<String> {
        let name = quoted(&self.name);
        let key = self.key_list(quoted).map(|key| format!("alter table {name} add primary key ({key})"));
        key.into_iter().chain(self.missing_indexes()).collect()
    }

    /// The columns of the key, as a list of names quoted by `quoted`; none without a key.
    pub fn key_list(&self, quoted: fn(&str) -> String) -> Option<String> {
        (!self.key.is_empty()).then(|| list(&self.key, quoted))
    }

    /// The statements that create the missing indexes, as in [`Self::additions`].
    pub fn missing_indexes(&self) -> impl Iterator<Item = String> {
        let name = quoted(&self.name);
        self.indexes.iter().map(move |index| {
            format!("create index if not exists {} on {name} ({})", quoted(&index.name), index.column_list(quoted))
        })
    }
}
