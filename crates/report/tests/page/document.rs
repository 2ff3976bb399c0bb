//! A page read back: as XML, which it is but for its first line, empty elements and what the browser alone reads.

use roxmltree::{Document, Node, ParsingOptions};

/// Elements that have no end.
const EMPTY: [&str; 4] = ["meta", "link", "br", "img"];

/// `page` as XML: empty elements closed, script and style without their text.
///
/// # Panics
/// Where an element does not end.
pub fn xml(page: &str) -> String {
    let mut xml = page.replace("<!DOCTYPE html>", "").replace(" hidden>", " hidden=\"\">");
    for name in EMPTY {
        let mut pieces = xml.split(&format!("<{name}")).map(str::to_owned).collect::<Vec<String>>();
        for piece in &mut pieces[1..] {
            *piece = piece.replacen('>', "/>", 1);
        }
        xml = pieces.join(&format!("<{name}"));
    }
    for name in ["script", "style"] {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        let (before, rest) = xml.split_once(&open).unwrap();
        let (_, after) = rest.split_once(&close).unwrap();
        xml = format!("{before}{open}{close}{after}");
    }
    xml
}

/// The elements of `xml`.
///
/// # Panics
/// Where it is not well-formed.
pub fn parse(xml: &str) -> Document<'_> {
    let options = ParsingOptions { nodes_limit: u32::MAX, ..ParsingOptions::default() };
    Document::parse_with_options(xml, options).unwrap()
}

/// The elements below `root` that `selector` means, in their order: names, `#id`, `.class`, `[attribute]`,
/// `[attribute=value]` and `:not(.class)`, a space between an element and what is inside it, a comma between
/// alternatives.
pub fn select<'a>(root: Node<'a, 'a>, selector: &str) -> Vec<Node<'a, 'a>> {
    let alternatives: Vec<Vec<&str>> = selector.split(',').map(|path| path.split_whitespace().collect()).collect();
    let below = root.descendants().skip(1).filter(Node::is_element);
    below.filter(|node| alternatives.iter().any(|path| lies_on(*node, root, path))).collect()
}

/// The words of an element.
pub fn text(node: Node<'_, '_>) -> String {
    let pieces = node.descendants().filter(Node::is_text).filter_map(|piece| piece.text());
    pieces.collect::<String>().trim().to_owned()
}

/// The words of all elements that `selector` means.
pub fn texts(document: &Document<'_>, selector: &str) -> Vec<String> {
    select(document.root(), selector).into_iter().map(text).collect()
}

fn lies_on(node: Node<'_, '_>, root: Node<'_, '_>, path: &[&str]) -> bool {
    let Some((last, above)) = path.split_last() else { return true };
    let mut outer = node.ancestors().skip(1).take_while(|ancestor| *ancestor != root);
    is(node, last) && (above.is_empty() || outer.any(|ancestor| lies_on(ancestor, root, above)))
}

fn is(node: Node<'_, '_>, compound: &str) -> bool {
    let class = |name: &str| node.attribute("class").is_some_and(|all| all.split(' ').any(|class| class == name));
    let mut rest = compound;
    let name_end = rest.find(['#', '.', '[', ':']).unwrap_or(rest.len());
    let (name, after) = rest.split_at(name_end);
    rest = after;
    let mut matches = name.is_empty() || node.has_tag_name(name);
    while let Some(kind) = rest.chars().next() {
        let begin = match kind {
            ':' => ":not(.".len(),
            _ => 1,
        };
        let end = match kind {
            '[' => rest.find(']').unwrap(),
            ':' => rest.find(')').unwrap(),
            _ => rest[1..].find(['#', '.', '[', ':']).map_or(rest.len(), |end| end + 1),
        };
        let inside = &rest[begin..end];
        matches &= match (kind, inside.split_once('=')) {
            ('#', _) => node.attribute("id") == Some(inside),
            ('.', _) => class(inside),
            (':', _) => !class(inside),
            (_, Some((name, value))) => node.attribute(name) == Some(value),
            (_, None) => node.has_attribute(inside),
        };
        rest = rest[end..].trim_start_matches([']', ')']);
    }
    matches
}

#[test]
fn selectors_mean_what_they_mean_in_a_style() {
    let text = "<a><b id=\"x\" class=\"k l\"><c/></b><b class=\"k\"><c d=\"e\"/></b></a>";
    let document = parse(text);
    let count = |selector: &str| select(document.root(), selector).len();
    assert_eq!((count("b"), count(".k"), count("b.l"), count("#x c"), count("a c")), (2, 2, 1, 1, 2));
    assert_eq!((count("b:not(.l) c"), count("[d]"), count("c[d=e]"), count("c[d=f]"), count("#x, c")), (1, 1, 1, 0, 3));
}
