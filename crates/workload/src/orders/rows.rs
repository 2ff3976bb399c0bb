//! The rows of the tables, as clause 4.3.3.1 of TPC-C has them: each follows from the seed and its number.

use engine::{Column, RowSink, RowSource};

use super::{DISTRICTS, OrdersSize};
use crate::data::{GOLDEN, mix, push_letters};

/// The day of all dates of loaded rows: 2026-01-01.
const DAY: i32 = 20_454;

/// What a customer has paid before, and owes less: 10.00.
const PAID_CENTS: i64 = 1_000;

/// The mean number of lines of an order.
const LINES_MEAN: u64 = 10;

/// Of ten orders of a district the last three are new.
const NEW_OF_TEN: u64 = 3;

/// Syllables of last names (clause 4.3.2.3).
const SYLLABLES: [&str; 10] = ["BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING"];

/// The most last names.
pub(crate) const NAMES_MAX: u64 = 1_000;

/// A step with no divisor in common with any number of customers that presets have: orders are of all customers in turn.
const STEP: u64 = 1_009;

/// Pushes the next row; false after the last one.
type Push = dyn FnMut(&mut Drawn, &mut dyn RowSink) -> bool;

/// The rows of one table.
pub(super) struct Rows {
    columns: Vec<Column>,
    push: Box<Push>,
    drawn: Drawn,
}

impl RowSource for Rows {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        (self.push)(&mut self.drawn, sink)
    }
}

/// Random numbers that follow from a seed, and room for text.
struct Drawn {
    seed: u64,
    state: u64,
    text: String,
}

impl Drawn {
    /// Begins the numbers of row `row` of the table `table`.
    fn begin(&mut self, table: u64, row: u64) {
        self.state = mix(self.seed ^ mix(table.wrapping_mul(GOLDEN) ^ row));
    }

    fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        mix(self.state)
    }

    /// From `low` to `high`.
    fn number(&mut self, low: u64, high: u64) -> u64 {
        low + ((u128::from(self.bits()) * u128::from(high - low + 1)) >> 64) as u64
    }

    /// Pushes `low` to `high` letters.
    fn letters(&mut self, low: u64, high: u64, sink: &mut dyn RowSink) {
        let count = self.number(low, high) as usize;
        self.text.clear();
        push_letters(self.bits(), count, &mut self.text);
        sink.text(&self.text);
    }

    /// Two streets, a city, a state and a code.
    fn address(&mut self, sink: &mut dyn RowSink) {
        (0..3).for_each(|_| self.letters(10, 20, sink));
        self.letters(2, 2, sink);
        self.digits(4, "11111", sink);
    }

    fn digits(&mut self, count: usize, end: &str, sink: &mut dyn RowSink) {
        self.text.clear();
        for _ in 0..count {
            let digit = b'0' + self.number(0, 9) as u8;
            self.text.push(char::from(digit));
        }
        self.text.push_str(end);
        sink.text(&self.text);
    }

    /// Text of an item, every tenth with a word that queries look for.
    fn data(&mut self, sink: &mut dyn RowSink) {
        if self.number(1, 10) > 1 {
            return self.letters(26, 50, sink);
        }
        let count = self.number(18, 42) as usize;
        self.text.clear();
        push_letters(self.bits(), count, &mut self.text);
        self.text.push_str("ORIGINAL");
        sink.text(&self.text);
    }
}

/// The last name of `number`, which is below [`NAMES_MAX`].
pub(crate) fn last_name(number: u64) -> String {
    [number / 100, number / 10 % 10, number % 10].map(|digit| SYLLABLES[(digit % 10) as usize]).concat()
}

/// The rows of a table of some size, from a seed.
type Source = fn(OrdersSize, u64, Vec<Column>) -> Rows;

