//! Targets of the command line: a target, or a file that lists nodes.

use std::path::Path;

use engine::{Target, TargetError, shown as shown_path};
use run::{Error, Result};

use crate::engines::{is_scheme, of_keywords};

/// The target in `words`: a target, or `@FILE` with one node per line.
///
/// # Errors
/// The user's mistakes.
pub fn target(words: &str) -> Result<Target> {
    match words.strip_prefix('@') {
        Some(path) => listed(Path::new(path)),
        None => whole(words),
    }
}

/// The target that is all of `text`: a URL, a name, or a connection string of an engine's client.
fn whole(text: &str) -> Result<Target> {
    match of_keywords(text) {
        Some(target) => Ok(target?),
        None => text.parse().map_err(|error| refused(&error)),
    }
}

/// Of a text that is no target only a known scheme is repeated: the rest may be a password.
fn refused(error: &TargetError) -> Error {
    let subject = match error.scheme.as_deref().filter(|scheme| is_scheme(scheme)) {
        Some(scheme) => format!("target {scheme}://..."),
        None => "the target".to_owned(),
    };
    Error::user(format!("{subject} {}", error.problem)).hint(error.hint.as_str())
}

/// The target in the lines of the file at `path`: the first line is a whole target, each other one the host and port of
/// a further node. A private file hides a password better than a command line.
fn listed(path: &Path) -> Result<Target> {
    let shown = path.display().to_string();
    let shown = shown_path(&shown);
    let text = base::read_text(path).map_err(|error| {
        Error::user(format!("the list of nodes {shown} cannot be read: {error}"))
            .hint("give @ and the path of a file with a target in the first line and a further host in each other line")
    })?;
    of_lines(&text, shown)
}

/// As [`listed`], for the text of a file; `shown` names it in errors.
pub fn of_lines(text: &str, shown: &str) -> Result<Target> {
    let mut lines = text.lines().map(str::trim).zip(1..).filter(|(line, _)| !line.is_empty() && !line.starts_with('#'));
    let wrong = |number: u32, error: &str| Error::user(format!("{shown}, line {number}: {error}"));
    let Some((first, number)) = lines.next() else {
        return Err(Error::user(format!("the list of nodes {shown} is empty"))
            .hint("write a target such as postgres://me@db1/shop into the first line, and further hosts below"));
    };
    let mut target = whole(first).map_err(|error| Error { hint: error.hint, ..wrong(number, &error.message) })?;
    // The line is not repeated: a wrong path may be that of a file with secrets.
    if !is_scheme(&target.scheme) {
        return Err(wrong(number, "the target does not name an engine that is known")
            .hint("write a target such as postgres://me@db1/shop into the first line, and further hosts below"));
    }
    if target.local || target.addresses.is_empty() {
        return Err(wrong(number, "the target names no host").hint("give this target without a list"));
    }
    for (line, number) in lines {
        // A host has the syntax of the middle of a target.
        let whole = format!("{}://{line}", target.scheme);
        let node: Target = whole.parse().map_err(|_| wrong(number, NO_NODE))?;
        let only_hosts = node.user.is_none() && node.password.is_none() && node.database.is_none();
        if line.contains(char::is_whitespace) || node.addresses.is_empty() || !only_hosts || !node.parameters.is_empty()
        {
            return Err(wrong(number, NO_NODE));
        }
        target.addresses.extend(node.addresses);
    }
    Ok(target)
}

/// The line is not printed: it may contain a password.
const NO_NODE: &str = "not a host or host:port; the first line holds everything else for all nodes";

#[cfg(test)]
mod tests {
    use super::*;

    fn of_file(text: &str) -> Result<String> {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), text).expect("written");
        target(&format!("@{}", file.path().display())).map(|target| target.to_string())
    }

    #[test]
    fn the_lines_of_a_file_are_nodes() {
        let text = "# the cluster\npostgres://me:secret@h1/shop?sslmode=require\n\nh2:5433\n  [::1]:7  \n";
        assert_eq!(of_file(text).expect("a target"), "postgres://me@h1,h2:5433,[::1]:7/shop?sslmode=require");
        assert_eq!(target("postgres://h1,h2/shop").expect("a target").addresses.len(), 2);
    }

    #[test]
    fn of_what_is_no_target_a_known_scheme_is_shown() {
        let shown = |text: &str| target(text).expect_err(text).to_string();
        let ipv6 = shown("postgresql://bench@::1/bench");
        assert!(ipv6.starts_with("target postgresql://... has an IPv6 address without brackets"), "{ipv6}");
        assert!(ipv6.contains("[::1]"), "{ipv6}");
        assert!(shown("tiger://scott:tiger").starts_with("the target has a port"));
        assert!(shown("jdbc:postgresql://127.0.0.1/bench").contains("leave out jdbc:"));
    }

    #[test]
    fn a_line_of_a_file_that_is_no_list_is_not_repeated() {
        for text in
            ["root:$6$s3cret$hash:19000:0:99999:7:::", "s3cret", "s3cret://h1/a", "local:s3cret", "sqlite?s3cret=1"]
        {
            let error = of_file(text).expect_err(text);
            assert!(!format!("{error:?}").contains("s3cret"), "{error:?}");
        }
    }

    #[test]
    fn an_invalid_list_is_refused_without_printing_its_text() {
        for text in
            ["", "# nothing", "local:postgres\nh2", "sqlite", "postgres://h1/a\nme:secret@h2", "postgres://h1\nh2/b"]
        {
            let error = of_file(text).expect_err(text).to_string();
            assert!(!error.contains("secret"), "{error}");
        }
        for text in ["postgres://me:secret@h1:x/a", "Host=h1;Password=secret", "me/secret@h1", "mysql://me:s/secret"] {
            let error = of_file(text).expect_err(text);
            assert!(!format!("{error:?}").contains("secret") && error.hint.is_some(), "{error:?}");
        }
        let error = target("@postgres://me:secret@h1/a").expect_err("no file");
        assert!(!error.to_string().contains("secret"), "{error}");
        assert!(target("@/nowhere/nodes").is_err_and(|error| error.message.contains("cannot be read")));
    }
}
