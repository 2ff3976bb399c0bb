//! Notes of a plan, without duplicates.

use std::collections::BTreeSet;

use crate::key::Meaning;
use crate::options::Options;

/// Settings without effect, and lints.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    ignored: Vec<String>,
    lints: Vec<String>,
    known: BTreeSet<String>,
}

impl Notes {
    /// Adds a setting without effect.
    pub(crate) fn ignored(&mut self, text: String) {
        if self.known.insert(format!("ignored {text}")) {
            self.ignored.push(text);
        }
    }

    /// Adds a lint.
    pub(crate) fn lint(&mut self, text: String) {
        if self.known.insert(format!("lint {text}")) {
            self.lints.push(text);
        }
    }

    /// Adds the settings of a job without effect.
    pub(crate) fn list(&mut self, options: &Options) {
        for setting in options.settings() {
            match setting.key.meaning {
                Meaning::NoEffect(reason) => {
                    self.ignored(format!("{} ({}): {reason}", setting.written, setting.location))
                }
                Meaning::NotSupported(reason) => {
                    self.ignored(format!("{} ({}): {reason}", setting.written, setting.location));
                    if !matches!(setting.value.as_deref(), Some("0" | "none")) {
                        let value = setting.value.as_ref().map(|value| format!("={value}")).unwrap_or_default();
                        self.lint(format!(
                            "{}{value} ({}) is not supported: {reason}",
                            setting.written, setting.location
                        ));
                    }
                }
                Meaning::Effect | Meaning::Refused(_) => {}
            }
        }
    }

    /// The settings without effect, and the lints.
    pub(crate) fn into_lists(self) -> (Vec<String>, Vec<String>) {
        (self.ignored, self.lints)
    }
}
