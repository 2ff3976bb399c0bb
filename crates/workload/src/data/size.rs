//! Sizes of the tables.

use engine::{Column, Index, Table};
use record::{Bytes, Preset};
use serde::Deserialize;

use crate::data::column::DataColumn;
use crate::data::scatter::GROUP_ROWS;

/// Size of a generated row, in the widths of its columns.
pub const ROW_BYTES: Bytes = Bytes(5 * 8 + 8 + 8 + 5 + 16 + 96);

/// The most cache space of a row, with its share of two indexes.
const CACHED_ROW_BYTES: u64 = 256;

/// The most rows of preset `quick`: what is loaded in a minute. With a cache of 440 MB and more they are less than
/// twice its size, which is reported.
const QUICK_ROWS_MAX: u64 = 5_120_000;

/// Assumed cache size of an engine that does not give it.
const CACHE_BYTES_ASSUMED: Bytes = Bytes::GIB;

/// One of the two tables; both have the same columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DataTable {
    /// Fits the engine's cache.
    Small,
    /// Exceeds it, if the preset loads enough.
    Large,
}

impl DataTable {
    /// Its name, in the database and in test files.
    pub fn name(self) -> &'static str {
        match self {
            DataTable::Small => "small",
            DataTable::Large => "large",
        }
    }

    /// The table, for a dialect.
    pub fn table(self) -> Table {
        let name = self.name();
        Table {
            name: name.to_owned(),
            columns: columns(),
            key: vec!["id".to_owned()],
            indexes: vec![Index { name: format!("{name}_scatter"), columns: vec!["scatter".to_owned()] }],
            compressed: false,
            partitions: None,
            is_updated: true,
        }
    }

    /// Its number of rows.
    pub fn rows(self, sizes: &Sizes) -> u64 {
        match self {
            DataTable::Small => sizes.small_rows,
            DataTable::Large => sizes.large_rows,
        }
    }
}

/// The columns of both tables, in their order.
pub(crate) fn columns() -> Vec<Column> {
    DataColumn::ALL.iter().map(|column| Column::new(column.name().to_owned(), column.kind())).collect()
}

/// What determines the sizes of all tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The preset; parameters of tests depend on it.
    pub preset: Preset,
    /// Rows of the table that fits the engine's cache; a multiple of 320.
    pub small_rows: u64,
    /// Rows of the large table; a multiple of 320.
    pub large_rows: u64,
    /// Warehouses of tests that have any; where they are not given, the preset decides.
    pub warehouses: Option<u64>,
    /// Seed of all data and keys.
    pub seed: u64,
}

impl Sizes {
    /// The sizes of `preset` for an engine with a cache of `cache` bytes. The rows of the large table are at least
    /// twice the cache, in preset `quick` up to a limit; the small one never takes more than a quarter of it.
    pub fn derive(preset: Preset, cache: Option<Bytes>, seed: u64) -> Sizes {
        let cache_bytes = cache.unwrap_or(CACHE_BYTES_ASSUMED).0;
        let twice_the_cache = cache_bytes.saturating_mul(2).div_ceil(ROW_BYTES.0);
        let (small_rows, large_rows) = match preset {
            Preset::Smoke => (3_200, 32_000),
            Preset::Quick => (102_400, twice_the_cache.clamp(1_280_000, QUICK_ROWS_MAX)),
            Preset::Standard | Preset::Soak => (1_024_000, twice_the_cache.max(5_120_000)),
            Preset::Publish => (10_240_000, twice_the_cache.max(20_480_000)),
        };
        let small_rows = small_rows.min(cache_bytes / 4 / CACHED_ROW_BYTES);
        Sizes {
            preset,
            small_rows: whole_groups(small_rows),
            large_rows: whole_groups(large_rows),
            warehouses: None,
            seed,
        }
    }

    /// The same with the numbers of rows of the request, rounded up to multiples of 320.
    pub fn with_rows(self, small_rows: Option<u64>, large_rows: Option<u64>) -> Sizes {
        Sizes {
            small_rows: small_rows.map_or(self.small_rows, whole_groups),
            large_rows: large_rows.map_or(self.large_rows, whole_groups),
            ..self
        }
    }

    /// The same with the warehouses of the request.
    pub fn with_warehouses(self, warehouses: Option<u64>) -> Sizes {
        Sizes { warehouses, ..self }
    }
}

/// `rows`, rounded up so that every group has its 320 rows.
fn whole_groups(rows: u64) -> u64 {
    rows.clamp(1, GROUP_ROWS * u64::from(u32::MAX)).div_ceil(GROUP_ROWS) * GROUP_ROWS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_large_table_is_twice_the_cache_and_the_small_one_a_quarter_at_most() {
        for preset in [Preset::Quick, Preset::Standard, Preset::Publish] {
            for cache in [Bytes::MIB.times(16), Bytes::MIB.times(128), Bytes::GIB, Bytes::GIB.times(512)] {
                let sizes = Sizes::derive(preset, Some(cache), 1);
                let is_limited = preset == Preset::Quick && sizes.large_rows == QUICK_ROWS_MAX;
                assert!(is_limited || ROW_BYTES.times(sizes.large_rows).0 >= 2 * cache.0, "{sizes:?}");
                assert!(!is_limited || cache.0 > 440_000_000);
                assert!((sizes.small_rows - GROUP_ROWS) * CACHED_ROW_BYTES <= cache.0 / 4, "{sizes:?}");
            }
        }
    }

    #[test]
    fn every_number_of_rows_is_a_multiple_of_320() {
        for preset in [Preset::Smoke, Preset::Quick, Preset::Standard, Preset::Publish] {
            for cache in [None, Some(Bytes(0)), Some(Bytes(1_000_001)), Some(Bytes(u64::MAX))] {
                for asked in [None, Some(0), Some(1), Some(321), Some(u64::MAX)] {
                    let sizes = Sizes::derive(preset, cache, 1).with_rows(asked, asked);
                    assert!(sizes.small_rows > 0 && sizes.small_rows.is_multiple_of(GROUP_ROWS), "{sizes:?}");
                    assert!(sizes.large_rows > 0 && sizes.large_rows.is_multiple_of(GROUP_ROWS), "{sizes:?}");
                }
            }
        }
        let sizes = Sizes::derive(Preset::Smoke, None, 1);
        assert_eq!((sizes.small_rows, sizes.large_rows), (3_200, 32_000));
        assert_eq!(sizes.with_rows(None, Some(1)).large_rows, 320);
        assert_eq!(sizes.with_rows(None, Some(1)).small_rows, 3_200);
    }
}
