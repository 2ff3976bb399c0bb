//! Words of the command line in what is printed: a password that stands at the wrong place is an unexpected argument, a
//! file that cannot be read, or a host that is none, and would be quoted by the error about it.

use std::sync::LazyLock;

use engine::may_hold_password;

/// What is printed in place of a word that may hold a password.
const HIDDEN: &str = "...";

/// `text` without those words of this process's command line that may hold a password.
pub fn without_passwords(text: &str) -> String {
    static WORDS: LazyLock<Vec<String>> = LazyLock::new(|| {
        let words = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
        secret_parts(words)
    });
    hide(text, &WORDS)
}

/// The parts of `words` that may hold a password, the longest first: a word, its value after `--option=`, its parts
/// between spaces and quotation marks; each as it is and as it is quoted in a message.
fn secret_parts(words: impl Iterator<Item = String>) -> Vec<String> {
    let mut parts = Vec::new();
    for word in words {
        let value = word.strip_prefix("--").and_then(|option| option.split_once('=')).map(|(_, value)| value);
        let whole = value.unwrap_or(&word);
        let between = |letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'');
        let parts_of_word = [whole].into_iter().chain(whole.split(between));
        for part in parts_of_word.filter(|part| may_hold_password(part) && !is_rate(part)) {
            parts.push(part.to_owned());
            parts.push(part.escape_debug().to_string());
        }
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    parts.dedup();
    parts
}

/// Whether `part` is a rate with what it needs, as in `50MB/s@0.25`, and no `user/password@host`: its password would be a unit of
/// time.
fn is_rate(part: &str) -> bool {
    let rate = part.split_once('@').map_or(part, |(rate, _)| rate);
    rate.starts_with(|letter: char| letter.is_ascii_digit()) && (rate.ends_with("/s") || rate.ends_with("/h"))
}

fn hide(text: &str, parts: &[String]) -> String {
    parts.iter().fold(text.to_owned(), |text, part| text.replace(part.as_str(), HIDDEN))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hidden(words: &[&str], text: &str) -> String {
        hide(text, &secret_parts(words.iter().map(|word| (*word).to_owned())))
    }

    #[test]
    fn a_word_that_may_hold_a_password_is_not_repeated() {
        for word in ["postgres://me:tiger@db1/shop", "password=tiger", "me/tiger@db1", "Pwd=tiger;"] {
            let shown = hidden(&["load", word], &format!("file {word} cannot be read; {word:?}"));
            assert_eq!(shown, "file ... cannot be read; \"...\"");
        }
        let shown = hidden(&["db1 via=\"PGPASSWORD=tiger ssh\""], "PGPASSWORD=tiger cannot be started");
        assert_eq!(shown, "... cannot be started");
        let via = "db1 via=\"env PGPASSWORD=tiger ssh\"";
        let shown =
            hidden(&[&format!("--observe={via}")], &format!("host {via}: PGPASSWORD=tiger is no option; {via:?}"));
        assert_eq!(shown, "host ...: ... is no option; \"...\"");
    }

    #[test]
    fn other_words_stay() {
        let words =
            ["run", "--target", "postgres://me@db1:5432/shop", "--dir", "/mnt/a@b", "root@db1", "T611", "50MB/s@x"];
        let text = words.join(" ");
        assert_eq!(hidden(&words, &text), text);
    }
}
