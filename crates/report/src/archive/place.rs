//! Where the pages of an archive are, relative to each other: as a server has them, or as files.

use crate::document::Way;

/// Where a page is, and where others are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Served, at the root.
    Served,
    /// Served, in a folder of the root.
    ServedBelow,
    /// A file in the folder of all pages.
    File,
    /// A file in a folder below it.
    FileBelow,
}

impl Place {
    /// Whether forms lead somewhere.
    pub(crate) fn is_served(self) -> bool {
        matches!(self, Place::Served | Place::ServedBelow)
    }

    fn root(self) -> &'static str {
        match self {
            Place::Served | Place::File => "",
            Place::ServedBelow | Place::FileBelow => "../",
        }
    }

    /// The list.
    pub(crate) fn list(self) -> String {
        match self {
            Place::Served => "./".to_owned(),
            Place::ServedBelow => "../".to_owned(),
            Place::File | Place::FileBelow => format!("{}index.html", self.root()),
        }
    }

    /// The page of a record or a published system.
    pub(crate) fn record(self, id: &str) -> String {
        format!("{}r/{}{}", self.root(), encoded(id), if self.is_served() { "" } else { ".html" })
    }

    /// The history of a test.
    pub(crate) fn history(self, test: &str) -> String {
        match self.is_served() {
            true => format!("{}history?test={}", self.root(), encoded(test)),
            false => format!("{}history/{}.html", self.root(), file_name(test)),
        }
    }

    /// The comparison of the record `id` with `before`.
    pub(crate) fn comparison(self, before: &str, id: &str) -> String {
        match self.is_served() {
            true => format!("{}compare?a={}&b={}", self.root(), encoded(before), encoded(id)),
            false => format!("{}compare/{}.html", self.root(), encoded(id)),
        }
    }

    /// The note on a record.
    pub(crate) fn note(self, id: &str) -> String {
        format!("{}note?id={}", self.root(), encoded(id))
    }

    /// The month `month` of `target` in the history `file`.
    pub(crate) fn month(self, file: &str, target: &str, month: &str) -> String {
        format!("{}month?history={}&target={}&month={month}", self.root(), encoded(file), encoded(target))
    }

    /// The links above the title of every page.
    pub fn ways(self) -> Vec<Way> {
        let way = |words: &str, to: String| Way { words: words.to_owned(), to };
        let list = way("Records", self.list());
        if !self.is_served() {
            return vec![list];
        }
        let served = [("Live", "live"), ("Plan a run", "plan")];
        let served = served.map(|(words, page)| way(words, format!("{}{page}", self.root())));
        std::iter::once(list).chain(served).collect()
    }
}

/// The name of the file of a test, whose code may have any letters: those that are safe, and the others by their
/// numbers.
pub fn file_name(test: &str) -> String {
    let letter = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' => char::from(byte).to_string(),
        other => format!("_{other:02x}"),
    };
    test.bytes().map(letter).collect()
}

/// A value in an address: letters, digits and a few marks as they are, all else by its bytes.
pub(crate) fn encoded(value: &str) -> String {
    let letter = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    value.bytes().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_others_leads_to_no_other_place() {
        assert_eq!(Place::Served.record("../a b\"?#"), "r/..%2Fa%20b%22%3F%23");
        assert_eq!(Place::FileBelow.history("../L100@a,b"), "../history/_2e_2e_2fL100_40a_2cb.html");
        assert_eq!(Place::ServedBelow.list(), "../");
    }
}
