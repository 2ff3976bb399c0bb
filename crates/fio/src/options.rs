//! The settings of one job, inherited and overridden: what is asked of them is answered with the line that says so.

use record::Nanos;

use crate::error::{Error, Result};
use crate::job_file::Setting;
use crate::list::{self, Directions};
use crate::number::{self, Bare, Prefixes};

/// Settings of one job, inherited ones among them.
const JOB_SETTINGS_MAX: usize = 2_000;

/// Keys of which an override of one takes the place of the others.
const RIVALS: &[&[&str]] = &[&["bs", "bsrange", "bssplit"], &["rate", "rate_iops"], &["direct", "buffered"]];

/// The settings of one job in the order in which they count: the later of two with the same key wins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug)]
struct Entry {
    setting: Setting,
    prefixes: Prefixes,
}

impl Options {
    /// Adds the settings of a section, whose `kb_base` counts for all of them, wherever it stands.
    pub(crate) fn add(&mut self, settings: &[Setting]) -> Result<()> {
        let base = settings.iter().rev().find(|setting| setting.key.name == "kb_base");
        let prefixes = match base {
            Some(setting) if setting.value.as_deref() == Some("1000") => Prefixes::International,
            Some(_) => Prefixes::Inverted,
            None => self.prefixes(),
        };
        for setting in settings {
            if let Some(value) = &setting.value {
                setting.key.check(value, prefixes).map_err(|error| error.at(&setting.place))?;
            }
            self.entries.push(Entry { setting: setting.clone(), prefixes });
            if self.entries.len() > JOB_SETTINGS_MAX {
                let error = Error::new(format!("a job has more than {JOB_SETTINGS_MAX} settings"));
                return Err(error.at(&setting.place));
            }
        }
        Ok(())
    }

    /// The same for defaults, whose `name` is nobody's.
    pub(crate) fn add_without_name(&mut self, settings: &[Setting]) -> Result<()> {
        self.add(settings)?;
        self.entries.retain(|entry| entry.setting.key.name != "name");
        Ok(())
    }

    /// Adds what comes from the command line after everything else.
    pub(crate) fn add_override(&mut self, setting: &Setting) -> Result<()> {
        let rivals = RIVALS.iter().find(|rivals| rivals.contains(&setting.key.name));
        for rival in rivals.into_iter().copied().flatten() {
            self.entries.retain(|entry| entry.setting.key.name != *rival || entry.setting.place == setting.place);
        }
        self.add(std::slice::from_ref(setting))
    }

    /// The prefixes that settings added now count in.
    fn prefixes(&self) -> Prefixes {
        match self.last("kb_base").and_then(|setting| setting.value.as_deref()) {
            Some("1000") => Prefixes::International,
            _ => Prefixes::Inverted,
        }
    }

    /// All settings in the order in which they are written.
    pub(crate) fn settings(&self) -> impl Iterator<Item = &Setting> {
        self.entries.iter().map(|entry| &entry.setting)
    }

    /// The setting of `key` that counts.
    pub(crate) fn last(&self, key: &str) -> Option<&Setting> {
        self.find(key).map(|entry| &entry.setting)
    }

    fn find(&self, key: &str) -> Option<&Entry> {
        debug_assert!(crate::key::find(key).is_ok_and(|known| known.name == key), "{key}");
        self.entries.iter().rev().find(|entry| entry.setting.key.name == key)
    }

    /// Which of two keys was set last, where both are.
    pub(crate) fn later<'a>(&self, one: &'a str, other: &'a str) -> Option<&'a str> {
        let at = |key: &str| self.entries.iter().rposition(|entry| entry.setting.key.name == key);
        match at(one).max(at(other))? {
            index if self.entries[index].setting.key.name == one => Some(one),
            _ => Some(other),
        }
    }

    /// The text of `key`.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        self.last(key)?.value.as_deref()
    }

    /// Whether a flag or switch is on; `None` where it is not set.
    pub(crate) fn switch(&self, key: &str) -> Option<bool> {
        self.last(key).map(|setting| setting.value.as_deref() != Some("0"))
    }

    /// Whether a flag or switch is set and on.
    pub(crate) fn is_on(&self, key: &str) -> bool {
        self.switch(key) == Some(true)
    }

    /// What `read` makes of the value of `key`; its errors get the key and the line.
    pub(crate) fn read<T>(&self, key: &str, read: impl FnOnce(&str, Prefixes) -> Result<T>) -> Result<Option<T>> {
        let Some(Entry { setting, prefixes }) = self.find(key) else { return Ok(None) };
        let value = setting.value.as_deref().unwrap_or("1");
        read(value, *prefixes).map(Some).map_err(|error| named(error, setting))
    }

    /// One value for each direction. A later setting may leave a part of an earlier one outcome.
    pub(crate) fn directions<T: Copy>(
        &self,
        key: &str,
        default: T,
        read: impl Fn(&str, Prefixes) -> Result<T>,
    ) -> Result<Directions<T>> {
        let mut entries = self.entries.iter().filter(|entry| entry.setting.key.name == key);
        entries.try_fold(Directions::all(default), |before, Entry { setting, prefixes }| {
            let text = setting.value.as_deref().unwrap_or_default();
            list::directions(text, before, |part| read(part, *prefixes)).map_err(|error| named(error, setting))
        })
    }

    /// The number that `key` is set to; none where it is not set.
    pub(crate) fn number(&self, key: &str) -> Result<Option<u64>> {
        self.read(key, number::integer)
    }

    /// A number from `least` to `most`.
    pub(crate) fn number_within(&self, key: &str, least: u32, most: u32) -> Result<Option<u32>> {
        self.read(key, |text, prefixes| match number::integer(text, prefixes)? {
            value if value < least.into() => {
                Err(Error::new(format!("{text} is less than {least}")).hint(format!("use {least} or more")))
            }
            value if value > most.into() => {
                Err(Error::new(format!("{text} is more than {most}")).hint(format!("use {most} or less")))
            }
            value => Ok(value as u32),
        })
    }

    /// The time that `key` is set to; `bare` is the unit of a number without one. None where it is not set.
    pub(crate) fn time(&self, key: &str, bare: Bare) -> Result<Option<Nanos>> {
        self.read(key, |text, _| number::time(text, bare))
    }

    /// An error about `key`, with its line.
    pub(crate) fn error(&self, key: &str, error: Error) -> Error {
        match self.last(key) {
            Some(setting) => named(error, setting),
            None => error,
        }
    }

    /// ` (FILE:LINE)` of `key`, or nothing where it is not set.
    pub(crate) fn at(&self, key: &str) -> String {
        self.last(key).map(|setting| format!(" ({})", setting.place)).unwrap_or_default()
    }
}

fn named(error: Error, setting: &Setting) -> Error {
    match error.place {
        Some(_) => error,
        None => {
            let unset =
                setting.unset.as_ref().map(|variable| format!("the environment variable {variable} is not set"));
            let hint = unset.or(error.hint);
            Error { message: format!("{} {}", setting.written, error.message), hint, place: None }.at(&setting.place)
        }
    }
}
