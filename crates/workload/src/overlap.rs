//! What two tests both make, so that they cannot work at the same time.

use crate::test::{Schema, Test};

/// The tables that both `one` and `other` make and change, as the object of "make"; none where each leaves those of the other alone.
pub fn common_tables(one: &Test, other: &Test) -> Option<String> {
    if one.code == other.code {
        return Some("the same tables".to_owned());
    }
    let of_schema = one.schema.filter(|schema| other.schema == Some(*schema)).map(|schema| match schema {
        Schema::Orders => "the tables of an order mix".to_owned(),
        Schema::Decision => "the tables of decision queries".to_owned(),
    });
    let table = || one.table.iter().find(|table| other.table.iter().any(|another| another.name == table.name));
    let initialized = |test: &Test| test.scripts.as_ref().is_some_and(|scripts| scripts.initialized_scale.is_some());
    of_schema
        .or_else(|| table().map(|table| format!("table {}", table.name)))
        .or_else(|| (initialized(one) && initialized(other)).then(|| "the tables of pgbench".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalogue;

    #[test]
    fn tests_of_one_schema_cannot_work_at_the_same_time() {
        let test = |code: &str| catalogue().iter().find(|test| test.code == code).expect("a test of the catalogue");
        let common = |one: &str, other: &str| common_tables(test(one), test(other));
        assert_eq!(common("C100", "H100"), None);
        assert_eq!(common("T611", "T616"), None, "rows that both read or change are those of the data set");
        assert_eq!(common("T611", "T611").as_deref(), Some("the same tables"));
        assert_eq!(common("C100", "C110").as_deref(), Some("the tables of an order mix"));
        let mut own = test("T311").clone();
        assert!(!own.table.is_empty());
        own.code = "T999".to_owned();
        assert!(common_tables(test("T311"), &own).is_some_and(|tables| tables.starts_with("table ")));
    }
}
