//! Control letters of the direction of writing, which reorder what stands around them.

/// Whether `letter` is a control of the direction of writing (property Bidi_Control of Unicode).
pub(crate) fn is_bidi_control(letter: char) -> bool {
    matches!(letter, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}
