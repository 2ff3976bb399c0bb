//! A text with emphasis and code.

/// A paragraph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text(pub(crate) Vec<Span>);

/// A part of a text in one style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Span {
    /// Words.
    Plain(String),
    /// Words that stand out.
    Strong(String),
    /// A word of a command line or a file.
    Code(String),
    /// Words that lead to another page, relative to this one; plain words in other media.
    Link { words: String, to: String },
}

impl Text {
    /// The text followed by words that stand out.
    #[must_use]
    pub(crate) fn strong(self, words: impl Into<String>) -> Text {
        self.then(Span::Strong(words.into()))
    }

    /// The text followed by plain words.
    #[must_use]
    pub(crate) fn plain(self, words: impl Into<String>) -> Text {
        self.then(Span::Plain(words.into()))
    }

    /// The text followed by a word of a command line.
    #[must_use]
    pub(crate) fn code(self, word: impl Into<String>) -> Text {
        self.then(Span::Code(word.into()))
    }

    /// A text of words that lead to another page.
    pub(crate) fn link(words: impl Into<String>, to: impl Into<String>) -> Text {
        Text(vec![Span::Link { words: words.into(), to: to.into() }])
    }

    fn then(mut self, span: Span) -> Text {
        self.0.push(span);
        self
    }

    /// The words alone.
    pub(crate) fn words(&self) -> String {
        let words = |span: &Span| match span {
            Span::Plain(words) | Span::Strong(words) | Span::Code(words) | Span::Link { words, .. } => words.clone(),
        };
        self.0.iter().map(words).collect()
    }

    /// Whether it has no words.
    pub(crate) fn is_empty(&self) -> bool {
        self.words().trim().is_empty()
    }
}

impl From<String> for Text {
    fn from(words: String) -> Text {
        Text(vec![Span::Plain(words)])
    }
}

impl From<&str> for Text {
    fn from(words: &str) -> Text {
        Text::from(words.to_owned())
    }
}
