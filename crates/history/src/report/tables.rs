//! Tables of a text: columns are where the ruler below the headings has them.

use crate::error::{Error, Result};
use crate::limit::{CELL_CHARACTERS_MAX, COLUMNS_MAX};

use super::Piece;

/// Lines of headings above a ruler.
const HEADING_LINES_MAX: usize = 6;

/// Finds tables in lines.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// Lines since the last one that was empty or a ruler: the headings of a table, if a ruler follows.
    above: Vec<String>,
    /// Begin and end of each column, in characters; empty outside of a table.
    columns: Vec<(usize, usize)>,
}

impl Tables {
    pub(super) fn line(&mut self, line: &str, take: &mut dyn FnMut(Piece<'_>) -> Result<()>) -> Result<()> {
        let line = line.trim_end().trim_matches('\u{c}');
        if line.is_empty() {
            self.above.clear();
            self.columns.clear();
            return Ok(());
        }
        if let Some((title, _)) = line.split_once("DB/Inst:") {
            self.columns.clear();
            self.above.clear();
            return take(Piece::Title(title.trim()));
        }
        if is_ruler(line) {
            return self.ruler(line, take);
        }
        take(Piece::Line(line))?;
        if self.columns.is_empty() {
            if !line.trim_start().starts_with("->") && self.above.len() < HEADING_LINES_MAX {
                self.above.push(line.chars().take(LINE_CHARACTERS_MAX).collect());
            }
            return Ok(());
        }
        // It may be the heading of a table that follows without an empty line.
        self.above.clear();
        self.above.push(line.chars().take(LINE_CHARACTERS_MAX).collect());
        let letters: Vec<char> = line.chars().take(LINE_CHARACTERS_MAX).collect();
        let cells: Vec<String> = (0..self.columns.len()).map(|column| self.cell(&letters, column)).collect();
        take(Piece::Row(&cells))
    }

    /// What stands in a column: from the end of the one before, because numbers that are too long begin there.
    fn cell(&self, letters: &[char], column: usize) -> String {
        let begin = match column {
            0 => 0,
            _ => self.columns[column - 1].1,
        };
        let end = self.columns[column].1.min(letters.len());
        let cell: String =
            letters.get(begin.min(end)..end).unwrap_or_default().iter().take(CELL_CHARACTERS_MAX).collect();
        cell.trim().to_owned()
    }

    fn ruler(&mut self, line: &str, take: &mut dyn FnMut(Piece<'_>) -> Result<()>) -> Result<()> {
        let groups = groups(line)?;
        let above = std::mem::take(&mut self.above);
        // A ruler of waves stands between the rows and their sum.
        let is_above_sum = !self.columns.is_empty() && groups.len() > 1 && !line.contains('-');
        if is_above_sum {
            return Ok(());
        }
        self.columns.clear();
        if let [(begin, _)] = groups[..] {
            // A single line below a word is that of a title, one that is indented ends a table.
            if begin == 0
                && let Some(title) = above.last()
            {
                take(Piece::Title(title.trim()))?;
            }
            // A table of one column has nothing that is read.
            return Ok(());
        }
        let above: Vec<Vec<char>> = above.iter().map(|line| line.chars().collect()).collect();
        self.columns = groups;
        // What stands left of the first column belongs to it.
        let headings: Vec<String> = (0..self.columns.len())
            .map(|column| {
                let parts: Vec<String> = above.iter().map(|letters| self.cell(letters, column)).collect();
                let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
                parts.join(" ")
            })
            .collect();
        take(Piece::Headings(&headings))
    }
}

/// Characters of a line that are looked at.
const LINE_CHARACTERS_MAX: usize = 4096;

/// Whether a line has nothing but lines: dashes, and the waves below titles.
fn is_ruler(line: &str) -> bool {
    let trimmed = line.trim_start();
    trimmed.len() >= 3 && trimmed.bytes().all(|byte| matches!(byte, b'-' | b'~' | b' '))
}

fn groups(ruler: &str) -> Result<Vec<(usize, usize)>> {
    let mut groups: Vec<(usize, usize)> = Vec::new();
    for (index, _) in ruler.bytes().enumerate().filter(|(_, byte)| *byte != b' ') {
        if let Some((_, end)) = groups.last_mut().filter(|(_, end)| *end == index) {
            *end = index + 1;
            continue;
        }
        if groups.len() == COLUMNS_MAX {
            let message = format!("a table has more than {COLUMNS_MAX} columns");
            return Err(Error::new(message, "is it the file that was meant?"));
        }
        groups.push((index, index + 1));
    }
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<String> {
        let (mut tables, mut found) = (Tables::default(), Vec::new());
        for line in text.lines() {
            let mut take = |piece: Piece<'_>| {
                found.extend(piece.shown());
                Ok(())
            };
            tables.line(line, &mut take).unwrap();
        }
        found
    }

    #[test]
    fn rulers_tell_columns_and_headings_stand_in_several_lines() {
        let found = pieces(
            "Foreground Wait Events   DB/Inst: X/x  Snaps: 1-2\n-> ordered by time\n\n\
             \x20                        Total Wait\n\
             Event              Waits   Time (s)\n\
             ------------- ---------- ----------\n\
             log file sync 12,345,678          5\n\
             \x20         -------------------------\n",
        );
        assert_eq!(
            found,
            [
                "title Foreground Wait Events",
                "headings Event|Waits|Total Wait Time (s)",
                "row log file sync|12,345,678|5"
            ]
        );
    }

    #[test]
    fn a_cell_may_be_empty_and_a_number_longer_than_its_column() {
        let found = pieces(
            "Database    DB Id    Instance\n~~~~~~~~ ----------- --------\n          1066102538 igt\n\
             Load Profile     Per Second\n",
        );
        assert_eq!(
            found,
            ["headings Database|DB Id|Instance", "row |1066102538|igt", "row Load Pro|file     Per|Second"]
        );
    }
}
