//! Parses a job file into sections with settings.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::error::{Error, Location, Result};
use crate::expand::{Surroundings, expand};
use crate::io_engine::mode_of;
use crate::key::{self, Key, Meaning};

/// Maximum depth of includes.
const INCLUDE_DEPTH_MAX: usize = 16;
/// Maximum number of included files.
const INCLUDES_MAX: u32 = 256;
/// Maximum number of settings, including those of included files.
const SETTINGS_MAX: usize = 200_000;
/// Maximum length of a section name.
const SECTION_NAME_MAX: usize = 255;

/// A parsed job file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobFile {
    /// Its name in messages.
    pub name: String,
    /// Its sections, in the order of the file.
    pub sections: Vec<Section>,
}

/// A section: `[name]` and its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The text between the brackets.
    pub name: String,
    /// The location of its header.
    pub location: Location,
    /// In the order of the file.
    pub settings: Vec<Setting>,
}

impl Section {
    /// Whether it has defaults for the jobs below it: every section whose name starts with `global`.
    pub fn is_global(&self) -> bool {
        self.name.starts_with("global")
    }
}

/// `key=value`, or a key alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The key.
    pub key: &'static Key,
    /// The name as written, which may be an alias.
    pub written: String,
    /// The expanded value; absent for a key without a value.
    pub value: Option<String>,
    /// A variable of the value that is not set.
    pub unset: Option<String>,
    /// File and line.
    pub location: Location,
}

impl JobFile {
    /// Parses `text` of the file `name`; paths of included files are relative to its directory.
    ///
    /// # Errors
    /// Syntax errors with their line: a setting before any section, an unknown or refused key, a missing value, an
    /// included file that is missing or includes itself.
    pub fn parse(name: &str, text: &str, surroundings: &Surroundings<'_>) -> Result<JobFile> {
        let mut reader =
            Reader { surroundings, sections: Vec::new(), setting_count: 0, include_count: 0, refused: None };
        let read = reader.read(name, text, &mut vec![PathBuf::from(name)]);
        match reader.refused.take() {
            Some((section, error)) => Err(reader.engine_refusal(section).unwrap_or(error)),
            None => read.map(|()| JobFile { name: name.to_owned(), sections: reader.sections }),
        }
    }
}

struct Reader<'a> {
    surroundings: &'a Surroundings<'a>,
    sections: Vec<Section>,
    setting_count: usize,
    include_count: u32,
    /// The first setting that is refused, and the number of its section: reported at the end, since a later line may name
    /// the unsupported engine that it belongs to.
    refused: Option<(usize, Error)>,
}

