//! Texts on a page.

use maud::{Markup, html};

use crate::document::{Span, Text};

/// The markup of a text.
pub(crate) fn words(text: &Text) -> Markup {
    // Spaces at the edges of a part separate it from the next.
    let clean = |words: &str| {
        let edge = |is_there: bool| if is_there { " " } else { "" };
        let inside = crate::layout::clean(words);
        match inside.is_empty() {
            true => edge(words.starts_with(' ')).to_owned(),
            false => format!("{}{inside}{}", edge(words.starts_with(' ')), edge(words.ends_with(' '))),
        }
    };
    html! {
        @for span in &text.0 {
            @match span {
                Span::Plain(words) => { (clean(words)) }
                Span::Strong(words) => { strong { (clean(words)) } }
                Span::Code(words) => { code { (clean(words)) } }
                Span::Link { words, to } => { a href=(to) { (clean(words)) } }
            }
        }
    }
}
