//! The blocks that a section is made of.

use super::{Branch, Card, Diagram, Extent, Fact, Form, Table, Text, Tone};

/// A block.
pub(crate) enum Block {
    /// A paragraph.
    Text(Text),
    /// A secondary paragraph.
    Aside(Text),
    /// A heading inside a section.
    Heading(String),
    /// Sentences, one below the other.
    List(Vec<Text>),
    /// Labels with their values.
    Facts(Vec<Fact>),
    /// What must not be overlooked.
    Note(Note),
    /// The answer to the first question of the reader, before everything else.
    Answer(Note),
    /// Results.
    Cards(Vec<Card>),
    /// A table.
    Table(Table),
    /// Charts, side by side where there is room.
    Charts(Vec<Diagram>),
    /// Commands that can be copied.
    Commands(Vec<Command>),
    /// Blocks below a summary that a page shows alone until the reader opens it.
    Fold { summary: String, is_open: bool, body: Vec<Block> },
    /// What a page asks its reader for; other media do not show it.
    Form(Form),
    /// Parts with what is below each of them.
    Tree(Vec<Branch>),
    /// Blocks that are shown from an extent on.
    From(Extent, Vec<Block>),
    /// Blocks that are shown up to an extent; a larger one has others in their place.
    UpTo(Extent, Vec<Block>),
}

/// A text that must not be overlooked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Note {
    /// Its weight.
    pub(crate) tone: Tone,
    /// Its title; may be empty.
    pub(crate) title: String,
    /// Its sentences.
    pub(crate) sentences: Vec<Text>,
}

/// A command with what it does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    /// What it does, in a word or two.
    pub(crate) label: &'static str,
    /// The program with its verb: `dbdyno report`; empty for a path.
    pub(crate) verb: String,
    /// A word that is not broken, quoted for a shell: the path of a record.
    pub(crate) word: String,
    /// Options.
    pub(crate) options: String,
}

impl Command {
    /// A path, which is not broken either.
    pub(crate) fn path(label: &'static str, path: &str) -> Command {
        Command { label, verb: String::new(), word: path.to_owned(), options: String::new() }
    }
}

impl Block {
    /// A paragraph.
    pub(crate) fn text(text: impl Into<Text>) -> Block {
        Block::Text(text.into())
    }

    /// A secondary paragraph.
    pub(crate) fn aside(text: impl Into<Text>) -> Block {
        Block::Aside(text.into())
    }

    /// Sentences, one below the other.
    pub(crate) fn list<T: Into<Text>>(sentences: impl IntoIterator<Item = T>) -> Block {
        Block::List(sentences.into_iter().map(Into::into).collect())
    }

    /// Labels with a sentence each.
    pub(crate) fn facts<L: Into<String>, T: Into<Text>>(facts: impl IntoIterator<Item = (L, T)>) -> Block {
        let fact = |(label, text): (L, T)| Fact { label: label.into(), sentences: vec![text.into()] };
        Block::Facts(facts.into_iter().map(fact).collect())
    }

    /// Labels with any number of sentences each.
    pub(crate) fn labelled<L: Into<String>>(facts: impl IntoIterator<Item = (L, Vec<String>)>) -> Block {
        let fact = |(label, sentences): (L, Vec<String>)| Fact {
            label: label.into(),
            sentences: sentences.into_iter().map(Text::from).collect(),
        };
        Block::Facts(facts.into_iter().map(fact).collect())
    }

    /// A note without a title.
    pub(crate) fn note<T: Into<Text>>(tone: Tone, sentences: impl IntoIterator<Item = T>) -> Block {
        let sentences = sentences.into_iter().map(Into::into).collect();
        Block::Note(Note { tone, title: String::new(), sentences })
    }

    /// Blocks below a summary, closed at first.
    pub(crate) fn fold(summary: impl Into<String>, body: Vec<Block>) -> Block {
        Block::Fold { summary: summary.into(), is_open: false, body }
    }

    /// Blocks for those who read line by line, and for pages.
    pub(crate) fn details(body: Vec<Block>) -> Block {
        Block::From(Extent::Details, body)
    }

    /// Blocks that only a page or a file has room for.
    pub(crate) fn whole(body: Vec<Block>) -> Block {
        Block::From(Extent::Whole, body)
    }

    /// Blocks for those who read line by line, in whose place pages have others.
    pub(crate) fn by_line(body: Vec<Block>) -> Block {
        Block::UpTo(Extent::Details, body)
    }

    /// Whether it shows anything at `extent`.
    pub(crate) fn is_shown(&self, extent: Extent) -> bool {
        let any = |body: &[Block]| body.iter().any(|block| block.is_shown(extent));
        match self {
            Block::Text(text) | Block::Aside(text) => !text.is_empty(),
            Block::Heading(_) => false,
            Block::List(sentences) => !sentences.is_empty(),
            Block::Facts(facts) => !facts.is_empty(),
            Block::Note(note) => !note.sentences.is_empty(),
            Block::Answer(note) => !note.title.is_empty(),
            Block::Cards(cards) => !cards.is_empty(),
            Block::Table(table) => !table.rows.is_empty(),
            Block::Charts(charts) => !charts.is_empty(),
            Block::Commands(commands) => !commands.is_empty(),
            Block::Fold { body, .. } => any(body),
            Block::Form(_) => extent == Extent::Whole,
            Block::Tree(branches) => !branches.is_empty(),
            Block::From(from, body) => *from <= extent && any(body),
            Block::UpTo(most, body) => extent <= *most && any(body),
        }
    }
}

impl From<Table> for Block {
    fn from(table: Table) -> Block {
        Block::Table(table)
    }
}
