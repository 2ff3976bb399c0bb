//! Colours and the character set of the output device.

use anstyle::{AnsiColor, Color};

use crate::bidi::is_bidi_control;

/// The escape sequences that this program writes: those of [`Ink::style`] and of the parser of the command line. None of them
/// moves the cursor or hides text.
const SEQUENCES: [&str; 7] =
    ["\u{1b}[0m", "\u{1b}[1m", "\u{1b}[2m", "\u{1b}[4m", "\u{1b}[31m", "\u{1b}[32m", "\u{1b}[33m"];

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

    /// `text` as it may be written to a terminal: lines, and colours where they are wanted. All other control characters become
    /// spaces, because servers, hosts, agents, records and names of files have a part in what is printed; controls of the
    /// direction of writing, which reorder a line, are dropped.
    pub fn printable(self, text: &str) -> String {
        let mut shown = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let ours = SEQUENCES.iter().find(|sequence| self.colour && rest.starts_with(**sequence));
            rest = &rest[ours.map_or(letter.len_utf8(), |sequence| sequence.len())..];
            match (ours, letter) {
                (Some(sequence), _) => shown.push_str(sequence),
                (None, '\n') => shown.push('\n'),
                (None, letter) if is_bidi_control(letter) => {}
                (None, letter) if letter.is_control() => shown.push(' '),
                (None, letter) => shown.push(letter),
            }
        }
        shown
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
                '▓' | '▅' | '▆' => plain.push('='),
                '▒' | '▃' | '▄' => plain.push('-'),
                '░' => plain.push(':'),
                '▚' => plain.push('%'),
                '▁' | '▂' | '·' => plain.push('.'),
                '▇' => plain.push('*'),
                '│' => plain.push('|'),
                '┌' | '┐' | '└' | '┘' => plain.push('+'),
                '▌' => plain.push('|'),
                letter if letter.is_ascii() => plain.push(letter),
                _ => plain.push('?'),
            }
        }
        plain
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const COLOUR: Style = Style { colour: true, ascii: false };

    #[test]
    fn our_colours_reach_a_terminal_and_nothing_else_that_commands_it() {
        for ink in [Ink::Head, Ink::Aside, Ink::Warning, Ink::Invalid] {
            let painted = COLOUR.paint("text", ink);
            assert_eq!(COLOUR.printable(&painted), painted);
            assert!(!Style::default().printable(&painted).contains('\u{1b}'));
        }
        let strange = "busy\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}1;1Hall\r\tvalid\u{202e}\u{1b}[8m\nhint: wait";
        for style in [COLOUR, Style::default()] {
            assert_eq!(style.printable(strange), "busy ]0;title  [2J 1;1Hall  valid [8m\nhint: wait");
        }
    }

    proptest! {
        #[test]
        fn letters_and_lines_stay(text in "[ -~\u{b5}\n]{0,80}") {
            prop_assert_eq!(COLOUR.printable(&text), text);
        }
    }
}