/// The tables in the order in which they are loaded.
pub(super) const SOURCES: [(&str, Source); 10] = [
    ("last_name", |size, seed, columns| numbered(size.names(), 0, seed, columns, name_row)),
    ("item", |size, seed, columns| numbered(size.items, 1, seed, columns, item_row)),
    ("warehouse", |size, seed, columns| {
        numbered(size.warehouses, 2, seed, columns, move |row, drawn, sink| warehouse_row(size, row, drawn, sink))
    }),
    ("stock", |size, seed, columns| {
        numbered(size.warehouses * size.items, 3, seed, columns, move |row, drawn, sink| {
            stock_row(size, row, drawn, sink);
        })
    }),
    ("district", |size, seed, columns| {
        numbered(size.warehouses * DISTRICTS, 4, seed, columns, move |row, drawn, sink| {
            district_row(size, row, drawn, sink);
        })
    }),
    ("customer", |size, seed, columns| {
        numbered(size.all_customers(), 5, seed, columns, move |row, drawn, sink| customer_row(size, row, drawn, sink))
    }),
    ("history", |size, seed, columns| {
        numbered(size.all_customers(), 6, seed, columns, move |row, drawn, sink| history_row(size, row, drawn, sink))
    }),
    ("orders", |size, seed, columns| {
        numbered(size.all_customers(), ORDERS, seed, columns, move |row, drawn, sink| order_row(size, row, drawn, sink))
    }),
    ("new_order", |size, seed, columns| {
        let new = size.new_orders();
        numbered(size.warehouses * DISTRICTS * new, 8, seed, columns, move |row, _, sink| {
            let (district, order) = (row / new, size.customers - new + row % new + 1);
            ints(sink, [order, district % DISTRICTS + 1, district / DISTRICTS + 1].map(|number| number as i64));
        })
    }),
    ("order_line", order_lines),
];

/// The number of the table of orders, whose draws its lines repeat.
const ORDERS: u64 = 7;

impl OrdersSize {
    fn all_customers(self) -> u64 {
        self.warehouses.saturating_mul(DISTRICTS * self.customers)
    }

    /// Rows of the table `name`, for lines of orders their expected number.
    pub(super) fn rows(self, name: &str) -> u64 {
        match name {
            "last_name" => self.names(),
            "item" => self.items,
            "warehouse" => self.warehouses,
            "stock" => self.warehouses.saturating_mul(self.items),
            "district" => self.warehouses.saturating_mul(DISTRICTS),
            "new_order" => self.warehouses.saturating_mul(DISTRICTS * self.new_orders()),
            "order_line" => self.all_customers().saturating_mul(LINES_MEAN),
            _ => self.all_customers(),
        }
    }

    /// New orders of a district.
    fn new_orders(self) -> u64 {
        self.customers * NEW_OF_TEN / 10
    }

    /// Last names that customers have.
    pub(crate) fn names(self) -> u64 {
        self.customers.min(NAMES_MAX)
    }

    /// Warehouse, district and number in the district of row `row` of customers, or of their orders; all from 1.
    fn place(self, row: u64) -> (u64, u64, u64) {
        let district = row / self.customers;
        (district / DISTRICTS + 1, district % DISTRICTS + 1, row % self.customers + 1)
    }

    /// Whether the order `order` of a district was delivered.
    fn is_delivered(self, order: u64) -> bool {
        order <= self.customers - self.new_orders()
    }
}

/// `count` rows of table `table`, each by `row`.
fn numbered(
    count: u64,
    table: u64,
    seed: u64,
    columns: Vec<Column>,
    mut row: impl FnMut(u64, &mut Drawn, &mut dyn RowSink) + 'static,
) -> Rows {
    let mut next = 0;
    let push = move |drawn: &mut Drawn, sink: &mut dyn RowSink| {
        if next == count {
            return false;
        }
        drawn.begin(table, next);
        row(next, drawn, sink);
        next += 1;
        true
    };
    Rows { columns, push: Box::new(push), drawn: Drawn { seed, state: 0, text: String::new() } }
}

fn ints<const COUNT: usize>(sink: &mut dyn RowSink, numbers: [i64; COUNT]) {
    numbers.into_iter().for_each(|number| sink.int(number));
}

fn name_row(row: u64, _drawn: &mut Drawn, sink: &mut dyn RowSink) {
    sink.int(row as i64);
    sink.text(&last_name(row));
}

fn item_row(row: u64, drawn: &mut Drawn, sink: &mut dyn RowSink) {
    sink.int(row as i64 + 1);
    sink.int(drawn.number(1, 10_000) as i64);
    drawn.letters(14, 24, sink);
    sink.int(drawn.number(100, 10_000) as i64);
    drawn.data(sink);
}

