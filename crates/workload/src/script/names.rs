//! The names of variables of all scripts of a job: pgbench keeps one set of variables for a client, whichever script runs.

use std::collections::{BTreeMap, BTreeSet};

use super::error::Mistake;
use super::token::name_length;

/// The variable that each job has: its number, from 0.
pub(crate) const CLIENT_ID: &str = "client_id";

/// The seed of hashes and permutations without one.
pub(crate) const DEFAULT_SEED: &str = "default_seed";

/// The seed of the random numbers.
pub(crate) const RANDOM_SEED: &str = "random_seed";

/// The scale factor.
pub(crate) const SCALE: &str = "scale";

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// This text, always.
    Constant(String),
    /// The variable with this index.
    Slot(usize),
}

/// The variables, by their places; those that no script sets are constants.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Names {
    defined: BTreeMap<String, String>,
    assigned: BTreeSet<String>,
    prefixes: BTreeSet<String>,
    slots: Vec<String>,
}

impl Names {
    /// With the variables `defined` from outside.
    pub(crate) fn new(defined: BTreeMap<String, String>) -> Names {
        Names { defined, ..Names::default() }
    }

    /// Notes that a script sets the variable `name`.
    pub(crate) fn assign(&mut self, name: &str) {
        self.assigned.insert(name.to_owned());
    }

    /// Notes that a script makes variables of the columns of an answer, called `prefix` and their names.
    pub(crate) fn assign_columns(&mut self, prefix: &str) {
        self.prefixes.insert(prefix.to_owned());
    }

    /// What `name` stands for; `None` if nothing ever gives it a value. All assignments are to be noted before.
    pub(crate) fn meaning(&mut self, name: &str) -> Option<Meaning> {
        let is_of_column = self.prefixes.iter().any(|prefix| name.starts_with(prefix.as_str()));
        let is_client = name == CLIENT_ID && !self.defined.contains_key(name);
        if self.assigned.contains(name) || is_of_column || is_client {
            return Some(Meaning::Slot(self.slot(name)));
        }
        self.defined.get(name).map(|text| Meaning::Constant(text.clone()))
    }

    /// The place of the variable `name`.
    pub(crate) fn slot(&mut self, name: &str) -> usize {
        self.slots.iter().position(|known| known == name).unwrap_or_else(|| {
            self.slots.push(name.to_owned());
            self.slots.len() - 1
        })
    }

    /// The place of the variable `name`, if anything uses it.
    pub(crate) fn known_slot(&self, name: &str) -> Option<usize> {
        self.slots.iter().position(|known| known == name)
    }

    /// The names of the variables, by their places.
    pub(crate) fn slots(&self) -> &[String] {
        &self.slots
    }

    /// The value that the variable at `slot` has before the first transaction, as text.
    pub(crate) fn initial(&self, slot: usize) -> Option<&str> {
        self.defined.get(self.slots.get(slot)?).map(String::as_str)
    }
}

/// Whether `name` may be that of a variable: letters, digits and `_`, no digit first.
///
/// # Errors
/// Where it may not.
pub(crate) fn check_name(name: &str) -> Result<(), Mistake> {
    match !name.is_empty() && name_length(name) == name.len() {
        true => Ok(()),
        false => Err(Mistake::new(
            format!("`{name}` is no name of a variable"),
            "use letters, digits and _, and no digit first",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_nothing_sets_is_a_constant() {
        let mut names = Names::new(BTreeMap::from([("size".to_owned(), "100".to_owned())]));
        names.assign("aid");
        names.assign_columns("p_");
        assert_eq!(names.meaning("size"), Some(Meaning::Constant("100".to_owned())));
        assert_eq!(names.meaning("aid"), Some(Meaning::Slot(0)));
        assert_eq!(names.meaning("p_one"), Some(Meaning::Slot(1)));
        assert_eq!(names.meaning("client_id"), Some(Meaning::Slot(2)));
        assert_eq!(names.meaning("other"), None);
        assert_eq!((names.meaning("aid"), names.known_slot("p_one")), (Some(Meaning::Slot(0)), Some(1)));
        names.assign("size");
        assert_eq!(names.meaning("size"), Some(Meaning::Slot(3)));
        assert_eq!((names.initial(3), names.initial(0)), (Some("100"), None));
    }

    #[test]
    fn a_name_begins_with_a_letter() {
        assert!(["a", "_1", "größe"].into_iter().all(|name| check_name(name).is_ok()));
        assert!(["", "1a", "a-b", "a b", ":a"].into_iter().all(|name| check_name(name).is_err()));
    }
}