impl Reader<'_> {
    /// Parses one file; `path` is the chain of includes, itself last.
    fn read(&mut self, name: &str, text: &str, path: &mut Vec<PathBuf>) -> Result<()> {
        let source: Arc<str> = Arc::from(name);
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        for (index, line) in text.lines().enumerate() {
            let location = Location { source: source.clone(), line: u32::try_from(index + 1).ok() };
            self.line(line, &location, path).map_err(|error| error.at(&location))?;
        }
        Ok(())
    }

    fn line(&mut self, line: &str, location: &Location, path: &mut Vec<PathBuf>) -> Result<()> {
        if let Some(letter) = line.chars().find(|letter| letter.is_control() && !matches!(letter, '\t' | '\r' | '\x0c'))
        {
            let error = Error::new(format!("the line has the control character {letter:?}"));
            return Err(error.hint("a job file is text: [section] and key=value"));
        }
        let line = without_comment(line).trim();
        if line.is_empty() {
            return Ok(());
        }
        if let Some(header) = line.strip_prefix('[') {
            return self.section(header, location, path);
        }
        if let Some(file) = included(line) {
            return self.include(file, path);
        }
        let setting = match setting(line, location, self.surroundings) {
            Err(error) if !self.sections.is_empty() => {
                let section = self.sections.len() - 1;
                self.refused.get_or_insert_with(|| (section, error.at(location)));
                return Ok(());
            }
            setting => setting?,
        };
        let Some(section) = self.sections.last_mut() else {
            let error = Error::new(format!("{} is set before any section", setting.written));
            return Err(error.hint("start with [global] or with the [name] of a job"));
        };
        section.settings.push(setting);
        self.setting_count += 1;
        match self.setting_count > SETTINGS_MAX {
            true => Err(Error::new(format!("the file has more than {SETTINGS_MAX} settings"))),
            false => Ok(()),
        }
    }

    /// The refusal of the engine of section `number`, if it is not supported: that of the section or of the defaults above
    /// it; for defaults also that of a job below them.
    fn engine_refusal(&self, number: usize) -> Option<Error> {
        let last = |section: &Section| {
            let of_engine = |setting: &&Setting| setting.key.name == "ioengine";
            section.settings.iter().rev().find(of_engine).map(refusal)
        };
        let (before, after) = self.sections.split_at(number + 1);
        let own = before.last()?;
        let above = before.iter().rev().skip(1).filter(|section| section.is_global());
        match std::iter::once(own).chain(above).find_map(last) {
            Some(refusal) => refusal,
            None if own.is_global() => after.iter().find_map(|section| last(section).flatten()),
            None => None,
        }
    }

    fn section(&mut self, header: &str, location: &Location, path: &[PathBuf]) -> Result<()> {
        if path.len() > 1 {
            let error = Error::new(format!("an included file has the section [{header}"));
            return Err(error.hint("an included file has settings only"));
        }
        let name = match header.split_once(']') {
            Some((name, "")) => name,
            Some(_) => header.strip_suffix(']').ok_or_else(|| no_header(header))?,
            None => return Err(no_header(header)),
        };
        if name.len() > SECTION_NAME_MAX {
            let error = Error::new(format!("the name of the section has {} characters", name.len()));
            return Err(error.hint(format!("use at most {SECTION_NAME_MAX}")));
        }
        self.sections.push(Section { name: name.to_owned(), location: location.clone(), settings: Vec::new() });
        Ok(())
    }

    fn include(&mut self, file: &str, path: &mut Vec<PathBuf>) -> Result<()> {
        if self.sections.is_empty() {
            let error = Error::new(format!("{file} is included before any section"));
            return Err(error.hint("start with [global] or with the [name] of a job"));
        }
        let folder = path.last().and_then(|including| including.parent()).unwrap_or(Path::new(""));
        let file = folder.join(expand(file, self.surroundings).text);
        let name = file.display().to_string();
        if path.contains(&file) {
            return Err(Error::new(format!("{name} includes itself")).hint("remove one of the includes"));
        }
        self.include_count += 1;
        if path.len() > INCLUDE_DEPTH_MAX || self.include_count > INCLUDES_MAX {
            let limit = format!("{INCLUDES_MAX} files, {INCLUDE_DEPTH_MAX} deep");
            return Err(Error::new(format!("too many included files: {name}")).hint(format!("at most {limit}")));
        }
        let text = (self.surroundings.include)(&file).map_err(|error| {
            let error = Error::new(format!("cannot read included file {name}: {error}"));
            error.hint("its path is relative to the directory of the file that includes it")
        })?;
        path.push(file);
        self.read(&name, &text, path)?;
        path.pop();
        Ok(())
    }
}

fn no_header(header: &str) -> Error {
    Error::new(format!("[{header} does not end with a ]")).hint("a section starts with [name]")
}

/// A comment may start anywhere in a line, also in values.
fn without_comment(line: &str) -> &str {
    line.split([';', '#']).next().unwrap_or_default()
}

/// The file of an `include` line.
fn included(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("include")?;
    rest.starts_with([' ', '\t', '=']).then(|| rest.trim_start_matches([' ', '\t', '=']))
}

/// Parses a line `key=value`, or `key` alone.
fn setting(line: &str, location: &Location, surroundings: &Surroundings<'_>) -> Result<Setting> {
    match line.split_once('=') {
        Some((key, value)) => Setting::new(key.trim(), Some(value.trim()), location, surroundings),
        None => Setting::new(line, None, location, surroundings),
    }
}

impl Setting {
    /// A setting with its value expanded and checked.
    pub(crate) fn new(
        written: &str,
        value: Option<&str>,
        location: &Location,
        surroundings: &Surroundings<'_>,
    ) -> Result<Setting> {
        let key = key::find(written)?;
        if let Meaning::Refused(reason) = key.meaning {
            return Err(Error::new(format!("{written} is not supported: {reason}")));
        }
        let expanded = value.map(|value| expand(value, surroundings));
        let unset = expanded.as_ref().and_then(|expanded| expanded.unset.clone());
        let value = expanded.map(|expanded| key.without_empty_part(expanded.text));
        match &value {
            None if !key.stands_alone() => {
                Err(Error::new(format!("{written} has no value")).hint(format!("write {written}=...")))
            }
            Some(text) if text.is_empty() => Err(match &unset {
                Some(variable) => Error::new(format!("{written} has no value: ${{{variable}}} is not set"))
                    .hint(format!("set the environment variable {variable}")),
                None => Error::new(format!("{written} has no value after its =")),
            }),
            _ => Ok(Setting { key, written: written.to_owned(), value, unset, location: location.clone() }),
        }
    }
}

/// The refusal of `setting`, if it is of an engine that is not supported.
pub(crate) fn refusal(setting: &Setting) -> Option<Error> {
    let name = setting.value.as_deref().filter(|_| setting.key.name == "ioengine")?;
    mode_of(name).err().map(|error| error.about(setting))
}