fn warehouse_row(size: OrdersSize, row: u64, drawn: &mut Drawn, sink: &mut dyn RowSink) {
    sink.int(row as i64 + 1);
    drawn.letters(6, 10, sink);
    drawn.address(sink);
    sink.int(drawn.number(0, 2_000) as i64);
    sink.int((DISTRICTS * size.customers) as i64 * PAID_CENTS);
}

fn district_row(size: OrdersSize, row: u64, drawn: &mut Drawn, sink: &mut dyn RowSink) {
    sink.int((row % DISTRICTS) as i64 + 1);
    sink.int((row / DISTRICTS) as i64 + 1);
    drawn.letters(6, 10, sink);
    drawn.address(sink);
    sink.int(drawn.number(0, 2_000) as i64);
    sink.int(size.customers as i64 * PAID_CENTS);
    sink.int(size.customers as i64 + 1);
}

fn stock_row(size: OrdersSize, row: u64, drawn: &mut Drawn, sink: &mut dyn RowSink) {
    sink.int((row % size.items) as i64 + 1);
    sink.int((row / size.items) as i64 + 1);
    sink.int(drawn.number(10, 100) as i64);
    (0..DISTRICTS).for_each(|_| drawn.letters(24, 24, sink));
    (0..3).for_each(|_| sink.int(0));
    drawn.data(sink);
}

fn customer_row(size: OrdersSize, row: u64, drawn: &mut Drawn, sink: &mut dyn RowSink) {
    let (warehouse, district, customer) = size.place(row);
    ints(sink, [customer, district, warehouse].map(|number| number as i64));
    drawn.letters(8, 16, sink);
    sink.text("OE");
    // The first customers of a district have each name once.
    let name = if customer <= size.names() { customer - 1 } else { drawn.number(0, 255) | drawn.number(0, 999) };
    sink.text(&last_name(name % NAMES_MAX));
    drawn.address(sink);
    drawn.digits(16, "", sink);
    sink.date(DAY);
    sink.text(if drawn.number(1, 10) == 1 { "BC" } else { "GC" });
    sink.int(5_000_000);
    sink.int(drawn.number(0, 5_000) as i64);
    ints(sink, [-PAID_CENTS, PAID_CENTS, 1, 0]);
    drawn.letters(300, 490, sink);
}

fn history_row(size: OrdersSize, row: u64, drawn: &mut Drawn, sink: &mut dyn RowSink) {
    let (warehouse, district, customer) = size.place(row);
    ints(sink, [customer, district, warehouse, district, warehouse].map(|number| number as i64));
    sink.date(DAY);
    sink.int(PAID_CENTS);
    drawn.letters(12, 24, sink);
}

/// The lines of an order, the first that is drawn of its row.
fn line_count(drawn: &mut Drawn) -> u64 {
    drawn.number(5, 15)
}

fn order_row(size: OrdersSize, row: u64, drawn: &mut Drawn, sink: &mut dyn RowSink) {
    let (warehouse, district, order) = size.place(row);
    let lines = line_count(drawn);
    let customer = (order * STEP + district * 7 + warehouse) % size.customers + 1;
    ints(sink, [order, district, warehouse, customer].map(|number| number as i64));
    sink.date(DAY);
    sink.int(if size.is_delivered(order) { drawn.number(1, 10) as i64 } else { 0 });
    sink.int(lines as i64);
    sink.int(1);
}

