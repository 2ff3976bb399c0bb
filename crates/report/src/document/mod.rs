//! What a view says, whatever draws it: a title, sections, and blocks of text, facts, tables and charts.
//!
//! A subject (latency by layer, scalability, a load, ...) makes sections once. The renderers in [`crate::render`] draw
//! them on a terminal, as a page and as Markdown; they know no subject. Texts are written as they are: what is unsafe
//! or too long for a medium is its renderer's to clean, escape, wrap and cut.

mod block;
mod card;
mod chart;
mod fact;
mod form;
mod table;
mod text;
mod tree;

pub(crate) use block::{Block, Command, Note};
pub(crate) use card::{Card, CurvePoint, Part};
pub(crate) use chart::Diagram;
pub(crate) use fact::Fact;
pub use form::Way;
pub(crate) use form::{Field, Form, Pick};
pub(crate) use table::{Bar, BarRole, Cell, Column, Row, Table};
pub(crate) use text::{Span, Text};
pub(crate) use tree::Branch;

/// A view.
pub struct Document {
    /// Its title.
    pub(crate) title: String,
    /// Date and version, in a line; may be empty.
    pub(crate) subtitle: String,
    /// The answer, before the first section.
    pub(crate) lead: Vec<Block>,
    /// The parts, in the order of reading. One without a body is left out.
    pub(crate) sections: Vec<Section>,
    /// The last lines: the data and the program.
    pub(crate) foot: Vec<Block>,
    /// Links to other pages; only pages have them.
    pub(crate) ways: Vec<Way>,
    /// Whether a page follows what goes on, by events of the server that it comes from.
    pub(crate) is_live: bool,
}

/// A part of a view.
pub(crate) struct Section {
    /// The name by which it is linked; unique in the document.
    pub(crate) id: &'static str,
    /// Its heading; may be empty.
    pub(crate) title: String,
    /// From which extent on it is shown.
    pub(crate) extent: Extent,
    /// Whether a page shows only the heading until the reader opens it.
    pub(crate) is_folded: bool,
    /// The content.
    pub(crate) body: Vec<Block>,
}

/// How much of a document is drawn: each extent includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Extent {
    /// One screen.
    Screen,
    /// All that is read line by line.
    Details,
    /// Also what only a page or a file has room for.
    Whole,
}

/// The role of a text, a row or a cell; the words say the same, so that a colour is never needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    /// None.
    #[default]
    Plain,
    /// Secondary.
    Aside,
    /// As expected.
    Good,
    /// Not known.
    Unknown,
    /// With a caveat.
    Warning,
    /// Not a result.
    Invalid,
}

/// The foot of a page that needs no other: by what it was drawn.
pub(crate) fn drawn_by() -> Block {
    Block::whole(vec![Block::text(concat!("Drawn by dbdyno ", env!("CARGO_PKG_VERSION"), "."))])
}

impl Document {
    /// A document without a lead.
    pub(crate) fn new(title: impl Into<String>, sections: Vec<Section>) -> Document {
        Document {
            title: title.into(),
            subtitle: String::new(),
            lead: Vec::new(),
            sections,
            foot: Vec::new(),
            ways: Vec::new(),
            is_live: false,
        }
    }

    /// The same document with links to other pages.
    #[must_use]
    pub fn with_ways(self, ways: Vec<Way>) -> Document {
        Document { ways, ..self }
    }

    /// Whether it has a form.
    pub(crate) fn has_form(&self) -> bool {
        let bodies = self.sections.iter().map(|section| &section.body).chain([&self.lead, &self.foot]);
        bodies.flatten().any(|block| matches!(block, Block::Form(_)))
    }
}

impl Section {
    /// A section of the details.
    pub(crate) fn new(id: &'static str, title: impl Into<String>, body: Vec<Block>) -> Section {
        Section { id, title: title.into(), extent: Extent::Details, is_folded: false, body }
    }

    /// The same section, folded on a page.
    #[must_use]
    pub(crate) fn folded(self) -> Section {
        Section { is_folded: true, ..self }
    }

    /// The same section, shown from `extent` on.
    #[must_use]
    pub(crate) fn from(self, extent: Extent) -> Section {
        Section { extent, ..self }
    }

    /// Whether it shows anything at `extent`.
    pub(crate) fn is_shown(&self, extent: Extent) -> bool {
        self.extent <= extent && self.body.iter().any(|block| block.is_shown(extent))
    }
}

impl Tone {
    /// The role of what has this verdict.
    pub(crate) fn of(verdict: record::Verdict) -> Tone {
        match verdict {
            record::Verdict::Pass => Tone::Good,
            record::Verdict::Unknown => Tone::Unknown,
            record::Verdict::Warn => Tone::Warning,
            record::Verdict::Fail => Tone::Invalid,
        }
    }
}
