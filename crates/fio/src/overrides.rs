//! Settings that come from the command line: those that every job gets after its own, and those of a job without
//! a file.

use std::sync::Arc;

use crate::error::{Error, Place, Result};
use crate::job_file::{JobFile, Section, Setting};
use crate::key;
use crate::surroundings::Surroundings;

/// A setting that every job gets after its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override(pub(crate) Setting);

impl Override {
    /// The name of the key that it sets.
    pub fn key(&self) -> &'static str {
        self.0.key.name
    }
}

/// Reads `runtime=5,filesize=1G`. A comma begins the next setting where a name and a `=`, or a key that stands alone,
/// follow it; any other comma belongs to the value (`bs=8k,16k`), as does one that is escaped (`\,`).
///
/// # Errors
/// What is no setting, or one whose key is not known.
pub fn overrides(text: &str, surroundings: &Surroundings<'_>) -> Result<Vec<Override>> {
    let place = Place { source: Arc::from("override"), line: None };
    let mut parts: Vec<String> = Vec::new();
    let mut glued = false;
    for piece in text.split(',') {
        let (piece, escaped) = match piece.strip_suffix('\\') {
            Some(before) => (before, true),
            None => (piece, false),
        };
        match parts.last_mut() {
            Some(part) if glued || !begins_setting(piece) => {
                part.push(',');
                part.push_str(piece);
            }
            _ => parts.push(piece.to_owned()),
        }
        glued = escaped;
    }
    let read = |part: &String| {
        let setting = match part.split_once('=') {
            Some((key, value)) => Setting::new(key.trim(), Some(value.trim()), &place, surroundings),
            None if part.trim().is_empty() => {
                Err(Error::new("there is an empty setting").hint("write key=value,key=value"))
            }
            None => Setting::new(part.trim(), None, &place, surroundings),
        };
        setting.map(Override).map_err(|error| error.at(&place))
    };
    parts.iter().map(read).collect()
}

fn begins_setting(piece: &str) -> bool {
    match piece.split_once('=') {
        Some((name, _)) => {
            let name = name.trim();
            let letters = |letter: char| letter.is_ascii_alphabetic() || letter == '_' || letter == '-';
            !name.is_empty() && name.chars().all(letters)
        }
        None => key::find(piece.trim()).is_ok_and(|key| key.stands_alone()),
    }
}

/// A job from settings of the command line, as if they stood in a file; `name` among them names it.
///
/// # Errors
/// A key that is not known, or a value that is missing.
pub fn options<'a>(
    pairs: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
    surroundings: &Surroundings<'_>,
) -> Result<JobFile> {
    let place = Place { source: Arc::from("command line"), line: None };
    let mut settings = Vec::new();
    for (key, value) in pairs {
        settings.push(Setting::new(key, value, &place, surroundings).map_err(|error| error.at(&place))?);
    }
    let section = Section { name: "io".to_owned(), place: place.clone(), settings };
    Ok(JobFile { name: place.to_string(), sections: vec![section] })
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
    fn a_comma_begins_the_next_setting_where_one_follows() {
        assert_eq!(read("runtime=5,filesize=1G"), [pair("runtime", "5"), pair("filesize", "1G")]);
        assert_eq!(read("bs=8k,16k,runtime=5"), [pair("bs", "8k,16k"), pair("runtime", "5")]);
        assert_eq!(read("bs=,8k"), [pair("bs", ",8k")]);
        assert_eq!(read("runtime=5,time_based"), [pair("runtime", "5"), ("time_based".to_owned(), None)]);
        assert_eq!(read("filename=a\\,b=c"), [pair("filename", "a,b=c")]);
    }

    #[test]
    fn what_is_no_setting_is_refused() {
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