/// The lines of all orders.
fn order_lines(size: OrdersSize, seed: u64, columns: Vec<Column>) -> Rows {
    let (mut row, mut line, mut lines) = (0, 0, 0);
    let push = move |drawn: &mut Drawn, sink: &mut dyn RowSink| {
        if line == lines {
            if row == size.all_customers() {
                return false;
            }
            drawn.begin(ORDERS, row);
            (line, lines) = (0, line_count(drawn));
            drawn.begin(9, row);
            row += 1;
        }
        line += 1;
        let (warehouse, district, order) = size.place(row - 1);
        let is_delivered = size.is_delivered(order);
        ints(sink, [order, district, warehouse, line].map(|number| number as i64));
        sink.int(drawn.number(1, size.items) as i64);
        sink.int(warehouse as i64);
        sink.date(if is_delivered { DAY } else { 0 });
        sink.int(5);
        sink.int(if is_delivered { 0 } else { drawn.number(1, 999_999) as i64 });
        drawn.letters(24, 24, sink);
        true
    };
    Rows { columns, push: Box::new(push), drawn: Drawn { seed, state: 0, text: String::new() } }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::table::table;
    use super::*;

    const SIZE: OrdersSize = OrdersSize { warehouses: 2, customers: 30, items: 100 };

    /// Keeps the numbers and texts of rows.
    #[derive(Default)]
    struct Kept(Vec<String>);

    impl RowSink for Kept {
        fn int(&mut self, value: i64) {
            self.0.push(value.to_string());
        }
        fn float(&mut self, value: f64) {
            self.0.push(value.to_string());
        }
        fn decimal(&mut self, unscaled: i64, scale: u8) {
            self.0.push(format!("{unscaled}e-{scale}"));
        }
        fn date(&mut self, days: i32) {
            self.0.push(days.to_string());
        }
        fn text(&mut self, value: &str) {
            self.0.push(value.to_owned());
        }
    }

    fn rows(name: &str) -> Vec<Vec<String>> {
        let (_, source) = SOURCES.iter().find(|(known, _)| *known == name).unwrap();
        let mut source = source(SIZE, 42, table(name).columns);
        let mut all = Vec::new();
        loop {
            let mut kept = Kept::default();
            if !source.next(&mut kept) {
                return all;
            }
            assert_eq!(kept.0.len(), source.columns().len(), "{name}");
            all.push(kept.0);
        }
    }

    #[test]
    fn tables_have_the_rows_of_their_warehouses() {
        let counts = SOURCES.map(|(name, _)| (name, rows(name).len()));
        assert!(counts[..9].iter().all(|(name, count)| SIZE.rows(name) == *count as u64), "{counts:?}");
        assert_eq!(SIZE.rows("order_line"), 6_000, "on average");
        let lines: usize = rows("orders").iter().map(|row| row[6].parse::<usize>().unwrap()).sum();
        let expected = [
            ("last_name", 30),
            ("item", 100),
            ("warehouse", 2),
            ("stock", 200),
            ("district", 20),
            ("customer", 600),
            ("history", 600),
            ("orders", 600),
            ("new_order", 180),
            ("order_line", lines),
        ];
        assert_eq!(counts, expected);
        // 5 to 15 lines are 10 on average, with a deviation of 0.13 for the mean of 600 orders.
        assert!((5_600..6_400).contains(&lines), "{lines}");
    }

    #[test]
    fn texts_fit_their_columns_and_keys_are_unique() {
        for (name, _) in SOURCES {
            let table = table(name);
            let place = |column: &String| table.columns.iter().position(|known| known.name == *column).unwrap();
            let mut keys = BTreeSet::new();
            for row in rows(name) {
                for (column, value) in table.columns.iter().zip(&row) {
                    if let engine::ColumnType::Text { size } = column.kind {
                        assert!(value.len() <= size as usize, "{name}.{}: {value}", column.name);
                    }
                }
                let key: Vec<&String> = table.key.iter().map(|column| &row[place(column)]).collect();
                assert!(key.is_empty() || keys.insert(format!("{key:?}")), "{name} {key:?}");
            }
        }
    }

    #[test]
    fn each_customer_of_a_district_has_one_order_and_the_last_three_of_ten_are_new() {
        let orders = rows("orders");
        let of_first = orders.iter().filter(|row| row[1] == "1" && row[2] == "1");
        let customers: BTreeSet<&String> = of_first.clone().map(|row| &row[3]).collect();
        assert_eq!((of_first.clone().count(), customers.len()), (30, 30));
        assert!(of_first.clone().all(|row| (row[5] == "0") == (row[0].parse::<u64>().unwrap() > 21)));
        let new: BTreeSet<String> = rows("new_order").iter().map(|row| row[..3].join(" ")).collect();
        let undelivered: BTreeSet<String> =
            orders.iter().filter(|row| row[5] == "0").map(|row| row[..3].join(" ")).collect();
        assert_eq!(new, undelivered);
    }

    #[test]
    fn last_names_are_those_of_the_specification() {
        // Clause 4.3.2.3: the number 371 is PRICALLYOUGHT.
        assert_eq!((last_name(371), last_name(40)), ("PRICALLYOUGHT".to_owned(), "BARPRESBAR".to_owned()));
    }
}
