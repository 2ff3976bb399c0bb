//! The text of a view on a terminal.

use super::{clean, cut, section};
use crate::style::{Ink, Style};

/// A text of a title, lines, and parts under headings.
pub(crate) struct Page {
    lines: Vec<String>,
    style: Style,
    /// Columns.
    pub(crate) width: usize,
}

impl Page {
    /// A page of `width` columns (at least 60 are used) with its first lines; `title` is cut to fit.
    pub(crate) fn new(title: &str, style: Style, width: usize) -> Page {
        let width = crate::page_width(width);
        Page { lines: vec![style.paint(&cut(&clean(title), width), Ink::Head)], style, width }
    }

    /// Further lines of the part, or of the head.
    pub(crate) fn extend(&mut self, lines: impl IntoIterator<Item = String>) {
        self.lines.extend(lines);
    }

    /// A part with its heading, if it has one; nothing where its body is empty.
    pub(crate) fn part(&mut self, title: &str, body: Vec<String>) {
        if !body.is_empty() {
            self.lines.push(String::new());
            self.lines.extend((!title.is_empty()).then(|| section(title, self.style, self.width)));
            self.lines.extend(body);
        }
    }

    /// The text.
    pub(crate) fn end(self) -> String {
        self.style.encoded(self.lines.join("\n") + "\n")
    }
}
