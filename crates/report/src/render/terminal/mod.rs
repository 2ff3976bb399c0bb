//! A document as lines of text for a terminal.

mod card;
mod table;

use crate::document::{Block, Branch, Command, Diagram, Document, Extent, Fact, Note, Text, Tone};
use crate::layout::{Page, clean, command, cut, labelled_word, paragraph, section, wrap};
use crate::style::{Ink, Style};

/// What a terminal has room for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    /// Colours and characters.
    pub(crate) style: Style,
    /// Columns.
    pub(crate) width: usize,
    /// How much is shown.
    pub(crate) extent: Extent,
}

/// Columns of the labels of facts, at least and at most; a longer label is cut.
const LABEL_MIN: usize = 10;
const LABEL_MAX: usize = 26;

/// Columns of a list left of its sentences.
const LIST_INDENT: usize = 2;

/// The text of `document`, as much of it as `extent` says, for `width` columns (at least 60 are used).
pub(crate) fn terminal(document: &Document, extent: Extent, style: Style, width: usize) -> String {
    let mut page = Page::new(&document.title, style, width);
    let terminal = Terminal { style, width: page.width, extent };
    if !document.subtitle.is_empty() {
        page.extend(paragraph("", 0, &document.subtitle, terminal.width));
    }
    match document.lead.first() {
        // A box has a frame of its own.
        Some(Block::Answer(_)) => page.extend(terminal.lines(&document.lead)),
        _ => page.part("", terminal.lines(&document.lead)),
    }
    for section in document.sections.iter().filter(|section| section.is_shown(extent)) {
        page.part(&clean(&section.title), terminal.lines(&section.body));
    }
    page.part("", terminal.lines(&document.foot));
    page.end()
}

