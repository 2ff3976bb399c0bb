//! The settings of one job, inherited and overridden, with their lines.

use record::Nanos;

use crate::error::{Error, Result};
use crate::job_file::Setting;
use crate::list::{self, Directions};
use crate::number::{self, Bare, Prefixes};

/// Maximum number of settings of one job, including inherited ones.
const JOB_SETTINGS_MAX: usize = 2_000;

/// Keys that exclude each other: an override of one removes the others.
const EXCLUSIVE: &[&[&str]] = &[&["bs", "bsrange", "bssplit"], &["rate", "rate_iops"], &["direct", "buffered"]];

/// The settings of one job in order: the last one of a key applies.
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
    /// Adds the settings of a section, whose `kb_base` applies to all of them.
    pub(crate) fn add(&mut self, settings: &[Setting]) -> Result<()> {
        let base = settings.iter().rev().find(|setting| setting.key.name == "kb_base");
        let prefixes = match base {
            Some(setting) if setting.value.as_deref() == Some("1000") => Prefixes::International,
            Some(_) => Prefixes::Inverted,
            None => self.prefixes(),
        };
        for setting in settings {
            if let Some(value) = &setting.value {
                setting.key.check(value, prefixes).map_err(|error| error.at(&setting.location))?;
            }
            self.entries.push(Entry { setting: setting.clone(), prefixes });
            if self.entries.len() > JOB_SETTINGS_MAX {
                let error = Error::new(format!("a job has more than {JOB_SETTINGS_MAX} settings"));
                return Err(error.at(&setting.location));
            }
        }
        Ok(())
    }

    /// The same for defaults, whose `name` does not apply.
    pub(crate) fn add_without_name(&mut self, settings: &[Setting]) -> Result<()> {
        self.add(settings)?;
        self.entries.retain(|entry| entry.setting.key.name != "name");
        Ok(())
    }

    /// Adds an override from the command line.
    pub(crate) fn add_override(&mut self, setting: &Setting) -> Result<()> {
        let excluded = EXCLUSIVE.iter().find(|keys| keys.contains(&setting.key.name));
        for key in excluded.into_iter().copied().flatten() {
            self.entries.retain(|entry| entry.setting.key.name != *key || entry.setting.location == setting.location);
        }
        self.add(std::slice::from_ref(setting))
    }

    /// The prefixes of settings added next.
    fn prefixes(&self) -> Prefixes {
        match self.last("kb_base").and_then(|setting| setting.value.as_deref()) {
            Some("1000") => Prefixes::International,
            _ => Prefixes::Inverted,
        }
    }

    /// All settings in order.
    pub(crate) fn settings(&self) -> impl Iterator<Item = &Setting> {
        self.entries.iter().map(|entry| &entry.setting)
    }

    /// The setting of `key` that applies.
    pub(crate) fn last(&self, key: &str) -> Option<&Setting> {
        self.find(key).map(|entry| &entry.setting)
    }

    fn find(&self, key: &str) -> Option<&Entry> {
        debug_assert!(crate::key::find(key).is_ok_and(|known| known.name == key), "{key}");
        self.entries.iter().rev().find(|entry| entry.setting.key.name == key)
    }

    /// Which of two keys was set last.
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

    /// Whether a flag or switch is on; `None` if it is not set.
    pub(crate) fn switch(&self, key: &str) -> Option<bool> {
        self.last(key).map(|setting| setting.value.as_deref() != Some("0"))
    }

    /// Whether a flag or switch is set and on.
    pub(crate) fn is_on(&self, key: &str) -> bool {
        self.switch(key) == Some(true)
    }

    /// Parses the value of `key` by `read`; adds key and line to its errors.
    pub(crate) fn read<T>(&self, key: &str, read: impl FnOnce(&str, Prefixes) -> Result<T>) -> Result<Option<T>> {
        let Some(Entry { setting, prefixes }) = self.find(key) else { return Ok(None) };
        let value = setting.value.as_deref().unwrap_or("1");
        read(value, *prefixes).map(Some).map_err(|error| error.about(setting))
    }

    /// A value per direction. A later setting may keep parts of an earlier one.
    pub(crate) fn directions<T: Copy>(
        &self,
        key: &str,
        default: T,
        read: impl Fn(&str, Prefixes) -> Result<T>,
    ) -> Result<Directions<T>> {
        let mut entries = self.entries.iter().filter(|entry| entry.setting.key.name == key);
        entries.try_fold(Directions::all(default), |before, Entry { setting, prefixes }| {
            let text = setting.value.as_deref().unwrap_or_default();
            // In a list of numbers without commas a colon is one; in a range it is between its ends.
            let text = match key != "bsrange" && !text.contains(',') {
                true => text.replace(':', ","),
                false => text.to_owned(),
            };
            list::directions(&text, before, |part| read(part, *prefixes)).map_err(|error| error.about(setting))
        })
    }

    /// The number of `key`; none if it is not set.
    pub(crate) fn number(&self, key: &str) -> Result<Option<u64>> {
        self.read(key, number::integer)
    }

    /// A number from `min` to `max`.
    pub(crate) fn number_within(&self, key: &str, min: u32, max: u32) -> Result<Option<u32>> {
        self.read(key, |text, prefixes| match number::integer(text, prefixes)? {
            value if value < min.into() => {
                Err(Error::new(format!("{text} is less than {min}")).hint(format!("use {min} or more")))
            }
            value if value > max.into() => {
                Err(Error::new(format!("{text} is more than {max}")).hint(format!("use {max} or less")))
            }
            value => Ok(value as u32),
        })
    }

    /// The time of `key`; `bare` is the unit of a number without one. None if it is not set.
    pub(crate) fn time(&self, key: &str, bare: Bare) -> Result<Option<Nanos>> {
        self.read(key, |text, _| number::time(text, bare))
    }

    /// An error about `key`, with its line.
    pub(crate) fn error(&self, key: &str, error: Error) -> Error {
        match self.last(key) {
            Some(setting) => error.about(setting),
            None => error,
        }
    }

    /// ` (FILE:LINE)` of `key`, empty if it is not set.
    pub(crate) fn at(&self, key: &str) -> String {
        self.last(key).map(|setting| format!(" ({})", setting.location)).unwrap_or_default()
    }
}

impl Error {
    /// The same error with key and line of `setting`, unless it has a line.
    pub(crate) fn about(self, setting: &Setting) -> Error {
        match self.location {
            Some(_) => self,
            None => {
                let unset =
                    setting.unset.as_ref().map(|variable| format!("the environment variable {variable} is not set"));
                let hint = unset.or(self.hint);
                Error { message: format!("{} {}", setting.written, self.message), hint, location: None }
                    .at(&setting.location)
            }
        }
    }
}
