//! Option files of the client programs: `defaults-file=FILE`, or `~/.my.cnf`.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use engine::{Error, Kind, Result, Secret, Target};
use transport::{Environment, plain_message};

use super::parameter::{NEVER_IGNORED, is_known, plain, refusal, uniform};

/// The groups that the client programs of both products read.
const GROUPS: [&str; 6] = ["client", "client-server", "client-mariadb", "mysql", "mariadb", "mariadb-client"];

/// Parameters of a target that are none in a file: the file itself, and the character set, which other programs need there.
const NOT_IN_FILES: [&str; 2] = ["defaults_file", "default_character_set"];

/// Adds what the option file says and `target` does not. Where the server is, is one thing: a target that names a host or
/// a socket takes neither from the file.
pub(super) fn complete(target: &mut Target, environment: &Environment) -> Result<()> {
    let named = target.parameter("defaults_file").map(PathBuf::from);
    let is_named = named.is_some();
    let Some(path) = named.or_else(|| environment.home().map(|home| home.join(".my.cnf"))) else { return Ok(()) };
    let Some(text) = read(&path, is_named)? else { return Ok(()) };
    let (mut password, mut options) = (None, Vec::new());
    for (name, value) in options_of(&text, &path)? {
        match name.as_str() {
            "password" => password = Some(Secret::new(value)),
            _ => options.push((name, value)),
        }
    }
    let names_place =
        !target.addresses.is_empty() || ["host", "socket"].iter().any(|name| target.parameter(name).is_some());
    let is_given = |name: &str| match name {
        "host" | "port" | "socket" | "protocol" if names_place => true,
        "user" if target.user.is_some() => true,
        "database" if target.database.is_some() => true,
        name => target.parameter(name).is_some(),
    };
    let added: Vec<(String, String)> = uniform(options)?.into_iter().filter(|(name, _)| !is_given(name)).collect();
    target.parameters.extend(added);
    // The variable comes before a file that was not named.
    let from_variable = environment.variable("MYSQL_PWD").filter(|_| !is_named).map(Secret::new);
    target.password = target.password.take().or(from_variable).or(password);
    Ok(())
}

/// Whether the option `name`, with underscores, is taken from a file; the others are those of other programs, or of no
/// consequence here.
fn is_taken(name: &str) -> bool {
    name == "password" || is_known(name) && !NOT_IN_FILES.contains(&name)
}

/// The text of the file at `path`; `None` if it does not exist and need not.
fn read(path: &Path, is_named: bool) -> Result<Option<String>> {
    let refuse = |what: &str, hint: String| {
        Err(Error::new(Kind::Usage, format!("the option file {} {what}", path.display())).hint(hint))
    };
    let about = match std::fs::metadata(path) {
        Err(_) if !is_named => return Ok(None),
        Err(error) => {
            return refuse(
                &format!("cannot be read: {}", plain_message(&error)),
                "give a file that you may read".to_owned(),
            );
        }
        Ok(about) if !about.is_file() => {
            return refuse("is not a file", "give a file with a group [client]".to_owned());
        }
        Ok(about) => about,
    };
    // The client programs ignore such a file; then it could demand encryption in vain.
    if about.mode() & 0o002 != 0 {
        return refuse("may be written by everybody", format!("chmod o-w {}", path.display()));
    }
    match std::fs::read(path) {
        Ok(text) => Ok(Some(String::from_utf8_lossy(&text).into_owned())),
        Err(_) if !is_named => Ok(None),
        Err(error) => {
            refuse(&format!("cannot be read: {}", plain_message(&error)), "give a file that you may read".to_owned())
        }
    }
}

/// The options of the clients' groups that a target takes, in order. Lines are not quoted in errors: one may hold a
/// password.
fn options_of(text: &str, path: &Path) -> Result<Vec<(String, String)>> {
    let (mut inside, mut options) = (false, Vec::new());
    for (line, number) in text.lines().map(str::trim).zip(1..) {
        let at =
            |error: Error| Error { message: format!("{}, line {number}: {}", path.display(), error.message), ..error };
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some((group, _)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            inside = GROUPS.contains(&group.trim());
            continue;
        }
        if line.starts_with("!include") {
            let error = Error::new(Kind::Usage, "!include is not followed");
            return Err(at(error.hint("write the options of the included file into this one")));
        }
        if !inside {
            continue;
        }
        let (name, value) = line.split_once('=').unwrap_or((line, ""));
        let name = plain(name.split('#').next().unwrap_or_default());
        if NEVER_IGNORED.contains(&name.as_str()) {
            return Err(at(refusal(&name).unwrap_or_else(|| Error::new(Kind::Usage, "an option is not supported"))));
        }
        match name.as_str() {
            "skip_ssl" => options.push(("ssl".to_owned(), "0".to_owned())),
            "disable_ssl_verify_server_cert" | "skip_ssl_verify_server_cert" => {
                options.push(("ssl_verify_server_cert".to_owned(), "0".to_owned()));
            }
            known if is_taken(known) => options.push((name, value_of(value))),
            _ => {}
        }
    }
    Ok(options)
}

