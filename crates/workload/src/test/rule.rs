//! The rules of test files beyond their keys: every name exists, every number is possible.

mod answer;
mod mix;

use std::collections::BTreeSet;

use record::Sweep;

use crate::data::DataTable;
use crate::sql;
use crate::test::ability;
use crate::test::amount::Amount;
use crate::test::column::{ColumnNames, ColumnText, is_identifier};
use crate::test::derived::{Content, TEXT_OF_MAX};
use crate::test::error::{BrokenRule, TestError};
use crate::test::mix::Schema;
use crate::test::shape::{BindRule, Fill, OnceEntry, OwnTable, StatementEntry, Test};

/// The first broken rule, if any.
type RuleResult = Result<(), BrokenRule>;

/// The most executions of a statement in one step.
const REPEAT_MAX: u32 = 100_000;

/// The most checkpoints in a window.
const CHECKPOINTS_MAX: u32 = 1_000;

/// The most letters of a text bind.
const TEXT_MAX: u32 = 32_768;

impl Test {
    /// Parses a test from the text of its file, called `origin` in errors.
    ///
    /// # Errors
    /// Names file, line, key or value, and what is allowed.
    pub fn parse(text: &str, origin: &str) -> Result<Test, TestError> {
        let mut test: Test = toml::from_str(text).map_err(|error| TestError::from_toml(&error, text, origin))?;
        test.condition.extend(test.schema.map(Schema::conditions).into_iter().flatten());
        check_rules(&test).map_err(|rule| TestError::broken_rule(&rule, text, origin))?;
        Ok(test)
    }
}

/// Checks `test` against all rules.
fn check_rules(test: &Test) -> RuleResult {
    head(test)?;
    names(test)?;
    parallelism(test)?;
    test.table.iter().try_for_each(|table| own_table(test, table).map_err(|rule| rule.within(&table.name)))?;
    match (&test.bulk, test.statement.is_empty()) {
        (Some(_), false) => return Err(BrokenRule::new("[bulk]", "a test has [[statement]] or [bulk], not both")),
        (None, true) if test.mix.is_empty() => {
            return Err(BrokenRule::new("code", "a test needs at least one [[statement]], or [bulk], or [[mix]]"));
        }
        _ => {}
    }
    bulk(test)?;
    connect(test)?;
    checkpoints(test)?;
    mix::check_mix(test)?;
    mix::check_gauges(test)?;
    test.statement.iter().try_for_each(|entry| statement(test, entry).map_err(|rule| rule.within(&entry.name)))?;
    test.setup
        .iter()
        .chain(&test.teardown)
        .try_for_each(|step| run_once_statement(step).map_err(|rule| rule.within(&step.name)))
}

fn head(test: &Test) -> RuleResult {
    let code = test.code.as_bytes();
    let formed = code.len() == 4 && code[0].is_ascii_uppercase() && code[1..].iter().all(u8::is_ascii_digit);
    if !formed || code[0] == b'P' {
        let message = format!("code `{}` is not a capital letter other than P and three digits, like T611", test.code);
        return Err(BrokenRule::new("code", message));
    }
    let words = [
        ("summary", &test.summary),
        ("answers", &test.answers),
        ("not", &test.not),
        ("cost", &test.cost),
        ("limits", &test.limits),
    ];
    for (key, text) in words {
        if text.trim().is_empty() {
            return Err(BrokenRule::new(key, format!("{key} is empty; write a sentence")));
        }
    }
    if test.summary.chars().count() > 60 {
        let message = format!("summary has {} characters, at most 60 fit the sheet", test.summary.chars().count());
        return Err(BrokenRule::new("summary", message));
    }
    if test.operations != Amount::Named("rows".to_owned()) {
        positive(test, "operations", &test.operations)?;
    }
    if let Some(rows) = &test.rows {
        positive(test, "rows", rows)?;
    }
    if let Some(most) = &test.jobs_max {
        positive(test, "jobs_max", most)?;
    }
    if test.cache.is_some() && test.tables.is_empty() {
        return Err(BrokenRule::new("cache", "cache needs a table in tables"));
    }
    abilities("needs", &test.needs)
}

fn abilities<'a>(key: &str, names: impl IntoIterator<Item = &'a String>) -> RuleResult {
    for name in names {
        if !ability::known().any(|known| known == name) {
            let known: Vec<&str> = ability::known().collect();
            return Err(BrokenRule::new(name, format!("{key} `{name}` is not one of {}", known.join(", "))));
        }
    }
    Ok(())
}

