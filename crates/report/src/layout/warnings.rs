//! Warnings, as many as there is room for.

use crate::style::{Ink, Style};
use crate::words::plural;

/// The first of `warnings`: at most `most` of them, on at most `lines_max` lines with the one that counts the others.
pub(crate) fn first_warnings(warnings: &[Vec<String>], most: usize, lines_max: usize) -> Vec<String> {
    let lines = |count: usize| {
        let more = warnings.len() - count;
        let of_others = match (count, more) {
            (_, 0) => None,
            // The count alone must not read as if there were none.
            (0, more) => {
                Some(format!("  {} that this text has no room for (--details)", plural(more as u64, "warning")))
            }
            (_, more) => Some(format!("  and {more} more (--details)")),
        };
        warnings[..count].iter().flatten().cloned().chain(of_others).collect::<Vec<_>>()
    };
    let counts = (0..=warnings.len().min(most)).rev();
    counts.map(lines).find(|lines| lines.len() <= lines_max).unwrap_or_default()
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
    use super::*;

    #[test]
    fn as_many_are_shown_as_there_is_room_for() {
        let warnings: Vec<Vec<String>> = [&["a", "a2"][..], &["b"], &["c"]]
            .iter()
            .map(|lines| lines.iter().map(|&line| line.into()).collect())
            .collect();
        let shown = |most, lines_max| first_warnings(&warnings, most, lines_max).join(",");
        assert_eq!(shown(9, 4), "a,a2,b,c");
        assert_eq!(shown(9, 3), "a,a2,  and 2 more (--details)");
        assert_eq!(shown(2, 9), "a,a2,b,  and 1 more (--details)");
        assert_eq!(shown(2, 2), "  3 warnings that this text has no room for (--details)");
        assert_eq!(shown(2, 0), "");
        assert_eq!(first_warnings(&[], 2, 0), Vec::<String>::new());
    }
}
