//! The rules of expected answers.

use super::{RuleResult, derived, known};
use crate::data::DataColumn;
use crate::test::amount::Amount;
use crate::test::error::BrokenRule;
use crate::test::expectation::{Expectation, Item, Literal};
use crate::test::shape::{BindRule, StatementEntry, Test};

pub(super) fn expectation(test: &Test, entry: &StatementEntry, expect: &Expectation) -> RuleResult {
    let fail = |word: &str, message: &str| {
        Err(BrokenRule::new(word, format!("expect of statement `{}` {message}", entry.name)))
    };
    let forms = [expect.rows.is_some(), expect.changed.is_some(), expect.values.is_some(), expect.table.is_some()];
    if forms.iter().filter(|given| **given).count() != 1 {
        return fail("expect", "needs exactly one of rows, changed, values and table");
    }
    [&expect.rows, &expect.changed].into_iter().flatten().try_for_each(|amount| known(test, "expect", amount))?;
    for literal in expect.values.iter().flatten() {
        match literal {
            Literal::Parameter(name) => known(test, "values", &Amount::Named(name.clone()))?,
            Literal::Derived { key, content } => derived(entry, key, *content)?,
            _ => {}
        }
    }
    let Some(table) = expect.table else {
        return match expect.by.is_some() || !expect.columns.is_empty() || !expect.group.is_empty() {
            true => fail("expect", "has by, columns or group, which need table"),
            false => Ok(()),
        };
    };
    if !test.tables.contains(&table) {
        return fail("expect", &format!("is about {}, which is not in tables", table.name()));
    }
    if expect.columns.is_empty() {
        return fail("expect", "needs columns: those that the statement returns");
    }
    if let Some(by) = &expect.by {
        let is_key = [DataColumn::Id, DataColumn::Scatter].iter().any(|key| key.name() == by);
        if !is_key || !matches!(entry.bind.get(by), Some(BindRule::Uniform(_) | BindRule::Constant(_))) {
            return fail(by, &format!("by = \"{by}\" is not id or scatter with a bind of that name"));
        }
    }
    groups(entry, expect)
}

fn groups(entry: &StatementEntry, expect: &Expectation) -> RuleResult {
    let fail = |word: &str, message: String| {
        Err(BrokenRule::new(word, format!("expect of statement `{}` {message}", entry.name)))
    };
    let distinct = [DataColumn::Region, DataColumn::Category].map(DataColumn::name);
    if let Some(name) = expect.group.iter().find(|name| !distinct.contains(&name.as_str())) {
        return fail(name, format!("groups by `{name}`, which is not one of {}", distinct.join(", ")));
    }
    if !expect.columns.iter().any(|item| item.is_aggregate()) {
        return match (expect.group.is_empty(), &expect.by) {
            (false, _) => fail("group", "has a group, but no count, sum, min or max".to_owned()),
            (true, None) => fail("columns", "selects every row of a table; give by, or aggregates".to_owned()),
            (true, Some(_)) => Ok(()),
        };
    }
    let alone = expect.columns.iter().find_map(|item| match item {
        Item::Column(column) if !expect.group.iter().any(|name| name == column.name()) => Some(column.name()),
        _ => None,
    });
    match alone {
        Some(name) => fail(name, format!("has the column `{name}` with aggregates, but not in group")),
        None => Ok(()),
    }
}
