//! What is said beside a plan, each thing once.

use std::collections::BTreeSet;

use crate::key::Meaning;
use crate::options::Options;

/// Lists of what has no effect and of what does not do what it seems to.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    ignored: Vec<String>,
    lints: Vec<String>,
    said: BTreeSet<String>,
}

impl Notes {
    /// Says what has no effect.
    pub(crate) fn ignored(&mut self, text: String) {
        if self.said.insert(format!("ignored {text}")) {
            self.ignored.push(text);
        }
    }

    /// Says what does not do what it seems to.
    pub(crate) fn lint(&mut self, text: String) {
        if self.said.insert(format!("lint {text}")) {
            self.lints.push(text);
        }
    }

    /// Lists the settings of a job whose keys have no effect.
    pub(crate) fn list(&mut self, options: &Options) {
        for setting in options.settings() {
            match setting.key.meaning {
                Meaning::NoEffect(why) => self.ignored(format!("{} ({}): {why}", setting.written, setting.place)),
                Meaning::NotFollowed(why) => {
                    self.ignored(format!("{} ({}): {why}", setting.written, setting.place));
                    if !matches!(setting.value.as_deref(), Some("0" | "none")) {
                        let value = setting.value.as_ref().map(|value| format!("={value}")).unwrap_or_default();
                        self.lint(format!("{}{value} ({}) is not followed: {why}", setting.written, setting.place));
                    }
                }
                Meaning::Effect | Meaning::Refused(_) => {}
            }
        }
    }

    /// What has no effect, and what does not do what it seems to.
    pub(crate) fn into_lists(self) -> (Vec<String>, Vec<String>) {
        (self.ignored, self.lints)
    }
}
