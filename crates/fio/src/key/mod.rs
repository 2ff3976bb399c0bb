//! All known keys, as data: names, form of the value, and support by dbdyno.

mod device;
mod log;
mod own;
mod pattern;
mod report;
mod schedule;
mod target;

use crate::error::{Error, Result};
use crate::number::{self, Bare, Prefixes};

/// One key of a job.
#[derive(Debug, PartialEq, Eq)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// Other names in job files.
    pub aliases: &'static [&'static str],
    /// The form of its value.
    pub form: Form,
    /// Its support by dbdyno.
    pub meaning: Meaning,
}

/// The form of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Any text, possibly with a form of its own.
    Text,
    /// Any text or no value.
    Optional,
    /// No value, 0 or 1.
    Flag,
    /// A switch, 0 or 1.
    Switch,
    /// A number, optionally with a suffix.
    Number,
    /// A time; seconds without a unit.
    Seconds,
    /// A time; microseconds without a unit.
    Microseconds,
    /// One of these words.
    Choice(&'static [&'static str]),
}

/// Support of a key by dbdyno.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Supported.
    Effect,
    /// Accepted without effect, for this reason.
    NoEffect(&'static str),
    /// Accepted without effect, although it changes the measurement in fio: a warning unless it is off.
    NotSupported(&'static str),
    /// Refused, for this reason.
    Refused(&'static str),
}

pub(crate) const fn effect(name: &'static str, aliases: &'static [&'static str], form: Form) -> Key {
    Key { name, aliases, form, meaning: Meaning::Effect }
}

pub(crate) const fn no_effect(name: &'static str, form: Form, reason: &'static str) -> Key {
    Key { name, aliases: &[], form, meaning: Meaning::NoEffect(reason) }
}

pub(crate) const fn not_followed(name: &'static str, form: Form, reason: &'static str) -> Key {
    Key { name, aliases: &[], form, meaning: Meaning::NotSupported(reason) }
}

pub(crate) const fn refused(name: &'static str, reason: &'static str) -> Key {
    Key { name, aliases: &[], form: Form::Text, meaning: Meaning::Refused(reason) }
}

impl Key {
    const fn also(self, aliases: &'static [&'static str]) -> Key {
        Key { aliases, ..self }
    }

    /// Whether the value is optional.
    pub(crate) fn stands_alone(&self) -> bool {
        matches!(self.form, Form::Flag | Form::Optional)
    }

    /// The value of a single number without the empty part that a comma at its end makes: fio reads numbers as lists.
    pub(crate) fn without_empty_part(&self, mut value: String) -> String {
        let is_number = matches!(self.form, Form::Switch | Form::Number | Form::Seconds | Form::Microseconds);
        if (is_number || SINGLE.contains(&self.name)) && value.len() > 1 && value.ends_with(',') {
            value.pop();
        }
        value
    }

    /// Checks the form of `value`.
    pub(crate) fn check(&self, value: &str, prefixes: Prefixes) -> Result<()> {
        let named = |error: Error| Error { message: format!("{} {}", self.name, error.message), ..error };
        match self.form {
            Form::Text | Form::Optional => Ok(()),
            Form::Flag | Form::Switch => match value {
                "0" | "1" => Ok(()),
                _ => Err(Error::new(format!("{} {value} is neither 0 nor 1", self.name))),
            },
            Form::Number => number::signed(value, prefixes).map(drop).map_err(named),
            Form::Seconds => number::time(value, Bare::Seconds).map(drop).map_err(named),
            Form::Microseconds => number::time(value, Bare::Microseconds).map(drop).map_err(named),
            Form::Choice(choices) => match choices.contains(&value) {
                true => Ok(()),
                false => {
                    let error = Error::new(format!("{} {value} is not known", self.name));
                    Err(error.hint(format!("one of {}", choices.join(" "))))
                }
            },
        }
    }
}

/// Keys with one number in a form of their own.
const SINGLE: &[&str] = &["size", "io_size", "filesize", "offset", "offset_increment", "startdelay"];

/// All keys, by family.
pub fn keys() -> impl Iterator<Item = &'static Key> {
    let families = [pattern::KEYS, target::KEYS, schedule::KEYS, device::KEYS, report::KEYS, log::KEYS, own::KEYS];
    families.into_iter().flatten()
}

/// Options of the fio command line that are not valid in a job file.
const COMMAND_LINE_ONLY: &[&str] = &[
    "output",
    "output-format",
    "append-terse",
    "eta",
    "eta-newline",
    "status-interval",
    "minimal",
    "readonly",
    "section",
    "terse-version",
    "client",
    "server",
    "debug",
    "parse-only",
    "showcmd",
    "warnings-fatal",
    "max-jobs",
    "trigger",
    "trigger-file",
    "trigger-timeout",
    "trigger-remote",
    "aux-path",
    "idle-prof",
    "alloc-size",
    "daemonize",
    "bandwidth-log",
];

/// The key with this name.
pub(crate) fn find(name: &str) -> Result<&'static Key> {
    if let Some(key) = keys().find(|key| key.name == name || key.aliases.contains(&name)) {
        return Ok(key);
    }
    let engines = device::engines_of(name);
    if !engines.is_empty() {
        let (noun, is) = if engines.len() == 1 { ("engine", "is") } else { ("engines", "are") };
        let engines = engines.join(" and ");
        return Err(Error::new(format!("key {name} belongs to the I/O {noun} {engines}, which {is} not supported"))
            .hint("supported engines are io_uring, libaio, posixaio, psync and null"));
    }
    let error = Error::new(format!("key \"{}\" is not known", name.escape_debug()));
    if COMMAND_LINE_ONLY.contains(&name) {
        return Err(error.hint("it is an option of the command line, not of a job"));
    }
    Err(match nearest(name) {
        Some(near) if near == name.to_ascii_lowercase() => error.hint(format!("keys are in lower case: {near}")),
        Some(near) => error.hint(format!("did you mean {near}?")),
        None => error.hint("dbdyno list keys shows all keys"),
    })
}

