//! A document as GitHub-flavoured Markdown.

use record::Ratio;

use crate::document::{
    Block, Branch, Card, Cell, Command, Diagram, Document, Extent, Fact, Part, Row, Span, Table, Text, Tone,
};
use crate::figure::percent;
use crate::layout::clean;

/// Columns of a chart in characters.
const CHART_WIDTH: usize = 80;

/// As much of `document` as `extent` says.
pub(crate) fn markdown(document: &Document, extent: Extent) -> String {
    let mut parts = vec![format!("# {}", escaped(&document.title))];
    if !document.subtitle.is_empty() {
        parts.push(escaped(&document.subtitle));
    }
    parts.extend(blocks(&document.lead, extent));
    for section in document.sections.iter().filter(|section| section.is_shown(extent)) {
        if section.is_folded {
            parts.extend(folded(&section.title, &blocks(&section.body, extent)));
            continue;
        }
        if !section.title.is_empty() {
            parts.push(format!("## {}", escaped(&section.title)));
        }
        parts.extend(blocks(&section.body, extent));
    }
    parts.extend(blocks(&document.foot, extent));
    parts.join("\n\n") + "\n"
}

/// The paragraphs of `blocks`, without the empty lines between them.
fn blocks(blocks: &[Block], extent: Extent) -> Vec<String> {
    let shown = blocks.iter().filter(|block| block.is_shown(extent) || matches!(block, Block::Heading(_)));
    shown.flat_map(|block| self::block(block, extent)).filter(|text| !text.is_empty()).collect()
}

fn block(block: &Block, extent: Extent) -> Vec<String> {
    match block {
        Block::Text(text) | Block::Aside(text) => vec![words(text)],
        Block::Heading(title) => vec![format!("### {}", escaped(title))],
        Block::List(sentences) => vec![list(sentences)],
        Block::Facts(facts) => vec![facts.iter().map(fact).collect::<Vec<_>>().join("\n")],
        Block::Cards(cards) => self::cards(cards),
        Block::Note(note) | Block::Answer(note) => {
            let title = (!note.title.is_empty()).then(|| format!("**{}**", escaped(&note.title)));
            let lines = title.into_iter().chain(note.sentences.iter().map(words));
            vec![lines.map(|line| format!("> {line}")).collect::<Vec<_>>().join("\n>\n")]
        }
        Block::Table(table) => self::table(table, extent),
        Block::Charts(charts) => charts.iter().flat_map(chart).collect(),
        Block::Commands(commands) => vec![fenced(&commands.iter().map(command).collect::<Vec<_>>())],
        Block::Fold { summary, body, .. } => folded(summary, &blocks(body, extent)),
        Block::Form(_) => Vec::new(),
        Block::Tree(branches) => vec![tree(branches, 0).join("\n")],
        Block::From(_, body) | Block::UpTo(_, body) => blocks(body, extent),
    }
}

/// A list of lists.
fn tree(branches: &[Branch], depth: usize) -> Vec<String> {
    let of_branch = |branch: &Branch| {
        let name = match branch.tone {
            Tone::Warning | Tone::Invalid => format!("**{}**", escaped(&branch.name)),
            _ => escaped(&branch.name),
        };
        [vec![format!("{:1$}- {name}", "", 2 * depth)], tree(&branch.below, depth + 1)].concat()
    };
    branches.iter().flat_map(of_branch).collect()
}

fn folded(summary: &str, body: &[String]) -> Vec<String> {
    if body.is_empty() {
        return Vec::new();
    }
    vec![format!("<details><summary>{}</summary>\n\n{}\n\n</details>", escaped(summary), body.join("\n\n"))]
}

fn list(sentences: &[Text]) -> String {
    sentences.iter().map(|sentence| format!("- {}", words(sentence))).collect::<Vec<_>>().join("\n")
}

fn fact(fact: &Fact) -> String {
    let words: Vec<String> = fact.sentences.iter().map(words).collect();
    match fact.label.is_empty() {
        true => format!("  {}", words.join("  \n  ")),
        false => format!("- **{}**: {}", escaped(&fact.label), words.join("  \n  ")),
    }
}

/// A table of the figures, and a list of what is known of each.
fn cards(cards: &[Card]) -> Vec<String> {
    let row = |card: &Card| {
        let cells = [&card.name, &card.code, &card.figure, &card.unit, &card.at, &card.latency, &card.trust.0];
        format!("| {} |", cells.map(|text| escaped(text)).join(" | "))
    };
    let head = ["| | | rate | | with | latency | trust |", "|---|---|---:|---|---|---|---|"].map(str::to_owned);
    let table = head.into_iter().chain(cards.iter().map(row)).collect::<Vec<_>>().join("\n");
    let about = |card: &Card| {
        let parts = card.whole();
        let part = |part: &Part| format!("{} {}", escaped(&part.name), percent(Ratio(part.share)));
        let time = (!parts.is_empty()).then(|| parts.iter().map(part).collect::<Vec<_>>().join(", "));
        let time = time.map(|time| format!("time: {time}"));
        let facts = card.facts.iter().map(|fact| {
            let sentences: Vec<String> = fact.sentences.iter().map(words).collect();
            format!("{}: {}", escaped(&fact.label), sentences.join("; "))
        });
        let notes = card.notes.iter().map(|note| escaped(note));
        let curve = card.curve_ends().map(|ends| escaped(&ends));
        let known: Vec<String> = notes.chain(curve).chain(time).chain(facts).collect();
        (!known.is_empty()).then(|| format!("- **{}**: {}", escaped(&card.name), known.join("; ")))
    };
    let about: Vec<String> = cards.iter().filter_map(about).collect();
    [table, about.join("\n")].into_iter().filter(|text| !text.is_empty()).collect()
}