fn names(test: &Test) -> RuleResult {
    let mut seen = BTreeSet::new();
    let statements = test.statement.iter().map(|entry| &entry.name);
    let steps = test.setup.iter().chain(&test.teardown).map(|step| &step.name);
    let parameters = test.param.keys();
    let of_mix = test.mix.iter().map(|entry| &entry.name).chain(test.condition.iter().map(|condition| &condition.name));
    for name in statements.chain(steps).chain(of_mix) {
        if !is_identifier(name) {
            return Err(not_a_name(name));
        }
        if !seen.insert(name) {
            return Err(BrokenRule::new(name, format!("name `{name}` is given twice")));
        }
    }
    for name in parameters {
        if !is_identifier(name) || name == "rows" {
            return Err(not_a_name(name));
        }
    }
    Ok(())
}

fn not_a_name(name: &str) -> BrokenRule {
    BrokenRule::new(name, format!("name `{name}` is not made of lower-case letters, digits and _ (`rows` is taken)"))
}

fn parallelism(test: &Test) -> RuleResult {
    match (test.sweep, &test.parallel) {
        (Sweep::Threads, None) => {
            let known: Vec<&str> = ability::known().filter(|name| name.starts_with("parallel")).collect();
            let message = format!("sweep = \"threads\" needs parallel = one of {}", known.join(", "));
            Err(BrokenRule::new("sweep", message))
        }
        (Sweep::Jobs, Some(_)) => Err(BrokenRule::new("parallel", "parallel is only for sweep = \"threads\"")),
        (_, name) => abilities("parallel", name),
    }
}

fn own_table(test: &Test, table: &OwnTable) -> RuleResult {
    let fail = |message: String| Err(BrokenRule::new(&table.name, format!("table `{}` {message}", table.name)));
    let plain = table.name.replace(sql::JOB, "1");
    if !is_identifier(&plain) {
        return fail("is not named in lower-case letters, digits and _, with {job} for one table per job".to_owned());
    }
    if [DataTable::Small, DataTable::Large].iter().any(|known| known.name() == plain) || plain.starts_with("dbdyno") {
        return fail("has a name that dbdyno uses itself".to_owned());
    }
    if test.table.iter().filter(|other| other.name == table.name).count() > 1 {
        return fail("is given twice".to_owned());
    }
    if table.like.is_some() != table.columns.is_empty() {
        return fail("needs columns, or like = \"small\", and not both".to_owned());
    }
    let columns = table.table(0).columns;
    if let Some(names) = &table.key {
        key(names.all(), &columns).or_else(fail)?;
    }
    let indexed = || table.indexes.iter().flat_map(ColumnNames::all);
    if let Some(column) = indexed().find(|column| !columns.iter().any(|known| known.name == **column)) {
        return fail(format!("has an index on `{column}`, which is none of its columns"));
    }
    if table.indexes.iter().any(|names| names.all().is_empty() || is_double(names.all())) {
        return fail("has an index without columns, or with one twice".to_owned());
    }
    if table.key.is_none() && !table.indexes.is_empty() {
        return fail("has indexes, and no key: give one of its int columns as key".to_owned());
    }
    if let Some(fill) = &table.fill {
        filled(test, table, fill)?;
    }
    let Some(rows_max) = &table.rows_max else { return Ok(()) };
    if table.fill.is_some() {
        return fail("has fill and rows_max: it would be emptied of what it is filled with".to_owned());
    }
    if !table.is_per_job() {
        return fail("has rows_max, but is not one for each job: put {job} in its name".to_owned());
    }
    if test.table.iter().filter(|other| other.rows_max.is_some()).count() > 1 {
        return fail("is not the only one with rows_max: only one table may have it".to_owned());
    }
    positive(test, "rows_max", rows_max)
}

/// Whether one of `names` is there twice.
fn is_double(names: &[String]) -> bool {
    names.iter().collect::<BTreeSet<_>>().len() < names.len()
}

/// The rules of the key `names` of a table with `columns`; the error is what the table has, as a clause.
fn key(names: &[String], columns: &[engine::Column]) -> Result<(), String> {
    if names.is_empty() || is_double(names) {
        return Err("has a key without columns, or with one twice".to_owned());
    }
    for name in names {
        match columns.iter().find(|column| column.name == *name) {
            Some(column) if column.nullable => return Err(format!("has the key `{name}`, which may be null")),
            Some(column) if names.len() > 1 || column.kind == engine::ColumnType::Int => {}
            _ if names.len() > 1 => return Err(format!("has `{name}` in its key, which is none of its columns")),
            _ => return Err(format!("has the key `{name}`, which is none of its int columns")),
        }
    }
    Ok(())
}

