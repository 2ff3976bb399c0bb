//! Names with their meanings, for the lists of the program.

use crate::layout::{clean, paragraph, wrap};

/// Column of a meaning below its name.
const INDENT_BELOW: usize = 4;

/// The name and meaning of each of `entries`, for `width` columns: meanings are in column `indent`, or below their
/// names where names are longer or `indent` is more than half of the width. Without a width each entry is one line, for
/// searching.
pub fn listing(entries: impl IntoIterator<Item = (String, String)>, indent: usize, width: Option<usize>) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (name, meaning) in entries {
        let (name, meaning) = (clean(&name), clean(&meaning));
        match width.map(crate::page_width) {
            None => {
                let label = if name.is_empty() { String::new() } else { format!("{name}  ") };
                lines.push(format!("{label:<indent$}{meaning}").trim_end().to_owned());
            }
            Some(width) if !name.is_empty() && (2 * indent > width || name.chars().count() + 2 > indent) => {
                lines.extend(wrap(&name, width));
                lines.extend(paragraph("", INDENT_BELOW, &meaning, width).into_iter().filter(|line| !line.is_empty()));
            }
            Some(width) => lines.extend(paragraph(&name, indent, &meaning, width)),
        }
    }
    lines.into_iter().map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_meaning_stands_beside_its_name_or_below_it() {
        let entries =
            || [("norandommap", "accepted with a note, not followed: addresses may come twice in a run here")];
        let shown =
            |indent, width| listing(entries().map(|(name, of)| (name.to_owned(), of.to_owned())), indent, width);
        assert_eq!(shown(14, None).lines().count(), 1);
        let beside =
            "norandommap   accepted with a note, not followed: addresses\n              may come twice in a run here\n";
        assert_eq!(shown(14, Some(60)), beside);
        let below =
            "norandommap\n    accepted with a note, not followed: addresses may come\n    twice in a run here\n";
        assert_eq!(shown(40, Some(60)), below);
    }
}
