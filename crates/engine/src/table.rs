//! A table as a test describes it; the dialect turns it into statements.

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
}
