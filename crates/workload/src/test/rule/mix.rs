//! The rules of mixes.

use crate::script::CompiledScripts;
use crate::test::error::BrokenRule;
use crate::test::mix::{Choice, MixEntry, QUERIES, Schema};
use crate::test::shape::Test;

/// The most cards of a deck.
const DECK_MAX: u64 = 10_000;

/// The rules of gauges: names of their own, and queries.
pub(super) fn check_gauges(test: &Test) -> Result<(), BrokenRule> {
    for (index, gauge) in test.gauge.iter().enumerate() {
        let broken = |message: String| Err(BrokenRule::new("gauge", message).within(&gauge.name));
        if gauge.name.trim().is_empty() {
            return broken("a gauge needs a name".to_owned());
        }
        if test.gauge[..index].iter().any(|other| other.name == gauge.name) {
            return broken(format!("two gauges are called {}", gauge.name));
        }
        if gauge.sql.trim().is_empty() {
            return broken(format!("gauge {} needs a query", gauge.name));
        }
    }
    Ok(())
}

/// The rules of a mix: of its names, weights and scripts, and of what only a mix has.
pub(super) fn check_mix(test: &Test) -> Result<(), BrokenRule> {
    if test.mix.is_empty() {
        let only = [
            ("choice", test.choice != Choice::default()),
            ("tries_max", test.tries_max.is_some()),
            ("schema", test.schema.is_some()),
            ("role", !test.role.is_empty()),
            ("calls_commit_once", test.calls_commit_once),
        ];
        return match only.into_iter().find(|(_, is_given)| *is_given) {
            Some((key, _)) => Err(BrokenRule::new(key, format!("{key} is of a test with [[mix]]"))),
            None => Ok(()),
        };
    }
    let needed = test.schema.map(Schema::parameters).unwrap_or_default();
    if let Some(name) = needed.iter().find(|name| !test.param.contains_key(**name)) {
        return Err(BrokenRule::new("schema", format!("the schema needs a parameter [param.{name}]")));
    }
    let others = [
        ("[[statement]]", !test.statement.is_empty()),
        ("[bulk]", test.bulk.is_some()),
        ("transaction", test.transaction),
        ("connect", test.connect),
    ];
    if let Some((key, _)) = others.into_iter().find(|(_, is_given)| *is_given) {
        return Err(BrokenRule::new(key, format!("a test has [[mix]] or {key}, not both")));
    }
    let cards = test.mix.iter().map(|entry| u64::from(entry.weight)).sum::<u64>();
    if test.choice == Choice::Deck && cards > DECK_MAX {
        let message = format!("the weights of the deck add up to {cards}, at most {DECK_MAX} are possible");
        return Err(BrokenRule::new("choice", message));
    }
    check_queries(test)?;
    let scripts = test.any_scripts().unwrap_or_default();
    match CompiledScripts::new(&scripts, 0) {
        Ok(_) => Ok(()),
        Err(error) => {
            let line = error.line.map_or_else(String::new, |line| format!(", line {line}"));
            let message = format!("script {}{line}: {}; hint: {}", error.origin, error.message, error.hint);
            Err(BrokenRule::new("script", message).within(&error.origin))
        }
    }
}

/// Checks that there are 22 transactions where they are in the orders of streams, and that they are the queries where the tables
/// are theirs.
fn check_queries(test: &Test) -> Result<(), BrokenRule> {
    let count = test.mix.len();
    if test.choice == Choice::Streams && count != QUERIES {
        let message = format!("the orders of streams are those of {QUERIES} transactions, and the test has {count}");
        return Err(BrokenRule::new("choice", message));
    }
    if test.choice == Choice::Streams && !test.role.is_empty() {
        let message =
            "the jobs of a test with choice = \"streams\" do all of its transactions, and a [[role]] has some of them";
        return Err(BrokenRule::new("[[role]]", message));
    }
    if test.schema != Some(Schema::Decision) {
        return Ok(());
    }
    let is_query = |(entry, number): (&MixEntry, usize)| entry.name == format!("q{number}");
    match count == QUERIES && test.mix.iter().zip(1..).all(is_query) {
        true => Ok(()),
        false => {
            Err(BrokenRule::new("schema", format!("the schema needs the transactions q1 to q{QUERIES}, in this order")))
        }
    }
}
