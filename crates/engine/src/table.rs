//! A table as a test describes it; the dialect turns it into statements.

use crate::IsoDate;

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// 64-bit integer.
    Int,
    /// Double.
    Float,
    /// Exact decimal; a double where the engine has none.
    Decimal {
        /// Digits in all, at most 18.
        precision: u8,
        /// Digits behind the point.
        scale: u8,
    },
    /// A day, from 0001-01-01 to 9999-12-31. It comes back as text, `2010-02-28`, and is bound as such.
    Date,
    /// Text of at most this many characters, all of them ASCII.
    Text {
        /// Limit.
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

/// How the rows of a table are spread over parts: by range of a date, and those of each range by the hash of another
/// column. Such a table has no key: engines want the columns of both in every unique one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partitions {
    /// The column of dates.
    pub by_date: String,
    /// Upper ends of the ranges, exclusive, in days since 1970-01-01, ascending. What lies beyond the last of them has a
    /// range too.
    pub bounds: Vec<i32>,
    /// The column whose hash says in which part of its range a row is.
    pub by_hash: String,
    /// Parts of each range, at least 1.
    pub hash_parts: u32,
}

impl Partitions {
    /// The upper ends as dates. One that no date can reach or pass bounds nothing and is left out.
    pub fn ends(&self) -> Vec<IsoDate> {
        self.bounds.iter().filter_map(|days| IsoDate::of(*days)).collect()
    }
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Its name, lower case; without a schema.
    pub name: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// The column that is the primary key, an integer; none for a table without one.
    pub key: Option<String>,
    /// Secondary indexes.
    pub indexes: Vec<Index>,
    /// Compressed by the engine.
    pub compressed: bool,
    /// In parts; only where the engine can ([`crate::Caps::partitions`]).
    pub partitions: Option<Partitions>,
}

/// A name between quotation marks, as the SQL standard has it: it stands as it is, whatever word it is.
pub fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

impl Table {
    /// The columns as a statement defines them, with names as `quoted` makes them and types as `kind` says.
    pub fn definitions(&self, quoted: fn(&str) -> String, kind: fn(ColumnType) -> String) -> Vec<String> {
        self.columns.iter().map(|column| format!("{} {} not null", quoted(&column.name), kind(column.kind))).collect()
    }

    /// The statements that add the key and then the indexes that are not there yet, in words of the SQL standard and
    /// beyond it `if not exists`.
    pub fn additions(&self) -> Vec<String> {
        let name = quoted(&self.name);
        let key = self.key.iter().map(|key| format!("alter table {name} add primary key ({})", quoted(key)));
        key.chain(self.missing_indexes()).collect()
    }

    /// The statements that create the indexes that are not there yet, in the words of [`Self::additions`].
    pub fn missing_indexes(&self) -> impl Iterator<Item = String> {
        let name = quoted(&self.name);
        self.indexes.iter().map(move |index| {
            format!("create index if not exists {} on {name} ({})", quoted(&index.name), quoted(&index.column))
        })
    }
}
