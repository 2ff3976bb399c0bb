//! The columns of the two tables.

use engine::ColumnType;

/// A column of both tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DataColumn {
    /// Primary key, 1, 2, 3, ...
    Id,
    /// Secondary key, from 1: exactly 320 rows, scattered over the table, share a value.
    Scatter,
    /// A quantity in [0, 1000000).
    Value,
    /// One of ten classes, in [0, 10).
    Category,
    /// Number of updates by tests; 0 when generated.
    Touched,
    /// An amount of money in [0, 100000), two decimal places.
    Amount,
    /// A price in [0, 1000).
    Price,
    /// One of eight names.
    Region,
    /// 16 random characters.
    Code,
    /// 96 random characters.
    Filler,
}

impl DataColumn {
    /// All, in the order of the table.
    pub const ALL: [DataColumn; 10] = [
        DataColumn::Id,
        DataColumn::Scatter,
        DataColumn::Value,
        DataColumn::Category,
        DataColumn::Touched,
        DataColumn::Amount,
        DataColumn::Price,
        DataColumn::Region,
        DataColumn::Code,
        DataColumn::Filler,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            DataColumn::Id => "id",
            DataColumn::Scatter => "scatter",
            DataColumn::Value => "value",
            DataColumn::Category => "category",
            DataColumn::Touched => "touched",
            DataColumn::Amount => "amount",
            DataColumn::Price => "price",
            DataColumn::Region => "region",
            DataColumn::Code => "code",
            DataColumn::Filler => "filler",
        }
    }

    /// The column with this name.
    pub fn named(name: &str) -> Option<DataColumn> {
        DataColumn::ALL.into_iter().find(|column| column.name() == name)
    }

    /// Its type.
    pub fn kind(self) -> ColumnType {
        match self {
            DataColumn::Id | DataColumn::Scatter | DataColumn::Value | DataColumn::Category | DataColumn::Touched => {
                ColumnType::Int
            }
            DataColumn::Amount => ColumnType::Decimal { precision: 12, scale: 2 },
            DataColumn::Price => ColumnType::Float,
            DataColumn::Region => ColumnType::Text { size: 5 },
            DataColumn::Code => ColumnType::Text { size: 16 },
            DataColumn::Filler => ColumnType::Text { size: 96 },
        }
    }
}
