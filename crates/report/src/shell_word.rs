//! Words of commands that are shown to be copied.

use crate::layout::clean;

/// `text` as one word of a shell command, quoted where needed.
pub(crate) fn shell_word(text: &str) -> String {
    let shown = clean(text);
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+,:@%=".contains(letter);
    match shown.chars().all(plain) {
        true => shown,
        false => format!("'{}'", shown.replace('\'', r"'\''")),
    }
}
