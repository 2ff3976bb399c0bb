//! Forms and links: what a page that is served asks its reader for, and where it leads. Other media have neither.

/// A form. Terminals, Markdown and pages that are read from a disk show none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    /// Unique in the document; check boxes in cells name it.
    pub(crate) id: &'static str,
    /// Where it leads, relative to the page.
    pub(crate) action: String,
    /// Whether it changes something: its fields are then no part of the address.
    pub(crate) is_post: bool,
    /// What is asked for.
    pub(crate) fields: Vec<Field>,
    /// The words of its button.
    pub(crate) button: &'static str,
}

/// A field of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Field {
    /// A line of text.
    Line { name: &'static str, label: &'static str, value: String },
    /// Lines of text.
    Lines { name: &'static str, label: &'static str, value: String },
    /// One of several values, each with its words.
    One { name: &'static str, label: &'static str, values: Vec<(String, String)>, chosen: String },
    /// Any of several values, each with its words and whether it is chosen.
    Some { name: &'static str, label: &'static str, values: Vec<(String, String, bool)> },
    /// A value that the reader does not see.
    Kept { name: &'static str, value: String },
}

/// A check box of a form that stands elsewhere in the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pick {
    /// The form.
    pub(crate) form: &'static str,
    /// The name of the field.
    pub(crate) name: &'static str,
    /// Its value where it is checked.
    pub(crate) value: String,
    /// What is picked, for readers who do not see the row.
    pub(crate) label: String,
}

/// A link to another page, above the title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// Its words.
    pub words: String,
    /// The page, relative to this one.
    pub to: String,
}
