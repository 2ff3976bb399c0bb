//! Lists in a value: up to three parts for read, write and trim, and parts between colons.

use crate::error::{Error, Result};

/// A value per direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Directions<T> {
    pub(crate) read: T,
    pub(crate) write: T,
    pub(crate) trim: T,
}

impl<T: Copy> Directions<T> {
    /// The same value for all.
    pub(crate) fn all(value: T) -> Directions<T> {
        Directions { read: value, write: value, trim: value }
    }
}

impl<T> Directions<T> {
    /// Maps each value.
    pub(crate) fn try_map<U>(self, change: impl Fn(T) -> Result<U>) -> Result<Directions<U>> {
        Ok(Directions { read: change(self.read)?, write: change(self.write)?, trim: change(self.trim)? })
    }
}

/// Parses `a`, `a,b` or `a,b,c`: the last part also applies to missing ones, an empty part keeps `default`.
pub(crate) fn directions<T: Copy>(
    text: &str,
    default: Directions<T>,
    read: impl Fn(&str) -> Result<T>,
) -> Result<Directions<T>> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let part = |index: usize| match parts.get(index) {
        Some(&"") => Ok(None),
        Some(part) => read(part).map(Some),
        None => Ok(None),
    };
    if parts.len() > 3 {
        let error = Error::new(format!("{text} has {} parts", parts.len()));
        return Err(error.hint("at most three: read,write,trim"));
    }
    let (first, second, third) = (part(0)?, part(1)?, part(2)?);
    let last = parts.len() - 1;
    let extended = |index: usize, value: Option<T>| match index > last {
        true => [first, second, third][last],
        false => value,
    };
    Ok(Directions {
        read: extended(0, first).unwrap_or(default.read),
        write: extended(1, second).unwrap_or(default.write),
        trim: extended(2, third).unwrap_or(default.trim),
    })
}

/// A list as fio reads it: it ends with its first empty part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct List<T> {
    /// The parts before the first empty one.
    pub(crate) parts: Vec<T>,
    /// Whether parts with content follow the empty one.
    pub(crate) is_cut: bool,
}

/// Ends `parts` at the first empty one.
pub(crate) fn until_empty<T: AsRef<str>>(parts: impl IntoIterator<Item = T>) -> List<T> {
    let mut parts = parts.into_iter();
    let read: Vec<T> = parts.by_ref().take_while(|part| !part.as_ref().trim().is_empty()).collect();
    List { parts: read, is_cut: parts.any(|part| !part.as_ref().trim().is_empty()) }
}

/// What is said of a list that is cut.
pub(crate) const CUT: &str = "parts after an empty one are not read, as in fio";

/// The parts between colons; `\:` is a literal colon.
pub(crate) fn between_colons(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&':') => {
                letters.next();
                parts.last_mut().expect("there is always one").push(':');
            }
            ':' => parts.push(String::new()),
            other => parts.last_mut().expect("there is always one").push(other),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<(u32, u32, u32)> {
        let default = Directions::all(4);
        let read = directions(text, default, |part| part.parse().map_err(|_| Error::new("no"))).ok()?;
        Some((read.read, read.write, read.trim))
    }

    #[test]
    fn the_last_part_applies_to_missing_ones_unless_a_comma_ends_it() {
        assert_eq!(read("8"), Some((8, 8, 8)));
        assert_eq!(read("8,16"), Some((8, 16, 16)));
        assert_eq!(read("8,"), Some((8, 4, 4)));
        assert_eq!(read(",8"), Some((4, 8, 8)));
        assert_eq!(read(",8,"), Some((4, 8, 4)));
        assert_eq!(read("1,,2"), Some((1, 4, 2)));
        assert_eq!(read("1,2,3"), Some((1, 2, 3)));
        assert_eq!(read("1,2,3,4"), None);
        assert_eq!(read("x"), None);
    }

    #[test]
    fn a_list_ends_with_its_first_empty_part() {
        let read = |text: &'static str| until_empty(text.split(':'));
        let list = |parts: &[&'static str], is_cut| List { parts: parts.to_vec(), is_cut };
        assert_eq!(read("a:b"), list(&["a", "b"], false));
        assert_eq!(read("a:b:"), list(&["a", "b"], false));
        assert_eq!(read("a: :b"), list(&["a"], true));
        assert_eq!(read(":b"), list(&[], true));
        assert_eq!(read("::"), list(&[], false));
    }

    #[test]
    fn a_colon_in_a_path_is_escaped() {
        assert_eq!(between_colons("/dev/a:/dev/b"), ["/dev/a", "/dev/b"]);
        assert_eq!(between_colons("/dev/disk/by-path/pci-0000\\:00"), ["/dev/disk/by-path/pci-0000:00"]);
        assert_eq!(between_colons("a\\b"), ["a\\b"]);
        assert_eq!(between_colons(""), [""]);
    }
}
