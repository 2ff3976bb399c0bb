//! The names of records in what is written: no two have the same.

use std::collections::BTreeSet;

/// Letters of a name in the name of a file.
const LETTERS_MAX: usize = 60;

/// Names that are given away.
#[derive(Default)]
pub(crate) struct Names {
    ids: BTreeSet<String>,
    stems: BTreeSet<String>,
}

/// What a record is called.
pub(crate) struct Name {
    /// In tables.
    pub(crate) id: String,
    /// At the begin of its files.
    pub(crate) stem: String,
}

impl Names {
    /// A name for the record `id` that no other has: `id`, `id-2`, ...
    pub(crate) fn give(&mut self, id: &str) -> Name {
        let mut name = Name { id: id.to_owned(), stem: harmless(id) };
        for number in 2_u64.. {
            if !self.ids.contains(&name.id) && !self.stems.contains(&name.stem) {
                break;
            }
            name = Name { id: format!("{id}-{number}"), stem: format!("{}-{number}", harmless(id)) };
        }
        self.ids.insert(name.id.clone());
        self.stems.insert(name.stem.clone());
        name
    }
}

/// Records and tests are named by people: what is not harmless in a file name is left out.
pub(crate) fn harmless(text: &str) -> String {
    let harmless = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    text.chars().filter(harmless).take(LETTERS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_given_once_in_tables_and_in_files() {
        let mut names = Names::default();
        let long = "x".repeat(300);
        let ids = ["r", "r", "r-2", "../r", "r", &long, &format!("{long}y"), ""];
        let given: Vec<Name> = ids.iter().map(|id| names.give(id)).collect();
        let brief: Vec<(&str, &str)> = given.iter().map(|name| (name.id.as_str(), name.stem.as_str())).collect();
        assert_eq!(brief[..5], [("r", "r"), ("r-2", "r-2"), ("r-2-2", "r-2-2"), ("../r-3", "r-3"), ("r-4", "r-4")]);
        for of in [|name: &Name| name.id.clone(), |name: &Name| name.stem.clone()] {
            assert_eq!(given.iter().map(of).collect::<BTreeSet<_>>().len(), ids.len());
        }
    }
}
