//! The rows of the tables, from the generator.

use std::fmt::{Display, Write};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use engine::{Column, Result, RowSink, RowSource, Session, Table};
use record::Bytes;
use tpchgen::decimal::TPCHDecimal;
use tpchgen::distribution::Distributions;
use tpchgen::generators::{
    Customer, CustomerGenerator, LineItem, LineItemGenerator, Nation, NationGenerator, Order, OrderGenerator, Part,
    PartGenerator, PartSupp, PartSuppGenerator, Region, RegionGenerator, Supplier, SupplierGenerator,
};
use tpchgen::text::TextPool;

use super::table::table;
use crate::data_set::{TableRows, has_rows};
use crate::test_context::TestContext;

/// Changes when the rows do.
const GENERATOR: &str = "tpchgen 4";

/// Bytes of the text that comments are cut out of (`dbgen`, `TEXT_POOL_SIZE`).
const POOL_BYTES: i32 = 300 << 20;

/// The most rows of a transaction, about.
const CHUNK_ROWS_MAX: u64 = 1 << 18;

/// Rows between two checks of the stop flag.
const STRIDE: u64 = 1_024;

/// A table of the decision queries at some scale.
pub(super) struct DecisionRows<'p> {
    name: &'static str,
    scale_percent: u32,
    pool: &'p OnceLock<TextPool>,
}

impl<'p> DecisionRows<'p> {
    /// The table `name` of [`super::table::NAMES`]; `pool` is filled when rows are made.
    pub(super) fn new(name: &'static str, scale_percent: u32, pool: &'p OnceLock<TextPool>) -> DecisionRows<'p> {
        DecisionRows { name, scale_percent, pool }
    }

    /// `count` at scale 1, at this scale.
    fn scaled(&self, count: u64) -> u64 {
        count * u64::from(self.scale_percent) / 100
    }

    fn pool(&self) -> &TextPool {
        self.pool.get_or_init(|| TextPool::new(POOL_BYTES, Distributions::static_default()))
    }
}

/// The lines of `orders` orders: the first that is drawn of each.
fn lines(orders: u64) -> u64 {
    let mut count = OrderGenerator::create_line_count_random();
    let lines = (0..orders).map(|_| {
        let lines = count.next_value();
        count.row_finished();
        lines as u64
    });
    lines.sum()
}

impl TableRows for DecisionRows<'_> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn table(&self) -> Table {
        table(self.name)
    }

    fn rows(&self) -> u64 {
        match self.name {
            "h_region" => 5,
            "h_nation" => 25,
            "h_supplier" => self.scaled(10_000),
            "h_part" => self.scaled(200_000),
            "h_partsupp" => self.scaled(800_000),
            "h_customer" => self.scaled(150_000),
            "h_orders" => self.scaled(1_500_000),
            _ => lines(self.scaled(1_500_000)),
        }
    }

    /// By the typical lengths of rows in clause 4.2.5.
    fn bytes(&self) -> Bytes {
        let row = match self.name {
            "h_region" => 124,
            "h_nation" => 128,
            "h_supplier" => 159,
            "h_part" => 155,
            "h_partsupp" => 144,
            "h_customer" => 179,
            "h_orders" => 104,
            _ => 112,
        };
        Bytes(row).times(self.rows())
    }

    fn fingerprint(&self) -> String {
        format!("{GENERATOR}, {} at {} %", self.name, self.scale_percent)
    }

    fn prepare(&self) {
        self.pool();
    }

    /// The smallest tables have one, because the generator does not part them.
    fn chunks(&self, jobs: u32) -> u64 {
        match self.name {
            "h_region" | "h_nation" => 1,
            // Several chunks for each job, so that all end at about the same time.
            _ => (8 * u64::from(jobs)).max(self.rows().div_ceil(CHUNK_ROWS_MAX)),
        }
    }

    fn chunk<'a>(
        &'a self,
        (index, count): (u64, u64),
        stop: &'a AtomicBool,
        done: &'a AtomicU64,
    ) -> Box<dyn RowSource + 'a> {
        let (words, pool) = (Distributions::static_default(), self.pool());
        // Both are small: see `chunks`.
        let (scale, part, parts) = (f64::from(self.scale_percent) / 100.0, index as i32 + 1, count as i32);
        macro_rules! rows {
            ($generator:ident, $push:expr) => {{
                let rows = $generator::new_with_distributions_and_text_pool(scale, part, parts, words, pool);
                source(self.name, rows.iter(), $push, stop, done)
            }};
        }
        match self.name {
            "h_region" => {
                let rows = RegionGenerator::new_with_distributions_and_text_pool(words, pool);
                source(self.name, rows.iter(), region, stop, done)
            }
            "h_nation" => {
                let rows = NationGenerator::new_with_distributions_and_text_pool(words, pool);
                source(self.name, rows.iter(), nation, stop, done)
            }
            "h_supplier" => rows!(SupplierGenerator, supplier),
            "h_part" => rows!(PartGenerator, part_row),
            "h_partsupp" => {
                let rows = PartSuppGenerator::new_with_text_pool(scale, part, parts, pool);
                source(self.name, rows.iter(), partsupp, stop, done)
            }
            "h_customer" => rows!(CustomerGenerator, customer),
            "h_orders" => rows!(OrderGenerator, order),
            _ => rows!(LineItemGenerator, line),
        }
    }

    fn is_intact(&self, _context: &TestContext<'_>, session: &mut dyn Session) -> Result<bool> {
        has_rows(session, self.name, self.rows())
    }
}