fn checkpoints(test: &Test) -> RuleResult {
    match test.checkpoints {
        Some(count) if !(1..=CHECKPOINTS_MAX).contains(&count) => {
            Err(BrokenRule::new("checkpoints", format!("checkpoints {count} is not in 1 to {CHECKPOINTS_MAX}")))
        }
        Some(_) if !test.changes() => {
            Err(BrokenRule::new("checkpoints", "checkpoints are for a test that changes rows, and this one does not"))
        }
        _ => Ok(()),
    }
}

fn connect(test: &Test) -> RuleResult {
    let is_rows = test.operations == Amount::Named("rows".to_owned());
    let fails = [
        (test.transaction, "transaction"),
        (test.bulk.is_some(), "[bulk]"),
        (test.single_block_reads, "single_block_reads"),
        (!test.table.is_empty(), "[[table]]"),
        (test.cache == Some(record::CacheFit::Outside), "cache = \"outside\""),
        (test.statement.iter().any(|entry| entry.ascending.is_some()), "ascending"),
        (is_rows || test.rows.is_some(), "counts of rows"),
        (test.row_bytes.is_some(), "row_bytes"),
        (test.sweep == Sweep::Threads, "sweep = \"threads\""),
    ];
    match fails.into_iter().find(|(given, _)| *given && test.connect) {
        Some((_, word)) => {
            let message =
                format!("connect = true opens a session for each step, and {word} needs one for the whole run");
            Err(BrokenRule::new("connect", message))
        }
        None => Ok(()),
    }
}

fn filled(test: &Test, table: &OwnTable, fill: &Fill) -> RuleResult {
    positive(test, "rows", &fill.rows)?;
    let columns: Vec<String> = table.columns.iter().map(|column| column.0.name.clone()).collect();
    let is_missing = |column: &&ColumnText| !column.0.nullable && !fill.bind.contains_key(&column.0.name);
    let missing = table.columns.iter().find(is_missing).map(|column| &column.0.name);
    if let Some(name) = missing.or_else(|| fill.bind.keys().find(|name| !columns.contains(name))) {
        let message = format!(
            "fill of table `{}` binds not exactly its columns, those that may be null apart: `{name}`",
            table.name
        );
        return Err(BrokenRule::new("fill", message));
    }
    match table.filling(0) {
        Some((entry, _)) => statement(test, &entry),
        None => Ok(()),
    }
}

fn bulk(test: &Test) -> RuleResult {
    let Some(bulk) = &test.bulk else { return Ok(()) };
    positive(test, "rows", &bulk.rows)?;
    match test.table.iter().find(|table| table.name == bulk.table) {
        Some(table) if table.like.is_some() => Ok(()),
        Some(_) => Err(BrokenRule::new(&bulk.table, "the table of [bulk] must be like = \"small\" or \"large\"")),
        None => Err(BrokenRule::new(&bulk.table, format!("bulk table `{}` is no [[table]] of the test", bulk.table))),
    }
}

fn statement(test: &Test, entry: &StatementEntry) -> RuleResult {
    if !(1..=REPEAT_MAX).contains(&entry.repeat) {
        let message = format!("repeat {} of statement `{}` is not in 1 to {REPEAT_MAX}", entry.repeat, entry.name);
        return Err(BrokenRule::new("repeat", message));
    }
    entry.bind.iter().try_for_each(|(name, rule)| bind(test, entry, name, rule))?;
    if let Some(text) = &entry.sql {
        same_names(entry, text)?;
    }
    if let Some(name) = &entry.ascending {
        match entry.bind.get(name) {
            Some(BindRule::Uniform(_)) => {}
            _ => {
                return Err(BrokenRule::new(
                    "ascending",
                    format!("ascending `{name}` is no uniform bind of `{}`", entry.name),
                ));
            }
        }
    }
    answer::expectation(test, entry, &entry.expect)
}

