//! Documents drawn for a medium: a terminal, a page, Markdown. Escaping, widths and cutting are here and nowhere else.

mod markdown;
pub(crate) mod page;
pub(crate) mod terminal;

pub(crate) use markdown::markdown;

use crate::document::{Document, Extent};
use crate::style::Style;

/// Documents drawn for a reader.
impl Document {
    /// Lines of text for `width` columns of a terminal (at least 60 are used): all that is read line by line.
    pub fn text(&self, style: Style, width: usize) -> String {
        terminal::terminal(self, Extent::Details, style, width)
    }

    /// The same, of which only one screen.
    pub fn screen(&self, style: Style, width: usize) -> String {
        terminal::terminal(self, Extent::Screen, style, width)
    }

    /// One self-contained HTML file with everything.
    pub fn html(&self) -> String {
        page::page(self)
    }

    /// The content of that file without its frame, for a page that follows what goes on.
    pub fn content(&self) -> String {
        page::content(self)
    }

    /// GitHub-flavoured Markdown with everything.
    pub fn markdown(&self) -> String {
        markdown(self, Extent::Whole)
    }

    /// The same without what only a page has room for: for a comment, whose length is limited.
    pub fn comment(&self) -> String {
        markdown(self, Extent::Details)
    }
}
