//! The tables: their names, rows, and the position of the rows.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use engine::{Column, ColumnType, Index, RowSink, RowSource, Sparse, Table};
use record::Bytes;

use super::permutation::Permutation;
use super::settings::BlocksSettings;
use crate::data::{letters, mix};

/// Columns of text: `c2` to `c20`.
pub(crate) const TEXTS: u32 = 19;

/// The column of keys.
pub(crate) const KEY: &str = "block_key";

/// Letters that texts are cut from.
const POOL_BYTES: usize = 65_536;

/// The shortest text, long enough for a unique prefix of an update.
const TEXT_MIN: u32 = 16;

/// Rows between two checks of the stop flag.
const STRIDE: u64 = 256;

/// Which table of a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableOf {
    /// The table whose blocks are visited by key.
    Blocks,
    /// The table that is scanned; it has no index.
    Scan,
}

/// The layout of all tables of one measurement.
#[derive(Clone, Debug)]
pub struct Layout {
    sparse: Sparse,
    scale_blocks: u64,
    scan_blocks: u64,
    obfuscated: bool,
    seed: u64,
    pool: std::sync::Arc<str>,
}

impl Layout {
    /// For `settings`, on an engine that places rows as in `sparse`.
    pub fn new(settings: &BlocksSettings, sparse: Sparse, seed: u64) -> Layout {
        let pool: String =
            (0..POOL_BYTES as u64 / 8).flat_map(|number| letters(mix(seed ^ number))).map(char::from).collect();
        Layout {
            sparse,
            scale_blocks: settings.scale_blocks,
            scan_blocks: settings.scan_blocks,
            obfuscated: settings.obfuscated,
            seed,
            pool: pool.into(),
        }
    }

    /// Name of a table of `schema`, from 1.
    pub fn name(of: TableOf, schema: u32) -> String {
        match of {
            TableOf::Blocks => format!("blocks{schema}"),
            TableOf::Scan => format!("blocks_scan{schema}"),
        }
    }

    /// Name of the key index of `table`.
    pub(crate) fn index_name(table: &str) -> String {
        format!("{table}_key")
    }

    /// A table of `schema`, for a dialect.
    pub(crate) fn table(&self, of: TableOf, schema: u32) -> Table {
        let name = Layout::name(of, schema);
        let index = Index { name: Layout::index_name(&name), columns: vec![KEY.to_owned()] };
        Table {
            columns: self.columns(),
            key: if self.sparse.is_keyed { vec!["id".to_owned()] } else { Vec::new() },
            indexes: if of == TableOf::Blocks { vec![index] } else { Vec::new() },
            compressed: false,
            partitions: None,
            is_updated: false,
            name,
        }
    }

    fn columns(&self) -> Vec<Column> {
        let column = |name: String, kind| Column::new(name, kind);
        let numbers = ["id", KEY].map(|name| column(name.to_owned(), ColumnType::Int));
        let texts =
            (2..2 + TEXTS).map(|number| column(format!("c{number}"), ColumnType::Text { size: self.text_size() }));
        numbers.into_iter().chain(texts).collect()
    }

    /// Statements that create `table`.
    pub(crate) fn create(&self, table: &Table) -> Vec<String> {
        (self.sparse.create)(table)
    }

    /// Letters of each text.
    pub(crate) fn text_size(&self) -> u32 {
        (self.sparse.row_bytes / TEXTS).max(TEXT_MIN)
    }

    /// Blocks of a table.
    pub(crate) fn blocks(&self, of: TableOf) -> u64 {
        match of {
            TableOf::Blocks => self.scale_blocks,
            TableOf::Scan => self.scan_blocks,
        }
    }

    /// Rows of a table, including those that only fill blocks.
    pub(crate) fn rows(&self, of: TableOf) -> u64 {
        self.blocks(of) * u64::from(self.sparse.rows_per_block)
    }

