//! A document as one self-contained HTML file.

mod card;
mod diagram;
mod form;
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
    let page = Page {
        title: clean(&document.title),
        subtitle: clean(&document.subtitle),
        lead: blocks(&document.lead),
        sections: shown(document),
        foot: blocks(&document.foot),
        ways: document.ways.clone(),
        has_form: document.has_form(),
        is_live: document.is_live,
    };
    page.html()
}

/// The content of that file, as its `<main>` has it.
pub(crate) fn content(document: &Document) -> String {
    frame::content(&blocks(&document.lead), &shown(document)).into_string()
}

/// The sections of `document` that show anything.
fn shown(document: &Document) -> Vec<Section> {
    let shown = document.sections.iter().filter(|section| section.is_shown(Extent::Whole)).map(section);
    shown.filter(|section| !section.body.0.is_empty()).collect()
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
        Block::Form(form) => form::form(form),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        let sections = vec![
            document::Section::new("here", "Here", vec![Block::text("x")]),
            document::Section::new("gone", "Gone", vec![Block::text("")]),
        ];
        Document::new("a < b", sections)
    }

    #[test]
    fn a_section_without_a_body_is_not_named() {
        let html = page(&document());
        assert!(html.contains("<h1>a &lt; b</h1>") && html.contains("id=\"here\""));
        assert!(!html.contains("Gone"));
    }

    #[test]
    fn only_a_page_with_forms_may_submit_and_only_a_live_one_may_connect() {
        let plain = page(&document());
        assert!(plain.contains("form-action &#39;none&#39;") || plain.contains("form-action 'none'"), "{plain}");
        assert!(!plain.contains("connect-src") && !plain.contains("EventSource") && !plain.contains("class=\"ways\""));
        let form =
            document::Form { id: "f", action: "./".to_owned(), is_post: false, fields: Vec::new(), button: "Go" };
        let sections = vec![document::Section::new("forms", "Forms", vec![Block::Form(form)])];
        let ways = vec![document::Way { words: "Records".to_owned(), to: "../".to_owned() }];
        let served = page(&Document { is_live: true, ..Document::new("served", sections) }.with_ways(ways));
        assert!(!served.contains("form-action 'none'") && served.contains("connect-src"), "{served}");
        assert!(served.contains("EventSource") && served.contains("<a href=\"../\">Records</a>"), "{served}");
    }

    #[test]
    fn the_content_of_a_page_is_what_its_main_part_has() {
        let html = page(&document());
        assert!(html.contains(&format!("tabindex=\"-1\">{}</main>", content(&document()))), "{html}");
    }
}
