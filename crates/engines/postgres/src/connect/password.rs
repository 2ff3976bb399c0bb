//! Source of the password: the target, PGPASSWORD, or the password file, by the rules of libpq.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use engine::{Secret, Target};

use transport::Environment;

use super::ServerAddress;

/// What a line of the password file must match.
pub(super) struct Lookup<'a> {
    pub(super) address: &'a ServerAddress,
    pub(super) user: &'a str,
    pub(super) database: &'a str,
}

/// The password, and a hint if a password file exists and was ignored.
pub(super) fn find(
    target: &Target,
    environment: &Environment,
    lookup: &Lookup<'_>,
) -> (Option<Secret>, Option<String>) {
    if let Some(password) = &target.password {
        return (Some(password.clone()), None);
    }
    if let Some(password) = environment.variable("PGPASSWORD") {
        return (Some(Secret::new(password)), None);
    }
    let named = target.parameter("passfile").filter(|path| !path.is_empty()).map(PathBuf::from);
    let is_named = named.is_some();
    let named = named.or_else(|| environment.variable("PGPASSFILE").map(PathBuf::from));
    let Some(path) = named.or_else(|| environment.home().map(|home| home.join(".pgpass"))) else {
        return (None, None);
    };
    match is_private(&path) {
        None if is_named => (None, Some(format!("password file {} does not exist", path.display()))),
        None => (None, None),
        Some(false) => {
            let path = path.display();
            (None, Some(format!("password file {path} is ignored because others may read it: chmod 0600 {path}")))
        }
        Some(true) => {
            let text = std::fs::read(&path).unwrap_or_default();
            let hosts = host_names(lookup.address, &environment.sockets);
            (find_in_file(&String::from_utf8_lossy(&text), &hosts, lookup).map(Secret::new), None)
        }
    }
}

/// `None` if the file does not exist; else whether only its owner may read it.
fn is_private(path: &Path) -> Option<bool> {
    let about = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    Some(about.mode() & 0o077 == 0)
}

/// The host names to match; a server at a default socket is `localhost`.
fn host_names(address: &ServerAddress, defaults: &[PathBuf]) -> Vec<String> {
    match address {
        ServerAddress::Tcp { host, .. } => vec![host.clone()],
        ServerAddress::Unix { directory, .. } => {
            let local = defaults.contains(directory).then(|| "localhost".to_owned());
            local.into_iter().chain([directory.display().to_string()]).collect()
        }
    }
}

/// The password of the first matching line.
fn find_in_file(text: &str, hosts: &[String], lookup: &Lookup<'_>) -> Option<String> {
    let port = match lookup.address {
        ServerAddress::Unix { port, .. } | ServerAddress::Tcp { port, .. } => port.to_string(),
    };
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields = split(line);
        let [host, port_wanted, database, user, password] = fields.as_slice() else { return None };
        let fits = |wanted: &Field, value: &str| wanted.any || wanted.text == value;
        let all = hosts.iter().any(|name| fits(host, name))
            && fits(port_wanted, &port)
            && fits(database, lookup.database)
            && fits(user, lookup.user);
        all.then(|| password.text.clone())
    })
}

/// A field of a line; `any` for an unescaped asterisk.
#[derive(Default)]
struct Field {
    text: String,
    any: bool,
}

/// The five fields of a line; a backslash escapes the next character. Text after a fifth colon is ignored.
fn split(line: &str) -> Vec<Field> {
    let mut fields = vec![Field::default()];
    let (mut letters, mut escaped) = (line.chars(), false);
    while let Some(letter) = letters.next() {
        let Some(field) = fields.last_mut() else { break };
        match letter {
            '\\' => {
                field.text.extend(letters.next());
                escaped = true;
            }
            ':' => {
                field.any = field.text == "*" && !escaped;
                escaped = false;
                if fields.len() == 5 {
                    break;
                }
                fields.push(Field::default());
            }
            other => field.text.push(other),
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::os::unix::fs::PermissionsExt;

    fn found(text: &str, address: &ServerAddress) -> Option<String> {
        let hosts = host_names(address, &["/var/run/postgresql".into()]);
        find_in_file(text, &hosts, &Lookup { address, user: "ann", database: "shop" })
    }

    #[test]
    fn the_first_matching_line_is_used() {
        let address = ServerAddress::Tcp { host: "db".into(), port: 5432 };
        assert_eq!(found("db:5432:shop:ann:one\n*:*:*:*:two", &address).as_deref(), Some("one"));
        assert_eq!(found("db:5433:shop:ann:one\n*:*:*:*:two", &address).as_deref(), Some("two"));
        assert_eq!(found("# db:5432:shop:ann:one\ndb:*:*:bob:x", &address), None);
        assert_eq!(found(r"db:5432:shop:ann:a\:b\\c", &address).as_deref(), Some(r"a:b\c"));
        assert_eq!(found(r"\*:5432:shop:ann:x", &address), None);
        assert_eq!(found("db:5432:shop", &address), None);
    }

    #[test]
    fn a_default_socket_is_localhost_and_another_one_its_directory() {
        let default = ServerAddress::Unix { directory: "/var/run/postgresql".into(), port: 5432 };
        assert_eq!(found("localhost:5432:*:*:one", &default).as_deref(), Some("one"));
        let other = ServerAddress::Unix { directory: "/srv/pg".into(), port: 5432 };
        assert_eq!(found("localhost:5432:*:*:one\n/srv/pg:*:*:*:two", &other).as_deref(), Some("two"));
    }

    #[test]
    fn a_file_that_others_may_read_is_ignored_with_a_hint() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join(".pgpass");
        std::fs::write(&file, "*:*:*:*:secret\n").unwrap();
        let environment = Environment::of(&[], home.path(), &[]);
        let address = ServerAddress::Tcp { host: "db".into(), port: 5432 };
        let lookup = Lookup { address: &address, user: "ann", database: "shop" };
        let target: Target = "postgres://db".parse().unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        let (password, hint) = find(&target, &environment, &lookup);
        assert!(password.is_none() && hint.unwrap().contains("chmod 0600"));
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        let (password, hint) = find(&target, &environment, &lookup);
        assert_eq!((password.unwrap().reveal(), hint), ("secret", None));
        let named = home.path().join("other");
        let target: Target = format!("postgres://db?passfile={}", named.display()).parse().unwrap();
        let (password, hint) = find(&target, &environment, &lookup);
        assert!(password.is_none() && hint.unwrap().contains("does not exist"), "not that of the home directory");
        std::fs::rename(&file, &named).unwrap();
        assert_eq!(find(&target, &environment, &lookup).0.unwrap().reveal(), "secret");
    }

    proptest! {
        #[test]
        fn arbitrary_lines_never_panic(line in ".*") {
            prop_assert!(split(&line).len() <= 5);
        }
    }
}
