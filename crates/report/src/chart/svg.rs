//! SVG output: elements, finite coordinates, escaped text.

use std::fmt::Write;

use crate::bidi::is_bidi_control;

/// The largest coordinate that is written, outside of every drawing.
const COORDINATE_MAX: f64 = 1e5;

/// A drawing under construction.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    text: String,
}

/// The anchor of a text relative to its position.
#[derive(Debug, Clone, Copy)]
pub(super) enum Anchor {
    /// Text to the right of it.
    Start,
    /// Text centred on it.
    Middle,
    /// Text to the left of it.
    End,
}

impl Drawing {
    /// The SVG text.
    pub(super) fn finish(self) -> String {
        self.text
    }

    /// Opens a group; `class` is a literal and needs no escape.
    pub(super) fn open(&mut self, class: &str) {
        self.push(format_args!("<g class=\"{class}\">"));
    }

    /// Opens a group that is clipped to the clip path `id`.
    pub(super) fn open_clipped(&mut self, class: &str, id: &str) {
        self.push(format_args!("<g class=\"{class}\" clip-path=\"url(#{})\">", escaped(id)));
    }

    /// Closes the last opened group.
    pub(super) fn close(&mut self) {
        self.text.push_str("</g>");
    }

    /// A path without a tooltip; nothing for an empty one.
    pub(super) fn path(&mut self, class: &str, path: &str) {
        if !path.is_empty() {
            self.push(format_args!("<path class=\"{class}\" d=\"{path}\"/>"));
        }
    }

    /// A straight line.
    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        self.path(class, &format!("M{}L{}", xy(from), xy(to)));
    }

    /// A rectangle.
    pub(super) fn rectangle(&mut self, class: &str, corner: (f64, f64), size: (f64, f64)) {
        self.push(format_args!("<rect class=\"{class}\" {}/>", rectangle(corner, size)));
    }

    /// A line of text with its baseline at `y`.
    pub(super) fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "",
            Anchor::Middle => " text-anchor=\"middle\"",
            Anchor::End => " text-anchor=\"end\"",
        };
        let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
        self.push(format_args!(
            "<text{class} x=\"{}\" y=\"{}\"{anchor}>{}</text>",
            coordinate(x),
            coordinate(y),
            escaped(text)
        ));
    }

    /// An element with a tooltip: `shape` is its name and attributes, already escaped.
    pub(super) fn with_tooltip(&mut self, shape: &str, tooltip: &Tooltip<'_>) {
        self.push(format_args!(
            "<{shape} data-x=\"{}\" data-y=\"{}\" data-label=\"{}\">",
            escaped(tooltip.x),
            escaped(tooltip.y),
            escaped(tooltip.label)
        ));
        if tooltip.titled {
            self.push(format_args!("<title>{}</title>", escaped(tooltip.label)));
        }
        let element = shape.split(' ').next().unwrap_or_default();
        self.push(format_args!("</{element}>"));
    }

    /// The definition of a clip path.
    pub(super) fn clip(&mut self, id: &str, corner: (f64, f64), size: (f64, f64)) {
        self.push(format_args!("<clipPath id=\"{}\"><rect {}/></clipPath>", escaped(id), rectangle(corner, size)));
    }

    fn push(&mut self, arguments: std::fmt::Arguments<'_>) {
        // Writing to a string does not fail.
        let _ = self.text.write_fmt(arguments);
    }
}

/// The tooltip of an element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tooltip<'a> {
    /// The figure of the x axis.
    pub(super) x: &'a str,
    /// The figure of the y axis.
    pub(super) y: &'a str,
    /// The text.
    pub(super) label: &'a str,
    /// Whether browsers show it without a script, which doubles the size of the element.
    pub(super) titled: bool,
}