/// Rows of an iterator.
struct Rows<'a, I, P> {
    columns: Vec<Column>,
    rows: I,
    push: P,
    pushed: u64,
    text: String,
    stop: &'a AtomicBool,
    done: &'a AtomicU64,
}

fn source<'a, T, I, P>(
    name: &str,
    rows: I,
    push: P,
    stop: &'a AtomicBool,
    done: &'a AtomicU64,
) -> Box<dyn RowSource + 'a>
where
    I: Iterator<Item = T> + 'a,
    P: Fn(&T, &mut Fields<'_>) + 'a,
{
    Box::new(Rows { columns: table(name).columns, rows, push, pushed: 0, text: String::new(), stop, done })
}

impl<T, I: Iterator<Item = T>, P: Fn(&T, &mut Fields<'_>)> RowSource for Rows<'_, I, P> {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        if self.pushed.is_multiple_of(STRIDE) && self.stop.load(Ordering::Relaxed) {
            return false;
        }
        let Some(row) = self.rows.next() else {
            self.done.fetch_add(self.pushed % STRIDE, Ordering::Relaxed);
            return false;
        };
        (self.push)(&row, &mut Fields { sink, text: &mut self.text });
        self.pushed += 1;
        if self.pushed.is_multiple_of(STRIDE) {
            self.done.fetch_add(STRIDE, Ordering::Relaxed);
        }
        true
    }
}

/// A row as it is pushed, with room for a text.
struct Fields<'a> {
    sink: &'a mut dyn RowSink,
    text: &'a mut String,
}

impl Fields<'_> {
    fn int(&mut self, value: impl Into<i64>) {
        self.sink.int(value.into());
    }

    fn money(&mut self, TPCHDecimal(cents): TPCHDecimal) {
        self.sink.decimal(cents, 2);
    }

    fn text(&mut self, text: &str) {
        self.sink.text(text);
    }

    /// The text of `value`.
    fn shown(&mut self, value: &impl Display) {
        self.text.clear();
        // Writing into a string does not fail.
        let _ = write!(self.text, "{value}");
        self.sink.text(self.text);
    }
}

fn region(row: &Region<'_>, to: &mut Fields<'_>) {
    to.int(row.r_regionkey);
    to.text(row.r_name);
    to.text(row.r_comment);
}

fn nation(row: &Nation<'_>, to: &mut Fields<'_>) {
    to.int(row.n_nationkey);
    to.text(row.n_name);
    to.int(row.n_regionkey);
    to.text(row.n_comment);
}

fn supplier(row: &Supplier, to: &mut Fields<'_>) {
    to.int(row.s_suppkey);
    to.shown(&row.s_name);
    to.shown(&row.s_address);
    to.int(row.s_nationkey);
    to.shown(&row.s_phone);
    to.money(row.s_acctbal);
    to.text(&row.s_comment);
}

fn part_row(row: &Part<'_>, to: &mut Fields<'_>) {
    to.int(row.p_partkey);
    to.shown(&row.p_name);
    to.shown(&row.p_mfgr);
    to.shown(&row.p_brand);
    to.text(row.p_type);
    to.int(row.p_size);
    to.text(row.p_container);
    to.money(row.p_retailprice);
    to.text(row.p_comment);
}

fn partsupp(row: &PartSupp<'_>, to: &mut Fields<'_>) {
    to.int(row.ps_partkey);
    to.int(row.ps_suppkey);
    to.int(row.ps_availqty);
    to.money(row.ps_supplycost);
    to.text(row.ps_comment);
}

