//! The loaded table: its columns from the layout of the lines, its partitions and compression from the model.

use engine::{Caps, Column, ColumnType, Dialect, Index, LineForm, Partitions, Table};
use flat::{FieldKind, Layout};
use record::LoadModel;

/// Hash partitions of each range of dates.
const HASH_PARTS: u32 = 4;

/// The longest name, which leaves room for suffixes of partitions and indexes.
const NAME_LETTERS_MAX: usize = 24;

/// Why a table cannot be loaded with a model, as a clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit(pub String);

/// A table for lines of a layout.
#[derive(Clone, Debug, PartialEq)]
pub struct LoadTable {
    table: Table,
    indexes: Vec<Index>,
    model: LoadModel,
    form: LineForm,
}

impl LoadTable {
    /// The table of `layout` for `model`: called `name` if it is the plain one. `months` are the ends of the date
    /// ranges, exclusive, in days since 1970-01-01.
    ///
    /// # Errors
    /// Where the engine or the layout does not support the model.
    pub fn new(name: &str, layout: &Layout, model: LoadModel, months: &[i32], caps: &Caps) -> Result<LoadTable, Unfit> {
        if model.compressed && !caps.table_compression {
            return Err(Unfit("this engine has no table compression".to_owned()));
        }
        if model.partitioned && !caps.partitions {
            return Err(Unfit("this engine has no partitioned tables".to_owned()));
        }
        let columns: Vec<Column> =
            layout.fields.iter().map(|field| Column::new(lower(&field.name), kind(field.kind))).collect();
        let by_date = columns.iter().find(|column| column.kind == ColumnType::Date);
        // The first column is the lookup key of a row: a card, an account, an order.
        let by_hash = columns.iter().find(|column| column.kind != ColumnType::Date);
        let partitions = match (model.partitioned, by_date, by_hash) {
            (false, ..) => None,
            (true, Some(by_date), Some(by_hash)) => Some(Partitions {
                by_date: by_date.name.clone(),
                bounds: months.to_vec(),
                by_hash: by_hash.name.clone(),
                hash_parts: HASH_PARTS,
            }),
            (true, ..) => return Err(Unfit(format!("layout {} has no date to partition by", layout.name))),
        };
        let name = format!("{name}{}", suffix(model));
        let named_index = |(index, column): (usize, &Column)| Index {
            name: format!("{name}_i{}", index + 1),
            columns: vec![column.name.clone()],
        };
        let indexes = by_hash.into_iter().chain(by_date).enumerate().map(named_index).collect();
        let form = LineForm {
            columns: columns.iter().map(|column| column.name.clone()).collect(),
            separator: layout.separator,
            ends_with_separator: layout.ends_with_separator,
        };
        let compressed = model.compressed;
        Ok(LoadTable {
            table: Table {
                name,
                columns,
                key: Vec::new(),
                indexes: Vec::new(),
                compressed,
                partitions,
                is_updated: false,
            },
            indexes,
            model,
            form,
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.table.name
    }

    /// How it is stored.
    pub fn model(&self) -> LoadModel {
        self.model
    }

    pub(super) fn columns(&self) -> &[Column] {
        &self.table.columns
    }

    pub(super) fn form(&self) -> &LineForm {
        &self.form
    }

    /// Statements that create it, empty and without indexes.
    pub fn create(&self, dialect: &Dialect) -> Vec<String> {
        (dialect.create)(&self.table)
    }

    /// Statements that create its indexes: without the other statements that finish a table.
    pub fn make_indexes(&self, dialect: &Dialect) -> Vec<String> {
        let without = (dialect.finish)(&self.table);
        let with = (dialect.finish)(&Table { indexes: self.indexes.clone(), ..self.table.clone() });
        with.into_iter().filter(|statement| !without.contains(statement)).collect()
    }

    /// Statements that finish the loaded table: statistics and the like.
    pub fn settle(&self, dialect: &Dialect) -> Vec<String> {
        (dialect.finish)(&self.table)
    }

    /// Checks that `name` is valid as the name of a table.
    ///
    /// # Errors
    /// A clause with the reason.
    pub fn check_name(name: &str) -> Result<(), Unfit> {
        let begins = name.bytes().next().is_some_and(|letter| letter.is_ascii_lowercase());
        let letters =
            name.bytes().all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == b'_');
        match () {
            () if !begins || !letters => Err(Unfit(
                "is not a name of lower-case letters, digits and underscores that starts with a letter".to_owned(),
            )),
            () if name.len() > NAME_LETTERS_MAX => Err(Unfit(format!("has more than {NAME_LETTERS_MAX} letters"))),
            () if name.starts_with("dbdyno") => Err(Unfit("is a reserved name of dbdyno".to_owned())),
            () => Ok(()),
        }
    }
}

fn suffix(model: LoadModel) -> &'static str {
    match (model.partitioned, model.compressed) {
        (false, false) => "",
        (true, false) => "_partitioned",
        (false, true) => "_compressed",
        (true, true) => "_part_comp",
    }
}

