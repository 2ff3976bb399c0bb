//! The row generator: a function of seed, table and key.

use crate::data::row::{REGIONS, Row};
use crate::data::scatter::Scatter;
use crate::data::size::{DataTable, Sizes};
use crate::data::text::{GOLDEN, letters, mix};

/// Incremented when the rows change.
const VERSION: u32 = 1;

/// Makes the rows of one table.
#[derive(Clone, Debug)]
pub struct Generator {
    table: DataTable,
    rows: u64,
    seed: u64,
    /// Key of this table, so that the tables do not have the same rows.
    key: u64,
    scatter: Scatter,
}

impl Generator {
    /// The generator of `table`.
    pub fn new(table: DataTable, sizes: &Sizes) -> Generator {
        let rows = table.rows(sizes);
        let key = mix(mix(sizes.seed.wrapping_add(GOLDEN)) ^ (table as u64 + 1));
        Generator { table, rows, seed: sizes.seed, key, scatter: Scatter::new(rows, key) }
    }

    /// The table.
    pub fn table(&self) -> DataTable {
        self.table
    }

    /// Rows of the table; their keys are 1 to this.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The keys, ascending, of the rows with this secondary key.
    pub fn group(&self, scatter: i64) -> Vec<u64> {
        self.scatter.group(scatter as u64)
    }

    /// The row with the key `id`, from 1.
    #[inline]
    pub fn row(&self, id: u64) -> Row {
        let numbers = self.numbers(id);
        let mut counter = numbers.base;
        let mut next = || {
            counter = counter.wrapping_add(GOLDEN);
            letters(mix(counter))
        };
        let mut code = [0; 16];
        code.as_chunks_mut::<8>().0.iter_mut().for_each(|chunk| *chunk = next());
        let mut filler = [0; 96];
        filler.as_chunks_mut::<8>().0.iter_mut().for_each(|chunk| *chunk = next());
        Row {
            id: id as i64,
            scatter: self.scatter.of(id) as i64,
            value: numbers.value,
            category: numbers.category,
            amount_cents: numbers.amount_cents,
            price: numbers.price,
            region: REGIONS[numbers.region],
            code,
            filler,
        }
    }

    /// The numeric fields, without the cost of the texts.
    #[inline]
    pub(crate) fn numbers(&self, id: u64) -> Numbers {
        let base = mix(self.key ^ id.wrapping_mul(GOLDEN));
        let first = mix(base ^ 0x5DEE_CE66_D1CE_4E5B);
        let second = mix(base ^ 0xD6E8_FEB8_6659_FD93);
        Numbers {
            base,
            value: scaled(first, 1_000_000),
            // The lower bits hardly influence the product and are still random.
            category: (((first & 0xFFFF_FFFF) * 10) >> 32) as i64,
            region: (base >> 61) as usize,
            amount_cents: scaled(second, 10_000_000),
            price: (mix(second) >> 11) as f64 / (1u64 << 53) as f64 * 1_000.0,
        }
    }

    /// Fingerprint of the content of the table: equal fingerprints mean equal rows. It includes some rows, and so
    /// changes with the generator.
    pub fn fingerprint(&self) -> String {
        let step = (self.rows / 64).max(1);
        let mut sum = mix(u64::from(VERSION));
        for id in (1..=self.rows).step_by(step as usize) {
            let row = self.row(id);
            let numbers = [row.scatter, row.value, row.category, row.amount_cents, row.price.to_bits() as i64];
            numbers.into_iter().for_each(|number| sum = mix(sum ^ number as u64));
            [row.region.as_bytes(), &row.code, &row.filler]
                .concat()
                .iter()
                .for_each(|byte| sum = mix(sum ^ u64::from(*byte)));
        }
        format!("{}-{}-{}-{sum:016x}", self.table.name(), self.rows, self.seed)
    }
}

/// The fields of a row that are cheap to compute.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    base: u64,
    pub value: i64,
    pub category: i64,
    pub region: usize,
    pub amount_cents: i64,
    pub price: f64,
}

/// `bits` as a number in [0, limit), by the upper half of a product (Lemire 2019, without the rejection: the bias is
/// below 2^-40 here).
#[inline]
fn scaled(bits: u64, limit: u64) -> i64 {
    ((u128::from(bits) * u128::from(limit)) >> 64) as i64
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use record::Preset;

    use super::*;

    fn generator(table: DataTable, seed: u64) -> Generator {
        Generator::new(table, &Sizes::derive(Preset::Smoke, None, seed))
    }

    #[test]
    fn the_same_seed_gives_the_same_row_and_another_seed_or_table_another() {
        let row = generator(DataTable::Small, 42).row(23);
        assert_eq!(generator(DataTable::Small, 42).row(23), row);
        assert_ne!(generator(DataTable::Small, 43).row(23).filler, row.filler);
        assert_ne!(generator(DataTable::Large, 42).row(23).filler, row.filler);
        assert_ne!(generator(DataTable::Small, 42).row(24).filler, row.filler);
    }

    #[test]
    fn rows_do_not_change_between_versions() {
        let generator = generator(DataTable::Small, 42);
        let row = generator.row(1);
        let numbers = (row.id, row.scatter, row.value, row.category, row.amount_cents, row.region);
        // Computed by an independent program in another language.
        assert_eq!(numbers, (1, 8, 512_762, 8, 1_917_397, "inner"));
        assert_eq!(row.price, 4.726251625766342);
        assert_eq!(std::str::from_utf8(&row.code), Ok("x583KSY3LY2xAzSK"));
        assert!(row.filler.starts_with(b"HXSUFwejtuPPwmwROr8Zm2BQULfHXS.s"));
        assert_eq!(generator.fingerprint(), "small-3200-42-ff08c97a659f8cd4");
    }

    #[test]
    fn fields_keep_their_ranges_and_fill_them() {
        let generator = generator(DataTable::Large, 7);
        let rows: Vec<Row> = (1..=generator.rows()).map(|id| generator.row(id)).collect();
        let regions: BTreeSet<&str> = rows.iter().map(|row| row.region).collect();
        let categories: BTreeSet<i64> = rows.iter().map(|row| row.category).collect();
        assert_eq!((regions.len(), categories), (8, (0..10).collect()));
        assert!(rows.iter().all(|row| (0..1_000_000).contains(&row.value)));
        assert!(rows.iter().all(|row| (0..10_000_000).contains(&row.amount_cents)));
        assert!(rows.iter().all(|row| (0.0..1_000.0).contains(&row.price)));
        let mean = rows.iter().map(|row| row.value as f64).sum::<f64>() / rows.len() as f64;
        assert!((mean - 500_000.0).abs() < 10_000.0, "{mean}");
        assert!(rows.iter().all(|row| row.code.is_ascii() && row.filler.is_ascii()));
        let codes: BTreeSet<[u8; 16]> = rows.iter().map(|row| row.code).collect();
        assert_eq!(codes.len(), rows.len());
    }

    #[test]
    fn fingerprints_differ_with_table_size_and_seed() {
        let fingerprints: BTreeSet<String> = [
            generator(DataTable::Small, 1),
            generator(DataTable::Small, 2),
            generator(DataTable::Large, 1),
            Generator::new(DataTable::Small, &Sizes::derive(Preset::Quick, None, 1)),
        ]
        .iter()
        .map(Generator::fingerprint)
        .collect();
        assert_eq!(fingerprints.len(), 4);
    }
}