/// A value without its quotation marks or the comment after it, escapes resolved (MySQL manual, "Using Option Files").
fn value_of(text: &str) -> String {
    let text = text.trim();
    let mark = text.chars().next().filter(|first| matches!(first, '"' | '\''));
    let (mut value, mut letters) = (String::new(), text[mark.map_or(0, char::len_utf8)..].chars());
    while let Some(letter) = letters.next() {
        match (letter, mark) {
            (letter, Some(mark)) if letter == mark => return value,
            ('#', None) => break,
            ('\\', _) => match letters.next() {
                Some('b') => value.push('\u{8}'),
                Some('t') => value.push('\t'),
                Some('n') => value.push('\n'),
                Some('r') => value.push('\r'),
                Some('s') => value.push(' '),
                Some(escaped @ ('\\' | '"' | '\'')) => value.push(escaped),
                Some(other) => value.extend(['\\', other]),
                None => value.push('\\'),
            },
            (letter, _) => value.push(letter),
        }
    }
    value.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use proptest::prelude::*;

    use super::*;

    fn completed(text: &str, url: &str) -> Result<Target> {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("client.cnf");
        std::fs::write(&file, text).unwrap();
        let url = format!("{url}{}defaults-file={}", if url.contains('?') { '&' } else { '?' }, file.display());
        let environment = Environment::of(&[("MYSQL_PWD", "variable")], home.path(), &[]);
        let mut found = super::super::canonical(&url.parse().unwrap(), &environment)?;
        found.parameters.retain(|(name, _)| name != "defaults_file");
        Ok(found)
    }

    const TEXT: &str = "[mysqld]\nuser=server\nssl-crl=/x\n[client]\nuser = ann # not bob\nhost=db1\nport=3307\n# password=no\n\
                        password=\"a=b#c\"\nssl-mode=REQUIRED\n[mysql]\ndatabase=shop\nno-auto-rehash\n[mysqldump]\nuser=x\n";

    #[test]
    fn a_file_gives_what_the_target_does_not() {
        let whole = completed(TEXT, "mysql://").unwrap();
        assert_eq!(whole.to_string(), "mysql://ann@db1:3307/shop?sslmode=require");
        assert_eq!(whole.password.unwrap().reveal(), "a=b#c", "before the variable, because it was named");
        for (url, expected) in [
            ("mysql://bob@h/x?ssl-mode=DISABLED", "mysql://bob@h/x?sslmode=disable"),
            ("mysql://?socket=/s", "mysql://ann@/shop?socket=%2Fs&sslmode=require"),
        ] {
            assert_eq!(completed(TEXT, url).unwrap().to_string(), expected, "{url}");
        }
        assert_eq!(completed(TEXT, "mysql://bob:word@h").unwrap().password.unwrap().reveal(), "word");
        assert_eq!(completed("[client]\nskip-ssl\n", "mysql://h").unwrap().to_string(), "mysql://h?sslmode=disable");
        assert_eq!(completed("[client]\nssl\n", "mysql://h").unwrap().to_string(), "mysql://h?sslmode=require");
    }

    #[test]
    fn values_are_read_as_the_client_programs_do() {
        for (text, expected) in [
            (" word ", "word"),
            ("wo rd # comment", "wo rd"),
            ("\"a # b\" # c", "a # b"),
            ("'it\\'s'", "it's"),
            ("a\\sb\\\\c\\x", "a b\\c\\x"),
            ("\"", ""),
        ] {
            assert_eq!(value_of(text), expected, "{text}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_honoured_is_refused_without_its_text() {
        for (text, word) in [
            ("[client]\npassword=tiger\nssl-crl=/tiger\n", "line 3"),
            ("!includedir /etc/tiger\n", "line 1"),
            ("[client]\nssl-mode=REALLY\n", "REALLY"),
        ] {
            let error = completed(text, "mysql://h").unwrap_err();
            assert!(error.kind == Kind::Usage && error.message.contains(word) && error.hint.is_some(), "{error:?}");
            assert!(!format!("{error:?}").contains("tiger"), "{error:?}");
        }
        let environment = Environment::of(&[], Path::new("/nonexistent"), &[]);
        let missing = "mysql://h?defaults-file=/nonexistent/c.cnf".parse().unwrap();
        assert!(super::super::canonical(&missing, &environment).unwrap_err().message.contains("cannot be read"));
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join(".my.cnf");
        std::fs::write(&file, "[client]\nuser=mallory\n").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o646)).unwrap();
        let environment = Environment::of(&[], home.path(), &[]);
        let error = super::super::canonical(&"mysql://h".parse().unwrap(), &environment).unwrap_err();
        assert!(error.message.contains("written by everybody"), "{error:?}");
    }

    proptest! {
        #[test]
        fn no_option_file_panics(text in "[\\PC\n]*") {
            let _ = options_of(&text, Path::new("f"));
            let _ = value_of(&text);
        }
    }
}
