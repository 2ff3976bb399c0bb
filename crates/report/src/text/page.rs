//! What a terminal is shown of a record, part by part.

use record::Record;

use super::head;
use crate::inventory;
use crate::layout::{Table, clean, cut, paragraph, section};
use crate::style::{Ink, Style};

/// The lines of a record of one kind of measurement.
pub(super) struct Page {
    lines: Vec<String>,
    style: Style,
    /// Columns.
    pub(super) width: usize,
}

impl Page {
    /// Begins with the title (`what` is done to the engine, such as `bulk load into`), the platform, when and how often
    /// it was `measured`, and what makes all figures doubtful; says so where no run is finished.
    pub(super) fn new(record: &Record, what: &str, measured: &str, style: Style, width: usize) -> Page {
        let width = crate::page_width(width);
        let subject = record.engine.as_ref().map_or("an engine", |engine| engine.title.as_str());
        let host = record.host.host_name.as_deref().unwrap_or("an unnamed host");
        let title = cut(&clean(&format!("dbdyno: {what} {subject} on {host}")), width);
        let mut lines = vec![style.paint(&title, Ink::Head), String::new()];
        lines.extend(inventory::head(&record.host, record.engine.as_ref(), style, width));
        lines.extend(paragraph("measured", 10, &format!("{}, {measured}", head::begun(record)), width));
        lines.extend(paragraph("dbdyno", 10, &head::instrument(record), width));
        let warnings = head::warnings(record).into_iter().flat_map(|warning| paragraph("!", 10, &warning, width));
        lines.extend(warnings.map(|line| style.paint(&line, Ink::Warning)));
        let mut page = Page { lines, style, width };
        if record.runs.is_empty() {
            page.part("", vec!["no run is finished".to_owned()]);
        }
        page
    }

    /// A part with its head, if it has one; nothing where its body is empty.
    pub(super) fn part(&mut self, title: &str, body: Vec<String>) {
        if !body.is_empty() {
            self.lines.push(String::new());
            self.lines.extend((!title.is_empty()).then(|| section(title, self.style, self.width)));
            self.lines.extend(body);
        }
    }

    /// A table, and below it what is remarked.
    pub(super) fn table(&mut self, title: &str, table: Table, remarks: Vec<String>) {
        let mut body = if table.is_empty() { Vec::new() } else { table.lines(self.style, self.width) };
        body.extend(self.points(remarks));
        self.part(title, body);
    }

    /// Sentences, each a point of a list.
    pub(super) fn points(&self, sentences: Vec<String>) -> Vec<String> {
        sentences.iter().flat_map(|sentence| paragraph("-", 2, sentence, self.width)).collect()
    }

    /// The text.
    pub(super) fn end(self) -> String {
        self.style.letters(self.lines.join("\n") + "\n")
    }
}