fn same_names(entry: &StatementEntry, text: &str) -> RuleResult {
    let used: BTreeSet<String> = sql::bind_names(text).into_iter().collect();
    if let Some(name) = used.iter().find(|name| !entry.bind.contains_key(*name)) {
        let message = format!("statement `{}` uses :{name}, but bind has no {name}", entry.name);
        return Err(BrokenRule::new(format!(":{name}"), message));
    }
    match entry.bind.keys().find(|name| !used.contains(*name)) {
        Some(name) => {
            Err(BrokenRule::new("bind", format!("bind {name} of statement `{}` is not used by it", entry.name)))
        }
        None => Ok(()),
    }
}

fn bind(test: &Test, entry: &StatementEntry, name: &str, rule: &BindRule) -> RuleResult {
    let fail =
        |message: String| Err(BrokenRule::new("bind", format!("bind {name} of statement `{}` {message}", entry.name)));
    if !is_identifier(name) {
        return Err(not_a_name(name));
    }
    if let Some((key, content)) = rule.derived() {
        return derived(entry, key, content);
    }
    match rule {
        BindRule::Uniform([low, high]) => {
            [low, high].into_iter().try_for_each(|amount| known(test, "uniform", amount))?;
            match (low, high) {
                (Amount::Literal(low), Amount::Literal(high)) if low > high => {
                    fail(format!("has the range {low} to {high}, which is descending"))
                }
                _ => Ok(()),
            }
        }
        BindRule::UniformFloat([low, high]) if !(low < high && (high - low).is_finite()) => {
            fail(format!("has the range {low} to {high}, which is empty"))
        }
        BindRule::Constant(amount) => known(test, "constant", amount),
        BindRule::Text(0) => fail("has no letters".to_owned()),
        BindRule::Text(size) if *size > TEXT_MAX => {
            fail(format!("has {size} letters, at most {TEXT_MAX} are possible"))
        }
        _ => Ok(()),
    }
}

/// Checks what follows from the bind `key` of `entry`.
fn derived(entry: &StatementEntry, key: &str, content: Content) -> RuleResult {
    if !entry.bind.get(key).is_some_and(BindRule::is_int) || entry.ascending.as_deref() == Some(key) {
        let message = format!(
            "statement `{}` has a value of the key `{key}`, which is no uniform, sequence or constant bind of it, or ascending",
            entry.name
        );
        return Err(BrokenRule::new(key, message));
    }
    match content {
        Content::Text { bytes } if !(1..=TEXT_OF_MAX).contains(&bytes) => {
            let message = format!("text_of in statement `{}` has {bytes} bytes, not 1 to {TEXT_OF_MAX}", entry.name);
            Err(BrokenRule::new("text_of", message))
        }
        _ => Ok(()),
    }
}

fn run_once_statement(step: &OnceEntry) -> RuleResult {
    match step.sql.as_deref().is_some_and(|text| text.contains(sql::JOB)) {
        true => {
            Err(BrokenRule::new(sql::JOB, format!("`{}` runs once for all jobs and cannot use {{job}}", step.name)))
        }
        false => Ok(()),
    }
}

/// Checks that the name in `amount` exists.
fn known(test: &Test, key: &str, amount: &Amount) -> RuleResult {
    if let Some(table) = amount.table()
        && !test.tables.contains(&table)
    {
        return Err(BrokenRule::new(
            amount.to_string(),
            format!("{key} `{amount}` is about a table that is not in tables"),
        ));
    }
    match amount {
        Amount::Named(name) if !test.param.contains_key(name) => {
            let known: Vec<&str> = test.param.keys().map(String::as_str).collect();
            let message = format!(
                "{key} `{name}` is not a number, small.rows, large.rows, small.groups, large.groups or a \
                 parameter of the test ({})",
                if known.is_empty() { "it has none".to_owned() } else { known.join(", ") }
            );
            Err(BrokenRule::new(name, message))
        }
        _ => Ok(()),
    }
}

/// Checks that the name in `amount` exists, and its value is at least 1 where that is known.
fn positive(test: &Test, key: &str, amount: &Amount) -> RuleResult {
    known(test, key, amount)?;
    let numbers: Vec<i64> = match amount {
        Amount::Literal(number) => vec![*number],
        Amount::Named(name) => {
            use record::Preset::{Publish, Quick, Smoke, Standard};
            [Smoke, Quick, Standard, Publish].map(|preset| test.parameters(preset)[name]).to_vec()
        }
        _ => Vec::new(),
    };
    match numbers.iter().find(|number| **number < 1) {
        Some(number) => Err(BrokenRule::new(key, format!("{key} {number} is smaller than 1"))),
        None => Ok(()),
    }
}