/// A figure: caption, and `drawing` of `size` with `description` as alternative text.
pub(super) fn figure(id: &str, title: &str, description: &str, (width, height): (f64, f64), drawing: &str) -> String {
    let (id, title, description) = (escaped(id), escaped(title), escaped(description));
    format!(
        "<figure class=\"chart\" id=\"{id}\"><figcaption id=\"{id}-caption\">{title}</figcaption>\
         <div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-labelledby=\"{id}-caption\">\
         <svg role=\"img\" aria-labelledby=\"{id}-title {id}-description\" viewBox=\"0 0 {} {}\" \
         preserveAspectRatio=\"xMinYMin meet\" xmlns=\"http://www.w3.org/2000/svg\">\
         <title id=\"{id}-title\">{title}</title><desc id=\"{id}-description\">{description}</desc>\
         {drawing}</svg></div></figure>\n",
        coordinate(width),
        coordinate(height)
    )
}

/// The figure of a chart without data.
pub(super) fn nothing(id: &str, title: &str) -> String {
    format!(
        "<figure class=\"chart\" id=\"{}\"><figcaption>{}</figcaption><p class=\"none\">No data.</p></figure>\n",
        escaped(id),
        escaped(title)
    )
}

/// A coordinate with one decimal.
pub(super) fn coordinate(value: f64) -> String {
    let value = if value.is_finite() { value.clamp(-COORDINATE_MAX, COORDINATE_MAX) } else { 0.0 };
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Two coordinates.
pub(super) fn xy((x, y): (f64, f64)) -> String {
    format!("{} {}", coordinate(x), coordinate(y))
}

/// The attributes of a rectangle.
pub(super) fn rectangle((x, y): (f64, f64), (width, height): (f64, f64)) -> String {
    format!(
        "x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
        coordinate(x),
        coordinate(y),
        coordinate(width.max(0.0)),
        coordinate(height.max(0.0))
    )
}

/// `text` escaped for an element or an attribute; characters that XML 1.0 does not allow are replaced.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\0'..'\u{20}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            // They reorder the text.
            letter if is_bidi_control(letter) => {}
            other => escaped.push(other),
        }
    }
    escaped
}

/// The approximate width of `text`, in units of the drawing: an upper bound for a wide sans-serif font, because the
/// font is not known.
pub(super) fn width_of(text: &str) -> f64 {
    text.chars().map(character_width).sum()
}

/// `text`, cut to the width `room`.
pub(super) fn fitted(text: &str, room: f64) -> String {
    if width_of(text) <= room {
        return text.to_owned();
    }
    let mut width = character_width('…');
    let fits = |character: &char| {
        width += character_width(*character);
        width <= room
    };
    let kept: String = text.chars().take_while(fits).collect();
    format!("{}…", kept.trim_end())
}

/// The width of one character in text of 14 units.
fn character_width(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' => 4.5,
        ' ' | 'f' | 't' | 'r' | 'I' | '(' | ')' | '[' | ']' | '/' | '-' => 5.8,
        'm' | 'w' | 'M' | 'W' | '%' | '@' | '…' => 13.0,
        'A'..='Z' | '×' | '=' | '+' => 10.2,
        // Ideographs and the like.
        '\u{1100}'.. => 14.5,
        _ => 8.8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_coordinate_is_a_short_number() {
        assert_eq!(coordinate(1.0), "1");
        assert_eq!(coordinate(-0.01), "0");
        assert_eq!(coordinate(12.345), "12.3");
        assert_eq!(coordinate(f64::NAN), "0");
        assert_eq!(coordinate(f64::INFINITY), "0");
        assert_eq!(coordinate(1e300), "100000");
    }

    #[test]
    fn text_stays_text() {
        assert_eq!(escaped("<a b=\"c\">&'\u{0}\n"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;\u{fffd} ");
    }

    #[test]
    fn a_long_text_is_cut_with_a_sign() {
        assert_eq!(fitted("rows", 100.0), "rows");
        let cut = fitted("a name that is far too long", 60.0);
        assert!(cut.ends_with('…') && width_of(&cut) <= 60.0, "{cut}");
    }
}
