//! Paths of `/proc`, `/sys` and related files, and readers of small files.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::quantity::Written;

/// Root directories of a machine: this host, or a recorded tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// `/proc` of the machine.
    pub proc: PathBuf,
    /// `/sys` of the machine.
    pub sys: PathBuf,
    /// The root, for `/etc/os-release`, `/.dockerenv` and the like.
    pub top: PathBuf,
}

impl Root {
    /// This host.
    pub fn host() -> Root {
        Root::below("/")
    }

    /// A recorded tree with `proc` and `sys`.
    pub fn below(top: impl Into<PathBuf>) -> Root {
        let top = top.into();
        Root { proc: top.join("proc"), sys: top.join("sys"), top }
    }

    /// Whether it is this host: only then system calls refer to the same machine.
    pub fn is_host(&self) -> bool {
        self.proc == Path::new("/proc")
    }
}

/// The trimmed text of a file; none if it is absent, unreadable or empty.
pub fn text(path: impl AsRef<Path>) -> Option<String> {
    let bytes = fs::read(path).ok()?;
    // Texts of device trees end with a zero byte.
    let text = String::from_utf8_lossy(&bytes)
        .trim_matches(|letter: char| letter.is_whitespace() || letter == '\0')
        .to_owned();
    (!text.is_empty()).then_some(text)
}

/// The value of a file.
pub fn value<T: FromStr>(path: impl AsRef<Path>) -> Option<T> {
    text(path)?.parse().ok()
}

/// The value of a file that contains 0 or 1.
pub fn switch(path: impl AsRef<Path>) -> Option<bool> {
    match value::<u32>(path)? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// The selected word (in brackets) of a file such as `always [madvise] never`, or its only word.
pub fn chosen(path: impl AsRef<Path>) -> Option<String> {
    let text = text(path)?;
    let between = text.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map(|(word, _)| word.to_owned());
    let alone = |letter: char| letter.is_whitespace() || matches!(letter, '[' | ']');
    between.or_else(|| (!text.contains(alone)).then_some(text))
}

/// Names in a directory, sorted; empty if it is absent.
pub fn names(directory: impl AsRef<Path>) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.sort();
    names
}

/// Numbers after `prefix` in the names of a directory (`node0`, `node1`), ascending.
pub fn numbered(directory: impl AsRef<Path>, prefix: &str) -> Vec<u32> {
    let number = |name: String| name.strip_prefix(prefix)?.parse().ok();
    let mut numbers: Vec<u32> = names(directory).into_iter().filter_map(number).collect();
    numbers.sort_unstable();
    numbers
}

/// The numbers in a kernel list such as `0-3,8,10-11`; none if it is invalid or has more than a million entries.
pub fn cpu_list(text: &str) -> Option<Vec<u32>> {
    const CPUS_MAX: usize = 1 << 20;
    let mut cpus = Vec::new();
    for part in text.trim().split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (u32, u32) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        if last < first || (last - first) as usize + cpus.len() >= CPUS_MAX {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}

/// A size in sysfs: `32K`, `1024K`, `32M`, or bytes. The prefixes of the kernel are powers of 1024.
pub fn size_bytes(text: &str) -> Option<u64> {
    let written = Written::of(text);
    let unit: u64 = match written.unit {
        "" => 1,
        "K" | "kB" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return None,
    };
    written.number.parse::<u64>().ok()?.checked_mul(unit)
}

/// The value of `name` in a text of lines `name: value`.
pub fn entry<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (known, value) = line.split_once(':')?;
        (known.trim_end() == name).then_some(value.trim()).filter(|value| !value.is_empty())
    })
}

/// A path of the machine inside the tree.
pub fn inside(top: &Path, path: &str) -> PathBuf {
    top.join(path.trim_start_matches('/'))
}

/// An environment variable, if not empty.
pub fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lists_of_processors_are_parsed() {
        assert_eq!(cpu_list("0-3,8,10-11\n"), Some(vec![0, 1, 2, 3, 8, 10, 11]));
        assert_eq!(cpu_list(""), Some(vec![]));
        for wrong in ["3-1", "a", "1-", "-1", "0-4294967295", "0-900000,0-900000"] {
            assert_eq!(cpu_list(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn sizes_have_units() {
        assert_eq!(size_bytes("32K"), Some(32 << 10));
        assert_eq!(size_bytes("36608K\n"), Some(36608 << 10));
        assert_eq!(size_bytes("16 kB"), Some(16 << 10));
        assert_eq!(size_bytes("12"), Some(12));
        for wrong in ["", "K", "1Q", "-1", "99999999999999999999K", "18446744073709551615G"] {
            assert_eq!(size_bytes(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_selected_word_is_in_brackets_or_alone() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        let path = scratch.path().join("file");
        for (text, word) in [
            ("always [madvise] never\n", Some("madvise")),
            ("none\n", Some("none")),
            ("a b", None),
            ("\n", None),
            ("][", None),
        ] {
            fs::write(&path, text).expect("write");
            assert_eq!(chosen(&path).as_deref(), word, "{text}");
        }
        assert_eq!(chosen(scratch.path().join("absent")), None);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[\\PC\n,0-9-]*") {
            let _ = cpu_list(&text);
            let _ = size_bytes(&text);
            let _ = entry(&text, "MemTotal");
        }
    }
}