/// Engines store names in lower case, or ignore their case.
fn lower(name: &str) -> String {
    name.to_ascii_lowercase()
}

fn kind(kind: FieldKind) -> ColumnType {
    match kind {
        FieldKind::Int { .. } => ColumnType::Int,
        FieldKind::Decimal { precision, scale } => ColumnType::Decimal { precision, scale },
        FieldKind::Date => ColumnType::Date,
        FieldKind::Text { size } => ColumnType::Text { size },
    }
}

#[cfg(test)]
pub(super) mod tests {
    use engine::Engine;
    use engine::null::Null;

    use super::*;

    pub(in crate::load) fn caps(can: bool) -> Caps {
        Caps {
            procedures: can,
            decimal: true,
            table_compression: can,
            partitions: can,
            lines: can,
            column_names: true,
            limit_clause: true,
            json: can,
            large_values: can,
            parallel_query: can,
            parallel_index: can,
            concurrent_writers: can,
            counts_read_commits: can,
            counts_procedure_commits: can,
            answers: true,
        }
    }

    #[test]
    fn the_models_of_cards_are_four_tables() {
        let table = |model| LoadTable::new("cards", &Layout::cards(), model, &[1, 2], &caps(true)).expect("a table");
        let names: Vec<String> = LoadModel::ALL.into_iter().map(|model| table(model).name().to_owned()).collect();
        assert_eq!(names, ["cards", "cards_partitioned", "cards_compressed", "cards_part_comp"]);
        let partitioned = table(LoadModel::ALL[1]).table.partitions.expect("parts");
        assert_eq!((partitioned.by_date.as_str(), partitioned.by_hash.as_str()), ("purchase_dt", "card_no"));
        let names: Vec<String> = table(LoadModel::ALL[0]).indexes.into_iter().flat_map(|index| index.columns).collect();
        assert_eq!(names, ["card_no", "purchase_dt"]);
    }

    #[test]
    fn missing_support_of_engine_or_layout_is_reported() {
        let table = |layout: &Layout, model: usize, can: bool| {
            LoadTable::new("cards", layout, LoadModel::ALL[model], &[1], &caps(can)).map(|_| ())
        };
        assert!(table(&Layout::cards(), 0, false).is_ok());
        assert_eq!(table(&Layout::cards(), 1, false), Err(Unfit("this engine has no partitioned tables".to_owned())));
        assert_eq!(table(&Layout::cards(), 2, false), Err(Unfit("this engine has no table compression".to_owned())));
        let mut dateless = Layout::cards();
        dateless.fields.retain(|field| field.kind != FieldKind::Date);
        assert!(table(&dateless, 1, true).unwrap_err().0.contains("has no date"));
        assert!(table(&dateless, 2, true).is_ok());
    }

    #[test]
    fn indexes_are_separate_from_settling() {
        let table = LoadTable::new("cards", &Layout::cards(), LoadModel::default(), &[], &caps(true)).expect("a table");
        let dialect = Null.dialect();
        let settle = table.settle(dialect);
        assert!(table.make_indexes(dialect).iter().all(|statement| !settle.contains(statement)));
    }

    #[test]
    fn valid_names_work_on_every_engine() {
        for name in ["cards", "a", "card_2026"] {
            assert_eq!(LoadTable::check_name(name), Ok(()), "{name}");
        }
        for name in ["", "Cards", "2cards", "ca rds", "x;drop", "dbdyno_load", "a_name_that_is_much_too_long_to_be"] {
            assert!(LoadTable::check_name(name).is_err(), "{name}");
        }
    }
}
