//! Text in columns and paragraphs. A width is a number of characters: one character takes one column of the terminal.

mod command;
mod page;
mod table;

use crate::bidi::is_bidi_control;
use crate::style::{Ink, Style};

pub(crate) use command::{command, labelled_word};
pub(crate) use page::Page;
pub(crate) use table::{Align, Head, Span, Table};

/// Untrusted text, safe to print: an escape sequence in the name of a device must not reach the terminal. Control
/// characters and line ends become spaces, runs of spaces one; controls of the direction of writing, which reorder the
/// text, are dropped.
pub fn clean(text: &str) -> String {
    // A hint is on a line of its own in multi-line text.
    let text = text.replace("\nhint: ", "; hint: ");
    let kept = text.chars().filter(|letter| !is_bidi_control(*letter));
    let spaced: String = kept.map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    spaced.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `text` cut to at most `width` characters, with `…` at the end where it was cut.
pub(crate) fn cut(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let mut shown: String = text.chars().take(width.saturating_sub(1)).collect();
    shown.push('…');
    shown
}

/// `text` broken at spaces into lines of at most `width` characters; a longer word is broken at the end of the line.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(1);
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        let letters: Vec<char> = word.chars().collect();
        if used > 0 && used + 1 + letters.len() > width {
            lines.push(std::mem::take(&mut line));
            used = 0;
        }
        for (index, part) in letters.chunks(width).enumerate() {
            if index > 0 {
                lines.push(std::mem::take(&mut line));
                used = 0;
            }
            if used > 0 {
                line.push(' ');
                used += 1;
            }
            line.extend(part);
            used += part.len();
        }
    }
    if used > 0 || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// A paragraph: `label` in front of the first line, the others indented to the same column.
pub(crate) fn paragraph(label: &str, indent: usize, text: &str, width: usize) -> Vec<String> {
    wrap(&clean(text), width.saturating_sub(indent).max(16))
        .into_iter()
        .enumerate()
        .map(|(index, line)| {
            let label = if index == 0 { cut(label, indent.saturating_sub(1)) } else { String::new() };
            format!("{label:<indent$}{line}").trim_end().to_owned()
        })
        .collect()
}

/// The heading of a section, with a rule to the end of the line; on several lines where the title is too long for one.
pub(crate) fn section(title: &str, style: Style, width: usize) -> String {
    if title.chars().count() > width {
        return style.paint(&wrap(title, width).join("\n"), Ink::Head);
    }
    let rule = "─".repeat(width.saturating_sub(title.chars().count() + 1));
    format!("{} {}", style.paint(title, Ink::Head), style.paint(&rule, Ink::Aside)).trim_end().to_owned()
}

/// A bar from zero of at most `width` characters, in steps of half a character.
pub(crate) fn bar(value: f64, most: f64, width: usize) -> String {
    if most <= 0.0 {
        return String::new();
    }
    let halves = (value / most * (2 * width) as f64).round() as usize;
    format!("{}{}", "█".repeat(halves / 2), if halves % 2 == 1 { "▌" } else { "" })
}

/// `lines`, the first one painted.
pub(crate) fn first_line_in(ink: Option<Ink>, mut lines: Vec<String>, style: Style) -> Vec<String> {
    if let (Some(ink), Some(first)) = (ink, lines.first_mut()) {
        *first = style.paint(first, ink);
    }
    lines
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_from_outside_cannot_command_the_terminal() {
        assert_eq!(clean("disk\u{1b}[2J\u{7} \n\t9"), "disk [2J 9");
        assert_eq!(clean("disk is full\nhint: free space"), "disk is full; hint: free space");
        assert_eq!(clean("a\u{202e}b\u{2066}c\u{2069}\u{200f}d\u{61c}e"), "abcde");
    }

    #[test]
    fn a_bar_begins_at_zero() {
        assert_eq!((bar(100.0, 100.0, 24), bar(50.0, 100.0, 24)), ("█".repeat(24), "█".repeat(12)));
        assert_eq!((bar(0.0, 100.0, 24), bar(0.0, 0.0, 24)), (String::new(), String::new()));
    }

    #[test]
    fn a_paragraph_hangs_below_its_first_word() {
        let lines = paragraph("  T626", 8, "the block layer saw 3 % of what the engine read", 30);
        assert_eq!(lines, ["  T626  the block layer saw 3", "        % of what the engine", "        read"]);
    }

    proptest! {
        #[test]
        fn no_line_is_longer_than_asked_and_no_letter_is_lost(text in "[ a-zµ]{0,80}", width in 1usize..30) {
            let lines = wrap(&text, width);
            prop_assert!(lines.iter().all(|line| line.chars().count() <= width), "{lines:?}");
            let letters = |text: &str| text.chars().filter(|letter| *letter != ' ').collect::<String>();
            prop_assert_eq!(letters(&lines.join(" ")), letters(&text));
        }
    }
}
