//! The published systems, and which of them a name means.

use std::sync::OnceLock;

use model::System;

use crate::publication;

macro_rules! files {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../published/", $name, ".toml")))),*]
    };
}

/// Every publication, the oldest first.
pub(crate) const FILES: &[(&str, &str)] = files! {
    "closson-1999-2010" "hp-dl980-violin-vma3205" "bolinski-nvmesh-2018" "datrium-slob-2018" "abakus-nvmeof-2024"
};

/// Why a name means no published system.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lookup {
    /// None is called so.
    #[error("{name:?} is no published system; hint: there are {}", list(known))]
    Unknown {
        /// As it was asked for.
        name: String,
        /// The names of all published systems.
        known: Vec<String>,
    },
    /// Several names begin so or hold these words.
    #[error("{name:?} may be any of {}; hint: write more of the name", list(candidates))]
    Ambiguous {
        /// As it was asked for.
        name: String,
        /// What it may be.
        candidates: Vec<String>,
    },
}

fn list(names: &[String]) -> String {
    names.join(", ")
}

/// Every published system that comes with the program, the oldest first.
pub fn published() -> &'static [System] {
    static SYSTEMS: OnceLock<Vec<System>> = OnceLock::new();
    SYSTEMS.get_or_init(|| {
        let parse = |(name, text): &(&str, &str)| {
            // They are part of the program: a mistake in one is a mistake in it, found by its tests.
            publication::parse(text).unwrap_or_else(|error| panic!("published/{name}.toml: {error}")).0
        };
        FILES.iter().map(parse).collect()
    })
}

/// Letters and digits of a name, at least: a file that is not there and is called `a` means no publication.
const LETTERS_MIN: usize = 2;

/// The published system that `name` means: its name, the beginning of it, or words of it in their order. Capitals and
/// what stands between words do not matter: `hp-dl980`, `HP DL980`, `dl980` and `violin` are one system. Fewer than
/// two letters mean none.
///
/// An error lists what there is, or what the name may mean.
pub fn find(name: &str) -> Result<&'static System, Lookup> {
    let wanted = plain(name);
    let systems = published();
    if let Some(exact) = systems.iter().find(|system| system.name == wanted) {
        return Ok(exact);
    }
    let begins = |system: &&System| system.name.starts_with(&wanted);
    let holds = |system: &&System| format!("-{}", system.name).contains(&format!("-{wanted}"));
    let mut candidates: Vec<&System> = systems.iter().filter(begins).collect();
    if candidates.is_empty() {
        candidates = systems.iter().filter(holds).collect();
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

/// Small letters and digits, one `-` for whatever stands between them.
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
    fn file_name_system_and_list_agree_and_no_file_is_forgotten() {
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
            Origin::Measured { .. } => panic!("{} was not measured", system.name),
        };
        assert_eq!(published().iter().map(year).collect::<Vec<_>>(), [2010, 2012, 2018, 2018, 2024]);
    }

    #[test]
    fn a_system_is_found_by_its_name_its_beginning_and_its_words() {
        for system in published() {
            assert_eq!(find(&system.name), Ok(system));
        }
        for name in ["hp-dl980", "HP DL980", "hp_dl980_violin", "dl980", "Violin", "hp", " vma3205 "] {
            assert_eq!(find(name).unwrap().name, "hp-dl980-violin-vma3205", "{name}");
        }
        assert_eq!(find("datrium").unwrap().name, "datrium-slob-2018");
    }

    #[test]
    fn what_is_not_found_is_answered_with_what_there_is() {
        assert_eq!(
            find("exadata").unwrap_err().to_string(),
            "\"exadata\" is no published system; hint: there are closson-1999-2010, hp-dl980-violin-vma3205, \
             bolinski-nvmesh-2018, datrium-slob-2018, abakus-nvmeof-2024"
        );
        assert_eq!(
            find("2018").unwrap_err().to_string(),
            "\"2018\" may be any of bolinski-nvmesh-2018, datrium-slob-2018; hint: write more of the name"
        );
        assert!(matches!(find(""), Err(Lookup::Unknown { .. })));
        assert!(matches!(find("a"), Err(Lookup::Unknown { .. })), "more likely a file that is not there");
        assert!(matches!(find("./l980"), Err(Lookup::Unknown { .. })), "not in the middle of a word");
    }

    proptest! {
        #[test]
        fn no_name_is_too_strange(name in ".{0,40}") {
            let _ = find(&name);
        }
    }
}
