//! Unique names of records in an export.

use std::collections::BTreeSet;

/// Characters of a name in the name of a file.
const LETTERS_MAX: usize = 60;

/// The names in use.
#[derive(Default)]
pub(crate) struct Names {
    ids: BTreeSet<String>,
    stems: BTreeSet<String>,
}

/// The names of a record.
pub(crate) struct Name {
    /// In tables.
    pub(crate) id: String,
    /// At the start of its file names.
    pub(crate) stem: String,
}

impl Names {
    /// A unique name for the record `id`: `id`, `id-2`, ...
    pub(crate) fn add(&mut self, id: &str) -> Name {
        let mut name = Name { id: id.to_owned(), stem: file_name_safe(id) };
        for number in 2_u64.. {
            if !self.ids.contains(&name.id) && !self.stems.contains(&name.stem) {
                break;
            }
            name = Name { id: format!("{id}-{number}"), stem: format!("{}-{number}", file_name_safe(id)) };
        }
        self.ids.insert(name.id.clone());
        self.stems.insert(name.stem.clone());
        name
    }
}

/// `text` without characters that are unsafe in a file name.
pub(crate) fn file_name_safe(text: &str) -> String {
    let is_safe = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    text.chars().filter(is_safe).take(LETTERS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_in_tables_and_in_files() {
        let mut names = Names::default();
        let long = "x".repeat(300);
        let ids = ["r", "r", "r-2", "../r", "r", &long, &format!("{long}y"), ""];
        let found: Vec<Name> = ids.iter().map(|id| names.add(id)).collect();
        let brief: Vec<(&str, &str)> = found.iter().map(|name| (name.id.as_str(), name.stem.as_str())).collect();
        assert_eq!(brief[..5], [("r", "r"), ("r-2", "r-2"), ("r-2-2", "r-2-2"), ("../r-3", "r-3"), ("r-4", "r-4")]);
        for of in [|name: &Name| name.id.clone(), |name: &Name| name.stem.clone()] {
            assert_eq!(found.iter().map(of).collect::<BTreeSet<_>>().len(), ids.len());
        }
    }
}
