//! Colours and the character set of the output device.

use anstyle::{AnsiColor, Color};
use record::Verdict;

/// What the output device can show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Colours and weights, as escape sequences.
    pub colour: bool,
    /// Nothing but ASCII: `us` for `µs`.
    pub ascii: bool,
}

/// The role of a text, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    /// The heading of a section or a column.
    Head,
    /// Secondary: units, explanations.
    Aside,
    /// A caveat of a result.
    Warning,
    /// Not a result.
    Invalid,
}

impl Ink {
    /// The role of a line with this verdict.
    pub(crate) fn of(verdict: Verdict) -> Option<Ink> {
        match verdict {
            Verdict::Fail => Some(Ink::Invalid),
            Verdict::Warn => Some(Ink::Warning),
            Verdict::Pass | Verdict::Unknown => None,
        }
    }

    /// The escape sequences around such a text.
    pub(crate) fn style(self) -> anstyle::Style {
        let plain = anstyle::Style::new();
        match self {
            Ink::Head => plain.bold(),
            Ink::Aside => plain.dimmed(),
            Ink::Warning => plain.fg_color(Some(Color::Ansi(AnsiColor::Yellow))),
            Ink::Invalid => plain.fg_color(Some(Color::Ansi(AnsiColor::Red))).bold(),
        }
    }
}

impl Style {
    /// `text` in `ink`, where colours are wanted.
    pub(crate) fn paint(self, text: &str, ink: Ink) -> String {
        if !self.colour || text.is_empty() {
            return text.to_owned();
        }
        let style = ink.style();
        format!("{style}{text}{style:#}")
    }

    /// The finished view, in ASCII where the device has nothing else.
    pub(crate) fn encoded(self, text: String) -> String {
        if !self.ascii || text.is_ascii() {
            return text;
        }
        let mut plain = String::with_capacity(text.len());
        for letter in text.chars() {
            match letter {
                'µ' | 'μ' => plain.push('u'),
                '…' => plain.push('.'),
                '–' | '—' | '─' => plain.push('-'),
                '×' => plain.push('x'),
                '²' => plain.push('2'),
                '█' => plain.push('#'),
                '▌' => plain.push('|'),
                letter if letter.is_ascii() => plain.push(letter),
                _ => plain.push('?'),
            }
        }
        plain
    }
}