    /// Bytes of the rows of a table as they are generated.
    pub(crate) fn size(&self, of: TableOf) -> Bytes {
        Bytes(self.rows(of) * (16 + u64::from(self.text_size() * TEXTS)))
    }

    /// Blocks of the tables of all schemas.
    pub fn blocks_in_all(&self, settings: &BlocksSettings) -> u64 {
        let scan = if settings.scans() { self.scan_blocks } else { 0 };
        (self.scale_blocks + scan).saturating_mul(u64::from(settings.schemas))
    }

    /// Bytes of the rows of the tables of all schemas, as they are generated.
    pub fn data_bytes(&self, settings: &BlocksSettings) -> Bytes {
        let scan = if settings.scans() { self.size(TableOf::Scan) } else { Bytes(0) };
        let each = self.size(TableOf::Blocks).0.saturating_add(scan.0);
        Bytes(each.saturating_mul(u64::from(settings.schemas)))
    }

    /// Fingerprint of the content of a table of `schema`: equal fingerprints mean equal rows after the load.
    pub(crate) fn fingerprint(&self, of: TableOf, schema: u32) -> String {
        let (rows, each) = (self.sparse.rows_per_block, self.text_size());
        let (blocks, seed) = (self.blocks(of), self.seed);
        format!("{}-{blocks}x{rows}-{each}-{}-{seed}", Layout::name(of, schema), self.obfuscated)
    }

    /// The text that updates use parts of.
    pub(crate) fn pool(&self) -> std::sync::Arc<str> {
        self.pool.clone()
    }

    /// The rows of `count` blocks of a table of `schema` from block `first`, from 0. Ends early when `stop` is set;
    /// adds rows to `done`.
    pub(crate) fn source<'a>(
        &'a self,
        (of, schema): (TableOf, u32),
        (first, count): (u64, u64),
        stop: &'a AtomicBool,
        done: &'a AtomicU64,
    ) -> BlockRows<'a> {
        let seed = mix(self.seed ^ (u64::from(schema) << 1) ^ u64::from(of == TableOf::Scan));
        let rows = u64::from(self.sparse.rows_per_block);
        BlockRows {
            layout: self,
            columns: self.columns(),
            keys: Permutation::new(self.blocks(of), seed),
            next: first * rows,
            end: (first + count) * rows,
            seed,
            stop,
            done,
        }
    }
}

/// Rows in storage order: the first of each block has a random key; rows that only fill the block have negative keys,
/// which no operation uses.
pub(crate) struct BlockRows<'a> {
    layout: &'a Layout,
    columns: Vec<Column>,
    keys: Permutation,
    next: u64,
    end: u64,
    seed: u64,
    stop: &'a AtomicBool,
    done: &'a AtomicU64,
}

