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
    /// ASCII text.
    Text {
        /// Maximum length in characters.
        size: u32,
    },
}

/// A column; never null.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name, lower case.
    pub name: String,
    /// Its type.
    pub kind: ColumnType,
}

/// An index over one column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// The column.
    pub column: String,
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
    /// The primary key, an integer column; `None` for a table without one.
    pub key: Option<String>,
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

/// An identifier in double quotes, as in the SQL standard.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Table {
    /// The column definitions of a statement, with names quoted by `quoted` and types given by `kind`.
    pub fn definitions(&self, quoted: fn(&str) -> String, kind: fn(ColumnType) -> String) -> Vec<String> {
        self.columns.iter().map(|column| format!("{} {} not null", quoted(&column.name), kind(column.kind))).collect()
    }

    /// The statements that add the key and then the missing indexes, in standard SQL plus `if not exists`.
    pub fn additions(&self) -> Vec<String> {
        let name = quoted(&self.name);
        let key = self.key.iter().map(|key| format!("alter table {name} add primary key ({})", quoted(key)));
        key.chain(self.missing_indexes()).collect()
    }

    /// The statements that create the missing indexes, as in [`Self::additions`].
    pub fn missing_indexes(&self) -> impl Iterator<Item = String> {
        let name = quoted(&self.name);
        self.indexes.iter().map(move |index| {
            format!("create index if not exists {} on {name} ({})", quoted(&index.name), quoted(&index.column))
        })
    }
}
