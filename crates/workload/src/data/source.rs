//! Row sources for the bulk path.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use engine::{Column, RowSink, RowSource};

use crate::data::generator::Generator;
use crate::data::row::Row;
use crate::data::size::columns;

/// Rows between two checks of the stop flag.
pub(crate) const STRIDE: u64 = 4_096;

/// Rows of one table in a range of keys, generated on demand.
pub struct Source<'a> {
    generator: &'a Generator,
    columns: Vec<Column>,
    next: u64,
    end: u64,
    stop: &'a AtomicBool,
    done: &'a AtomicU64,
}

impl<'a> Source<'a> {
    /// The `count` rows from key `first`. Ends early when `stop` is set; adds to `done` in large increments.
    pub fn new(
        generator: &'a Generator,
        (first, count): (u64, u64),
        stop: &'a AtomicBool,
        done: &'a AtomicU64,
    ) -> Source<'a> {
        done.fetch_add(count % STRIDE, Ordering::Relaxed);
        Source { generator, columns: columns(), next: first, end: first + count, stop, done }
    }
}

impl RowSource for Source<'_> {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    #[inline]
    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.next == self.end {
            return false;
        }
        if (self.end - self.next).is_multiple_of(STRIDE) {
            if self.stop.load(Ordering::Relaxed) {
                return false;
            }
            self.done.fetch_add(STRIDE, Ordering::Relaxed);
        }
        self.generator.row(self.next).push(sink);
        self.next += 1;
        true
    }
}

/// Rows generated beforehand, so that a load measures the engine and not the generator.
#[derive(Clone, Debug)]
pub struct Block {
    columns: Arc<[Column]>,
    rows: Arc<[Row]>,
    next: usize,
}

impl Block {
    /// The first `count` rows of `generator`; after its last row it starts again with the first.
    pub fn new(generator: &Generator, count: u64) -> Block {
        let rows = (0..count).map(|number| generator.row(1 + number % generator.rows())).collect();
        Block { columns: columns().into(), rows, next: 0 }
    }

    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Restarts with the first row.
    pub fn rewind(&mut self) {
        self.next = 0;
    }
}

impl RowSource for Block {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    #[inline]
    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        let Some(row) = self.rows.get(self.next) else { return false };
        row.push(sink);
        self.next += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use record::Preset;

    use super::*;
    use crate::data::size::{DataTable, ROW_BYTES, Sizes};

    #[derive(Default)]
    struct Seen {
        fields: u64,
        bytes: u64,
        ids: Vec<i64>,
    }

    impl RowSink for Seen {
        fn int(&mut self, value: i64) {
            if self.fields.is_multiple_of(10) {
                self.ids.push(value);
            }
            self.fields += 1;
            self.bytes += 8;
        }
        fn float(&mut self, _value: f64) {
            self.fields += 1;
            self.bytes += 8;
        }
        fn decimal(&mut self, _unscaled: i64, scale: u8) {
            assert_eq!(scale, 2);
            self.fields += 1;
            self.bytes += 8;
        }
        fn date(&mut self, _days_since_epoch: i32) {
            panic!("there is no date");
        }
        fn text(&mut self, value: &str) {
            self.fields += 1;
            self.bytes += value.len() as u64;
        }
    }

    fn drain(source: &mut dyn RowSource) -> Seen {
        let mut seen = Seen::default();
        while source.next(&mut seen) {}
        assert!(!source.next(&mut seen), "and stays empty");
        seen
    }

    #[test]
    fn a_source_gives_its_range_in_the_width_that_is_accounted_for() {
        let generator = Generator::new(DataTable::Large, &Sizes::derive(Preset::Smoke, None, 1));
        let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
        let mut source = Source::new(&generator, (101, 8_300), &stop, &done);
        assert_eq!(source.columns().len(), 10);
        let seen = drain(&mut source);
        assert_eq!(seen.ids, (101..8_401).collect::<Vec<i64>>());
        assert_eq!((seen.fields, seen.bytes), (83_000, 8_300 * ROW_BYTES.0));
        assert_eq!(done.load(Ordering::Relaxed), 8_300);
        let mut stopped = Source::new(&generator, (1, 8_192), &stop, &done);
        stop.store(true, Ordering::Relaxed);
        assert!(drain(&mut stopped).ids.is_empty());
    }

    #[test]
    fn a_block_gives_the_same_rows_repeatedly() {
        let generator = Generator::new(DataTable::Small, &Sizes::derive(Preset::Smoke, None, 1));
        let mut block = Block::new(&generator, 3_300);
        let expected: Vec<i64> = (1..=3_200).chain(1..=100).collect();
        for _ in 0..2 {
            assert_eq!(drain(&mut block).ids, expected);
            block.rewind();
        }
        assert_eq!(block.rows()[3_299], generator.row(100));
    }
}
