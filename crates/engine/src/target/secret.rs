//! What may be a password, and is never shown.

use std::fmt;

/// A password: never printed, not even by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    text: String,
    is_parameter: bool,
}

impl Secret {
    /// Wraps `text`.
    pub fn new(text: impl Into<String>) -> Secret {
        Secret { text: text.into(), is_parameter: false }
    }

    /// Wraps the `text` of a parameter: where its `&` was not escaped, its rest stands among the parameters after it.
    pub(super) fn of_parameter(text: String) -> Secret {
        Secret { text, is_parameter: true }
    }

    /// Whether it stood among the parameters of a target.
    pub(crate) fn is_parameter(&self) -> bool {
        self.is_parameter
    }

    /// The text, for authentication only.
    pub fn reveal(&self) -> &str {
        &self.text
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(...)")
    }
}

/// Parts of names by which programs call a secret: `sslpassword`, `PASSWD`, `Pwd`, `passphrase`.
const NAMES: [&str; 5] = ["passw", "pwd", "passphrase", "secret", "credential"];

/// Whether a parameter of this name may hold a secret.
pub(super) fn is_secret(name: &str) -> bool {
    let name = name.trim().to_ascii_lowercase();
    name == "pass" || NAMES.into_iter().any(|part| name.contains(part))
}

/// Whether `text` assigns a secret anywhere, as in `shop;Pwd = word`: the name before an `=` or `:` calls it one.
pub(super) fn assigns_secret(text: &str) -> bool {
    text.match_indices(['=', ':']).any(|(end, _)| {
        let before = text[..end].trim_end();
        let is_apart = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '-');
        is_secret(
            &before
                [before.rfind(is_apart).map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8))..],
        )
    })
}

/// Whether a text that need not be a target may hold a password: where `true`, it is not to be shown. It names one
/// (`password=`, `Pwd=`), has a login before an `@` (`user:password@`, `user/password@`), or is a URL with something
/// after a colon that is no port.
///
/// ```
/// # use dbdyno_engine::may_hold_password;
/// assert!(may_hold_password("host=db1 password=tiger"));
/// assert!(may_hold_password("scott/tiger@db1"));
/// assert!(!may_hold_password("root@db1:22") && !may_hold_password("https://db1:8080/x"));
/// ```
pub fn may_hold_password(text: &str) -> bool {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let is_path = text.starts_with(['/', '.']);
    let has_login = !is_path
        && text.rsplit_once('@').is_some_and(|(before, _)| {
            before.split_once("://").map_or(before, |(_, login)| login).contains([':', '/'])
        });
    let has_no_port = |rest: &str| {
        rest.match_indices(':').any(|(colon, _)| {
            let port = rest[colon + 1..].split(['/', '?', ',', ':', ']']).next().unwrap_or_default();
            !port.bytes().all(|letter| letter.is_ascii_digit())
        })
    };
    assigns_secret(text) || has_login || rest.len() < text.len() && has_no_port(rest)
}
