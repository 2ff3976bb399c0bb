//! The targets that readers may have measured: a file of the server, which nobody else may write.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use engine::Target;
use run::{Error, Result};

use crate::target::target;

/// The largest file.
const BYTES_MAX: u64 = 64 << 10;

/// Targets, at most.
const TARGETS_MAX: usize = 64;

/// The longest name of a target.
const NAME_LENGTH_MAX: usize = 40;

/// Bits of the mode of a file that others than its owner may write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

/// A target that may be measured. Its words may have a password: they are never shown.
pub struct ListedTarget {
    /// The target as it is given to a command.
    pub words: String,
    /// Whether it names a host, and so is given by a file.
    pub has_host: bool,
}

/// Targets by the names that readers choose.
pub type ListedTargets = BTreeMap<String, ListedTarget>;

/// The targets in the file at `path`.
///
/// # Errors
/// Where somebody else may write it, where it cannot be read, and where it is not of this form. What stands in it is not
/// repeated.
pub fn listed_targets(path: &Path) -> Result<ListedTargets> {
    let shown = path.display();
    let refused = |what: String| Error::user(format!("targets {shown}: {what}")).hint(HINT);
    let file = File::open(path).map_err(|error| refused(format!("they cannot be read: {error}")))?;
    // Of the file that is open, whatever stands at its path by now.
    let data = file.metadata().map_err(|error| refused(format!("they cannot be read: {error}")))?;
    let own = rustix::process::geteuid().as_raw();
    if !data.is_file() {
        return Err(refused("it is no file".to_owned()));
    }
    if data.uid() != own && data.uid() != 0 {
        return Err(refused(format!("the file is of user {}, neither of you nor of root", data.uid())));
    }
    if data.mode() & WRITABLE_BY_OTHERS != 0 {
        let hint = format!("chmod go-w {shown}");
        let what = format!("mode {:o} lets others write which targets are measured", data.mode() & 0o7777);
        return Err(Error::user(format!("targets {shown}: {what}")).hint(hint));
    }
    let mut text = String::new();
    let read = file.take(BYTES_MAX + 1).read_to_string(&mut text);
    read.map_err(|error| refused(format!("they cannot be read: {error}")))?;
    if text.len() as u64 > BYTES_MAX {
        return Err(refused(format!("the file has more than {BYTES_MAX} bytes")));
    }
    let wrong = |line: usize| refused(format!("line {line} is not of the form of such a file"));
    // The error of the parser repeats the line, which may have a password.
    let parsed = text.parse::<toml::Table>().map_err(|error| {
        let begin = error.span().map_or(0, |span| span.start.min(text.len()));
        wrong(text.as_bytes()[..begin].iter().filter(|byte| **byte == b'\n').count() + 1)
    })?;
    let targets = match (parsed.get("targets").and_then(toml::Value::as_table), parsed.len()) {
        (Some(targets), 1) => targets,
        _ => return Err(refused("it has no table [targets], or has something else".to_owned())),
    };
    if targets.is_empty() || targets.len() > TARGETS_MAX {
        return Err(refused(format!("{} targets; 1 to {TARGETS_MAX} can be listed", targets.len())));
    }
    let one = |(name, value): (&String, &toml::Value)| {
        let words = value.as_str().ok_or_else(|| refused("a target is a text".to_owned()))?;
        listed_target(name, words, &refused)
    };
    targets.iter().map(one).collect()
}

const HINT: &str = "write a table [targets] with lines such as crm = \"postgres://bench@db1/crm\"";

fn listed_target(name: &str, words: &str, refused: &dyn Fn(String) -> Error) -> Result<(String, ListedTarget)> {
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_name = (1..=NAME_LENGTH_MAX).contains(&name.len()) && name.bytes().all(is_letter) && !name.starts_with('-');
    if !is_name {
        return Err(refused(format!("a name has 1 to {NAME_LENGTH_MAX} lower-case letters, digits and -")));
    }
    if words.starts_with(['-', '@']) || words.chars().any(char::is_control) {
        return Err(refused(format!("{name} is no target, but an option, a file or several lines")));
    }
    let found: Target = target(words).map_err(|error| refused(format!("{name}: {}", error.message)))?;
    let has_host = !found.local && !found.addresses.is_empty();
    if found.password.is_some() && !has_host {
        return Err(refused(format!("{name} has a password, but names no host")));
    }
    Ok((name.to_owned(), ListedTarget { words: words.to_owned(), has_host }))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn of(text: &str, mode: u32) -> Result<ListedTargets> {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("targets.toml");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        listed_targets(&path)
    }

    #[test]
    fn targets_have_names() {
        let text = "[targets]\nlocal = \"sqlite\"\ncrm = \"postgres://bench:s3cret@db1/crm\"\n";
        let found = of(text, 0o600).unwrap();
        assert!(found["crm"].has_host && !found["local"].has_host && found.len() == 2);
        assert!(of(text, 0o644).is_ok());
    }

    #[test]
    fn what_others_may_write_is_refused() {
        for mode in [0o620, 0o602, 0o666] {
            let error = of("[targets]\na = \"sqlite\"\n", mode).err().expect("refused");
            assert!(error.message.contains("lets others write") && error.hint.is_some(), "{error}");
        }
        assert!(listed_targets(Path::new("/dev/null")).is_err() && listed_targets(Path::new("/nowhere")).is_err());
    }

    #[test]
    fn what_is_no_target_is_refused_and_not_repeated() {
        for text in [
            "",
            "[targets]\n",
            "a = \"sqlite\"\n",
            "[targets]\na = \"s3cret\n",
            "[targets]\na = 7\n",
            "[targets]\nA = \"sqlite\"\n",
            "[targets]\n-a = \"sqlite\"\n",
            "[targets]\na = \"--dir=/s3cret\"\n",
            "[targets]\na = \"@/etc/s3cret\"\n",
            "[targets]\na = \"sqlite\\n--dir\"\n",
            "[targets]\na = \"tiger://s3cret:s3cret\"\n",
            "[targets]\na = \"sqlite\"\n[other]\n",
        ] {
            let error = of(text, 0o600).err().unwrap_or_else(|| panic!("{text}"));
            assert!(!format!("{error:?}").contains("s3cret") && error.hint.is_some(), "{error:?}");
        }
    }
}
