//! The expected answer of a statement, from the generator.

use std::borrow::Cow;
use std::collections::BTreeMap;

use engine::Value;

use crate::data::{DataColumn, DataTable, Generator, REGIONS, Row, decimal};
use crate::test::{Content, Expectation, Item, Literal, Scope};

/// The expected answer, with every name resolved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expected {
    /// This many rows.
    Rows(u64),
    /// This many rows changed.
    Changed(u64),
    /// One row of these values.
    Values(Vec<ExpectedValue>),
    /// The answer of the generator.
    Data(DataQuery),
}

/// A value that is expected.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ExpectedValue {
    /// This one.
    Fixed(Value<'static>),
    /// What follows from the bind of this name.
    Derived(String, Content),
}

impl Expected {
    pub(crate) fn new(expect: &Expectation, scope: Scope<'_>) -> Expected {
        let count = |number: i64| u64::try_from(number).unwrap_or(0);
        if let Some(rows) = &expect.rows {
            return Expected::Rows(count(scope.amount(rows)));
        }
        if let Some(changed) = &expect.changed {
            return Expected::Changed(count(scope.amount(changed)));
        }
        if let Some(values) = &expect.values {
            let value = |literal: &Literal| {
                ExpectedValue::Fixed(match literal {
                    Literal::Int(number) => Value::Int(*number),
                    Literal::Float(number) => Value::Float(*number),
                    Literal::Text(text) => Value::Text(Cow::Owned(text.clone())),
                    Literal::Parameter(name) => Value::Int(scope.parameter(name)),
                    Literal::Derived { key, content } => return ExpectedValue::Derived(key.clone(), *content),
                })
            };
            return Expected::Values(values.iter().map(value).collect());
        }
        Expected::Data(DataQuery {
            table: expect.table.unwrap_or(DataTable::Small),
            by: expect.by.as_deref().and_then(DataColumn::named),
            items: expect.columns.clone(),
            group: expect.group.iter().filter_map(|name| DataColumn::named(name)).collect(),
        })
    }
}

/// A query on a table of the data set that the generator can answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DataQuery {
    pub table: DataTable,
    /// The key by which rows are selected; all rows if absent.
    pub by: Option<DataColumn>,
    pub items: Vec<Item>,
    pub group: Vec<DataColumn>,
}

impl DataQuery {
    /// The rows of the answer; `key` is the value of the bind that selects rows.
    pub(crate) fn answer(&self, generator: &Generator, key: i64) -> Vec<Vec<Value<'static>>> {
        let ids: Box<dyn Iterator<Item = u64>> = match self.by {
            Some(DataColumn::Scatter) => Box::new(generator.group(key).into_iter()),
            Some(_) => Box::new(std::iter::once(key as u64).filter(|id| (1..=generator.rows()).contains(id))),
            None => Box::new(1..=generator.rows()),
        };
        match self.items.iter().any(|item| item.is_aggregate()) {
            true => self.aggregates(generator, ids),
            false => ids.map(|id| self.fields(&generator.row(id))).collect(),
        }
    }

    fn fields(&self, row: &Row) -> Vec<Value<'static>> {
        let columns = self.items.iter().filter_map(|item| match item {
            Item::Column(column) => Some(row.field(*column)),
            _ => None,
        });
        columns.collect()
    }

    fn aggregates(&self, generator: &Generator, ids: impl Iterator<Item = u64>) -> Vec<Vec<Value<'static>>> {
        let by = |column| self.group.contains(&column);
        let (by_region, by_category) = (by(DataColumn::Region), by(DataColumn::Category));
        let mut groups: BTreeMap<(usize, i64), Summary> = BTreeMap::new();
        if self.group.is_empty() {
            groups.insert((0, 0), Summary::default());
        }
        for id in ids {
            let numbers = generator.numbers(id);
            let region = if by_region { numbers.region } else { 0 };
            let category = if by_category { numbers.category } else { 0 };
            groups.entry((region, category)).or_default().add(&numbers);
        }
        let row = |((region, category), summary): (&(usize, i64), &Summary)| {
            let value = |item: &Item| match item {
                Item::Column(DataColumn::Region) => Value::Text(Cow::Borrowed(REGIONS[*region])),
                Item::Column(_) => Value::Int(*category),
                aggregate => summary.value(*aggregate),
            };
            self.items.iter().map(value).collect()
        };
        groups.iter().map(row).collect()
    }
}

/// Count, sum and extremes of the columns that have exact ones.
#[derive(Clone, Debug, Default)]
struct Summary {
    count: i64,
    value: Extent,
    category: Extent,
    amount: Extent,
    price: Option<(f64, f64)>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    sum: i128,
    range: Option<(i64, i64)>,
}

