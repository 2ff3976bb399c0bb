//! Aliases of services: the file `tnsnames.ora`.
//!
//! Parsed here because the driver (26.0.0-beta.5) drops the first letter of an alias below a comment.

use std::fs;
use std::path::Path;

use engine::{Error, Kind, Result};

/// Maximum depth of included files.
const DEPTH_MAX: u32 = 8;

/// The descriptor that `tnsnames.ora` in `directory` has for `alias`.
pub(super) fn descriptor(alias: &str, directory: &Path) -> Result<String> {
    let file = directory.join("tnsnames.ora");
    let problem = match find(alias, &file, DEPTH_MAX) {
        Ok(Some(descriptor)) => return Ok(descriptor),
        Ok(None) => format!("{} has no alias {alias}", file.display()),
        Err(problem) => problem,
    };
    Err(Error::new(Kind::Usage, problem).hint(
        "tns_admin names the directory with tnsnames.ora; without an alias write oracle://user@host:1521/SERVICE",
    ))
}

/// The last entry for the alias; an included file counts at the position of its line.
fn find(alias: &str, file: &Path, depth: u32) -> std::result::Result<Option<String>, String> {
    if depth == 0 {
        return Err(format!("{} is included by {DEPTH_MAX} files, one in the other", file.display()));
    }
    let text = fs::read_to_string(file).map_err(|error| format!("{} cannot be read: {error}", file.display()))?;
    let mut found = None;
    for (names, value) in entries(&text) {
        if names.eq_ignore_ascii_case("ifile") {
            let included = file.parent().unwrap_or(Path::new("")).join(value.trim_matches('"'));
            found = find(alias, &included, depth - 1)?.or(found);
        } else if names.split(',').any(|name| name.trim().eq_ignore_ascii_case(alias)) {
            found = Some(value);
        }
    }
    Ok(found)
}

/// The entries: aliases, separated by commas, and their descriptor.
pub(super) fn entries(text: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().map(|line| line.split('#').next().unwrap_or_default()).collect();
    let text = lines.join("\n");
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some((names, behind)) = rest.split_once('=') {
        let behind = behind.trim_start();
        let end = if behind.starts_with('(') { end_of_descriptor(behind) } else { behind.find('\n') };
        let (value, left) = behind.split_at(end.unwrap_or(behind.len()));
        // Invalid text before a name ends with its line.
        let names = names.trim().rsplit('\n').next().unwrap_or_default().trim();
        found.push((names.to_owned(), value.trim().to_owned()));
        rest = left.trim_start();
    }
    found
}

/// The offset after the parenthesis that closes the first one.
fn end_of_descriptor(text: &str) -> Option<usize> {
    let mut open = 0_i32;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at + letter.len_utf8());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_name_is_found_below_a_comment_in_any_case_and_in_included_files() {
        let directory = tempfile::tempdir().unwrap();
        let more = "# more\nHR=(DESCRIPTION=(ADDRESS=(HOST=hr)))\n";
        std::fs::write(directory.path().join("more.ora"), more).unwrap();
        let text = "# ours\nSALES, sales.example =\n  (DESCRIPTION =\n    # inside\n    (ADDRESS = (HOST = db1))\n  )\n\
                    IFILE = more.ora\nPLAIN = host:1521/service\n";
        std::fs::write(directory.path().join("tnsnames.ora"), text).unwrap();
        let found = |name: &str| descriptor(name, directory.path());
        assert!(found("sales").unwrap().contains("(HOST = db1)"));
        assert_eq!(found("Sales.Example").unwrap(), found("SALES").unwrap());
        assert_eq!(found("hr").unwrap(), "(DESCRIPTION=(ADDRESS=(HOST=hr)))");
        assert_eq!(found("plain").unwrap(), "host:1521/service");
        let error = found("purchase").unwrap_err();
        assert!(error.kind == Kind::Usage && error.message.contains("purchase") && error.hint.is_some());
    }

    #[test]
    fn a_file_that_includes_itself_ends() {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("tnsnames.ora"), "ifile = tnsnames.ora\n").unwrap();
        assert!(descriptor("a", directory.path()).unwrap_err().message.contains("8 files"));
    }

    proptest! {
        #[test]
        fn any_file_is_accepted(text in "[\\PC\n=()#,]*") {
            let _ = entries(&text);
        }
    }
}
