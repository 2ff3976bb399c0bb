//! The published systems, and lookup by name.

use std::sync::OnceLock;

use model::System;

use crate::publication::{self, LoadStudy};

macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../published/", $name, ".toml")))),*]
    };
}

/// Every publication, oldest first.
pub(crate) const FILES: &[(&str, &str)] = files! {
    "closson-1999-2010" "hp-dl980-violin-vma3205" "bolinski-nvmesh-2018" "datrium-slob-2018" "abakus-nvmeof-2024"
};

/// Why a lookup failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lookup {
    /// No system has this name.
    #[error("{name:?} is not a published system; hint: known systems: {}", list(known))]
    Unknown {
        /// The name as given.
        name: String,
        /// The names of all published systems.
        known: Vec<String>,
    },
    /// Several names match.
    #[error("{name:?} is ambiguous: {}; hint: give more of the name", list(candidates))]
    Ambiguous {
        /// The name as given.
        name: String,
        /// The matching names.
        candidates: Vec<String>,
    },
}

fn list(names: &[String]) -> String {
    names.join(", ")
}

/// Every published system, oldest first.
pub fn published() -> &'static [System] {
    static SYSTEMS: OnceLock<Vec<System>> = OnceLock::new();
    SYSTEMS.get_or_init(|| {
        let parse = |(name, text): &(&str, &str)| {
            // Compiled in, and parsed by the tests: an error here is a bug.
            publication::parse(text).unwrap_or_else(|error| panic!("published/{name}.toml: {error}")).0
        };
        FILES.iter().map(parse).collect()
    })
}

/// Letters and digits of a name, at least: `a` is more likely a missing file than a publication.
const LETTERS_MIN: usize = 2;

/// The published system that matches `name`: its name, a prefix of it, or consecutive words of it. Case and separators
/// do not matter: `hp-dl980`, `HP DL980`, `dl980` and `violin` are the same system. Fewer than two letters match none.
///
/// An error lists the known systems, or the candidates.
pub fn find(name: &str) -> Result<&'static System, Lookup> {
    let wanted = plain(name);
    let systems = published();
    if let Some(exact) = systems.iter().find(|system| system.name == wanted) {
        return Ok(exact);
    }
    let starts = |system: &&System| system.name.starts_with(&wanted);
    let contains = |system: &&System| format!("-{}", system.name).contains(&format!("-{wanted}"));
    let mut candidates: Vec<&System> = systems.iter().filter(starts).collect();
    if candidates.is_empty() {
        candidates = systems.iter().filter(contains).collect();
    }
    let names = |systems: &mut dyn Iterator<Item = &System>| systems.map(|system| system.name.clone()).collect();
    match (wanted.len() < LETTERS_MIN, candidates.as_slice()) {
        (false, [one]) => Ok(one),
        (false, [_, _, ..]) => {
            Err(Lookup::Ambiguous { name: name.to_owned(), candidates: names(&mut candidates.into_iter()) })
        }
        _ => Err(Lookup::Unknown { name: name.to_owned(), known: names(&mut systems.iter()) }),
    }
}

/// The load study in the publication that matches `name`; none where nothing matches, or the publication has no study.
pub fn load_study(name: &str) -> Option<LoadStudy> {
    let system = find(name).ok()?;
    let (_, text) = FILES.iter().find(|(file, _)| *file == system.name)?;
    publication::parse(text).ok()?.1
}

/// Lower-case letters and digits, separated by one `-`.
fn plain(name: &str) -> String {
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use model::Origin;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn file_names_match_system_names_and_every_file_is_listed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("published");
        let files: BTreeSet<String> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().to_str()?.strip_suffix(".toml").map(str::to_owned))
            .collect();
        let listed: BTreeSet<String> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(files, listed);
        let systems: Vec<&str> = published().iter().map(|system| system.name.as_str()).collect();
        assert_eq!(systems, FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        let year = |system: &System| match &system.origin {
            Origin::Published { year, .. } => *year,
            Origin::Measured { .. } => panic!("{} is published, not measured", system.name),
        };
        assert_eq!(published().iter().map(year).collect::<Vec<_>>(), [2010, 2012, 2018, 2018, 2024]);
    }

    #[test]
    fn systems_are_found_by_name_prefix_and_words() {
        for system in published() {
            assert_eq!(find(&system.name), Ok(system));
        }
        for name in ["hp-dl980", "HP DL980", "hp_dl980_violin", "dl980", "Violin", "hp", " vma3205 "] {
            assert_eq!(find(name).unwrap().name, "hp-dl980-violin-vma3205", "{name}");
        }
        assert_eq!(find("datrium").unwrap().name, "datrium-slob-2018");
    }

    #[test]
    fn failed_lookups_list_known_systems_or_candidates() {
        assert_eq!(
            find("exadata").unwrap_err().to_string(),
            "\"exadata\" is not a published system; hint: known systems: closson-1999-2010, hp-dl980-violin-vma3205, \
             bolinski-nvmesh-2018, datrium-slob-2018, abakus-nvmeof-2024"
        );
        assert_eq!(
            find("2018").unwrap_err().to_string(),
            "\"2018\" is ambiguous: bolinski-nvmesh-2018, datrium-slob-2018; hint: give more of the name"
        );
        assert!(matches!(find(""), Err(Lookup::Unknown { .. })));
        assert!(matches!(find("a"), Err(Lookup::Unknown { .. })), "more likely a missing file");
        assert!(matches!(find("./l980"), Err(Lookup::Unknown { .. })), "not in the middle of a word");
    }

    #[test]
    fn one_publication_has_a_load_study() {
        let study = load_study("closson").expect("a load study");
        assert_eq!((study.goal_mb_s, study.inflate_units, study.network_mb_s), (291.0, 15.0, 230.0));
        assert_eq!((load_study("hp-dl980"), load_study("nobody")), (None, None));
    }

    proptest! {
        #[test]
        fn any_name_is_handled(name in ".{0,40}") {
            let _ = find(&name);
        }
    }
}
