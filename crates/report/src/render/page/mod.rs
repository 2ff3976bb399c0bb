//! A document as one self-contained HTML file.

mod card;
mod diagram;
mod frame;
mod table;
mod text;

use maud::{Markup, html};

use self::diagram::gallery;
use self::frame::{Page, Section};
use self::text::words;
use crate::document::{self, Block, Branch, Command, Document, Extent, Fact, Note, Tone};
use crate::layout::clean;

/// The file of `document`, with everything in it.
pub(crate) fn page(document: &Document) -> String {
    let shown = document.sections.iter().filter(|section| section.is_shown(Extent::Whole));
    let page = Page {
        title: clean(&document.title),
        subtitle: clean(&document.subtitle),
        lead: blocks(&document.lead),
        sections: shown.map(section).collect(),
        foot: blocks(&document.foot),
    };
    page.html()
}

/// A section of a document on a page.
fn section(section: &document::Section) -> Section {
    Section {
        id: section.id,
        title: clean(&section.title),
        body: blocks(&section.body),
        is_collapsed: section.is_folded,
    }
}

/// The markup of `blocks`; its headings start at `<h3>`.
fn blocks(blocks: &[Block]) -> Markup {
    html! { @for block in blocks.iter().filter(|block| block.is_shown(Extent::Whole) || matches!(block, Block::Heading(_))) { (self::block(block)) } }
}

fn block(block: &Block) -> Markup {
    match block {
        Block::Text(text) => html! { p { (words(text)) } },
        Block::Aside(text) => html! { p class="aside" { (words(text)) } },
        Block::Heading(title) => html! { h3 { (clean(title)) } },
        Block::List(sentences) => html! { ul { @for sentence in sentences { li { (words(sentence)) } } } },
        Block::Facts(facts) => html! { dl class="facts" { @for fact in merged(facts) { (self::fact(&fact)) } } },
        Block::Note(note) | Block::Answer(note) => self::note(note),
        Block::Cards(cards) => card::cards(cards),
        Block::Table(table) => table::table(table),
        Block::Charts(charts) => gallery(charts),
        Block::Commands(commands) => self::commands(commands),
        Block::Fold { summary, is_open, body } => html! {
            details class="fold" open=[is_open.then_some("open")] {
                summary { (clean(summary)) }
                (blocks(body))
            }
        },
        Block::Tree(branches) => html! { div class="topology" { (tree(branches)) } },
        Block::From(_, body) | Block::UpTo(_, body) => blocks(body),
    }
}

/// Boxes in boxes.
fn tree(branches: &[Branch]) -> Markup {
    html! {
        @for branch in branches {
            div class=(if branch.tone == Tone::Plain { "part" } else { "part wrong" }) {
                span { (clean(&branch.name)) }
                (tree(&branch.below))
            }
        }
    }
}

/// Facts whose label is empty are further sentences of the one before.
fn merged(facts: &[Fact]) -> Vec<Fact> {
    let mut merged: Vec<Fact> = Vec::new();
    for fact in facts {
        match merged.last_mut().filter(|_| fact.label.is_empty()) {
            Some(before) => before.sentences.extend(fact.sentences.iter().cloned()),
            None => merged.push(fact.clone()),
        }
    }
    merged
}

fn fact(fact: &Fact) -> Markup {
    html! {
        div {
            dt { (clean(&fact.label)) }
            dd { @for sentence in &fact.sentences { (words(sentence)) br; } }
        }
    }
}

fn note(note: &Note) -> Markup {
    let class = match note.tone {
        Tone::Warning | Tone::Unknown => "note warn",
        Tone::Invalid => "note fail",
        Tone::Plain | Tone::Aside | Tone::Good => "note",
    };
    html! {
        div class=(class) {
            @if !note.title.is_empty() { p { strong { (clean(&note.title)) } } }
            @for sentence in &note.sentences { p { (words(sentence)) } }
        }
    }
}

fn commands(commands: &[Command]) -> Markup {
    html! {
        dl class="facts" {
            @for command in commands {
                @let whole = format!("{} {} {}", command.verb, command.word, command.options);
                div { dt { (command.label) } dd { code { (clean(&whole)) } } }
            }
        }
    }
}
