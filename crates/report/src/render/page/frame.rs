//! The frame of every page: one file that needs no network, with links to its sections.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use crate::chart;
use crate::document::Way;
use crate::layout::clean;

/// The script of the page: sorting, tooltips, data download, colour theme, search, sections that open.
const SCRIPT: &str = include_str!("page.js");

/// The script of a page that follows what goes on: the server sends its content anew.
const LIVE_SCRIPT: &str = include_str!("live.js");

/// The style of the page without that of the charts.
const PAGE_STYLE: &str = include_str!("page.css");

/// A page: title, lead, sections and footer.
pub(crate) struct Page {
    /// The title of the page and its first heading.
    pub(crate) title: String,
    /// Date and version, in a line.
    pub(crate) subtitle: String,
    /// Warnings and caveats at the top; may be empty.
    pub(crate) lead: Markup,
    /// The parts. One without a body is left out.
    pub(crate) sections: Vec<Section>,
    /// The footer: the data and the program.
    pub(crate) foot: Markup,
    /// Links to other pages.
    pub(crate) ways: Vec<Way>,
    /// Whether it has a form, which leads to where the page came from.
    pub(crate) has_form: bool,
    /// Whether it follows what goes on, where it came from.
    pub(crate) is_live: bool,
}

/// A part of a page.
pub(crate) struct Section {
    /// The name by which it is linked; unique on the page.
    pub(crate) id: &'static str,
    /// Its heading.
    pub(crate) title: String,
    /// The content; its headings start at `<h3>`.
    pub(crate) body: Markup,
    /// Whether only the heading is shown until the reader opens it.
    pub(crate) is_collapsed: bool,
}

impl Section {
    fn html(&self) -> Markup {
        let heading = html! { h2 id={ (self.id) "-heading" } { (self.title) } };
        html! {
            section id=(self.id) aria-labelledby={ (self.id) "-heading" } {
                @if self.is_collapsed {
                    details class="section" { summary { (heading) } (self.body) }
                } @else {
                    (heading)
                    (self.body)
                }
            }
        }
    }
}

impl Page {
    /// The page as one file.
    ///
    /// A browser runs only the script and applies only the style of this page, identified by their SHA-256, and makes
    /// no network request, whatever the content (Content Security Policy Level 3).
    pub(crate) fn html(&self) -> String {
        let style = [chart::STYLE, PAGE_STYLE].concat();
        let policy = self.policy(&style);
        let sections = &self.sections;
        let markup = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(policy);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="generator" content="dbdyno";
                    meta name="color-scheme" content="light dark";
                    title { (self.title) }
                    link rel="icon" href="data:,";
                    style { (PreEscaped(&style)) }
                }
                body {
                    a class="skip" href="#content" { "Skip to the content" }
                    header class="top" {
                        div class="titles" {
                            h1 { (self.title) }
                            p class="subtitle" { (self.subtitle) }
                            @if !self.ways.is_empty() {
                                p class="ways" {
                                    @for way in &self.ways { a href=(way.to) { (clean(&way.words)) } " " }
                                }
                            }
                        }
                        button type="button" id="theme" hidden { "Theme: auto" }
                    }
                    div class="columns" {
                        nav aria-label="Sections" {
                            ol { @for section in sections { li { a href={ "#" (section.id) } { (section.title) } } } }
                        }
                        main id="content" tabindex="-1" { (content(&self.lead, sections)) }
                    }
                    footer { (self.foot) }
                    div id="tip" role="status" aria-live="polite" {}
                    script { (PreEscaped(SCRIPT)) }
                    @if self.is_live { script { (PreEscaped(LIVE_SCRIPT)) } }
                }
            }
        };
        markup.into_string()
    }

    /// What a browser may do: a page that leads nowhere and follows nothing may not even submit a form.
    fn policy(&self, style: &str) -> String {
        let live = if self.is_live { format!(" 'sha256-{}'", digest(LIVE_SCRIPT)) } else { String::new() };
        let connect = if self.is_live { "connect-src 'self'; " } else { "" };
        let form = if self.has_form { "'self'" } else { "'none'" };
        format!(
            "default-src 'none'; img-src data:; style-src 'sha256-{}'; script-src 'sha256-{}'{live}; {connect}\
             base-uri 'none'; form-action {form}",
            digest(style),
            digest(SCRIPT)
        )
    }
}

/// The content of a page.
pub(crate) fn content(lead: &Markup, sections: &[Section]) -> Markup {
    html! {
        div class="answer" { (lead) }
        @for section in sections { (section.html()) }
    }
}

/// The SHA-256 of a text in base64, as in a Content Security Policy.
fn digest(text: &str) -> String {
    BASE64_STANDARD.encode(Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_and_style_cannot_end_their_element() {
        assert!([SCRIPT, LIVE_SCRIPT].iter().all(|script| !script.contains("</") && !script.contains("<!--")));
        assert!(![chart::STYLE, PAGE_STYLE].concat().contains("</"));
    }

    #[test]
    fn a_digest_is_the_one_that_browsers_compute() {
        // The example of the Content Security Policy Level 3 specification, section 8.3.
        assert_eq!(digest("alert('Hello, world.');"), "qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng=");
    }
}
