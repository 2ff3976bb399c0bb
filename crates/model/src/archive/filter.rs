//! Which entries of a list are shown.

use std::collections::BTreeSet;

use record::Preset;

use super::entry::{ArchiveEntry, ArchiveOrigin};

/// Whether measured and published systems are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// Both.
    #[default]
    All,
    /// Records alone.
    Measured,
    /// Published systems alone.
    Published,
}

/// What is looked for; a field that is empty holds for every entry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArchiveFilter {
    /// The engine, without its version.
    pub engine: String,
    /// The host.
    pub host: String,
    /// The preset.
    pub preset: Option<Preset>,
    /// A tag.
    pub tag: String,
    /// Words that occur in the name, host, engine, target, tests, tags or note, in any order and case.
    pub text: String,
    /// Whether measured and published systems are shown.
    pub shown: Shown,
}

impl ArchiveFilter {
    /// Whether `entry` is looked for, which has these tags and this note.
    pub fn holds(&self, entry: &ArchiveEntry, tags: &[String], note: &str) -> bool {
        let is_of_kind = match self.shown {
            Shown::All => true,
            Shown::Measured => !entry.is_published(),
            Shown::Published => entry.is_published(),
        };
        let is = |wanted: &str, found: &str| wanted.is_empty() || wanted == found;
        let preset = match entry.origin {
            ArchiveOrigin::Measured { preset, .. } => Some(preset),
            ArchiveOrigin::Published { .. } => None,
        };
        is_of_kind
            && is(&self.engine, engine_of(entry))
            && is(&self.host, &entry.host)
            && (self.preset.is_none() || self.preset == preset)
            && (self.tag.is_empty() || tags.contains(&self.tag))
            && self.has_words(entry, tags, note)
    }

    fn has_words(&self, entry: &ArchiveEntry, tags: &[String], note: &str) -> bool {
        if self.text.trim().is_empty() {
            return true;
        }
        let fields = [&*entry.name, &*entry.host, &*entry.engine, &*entry.target, note].into_iter();
        let all = fields.chain(entry.tests.iter().chain(tags).map(String::as_str)).collect::<Vec<_>>().join("\n");
        let all = all.to_lowercase();
        self.text.to_lowercase().split_whitespace().all(|word| all.contains(word))
    }
}

/// The engine of `entry` without its version, which follows the last space before a digit.
fn engine_of(entry: &ArchiveEntry) -> &str {
    let is_version = |rest: &str| rest.starts_with(|letter: char| letter.is_ascii_digit());
    let ends = entry.engine.match_indices(' ').find(|(at, space)| is_version(&entry.engine[at + space.len()..]));
    ends.map_or(entry.engine.as_str(), |(at, _)| &entry.engine[..at])
}

/// The engines and hosts of `entries`, each once, in order.
pub fn choices<'a>(entries: impl Iterator<Item = &'a ArchiveEntry>) -> (BTreeSet<&'a str>, BTreeSet<&'a str>) {
    let (mut engines, mut hosts) = (BTreeSet::new(), BTreeSet::new());
    for entry in entries {
        engines.insert(engine_of(entry));
        hosts.insert(entry.host.as_str());
    }
    engines.remove("");
    hosts.remove("");
    (engines, hosts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::archive::archive_entry;
    use crate::fixture::{engine, record, run};

    fn entry() -> ArchiveEntry {
        let measured = record::Record { engine: Some(engine()), ..record(vec![run("T611", 1)]) };
        let tests = vec!["T611".to_owned()];
        ArchiveEntry { host: "db1".to_owned(), engine: "Some DB 17.2".to_owned(), tests, ..archive_entry(&measured) }
    }

    fn holds(filter: &ArchiveFilter) -> bool {
        filter.holds(&entry(), &["baseline".to_owned()], "after the new disks")
    }

    #[test]
    fn an_empty_filter_holds_for_all() {
        assert!(holds(&ArchiveFilter::default()));
    }

    #[test]
    fn each_field_has_to_hold() {
        let of = |field: fn(&mut ArchiveFilter)| {
            let mut filter = ArchiveFilter::default();
            field(&mut filter);
            holds(&filter)
        };
        assert!(of(|filter| filter.engine = "Some DB".to_owned()));
        assert!(!of(|filter| filter.engine = "Some".to_owned()));
        assert!(of(|filter| filter.host = "db1".to_owned()) && !of(|filter| filter.host = "db2".to_owned()));
        assert!(of(|filter| filter.tag = "baseline".to_owned()) && !of(|filter| filter.tag = "base".to_owned()));
        assert!(of(|filter| filter.text = "T611 DISKS".to_owned()) && !of(|filter| filter.text = "T612".to_owned()));
        assert!(of(|filter| filter.shown = Shown::Measured) && !of(|filter| filter.shown = Shown::Published));
        let ArchiveOrigin::Measured { preset, .. } = entry().origin else { panic!("a record") };
        let other = if preset == Preset::Soak { Preset::Smoke } else { Preset::Soak };
        assert!(holds(&ArchiveFilter { preset: Some(preset), ..ArchiveFilter::default() }));
        assert!(!holds(&ArchiveFilter { preset: Some(other), ..ArchiveFilter::default() }));
    }

    #[test]
    fn choices_name_engines_without_versions() {
        let (one, other) = (entry(), ArchiveEntry { engine: String::new(), host: String::new(), ..entry() });
        let (engines, hosts) = choices([&one, &other].into_iter());
        assert_eq!((engines, hosts), (BTreeSet::from(["Some DB"]), BTreeSet::from(["db1"])));
    }
}