/// The most similar known name, if it is similar enough.
fn nearest(name: &str) -> Option<&'static str> {
    let names = keys().flat_map(|key| std::iter::once(&key.name).chain(key.aliases)).copied();
    base::similar(name, names).first().copied()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique() {
        let mut names = BTreeSet::new();
        for name in keys().flat_map(|key| std::iter::once(&key.name).chain(key.aliases)) {
            assert!(names.insert(name), "{name}");
        }
    }

    #[test]
    fn unknown_keys_are_errors_with_a_suggestion() {
        let message = |name: &str| find(name).unwrap_err().to_string();
        assert_eq!(message("iodeepth"), "key \"iodeepth\" is not known; hint: did you mean iodepth?");
        assert_eq!(message("RW"), "key \"RW\" is not known; hint: keys are in lower case: rw");
        let hint = "hint: dbdyno list keys shows all keys";
        assert_eq!(message("completely_else"), format!("key \"completely_else\" is not known; {hint}"));
        assert!(message("output-format").contains("option of the command line"));
        assert!(message("rbdname").contains("engine rbd"));
        assert_eq!(find("readwrite").unwrap().name, "rw");
    }

    #[test]
    fn a_value_has_the_form_of_its_key() {
        let check = |name: &str, value: &str| find(name).unwrap().check(value, Prefixes::default());
        assert!(check("direct", "1").is_ok());
        assert_eq!(check("direct", "yes").unwrap_err().to_string(), "direct yes is neither 0 nor 1");
        assert!(check("runtime", "5x").unwrap_err().to_string().starts_with("runtime 5x is not a time"));
        assert!(check("random_generator", "dice").unwrap_err().to_string().contains("one of tausworthe"));
    }
}