/// The caption, and the table with the bars left out, whose figures are in other columns.
fn table(table: &Table, extent: Extent) -> Vec<String> {
    if table.rows.is_empty() {
        return Vec::new();
    }
    let is_bar = |index: usize| {
        let mut cells = table.rows.iter().filter_map(|row| row.cells.get(index).filter(|_| !table.is_group(row)));
        cells.clone().next().is_some() && cells.all(|cell| matches!(cell, Cell::Bar(_)))
    };
    let shown: Vec<usize> = table.shown(extent).into_iter().filter(|index| !is_bar(*index)).collect();
    let columns = || shown.iter().filter_map(|index| table.columns.get(*index));
    let line = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let head = columns().map(|column| {
        let head = escaped(&column.heading());
        if column.group.is_empty() { head } else { format!("{}: {head}", escaped(column.group)) }
    });
    let rule = columns().map(|column| if column.is_figure { "---:" } else { "---" }.to_owned());
    let row = |row: &Row| match table.is_group(row) {
        true => {
            let mut cells = vec![String::new(); shown.len()];
            if let (Some(first), Some(head)) = (cells.first_mut(), row.cells.first()) {
                *first = format!("**{}**", escaped(&head.words()));
            }
            line(cells)
        }
        false => line(shown.iter().map(|index| noted(table, row, *index, extent)).collect()),
    };
    let lines = [line(head.collect()), line(rule.collect())].into_iter().chain(table.rows.iter().map(row));
    let caption = (!table.caption.is_empty()).then(|| format!("_{}_", escaped(&table.caption)));
    caption.into_iter().chain([lines.collect::<Vec<_>>().join("\n")]).collect()
}

/// The cell of a column; that which names the row has what else is known of it.
fn noted(table: &Table, row: &Row, column: usize, extent: Extent) -> String {
    let cell = row.cells.get(column).map_or_else(String::new, cell);
    let is_name = column == table.flexible.unwrap_or(0) && extent >= Extent::Details;
    let notes = row.notes.iter().filter(|_| is_name).map(|note| escaped(note));
    [cell].into_iter().chain(notes).collect::<Vec<_>>().join("<br>")
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => words(text),
        Cell::Figure(text, _) => escaped(text),
        Cell::Word(text, Tone::Warning | Tone::Invalid) => format!("**{}**", escaped(text)),
        Cell::Word(text, _) => escaped(text),
        Cell::Bar(_) | Cell::Pick(_) => String::new(),
    }
}

/// A chart in characters; where it has no such form, its data.
fn chart(diagram: &Diagram) -> Vec<String> {
    let drawn = diagram.chart.text(CHART_WIDTH);
    let title = clean(diagram.chart.title());
    let note = (!diagram.note.is_empty()).then(|| escaped(&diagram.note));
    let body = match drawn.is_empty() {
        true => {
            let csv = diagram.chart.csv();
            let lines: Vec<String> = csv.lines().map(clean).collect();
            if lines.len() < 2 { Vec::new() } else { folded(&title, &[fenced(&lines)]) }
        }
        false => vec![format!("**{}**", escaped(&title)), fenced(&drawn)],
    };
    if body.is_empty() { Vec::new() } else { body.into_iter().chain(note).collect() }
}

fn command(command: &Command) -> String {
    clean(&format!("{} {} {}", command.verb, command.word, command.options))
}

/// Lines as they are. The fence is longer than any row of its mark inside.
fn fenced(lines: &[String]) -> String {
    let longest = lines.iter().flat_map(|line| line.split(|letter| letter != '`')).map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}text\n{}\n{fence}", lines.join("\n"))
}

fn words(text: &Text) -> String {
    let span = |span: &Span| match span {
        Span::Plain(words) | Span::Link { words, .. } => spaced(words, "", ""),
        Span::Strong(words) => spaced(words, "**", "**"),
        // A code span knows no escape.
        Span::Code(word) if word.contains('`') => spaced(word, "", ""),
        Span::Code(word) => format!("`{}`", clean(word).replace('|', "\\|")),
    };
    text.0.iter().map(span).collect::<String>().trim().to_owned()
}

/// Escaped words between marks, with the spaces at their edges outside.
fn spaced(words: &str, open: &str, close: &str) -> String {
    let inside = escaped(words);
    let edge = |is_there: bool| if is_there { " " } else { "" };
    match inside.is_empty() {
        true => edge(words.starts_with(' ')).to_owned(),
        false => format!("{}{open}{inside}{close}{}", edge(words.starts_with(' ')), edge(words.ends_with(' '))),
    }
}

/// A text in which nothing is markup.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in clean(text).chars() {
        match letter {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            // `@` and `#` would mention people and issues.
            '@' => escaped.push_str("&#64;"),
            '#' => escaped.push_str("&#35;"),
            '|' | '`' | '*' | '_' | '[' | ']' | '\\' | '~' => escaped.extend(['\\', letter]),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Column, Section};

    #[test]
    fn nothing_of_a_text_from_outside_becomes_markup() {
        let hostile = "<b>|[x](y)`*_@me#1\u{1b}[2J\n# head";
        let table = Table::new("t", hostile, vec![Column::text("name"), Column::figure("rate")])
            .with([Row::new(vec![Cell::text(hostile), Cell::Figure("5".to_owned(), Some(5.0))])]);
        let section = Section::new("s", hostile, vec![Block::text(hostile), table.into(), Block::list([hostile])]);
        let text = markdown(&Document::new(hostile, vec![section]), Extent::Whole);
        assert!(!text.contains('\u{1b}') && !text.contains("<b>") && !text.contains("@me"), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("| ")).count(), 3, "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with('#')).count(), 2, "{text}");
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced(&["a ``` b".to_owned()]), "````text\na ``` b\n````");
    }
}
