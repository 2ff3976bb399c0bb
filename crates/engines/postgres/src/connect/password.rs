//! Where a password comes from: the target, PGPASSWORD, or the password file, in the rules of libpq.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use engine::{Secret, Target};

use transport::Surroundings;

use super::Place;

/// What a line of the password file must fit.
pub(super) struct Asked<'a> {
    pub(super) place: &'a Place,
    pub(super) user: &'a str,
    pub(super) database: &'a str,
}

/// The password, and a hint where a password file is there and was not used.
pub(super) fn find(
    target: &Target,
    surroundings: &Surroundings,
    asked: &Asked<'_>,
) -> (Option<Secret>, Option<String>) {
    if let Some(password) = &target.password {
        return (Some(password.clone()), None);
    }
    if let Some(password) = surroundings.variable("PGPASSWORD") {
        return (Some(Secret::new(password)), None);
    }
    let named = surroundings.variable("PGPASSFILE").map(PathBuf::from);
    let Some(path) = named.or_else(|| surroundings.home().map(|home| home.join(".pgpass"))) else {
        return (None, None);
    };
    match usable(&path) {
        None => (None, None),
        Some(false) => {
            let path = path.display();
            (None, Some(format!("password file {path} is ignored because others may read it: chmod 0600 {path}")))
        }
        Some(true) => {
            let text = std::fs::read(&path).unwrap_or_default();
            let hosts = host_names(asked.place, &surroundings.sockets);
            (in_file(&String::from_utf8_lossy(&text), &hosts, asked).map(Secret::new), None)
        }
    }
}

/// Whether the file is there, and if so, whether only its owner may read it.
fn usable(path: &Path) -> Option<bool> {
    let about = std::fs::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    Some(about.mode() & 0o077 == 0)
}

/// The names under which the file may know the host; a server at a default socket is `localhost`.
fn host_names(place: &Place, defaults: &[PathBuf]) -> Vec<String> {
    match place {
        Place::Tcp { host, .. } => vec![host.clone()],
        Place::Unix { directory, .. } => {
            let local = defaults.contains(directory).then(|| "localhost".to_owned());
            local.into_iter().chain([directory.display().to_string()]).collect()
        }
    }
}

/// The password of the first line that fits.
fn in_file(text: &str, hosts: &[String], asked: &Asked<'_>) -> Option<String> {
    let port = match asked.place {
        Place::Unix { port, .. } | Place::Tcp { port, .. } => port.to_string(),
    };
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields = split(line);
        let [host, port_wanted, database, user, password] = fields.as_slice() else { return None };
        let fits = |wanted: &Field, value: &str| wanted.any || wanted.text == value;
        let all = hosts.iter().any(|name| fits(host, name))
            && fits(port_wanted, &port)
            && fits(database, asked.database)
            && fits(user, asked.user);
        all.then(|| password.text.clone())
    })
}

/// A field of a line; `any` where it is a bare asterisk.
#[derive(Default)]
struct Field {
    text: String,
    any: bool,
}

/// The five fields of a line; a backslash takes the next letter as it is. What follows a fifth colon belongs to nobody.
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

    fn found(text: &str, place: &Place) -> Option<String> {
        let hosts = host_names(place, &["/var/run/postgresql".into()]);
        in_file(text, &hosts, &Asked { place, user: "ann", database: "shop" })
    }

    #[test]
    fn the_first_line_that_fits_counts() {
        let place = Place::Tcp { host: "db".into(), port: 5432 };
        assert_eq!(found("db:5432:shop:ann:one\n*:*:*:*:two", &place).as_deref(), Some("one"));
        assert_eq!(found("db:5433:shop:ann:one\n*:*:*:*:two", &place).as_deref(), Some("two"));
        assert_eq!(found("# db:5432:shop:ann:one\ndb:*:*:bob:x", &place), None);
        assert_eq!(found(r"db:5432:shop:ann:a\:b\\c", &place).as_deref(), Some(r"a:b\c"));
        assert_eq!(found(r"\*:5432:shop:ann:x", &place), None);
        assert_eq!(found("db:5432:shop", &place), None);
    }

    #[test]
    fn a_default_socket_is_localhost_and_another_one_its_directory() {
        let default = Place::Unix { directory: "/var/run/postgresql".into(), port: 5432 };
        assert_eq!(found("localhost:5432:*:*:one", &default).as_deref(), Some("one"));
        let other = Place::Unix { directory: "/srv/pg".into(), port: 5432 };
        assert_eq!(found("localhost:5432:*:*:one\n/srv/pg:*:*:*:two", &other).as_deref(), Some("two"));
    }

    #[test]
    fn a_file_that_others_may_read_is_not_used_and_the_user_is_told() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join(".pgpass");
        std::fs::write(&file, "*:*:*:*:secret\n").unwrap();
        let surroundings = Surroundings::of(&[], home.path(), &[]);
        let place = Place::Tcp { host: "db".into(), port: 5432 };
        let asked = Asked { place: &place, user: "ann", database: "shop" };
        let target: Target = "postgres://db".parse().unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        let (password, hint) = find(&target, &surroundings, &asked);
        assert!(password.is_none() && hint.unwrap().contains("chmod 0600"));
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
        let (password, hint) = find(&target, &surroundings, &asked);
        assert_eq!((password.unwrap().reveal(), hint), ("secret", None));
    }

    proptest! {
        #[test]
        fn arbitrary_lines_never_panic(line in ".*") {
            prop_assert!(split(&line).len() <= 5);
        }
    }
}