impl RowSource for BlockRows<'_> {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.next == self.end {
            return false;
        }
        if self.next.is_multiple_of(STRIDE) {
            if self.stop.load(Ordering::Relaxed) {
                return false;
            }
            self.done.fetch_add(STRIDE.min(self.end - self.next), Ordering::Relaxed);
        }
        let rows = u64::from(self.layout.sparse.rows_per_block);
        let (block, within) = (self.next / rows, self.next % rows);
        let id = self.next as i64 + 1;
        sink.int(id);
        sink.int(if within == 0 { self.keys.of(block) as i64 + 1 } else { -id });
        let size = self.layout.text_size() as usize;
        for text in 0..u64::from(TEXTS) {
            // Without obfuscation the texts are the same in every row.
            let drawn = if self.layout.obfuscated { mix(self.seed ^ (self.next * 32 + text)) } else { text };
            let offset = drawn as usize % (POOL_BYTES - size);
            sink.text(&self.layout.pool[offset..offset + size]);
        }
        self.next += 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use engine::Engine;

    use super::*;

    #[derive(Default)]
    struct Seen {
        numbers: Vec<i64>,
        texts: Vec<String>,
    }

    impl RowSink for Seen {
        fn int(&mut self, value: i64) {
            self.numbers.push(value);
        }
        fn float(&mut self, _value: f64) {
            panic!("there is no float");
        }
        fn decimal(&mut self, _unscaled: i64, _scale: u8) {
            panic!("there is no decimal");
        }
        fn date(&mut self, _days_since_epoch: i32) {
            panic!("there is no date");
        }
        fn text(&mut self, value: &str) {
            self.texts.push(value.to_owned());
        }
    }

    fn layout(pairs: &[(&str, &str)], rows_per_block: u32) -> Layout {
        let mut settings = BlocksSettings::default();
        for (name, value) in pairs {
            settings.set(name, name, value).expect(name);
        }
        let sparse = (engine::null::NULL.dialect().sparse)(Bytes(8_192)).expect("it is supported");
        Layout::new(&settings, Sparse { rows_per_block, row_bytes: 1_900, ..sparse }, 42)
    }

    fn seen(layout: &Layout, of: TableOf, schema: u32, range: (u64, u64)) -> Seen {
        let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
        let mut source = layout.source((of, schema), range, &stop, &done);
        let mut seen = Seen::default();
        while source.next(&mut seen) {}
        assert_eq!(source.columns().len(), 21);
        seen
    }

    #[test]
    fn each_block_has_one_row_with_a_key_and_all_keys_are_there() {
        for rows_per_block in [1, 2, 4] {
            let layout = layout(&[("SCALE", "1000")], rows_per_block);
            let parts = [(0, 400), (400, 600)].map(|range| seen(&layout, TableOf::Blocks, 1, range).numbers);
            let rows: Vec<(i64, i64)> = parts.concat().chunks(2).map(|row| (row[0], row[1])).collect();
            assert_eq!(rows.len() as u64, layout.rows(TableOf::Blocks));
            assert!(rows.iter().zip(1..).all(|((id, _), place)| *id == place), "in the order of the load");
            let keys: BTreeSet<i64> = rows.iter().map(|(_, key)| *key).filter(|key| *key > 0).collect();
            assert_eq!(keys, (1..=1_000).collect());
            for block in rows.chunks(rows_per_block as usize) {
                assert!(block[0].1 > 0 && block[1..].iter().all(|(_, key)| *key < 0), "{block:?}");
            }
            let neighbours = rows.chunks(rows_per_block as usize).map(|block| block[0].1).collect::<Vec<i64>>();
            let near = neighbours.windows(2).filter(|pair| pair[0].abs_diff(pair[1]) < 10).count();
            assert!(near < 60, "{near} of 999 neighbours have keys that are near");
        }
    }

    #[test]
    fn texts_have_their_length_and_are_alike_unless_obfuscated() {
        let plain = seen(&layout(&[], 1), TableOf::Scan, 1, (0, 20));
        assert!(plain.texts.iter().all(|text| text.len() == 100 && text.is_ascii()));
        assert_eq!(plain.texts[..19], plain.texts[19..38]);
        let random = seen(&layout(&[("OBFUSCATE_COLUMNS", "TRUE")], 1), TableOf::Scan, 1, (0, 20));
        assert_eq!(random.texts.iter().collect::<BTreeSet<_>>().len(), random.texts.len());
    }

    #[test]
    fn different_tables_have_different_fingerprints() {
        let of = |pairs: &[(&str, &str)]| layout(pairs, 1).fingerprint(TableOf::Blocks, 1);
        let all = [of(&[]), of(&[("SCALE", "1000")]), of(&[("OBFUSCATE_COLUMNS", "TRUE")])];
        let scan = layout(&[], 1).fingerprint(TableOf::Scan, 1);
        let two = layout(&[], 2).fingerprint(TableOf::Blocks, 1);
        assert_eq!(all.iter().chain([&scan, &two]).collect::<BTreeSet<_>>().len(), 5);
        assert_eq!(of(&[]), of(&[("UPDATE_PCT", "50")]), "operations are not part of the content");
        assert!(of(&[]).len() <= 128);
    }
}
