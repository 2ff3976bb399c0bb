//! Stand-ins for names: each name has one, the same wherever it stands.

use std::collections::{BTreeMap, HashMap, HashSet};

/// What a name is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Class {
    /// A host, a node, an agent.
    Host,
    /// An address of a network.
    Address,
    /// A user.
    User,
    /// A file, a directory, a device by a path.
    Path,
    /// What somebody called something.
    Label,
    /// What identifies a part or a start of a machine.
    Serial,
    /// A target.
    Target,
    /// A record.
    Record,
    /// A job of a job file.
    Job,
    /// A script.
    Script,
}

impl Class {
    fn word(self) -> &'static str {
        match self {
            Class::Host => "host",
            Class::Address => "address",
            Class::User => "user",
            Class::Path => "/path",
            Class::Label => "label",
            Class::Serial => "serial",
            Class::Target => "target",
            Class::Record => "record",
            Class::Job => "job",
            Class::Script => "script",
        }
    }
}

/// Sources and file systems that have no name of somebody.
const NOBODY: [&str; 7] = ["", "/", "none", "overlay", "pipe", "rootfs", "tmpfs"];

/// Addresses that every host has.
const EVERYBODY: [&str; 5] = ["localhost", "127.0.0.1", "::1", "0.0.0.0", "::"];

/// The stand-ins.
#[derive(Debug, Default)]
pub(crate) struct StandIns {
    known: HashMap<String, String>,
    /// Names that are words, as of a record that is called `load`: they are replaced where they stand alone.
    words: HashSet<String>,
    /// Names with letters that words of a text have not, the longest first.
    odd: Vec<String>,
    counts: BTreeMap<Class, usize>,
}

impl StandIns {
    /// The stand-in of `name`, made when it is first asked for.
    pub(crate) fn of(&mut self, class: Class, name: &str) -> String {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        if is_of_nobody(class, name) {
            return name.to_owned();
        }
        let count = self.counts.entry(class).or_default();
        *count += 1;
        let stand_in = format!("{}-{count}", class.word());
        self.keep(name, &stand_in);
        let is_word = name.bytes().all(|byte| byte.is_ascii_lowercase());
        if is_word && matches!(class, Class::Record | Class::Job | Class::Script) {
            self.words.insert(name.to_owned());
        }
        if class == Class::Host && name.parse::<std::net::IpAddr>().is_err() {
            // The label before the first dot is the same host.
            if let Some((label, _)) = name.split_once('.').filter(|(label, _)| !self.known.contains_key(*label)) {
                self.keep(label, &stand_in);
            }
        }
        if let Some(user) = (class == Class::Path).then(|| user_of_home(name)).flatten() {
            self.of(Class::User, user);
        }
        stand_in
    }

    fn keep(&mut self, name: &str, stand_in: &str) {
        self.known.insert(name.to_owned(), stand_in.to_owned());
        if !name.chars().all(is_letter_of_name) {
            self.odd.push(name.to_owned());
            self.odd.sort_by_key(|name| std::cmp::Reverse(name.len()));
        }
    }

    /// The stand-in of a name that is known.
    pub(crate) fn known(&self, name: &str) -> Option<&str> {
        self.known.get(name).map(String::as_str)
    }

    /// The same of a name that stands among others in a text.
    pub(crate) fn known_in_text(&self, name: &str) -> Option<&str> {
        self.known(name).filter(|_| !self.words.contains(name))
    }

    /// Known names with letters that words of a text have not, with their stand-ins, the longest first.
    pub(crate) fn odd(&self) -> impl Iterator<Item = (&str, &str)> {
        self.odd.iter().filter_map(|name| Some((name.as_str(), self.known(name)?)))
    }
}

/// Whether names in a text may have this letter, so that they end at others.
pub(crate) fn is_letter_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || "._:/%+~-@#".contains(letter)
}

fn is_of_nobody(class: Class, name: &str) -> bool {
    match class {
        Class::Path => NOBODY.contains(&name) || name.starts_with("generated") || is_kernel_path(name),
        Class::Host | Class::Address => name.is_empty() || EVERYBODY.contains(&name),
        Class::Label => name.is_empty() || is_number(name),
        _ => name.is_empty(),
    }
}

/// Whether `path` is one of the kernel, the same on every host: of `/proc`, `/sys`, or a disk by its number.
pub(crate) fn is_kernel_path(path: &str) -> bool {
    let is_disk = |name: &str| {
        let kinds = ["sd", "vd", "xvd", "hd", "nvme", "dm-", "md", "loop", "sr", "mmcblk"];
        let rest = kinds.into_iter().find_map(|kind| name.strip_prefix(kind));
        rest.is_some_and(|rest| rest.len() <= 6 && rest.chars().all(|letter| letter.is_ascii_alphanumeric()))
            || matches!(name, "kmsg" | "null" | "zero" | "root" | "shm" | "urandom")
    };
    path.starts_with("/proc/") || path.starts_with("/sys/") || path.strip_prefix("/dev/").is_some_and(is_disk)
}

/// Whether `text` is a number, with a unit or without.
pub(crate) fn is_number(text: &str) -> bool {
    let digits =
        text.trim_start_matches('-').trim_end_matches(|letter: char| letter.is_ascii_alphabetic() || letter == '%');
    let unit = text.len() - digits.len();
    let is_one = digits.matches('.').count() <= 1;
    is_one && !digits.is_empty() && unit <= 4 && digits.chars().all(|letter| letter.is_ascii_digit() || letter == '.')
}

/// The user in whose home `path` is.
pub(crate) fn user_of_home(path: &str) -> Option<&str> {
    let user = path.strip_prefix("/home/")?.split('/').next()?;
    (!user.is_empty()).then_some(user)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_one_stand_in() {
        let mut names = StandIns::default();
        assert_eq!(names.of(Class::Host, "db1.example.net"), "host-1");
        assert_eq!(names.of(Class::Host, "db2"), "host-2");
        assert_eq!(names.of(Class::Host, "db1"), "host-1");
        assert_eq!(names.of(Class::Path, "/home/jane/data"), "/path-1");
        assert_eq!(names.known("jane"), Some("user-1"));
        for (class, same) in [
            (Class::Path, "tmpfs"),
            (Class::Path, "/dev/nvme0n1p2"),
            (Class::Host, "localhost"),
            (Class::Label, "100"),
            (Class::Path, "/proc/meminfo"),
        ] {
            assert_eq!(names.of(class, same), same);
        }
        assert_eq!(names.of(Class::Path, "/dev/mapper/data"), "/path-2");
    }
}
