//! Settings from the command line: overrides of all jobs, and a job without a file.

use std::sync::Arc;

use crate::error::{Error, Location, Result};
use crate::expand::Surroundings;
use crate::job_file::{JobFile, Section, Setting, refusal};
use crate::key;

/// The source of settings that are options of the command line.
pub(crate) const COMMAND_LINE: &str = "command line";

/// A setting that overrides those of every job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override(pub(crate) Setting);

impl Override {
    /// The name of its key.
    pub fn key(&self) -> &'static str {
        self.0.key.name
    }
}

/// Parses `runtime=5,filesize=1G`. A comma separates settings if a name and `=`, or a key with an optional value,
/// follow it; any other comma is part of the value (`bs=8k,16k`), as is an escaped one (`\,`).
///
/// # Errors
/// An empty setting, or an unknown key.
pub fn overrides(text: &str, surroundings: &Surroundings<'_>) -> Result<Vec<Override>> {
    let location = Location { source: Arc::from("override"), line: None };
    let mut parts: Vec<String> = Vec::new();
    let mut joined = false;
    for token in text.split(',') {
        let (token, escaped) = match token.strip_suffix('\\') {
            Some(before) => (before, true),
            None => (token, false),
        };
        match parts.last_mut() {
            Some(part) if joined || !starts_setting(token) => {
                part.push(',');
                part.push_str(token);
            }
            _ => parts.push(token.to_owned()),
        }
        joined = escaped;
    }
    let read = |part: &String| {
        let setting = match part.split_once('=') {
            Some((key, value)) => Setting::new(key.trim(), Some(value.trim()), &location, surroundings),
            None if part.trim().is_empty() => {
                Err(Error::new("there is an empty setting").hint("write key=value,key=value"))
            }
            None => Setting::new(part.trim(), None, &location, surroundings),
        };
        setting.map(Override).map_err(|error| error.at(&location))
    };
    let read: Vec<Result<Override>> = parts.iter().map(read).collect();
    if read.iter().any(Result::is_err) {
        // A setting may belong to an engine that is not supported.
        let named = read.iter().flatten().rev().find(|Override(setting)| setting.key.name == "ioengine");
        if let Some(error) = named.and_then(|Override(setting)| refusal(setting)) {
            return Err(error);
        }
    }
    read.into_iter().collect()
}

fn starts_setting(token: &str) -> bool {
    match token.split_once('=') {
        Some((name, _)) => {
            let name = name.trim();
            let letters = |letter: char| letter.is_ascii_alphabetic() || letter == '_' || letter == '-';
            !name.is_empty() && name.chars().all(letters)
        }
        None => key::find(token.trim()).is_ok_and(|key| key.stands_alone()),
    }
}

/// A job from settings of the command line; `name` among them is its name.
///
/// # Errors
/// An unknown key, or a missing value.
pub fn options<'a>(
    pairs: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
    surroundings: &Surroundings<'_>,
) -> Result<JobFile> {
    let location = Location { source: Arc::from(COMMAND_LINE), line: None };
    let mut settings = Vec::new();
    for (key, value) in pairs {
        settings.push(Setting::new(key, value, &location, surroundings).map_err(|error| error.at(&location))?);
    }
    let section = Section { name: "io".to_owned(), location: location.clone(), settings };
    Ok(JobFile { name: location.to_string(), sections: vec![section] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    fn read(text: &str) -> Vec<(String, Option<String>)> {
        let read = overrides(text, &fixture::surroundings()).unwrap();
        read.into_iter().map(|Override(setting)| (setting.written, setting.value)).collect()
    }

    fn pair(key: &str, value: &str) -> (String, Option<String>) {
        (key.to_owned(), Some(value.to_owned()))
    }

    #[test]
    fn a_comma_separates_settings_if_one_follows() {
        assert_eq!(read("runtime=5,filesize=1G"), [pair("runtime", "5"), pair("filesize", "1G")]);
        assert_eq!(read("bs=8k,16k,runtime=5"), [pair("bs", "8k,16k"), pair("runtime", "5")]);
        assert_eq!(read("bs=,8k"), [pair("bs", ",8k")]);
        assert_eq!(read("runtime=5,time_based"), [pair("runtime", "5"), ("time_based".to_owned(), None)]);
        assert_eq!(read("filename=a\\,b=c"), [pair("filename", "a,b=c")]);
    }

    #[test]
    fn invalid_settings_are_errors() {
        let message = |text: &str| overrides(text, &fixture::surroundings()).unwrap_err().to_string();
        assert_eq!(message(""), "override: there is an empty setting; hint: write key=value,key=value");
        assert_eq!(message("runtim=5"), "override: key \"runtim\" is not known; hint: did you mean runtime?");
        assert_eq!(message("runtime"), "override: runtime has no value; hint: write runtime=...");
    }

    #[test]
    fn settings_of_the_command_line_make_one_job() {
        let job = options([("rw", Some("randread")), ("time_based", None)], &fixture::surroundings()).unwrap();
        assert_eq!(job.sections[0].settings.len(), 2);
        let error = options([("iodeepth", Some("4"))], &fixture::surroundings()).unwrap_err();
        assert_eq!(error.to_string(), "command line: key \"iodeepth\" is not known; hint: did you mean iodepth?");
    }
}