fn customer(row: &Customer<'_>, to: &mut Fields<'_>) {
    to.int(row.c_custkey);
    to.shown(&row.c_name);
    to.shown(&row.c_address);
    to.int(row.c_nationkey);
    to.shown(&row.c_phone);
    to.money(row.c_acctbal);
    to.text(row.c_mktsegment);
    to.text(row.c_comment);
}

fn order(row: &Order<'_>, to: &mut Fields<'_>) {
    to.int(row.o_orderkey);
    to.int(row.o_custkey);
    to.text(row.o_orderstatus.as_str());
    to.money(row.o_totalprice);
    to.sink.date(row.o_orderdate.to_unix_epoch());
    to.text(row.o_orderpriority);
    to.shown(&row.o_clerk);
    to.int(row.o_shippriority);
    to.text(row.o_comment);
}

fn line(row: &LineItem<'_>, to: &mut Fields<'_>) {
    to.int(row.l_orderkey);
    to.int(row.l_partkey);
    to.int(row.l_suppkey);
    to.int(row.l_linenumber);
    // It is a whole number.
    to.sink.decimal(row.l_quantity * 100, 2);
    to.money(row.l_extendedprice);
    to.money(row.l_discount);
    to.money(row.l_tax);
    to.text(row.l_returnflag);
    to.text(row.l_linestatus);
    to.sink.date(row.l_shipdate.to_unix_epoch());
    to.sink.date(row.l_commitdate.to_unix_epoch());
    to.sink.date(row.l_receiptdate.to_unix_epoch());
    to.text(row.l_shipinstruct);
    to.text(row.l_shipmode);
    to.text(row.l_comment);
}

#[cfg(test)]
mod tests {
    use super::super::table::NAMES;
    use super::*;

    fn rows(name: &'static str, scale_percent: u32) -> u64 {
        DecisionRows::new(name, scale_percent, &OnceLock::new()).rows()
    }

    /// Clause 4.2.5 and, for scale 10, table 1 of clause 4.2.5.1.
    #[test]
    fn cardinalities_are_those_of_the_specification() {
        let of = |scale_percent| NAMES.map(|name| rows(name, scale_percent));
        assert_eq!(of(100), [5, 25, 10_000, 200_000, 800_000, 150_000, 1_500_000, 6_001_215]);
        assert_eq!(rows("h_lineitem", 1_000), 59_986_052);
        // What DuckDB's generator makes, which is derived from that of the TPC.
        assert_eq!(of(1), [5, 25, 100, 2_000, 8_000, 1_500, 15_000, 60_175]);
        assert_eq!(rows("h_lineitem", 10), 600_572);
    }

    /// Counts rows and fields.
    #[derive(Default)]
    struct Counted {
        fields: u64,
    }

    impl RowSink for Counted {
        fn int(&mut self, _: i64) {
            self.fields += 1;
        }
        fn float(&mut self, _: f64) {
            self.fields += 1;
        }
        fn decimal(&mut self, _: i64, scale: u8) {
            assert_eq!(scale, 2);
            self.fields += 1;
        }
        fn date(&mut self, days: i32) {
            // From 1992-01-01 to 1998-12-31 (clause 4.2.3).
            assert!((8_035..10_592).contains(&days), "{days}");
            self.fields += 1;
        }
        fn text(&mut self, _: &str) {
            self.fields += 1;
        }
    }

    #[test]
    fn chunks_are_all_rows_with_all_fields_once() {
        let pool = OnceLock::new();
        // Its text is another one, which no number depends on.
        pool.set(TextPool::new(1 << 20, Distributions::static_default())).expect("set once");
        for name in NAMES {
            let table = DecisionRows::new(name, 1, &pool);
            let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
            let (mut rows, mut sink) = (0, Counted::default());
            let count = table.chunks(2);
            for index in 0..count {
                let mut source = table.chunk((index, count), &stop, &done);
                while source.next(&mut sink) {
                    rows += 1;
                }
            }
            assert_eq!((rows, done.into_inner()), (table.rows(), table.rows()), "{name}");
            assert_eq!(sink.fields, rows * table.table().columns.len() as u64, "{name}");
            let stopped = AtomicBool::new(true);
            assert!(!table.chunk((0, count), &stopped, &AtomicU64::new(0)).next(&mut sink), "{name}");
        }
    }
}