impl Terminal {
    /// The lines of `blocks`. Tables, charts and headings have an empty line before them where something else is above.
    pub(crate) fn lines(&self, blocks: &[Block]) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut heading = None;
        for block in blocks {
            if let Block::Heading(title) = block {
                heading = Some(title);
                continue;
            }
            if !block.is_shown(self.extent) {
                continue;
            }
            let body = self.block(block);
            if body.is_empty() {
                continue;
            }
            let is_apart = match block {
                Block::Table(_) | Block::Charts(_) | Block::Fold { .. } | Block::Cards(_) => true,
                Block::Note(note) => !note.title.is_empty(),
                _ => false,
            } || heading.is_some();
            if is_apart && !lines.is_empty() {
                lines.push(String::new());
            }
            if let Some(title) = heading.take() {
                lines.extend(wrap(&clean(title), self.width).iter().map(|line| self.style.paint(line, Ink::Head)));
            }
            lines.extend(body);
        }
        lines
    }

    fn block(&self, block: &Block) -> Vec<String> {
        match block {
            Block::Text(text) => paragraph("", 0, &text.words(), self.width),
            Block::Aside(text) => self.painted(Tone::Aside, paragraph("", 0, &text.words(), self.width)),
            Block::Heading(_) => Vec::new(),
            Block::List(sentences) => self.list("-", LIST_INDENT, sentences),
            Block::Facts(facts) => self.facts(facts),
            Block::Note(note) => self.note(note),
            Block::Answer(note) => self.answer(note),
            Block::Cards(cards) => self.cards(cards),
            Block::Table(table) => self.table(table),
            Block::Charts(charts) => self.charts(charts),
            Block::Commands(commands) => commands.iter().flat_map(|command| self.command(command)).collect(),
            Block::Fold { summary, body, .. } => {
                let body = self.lines(body);
                let summary =
                    (!body.is_empty() && !summary.is_empty()).then(|| section(&clean(summary), self.style, self.width));
                summary.into_iter().chain(body).collect()
            }
            Block::Form(_) => Vec::new(),
            Block::Tree(branches) => self.tree(branches, 0),
            Block::From(_, body) | Block::UpTo(_, body) => self.lines(body),
        }
    }

    fn list(&self, mark: &str, indent: usize, sentences: &[Text]) -> Vec<String> {
        sentences.iter().flat_map(|sentence| paragraph(mark, indent, &sentence.words(), self.width)).collect()
    }

    /// A line for each branch, those below it further to the right; at most half of the width is free on the left.
    fn tree(&self, branches: &[Branch], depth: usize) -> Vec<String> {
        let of_branch = |branch: &Branch| {
            let mark = if branch.tone == Tone::Plain { "-" } else { "!" };
            let free = (LIST_INDENT * depth).min(self.width / 2);
            let label = format!("{:free$}{mark}", "");
            let name = self.painted(branch.tone, paragraph(&label, free + LIST_INDENT, &branch.name, self.width));
            [name, self.tree(&branch.below, depth + 1)].concat()
        };
        branches.iter().flat_map(of_branch).collect()
    }

    /// Labels in a column as wide as the longest of them, the sentences beside it.
    fn facts(&self, facts: &[Fact]) -> Vec<String> {
        let longest = facts.iter().map(|fact| clean(&fact.label).chars().count() + 1).max().unwrap_or(0);
        let indent = longest.clamp(LABEL_MIN, LABEL_MAX);
        let of_fact = |fact: &Fact| -> Vec<String> {
            let label = clean(&fact.label);
            let labels = [label.as_str()].into_iter().chain(std::iter::repeat(""));
            labels
                .zip(&fact.sentences)
                .flat_map(|(label, sentence)| paragraph(label, indent, &sentence.words(), self.width))
                .collect()
        };
        facts.iter().flat_map(of_fact).collect()
    }

    /// A note: a title, sentences with a mark before each; the first line in the ink of its weight.
    fn note(&self, note: &Note) -> Vec<String> {
        let title = (!note.title.is_empty()).then(|| paragraph("", 0, &note.title, self.width)).into_iter().flatten();
        let mark = match note.tone {
            Tone::Warning | Tone::Invalid => "!",
            Tone::Unknown => "?",
            Tone::Plain | Tone::Aside | Tone::Good => "",
        };
        let indent = if mark.is_empty() { 0 } else { LIST_INDENT };
        self.painted(note.tone, title.chain(self.list(mark, indent, &note.sentences)).collect())
    }

    /// A box with the title and the sentences of a note.
    fn answer(&self, note: &Note) -> Vec<String> {
        let room = self.width.saturating_sub(4);
        let ink = ink(note.tone).unwrap_or(Ink::Head);
        let title = wrap(&clean(&note.title), room).into_iter().map(|line| (line, Some(ink)));
        let body =
            note.sentences.iter().flat_map(|text| paragraph("", 0, &text.words(), room)).map(|line| (line, None));
        let line = |(line, ink): (String, Option<Ink>)| {
            let free = " ".repeat(room.saturating_sub(line.chars().count()));
            format!("│ {}{free} │", ink.map_or(line.clone(), |ink| self.style.paint(&line, ink)))
        };
        let rule = "─".repeat(room + 2);
        let lines = title.filter(|(line, _)| !line.is_empty()).chain(body).map(line);
        [format!("┌{rule}┐")].into_iter().chain(lines).chain([format!("└{rule}┘")]).collect()
    }

    fn painted(&self, tone: Tone, lines: Vec<String>) -> Vec<String> {
        let Some(ink) = ink(tone) else { return lines };
        lines.iter().map(|line| self.style.paint(line, ink)).collect()
    }

    /// The title of a chart, its form in characters, and its note. A chart that has none says nothing here.
    fn charts(&self, charts: &[Diagram]) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        for diagram in charts {
            let drawn = diagram.chart.text(self.width);
            if drawn.is_empty() {
                continue;
            }
            if !lines.is_empty() {
                lines.push(String::new());
            }
            lines.push(self.style.paint(&cut(&clean(diagram.chart.title()), self.width), Ink::Head));
            lines.extend(drawn.into_iter().map(|line| cut(&line, self.width)));
            if !diagram.note.is_empty() {
                lines.extend(self.painted(Tone::Aside, paragraph("", 0, &diagram.note, self.width)));
            }
        }
        lines
    }

    fn command(&self, of: &Command) -> Vec<String> {
        match of.verb.is_empty() {
            true => labelled_word(of.label, &clean(&of.word), self.width),
            false => command(of.label, &clean(&of.verb), &clean(&of.word), &clean(&of.options), self.width),
        }
    }
}

/// The ink of a role.
fn ink(tone: Tone) -> Option<Ink> {
    match tone {
        Tone::Plain | Tone::Good | Tone::Unknown => None,
        Tone::Aside => Some(Ink::Aside),
        Tone::Warning => Some(Ink::Warning),
        Tone::Invalid => Some(Ink::Invalid),
    }
}