impl Extent {
    fn add(&mut self, number: i64) {
        self.sum += i128::from(number);
        let (low, high) = self.range.unwrap_or((number, number));
        self.range = Some((low.min(number), high.max(number)));
    }
}

impl Summary {
    fn add(&mut self, numbers: &crate::data::Numbers) {
        self.count += 1;
        self.value.add(numbers.value);
        self.category.add(numbers.category);
        self.amount.add(numbers.amount_cents);
        let (low, high) = self.price.unwrap_or((numbers.price, numbers.price));
        self.price = Some((low.min(numbers.price), high.max(numbers.price)));
    }

    /// Null without a row, as in SQL.
    fn value(&self, item: Item) -> Value<'static> {
        if self.count == 0 {
            return if item == Item::Count { Value::Int(0) } else { Value::Null };
        }
        let whole = |number: i128| i64::try_from(number).map_or(Value::Null, Value::Int);
        let money = |number: i128| Value::Decimal(Cow::Owned(decimal(number, 2)));
        let extent = |column| match column {
            DataColumn::Value => self.value,
            DataColumn::Category => self.category,
            _ => self.amount,
        };
        let exact = |column, number: i128| if column == DataColumn::Amount { money(number) } else { whole(number) };
        let end = |column: DataColumn, of: fn((i64, i64)) -> i64| {
            extent(column).range.map_or(Value::Null, |range| exact(column, of(range).into()))
        };
        match item {
            Item::Count => Value::Int(self.count),
            Item::Sum(column) => exact(column, extent(column).sum),
            Item::Min(DataColumn::Price) => self.price.map_or(Value::Null, |(low, _)| Value::Float(low)),
            Item::Max(DataColumn::Price) => self.price.map_or(Value::Null, |(_, high)| Value::Float(high)),
            Item::Min(column) => end(column, |(low, _)| low),
            Item::Max(column) => end(column, |(_, high)| high),
            Item::Column(_) => Value::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use record::Preset;

    use super::*;
    use crate::Sizes;

    fn generator() -> Generator {
        Generator::new(DataTable::Small, &Sizes::derive(Preset::Smoke, None, 42))
    }

    fn query(by: Option<DataColumn>, items: &[&str], group: &[DataColumn]) -> DataQuery {
        let items = items.iter().map(|item| Item::try_from((*item).to_owned()).expect("an item")).collect();
        DataQuery { table: DataTable::Small, by, items, group: group.to_vec() }
    }

    #[test]
    fn a_row_by_its_key_is_that_row_and_a_missing_key_gives_none() {
        let (generator, query) = (generator(), query(Some(DataColumn::Id), &["value", "filler"], &[]));
        let row = generator.row(23);
        let expected = vec![vec![row.field(DataColumn::Value), row.field(DataColumn::Filler)]];
        assert_eq!(query.answer(&generator, 23), expected);
        assert!(query.answer(&generator, 0).is_empty());
        assert!(query.answer(&generator, 3_201).is_empty());
    }

    #[test]
    fn aggregates_are_those_of_the_rows_one_by_one() {
        let generator = generator();
        let rows: Vec<Row> = (1..=generator.rows()).map(|id| generator.row(id)).collect();
        let items = ["count", "sum value", "min value", "max price", "sum amount"];
        let whole = query(None, &items, &[]).answer(&generator, 0);
        let price = rows.iter().map(|row| row.price).fold(0.0, f64::max);
        let cents: i128 = rows.iter().map(|row| i128::from(row.amount_cents)).sum();
        let expected = vec![
            Value::Int(3_200),
            Value::Int(rows.iter().map(|row| row.value).sum()),
            Value::Int(rows.iter().map(|row| row.value).min().unwrap_or(0)),
            Value::Float(price),
            Value::Decimal(decimal(cents, 2).into()),
        ];
        assert_eq!(whole, [expected]);
        let of_group = query(Some(DataColumn::Scatter), &["count", "sum value"], &[]).answer(&generator, 3);
        let sum = rows.iter().filter(|row| row.scatter == 3).map(|row| row.value).sum();
        assert_eq!(of_group, [[Value::Int(320), Value::Int(sum)]]);
    }

    #[test]
    fn groups_partition_the_table() {
        let generator = generator();
        let group = [DataColumn::Region, DataColumn::Category];
        let rows = query(None, &["region", "category", "count"], &group).answer(&generator, 0);
        assert_eq!(rows.len(), 80);
        let count = |row: &Vec<Value<'_>>| if let Value::Int(count) = row[2] { count } else { panic!("no count") };
        assert_eq!(rows.iter().map(count).sum::<i64>(), 3_200);
        let north = |row: &Row| row.region == "north" && row.category == 7;
        let expected = (1..=3_200).filter(|id| north(&generator.row(*id))).count() as i64;
        assert!(rows.contains(&vec![Value::Text("north".into()), Value::Int(7), Value::Int(expected)]));
    }
}
