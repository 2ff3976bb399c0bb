//! A statement as a session keeps it.

use engine::{Error, Kind, Result};
use oracledb::ToDbValue;

use super::value::Bind;
use crate::script::{Verb, bare, bind_slots};

/// A statement that the server has parsed.
pub(super) struct Prepared {
    pub(super) text: String,
    pub(super) verb: Verb,
    /// Whether it is a query that takes locks, which a transaction holds to its end.
    pub(super) locks: bool,
    /// The bind that each value stands for, in the order of the server.
    slots: Vec<usize>,
    /// How many binds there are.
    binds: usize,
}

impl Prepared {
    pub(super) fn new(sql: &str) -> Prepared {
        let text = bare(sql).trim_end();
        let verb = Verb::of(text);
        // A block ends with a semicolon, nothing else does.
        let text = if verb == Verb::Block { text } else { text.trim_end_matches(';').trim_end() };
        let slots = bind_slots(text);
        let binds = slots.iter().max().map_or(0, |slot| slot + 1);
        Prepared { text: text.to_owned(), verb, locks: takes_locks(text, verb), slots, binds }
    }

    /// The values of `binds` in the order of the server.
    pub(super) fn values<'a>(&self, binds: &'a [Bind<'a>]) -> Result<Vec<&'a dyn ToDbValue>> {
        if binds.len() != self.binds {
            let message = format!("the statement has {} binds and was given {}", self.binds, binds.len());
            return Err(Error::new(Kind::Statement, message));
        }
        Ok(self.slots.iter().map(|slot| binds[*slot].as_value()).collect())
    }
}

/// Whether `text` is a query that ends with `for update`, or with what may follow it.
pub(super) fn takes_locks(text: &str, verb: Verb) -> bool {
    let words: Vec<String> = text.split_whitespace().map(str::to_ascii_lowercase).collect();
    verb == Verb::Query && words.windows(2).any(|pair| pair == ["for", "update"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Value;

    #[test]
    fn values_come_in_the_order_in_which_the_server_meets_their_binds() {
        let prepared = Prepared::new("-- T1: head\nselect a from t where b = :2 and c between :1 and :2;");
        assert_eq!(prepared.text, "select a from t where b = :2 and c between :1 and :2");
        let two = [Value::Int(1), Value::Null];
        let binds: Vec<Bind<'_>> = two.iter().map(|value| Bind::of(value).unwrap()).collect();
        assert_eq!(prepared.values(&binds).unwrap().len(), 3);
        let Err(error) = prepared.values(&binds[..1]) else { panic!("a bind is missing") };
        assert_eq!(
            (error.kind, error.message.as_str()),
            (Kind::Statement, "the statement has 2 binds and was given 1")
        );
    }

    #[test]
    fn a_query_for_update_holds_locks_and_a_block_keeps_its_semicolon() {
        assert!(Prepared::new("select a from t where b = :1 FOR\n update nowait").locks);
        assert!(!Prepared::new("select a from t where b = 'x'").locks);
        assert!(!Prepared::new("update t set a = 1").locks);
        assert_eq!(Prepared::new("begin null; end;").text, "begin null; end;");
    }
}
