//! Every command of the documentation is one that the program takes, and every link of it leads to a file.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser;

use crate::command::Arguments;

/// What ends a command within a line of a shell.
const ENDS: [&str; 9] = ["|", "||", "&&", "&", ";", ">", ">>", "<", "2>"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The pages: README and everything in `docs/src`.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    let mut folders = vec![root().join("docs/src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the documentation") {
            let path = entry.expect("an entry").path();
            match path.is_dir() {
                true => folders.push(path),
                false => pages.extend((path.extension().is_some_and(|ending| ending == "md")).then_some(path)),
            }
        }
    }
    pages
}

/// The lines of the shell in `page`, those that go on joined.
fn shell_lines(page: &str) -> Vec<String> {
    let mut is_shell = false;
    let mut lines: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in page.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            is_shell = !is_shell && (language == "sh" || language.starts_with("sh,"));
            continue;
        }
        if is_shell {
            let part = line.trim_end_matches('\\').trim();
            match lines.last_mut().filter(|_| goes_on) {
                Some(last) => *last = format!("{last} {part}"),
                None => lines.push(part.to_owned()),
            }
            goes_on = line.ends_with('\\');
        }
    }
    lines
}

/// The commands of dbdyno in a line of the shell.
fn commands(line: &str) -> Vec<Vec<String>> {
    let words = shlex::split(line).unwrap_or_else(|| panic!("{line:?} has an open quotation"));
    let parts = words.split(|word| ENDS.contains(&word.as_str()));
    let own = parts.filter_map(|part| {
        let start = part.iter().position(|word| !word.contains('='))?;
        let name = part[start].rsplit('/').next()?;
        (name == "dbdyno").then(|| part[start..].to_vec())
    });
    own.collect()
}

#[test]
fn every_command_of_the_documentation_is_taken() {
    let mut count = 0;
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page");
        for command in shell_lines(&page).iter().flat_map(|line| commands(line)) {
            count += 1;
            if let Err(error) = Arguments::try_parse_from(&command)
                && error.use_stderr()
            {
                panic!("{}: {}\n{error}", path.display(), command.join(" "));
            }
        }
    }
    assert!(count >= 20, "{count} commands are few: are they found?");
}

#[test]
fn links_lead_to_files() {
    for path in pages() {
        let page = fs::read_to_string(&path).expect("a page");
        for link in page.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or_default();
            if target.is_empty() || target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            let found = path.parent().expect("a folder").join(target);
            assert!(found.exists(), "{} links to {link}, which is not there", path.display());
        }
    }
}

#[test]
fn commands_are_found_in_lines_of_the_shell() {
    let found = commands("PGPASSWORD=x ./dbdyno run --tests 'a b' | tail # a note").concat().join(",");
    assert_eq!(found, "./dbdyno,run,--tests,a b");
    assert!(commands("cargo build --release").is_empty());
    assert_eq!(shell_lines("```sh\na \\\n  b\nc\n```\nd\n```text\ne\n```"), ["a b", "c"]);
}
