//! Services: parameters under a name, in `~/.pg_service.conf` (PostgreSQL manual, "The Connection Service File").

use std::path::{Path, PathBuf};

use engine::{Error, Kind, Result, Secret, Target};
use transport::{Environment, plain_message};

use super::parameter::KNOWN;

/// The file of all users: in the directory `PGSYSCONFDIR`, or in that of Debian's packages.
const SYSTEM_FILE: &str = "pg_service.conf";
const SYSTEM_DIRECTORY: &str = "/etc/postgresql-common";

/// `target` without the parameters `service` and `servicefile`, completed by the service that they name.
pub(super) fn completed(target: &Target, environment: &Environment) -> Result<Target> {
    let mut target = target.clone();
    let mut take = |name: &str| {
        let value = target.parameter(name).map(str::to_owned);
        target.parameters.retain(|(known, _)| known != name);
        value.filter(|value| !value.is_empty())
    };
    let (name, file) = (take("service"), take("servicefile"));
    let Some(name) = name else { return Ok(target) };
    for path in files(file.map(PathBuf::from), environment) {
        // A device would never end.
        if std::fs::metadata(&path).is_ok_and(|about| !about.is_file()) {
            let message = format!("the service file {} is not a file", path.display());
            return Err(Error::new(Kind::Usage, message).hint("give a file with a group [SERVICE]"));
        }
        let text = match std::fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => {
                let message = format!("the service file {} cannot be read: {}", path.display(), plain_message(&error));
                return Err(Error::new(Kind::Usage, message).hint("give a file that you may read"));
            }
        };
        if let Some((parameters, password)) = find(&String::from_utf8_lossy(&text), &name, &path)? {
            complete(&mut target, parameters, password);
            return Ok(target);
        }
    }
    let message = format!("the definition of service {name} is not found");
    Err(Error::new(Kind::Usage, message)
        .hint(format!("write it into ~/.pg_service.conf: [{name}], then host=..., dbname=...")))
}

/// Adds what `service` says and `target` does not, option by option as libpq does.
fn complete(target: &mut Target, service: Vec<(String, String)>, password: Option<Secret>) {
    let given = target.clone();
    let is_given = |name: &str| {
        let names_host = !given.addresses.is_empty() || given.parameter("host").is_some();
        given.parameter(name).is_some()
            || match name {
                "user" => given.user.is_some(),
                "dbname" => given.database.is_some(),
                "host" | "hostaddr" => names_host,
                "port" => given.addresses.iter().any(|address| address.port.is_some()),
                _ => false,
            }
    };
    target.parameters.extend(service.into_iter().filter(|(name, _)| !is_given(name)));
    target.password = target.password.take().or(password);
}

/// The files in which services are looked up, in order.
fn files(given: Option<PathBuf>, environment: &Environment) -> Vec<PathBuf> {
    let own = given.or_else(|| environment.variable("PGSERVICEFILE").map(PathBuf::from));
    let own = own.or_else(|| environment.home().map(|home| home.join(".pg_service.conf")));
    let system = environment.variable("PGSYSCONFDIR").map_or_else(|| SYSTEM_DIRECTORY.into(), PathBuf::from);
    own.into_iter().chain([system.join(SYSTEM_FILE)]).collect()
}

/// Parameters of a service, in order, and its password.
type Service = (Vec<(String, String)>, Option<Secret>);

/// The service `name` in the text of the file at `path`. Lines are not quoted in errors: one may hold a password.
fn find(text: &str, name: &str, path: &Path) -> Result<Option<Service>> {
    let (mut found, mut inside): (Option<Service>, bool) = (None, false);
    for (line, number) in text.lines().map(str::trim).zip(1..) {
        let wrong = |problem: String, hint: &str| {
            let message = format!("{}, line {number}: {problem}", path.display());
            Err(Error::new(Kind::Usage, message).hint(hint))
        };
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(group) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            // The first definition counts.
            inside = group == name && found.is_none();
            if inside {
                found = Some(Service::default());
            }
            continue;
        }
        let Some((parameters, password)) = found.as_mut().filter(|_| inside) else { continue };
        let Some((key, value)) = line.split_once('=') else {
            return wrong(
                "it is neither [SERVICE] nor NAME=VALUE".to_owned(),
                "write one parameter in a line (ldap: is not read)",
            );
        };
        let (key, value) = (key.trim(), value.trim().to_owned());
        match key {
            "password" => *password = Some(Secret::new(value)),
            "service" | "servicefile" => {
                return wrong(format!("a service has no parameter {key}"), "services cannot be nested");
            }
            key if KNOWN.contains(&key) => parameters.push((key.to_owned(), value)),
            _ => return wrong("its parameter is not supported".to_owned(), "give parameters that a target takes, too"),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "# ours\n[other]\nhost=h0\nthis is not read\n\n[shop]\n host = db1 \nport=6000\ndbname=sales\nuser=ann\n\
                        password=ti=ger\nsslmode=require\n[shop]\nhost=late\n";

    fn completed_by(text: &str, url: &str) -> Result<Target> {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join(".pg_service.conf"), text).unwrap();
        let environment = Environment::of(&[("PGSYSCONFDIR", "/nonexistent")], home.path(), &[]);
        crate::connect::canonical(&url.parse().unwrap(), &environment)
    }

    #[test]
    fn a_service_gives_what_the_target_does_not() {
        let whole = completed_by(TEXT, "postgres://?service=shop").unwrap();
        assert_eq!(whole.to_string(), "postgres://ann@db1:6000/sales?sslmode=require");
        assert_eq!(whole.password.unwrap().reveal(), "ti=ger");
        for (url, expected) in [
            ("postgres://bob@h/x?service=shop&sslmode=disable", "postgres://bob@h:6000/x?sslmode=disable"),
            ("postgres://h:7?service=shop&user=eve", "postgres://eve@h:7/sales?sslmode=require"),
        ] {
            assert_eq!(completed_by(TEXT, url).unwrap().to_string(), expected, "{url}");
        }
        let given = completed_by(TEXT, "postgres://bob:word@h/x?service=shop").unwrap();
        assert_eq!(given.password.unwrap().reveal(), "word");
    }

    #[test]
    fn a_file_may_be_named() {
        let home = tempfile::tempdir().unwrap();
        let (one, two) = (home.path().join("one"), home.path().join("two"));
        std::fs::write(&one, "[s]\nhost=h1\n").unwrap();
        std::fs::write(&two, "[s]\nhost=h2\n").unwrap();
        let variables = [("PGSERVICEFILE", one.to_str().unwrap()), ("PGSYSCONFDIR", "/nonexistent")];
        let environment = Environment::of(&variables, home.path(), &[]);
        let of = |url: String| crate::connect::canonical(&url.parse().unwrap(), &environment).unwrap().to_string();
        assert_eq!(of("postgres://?service=s".to_owned()), "postgres://h1");
        assert_eq!(of(format!("postgres://?service=s&servicefile={}", two.display())), "postgres://h2");
    }

    #[test]
    fn what_is_wrong_is_told_by_its_line_alone() {
        for (text, word) in [
            ("[shop]\nhost=h\ntiger\n", "line 3"),
            ("[shop]\npasword=tiger\n", "line 2"),
            ("[shop]\nservice=tiger\n", "no parameter service"),
            ("[other]\npassword=tiger\n", "service shop is not found"),
        ] {
            let error = completed_by(text, "postgres://?service=shop").unwrap_err();
            assert_eq!(error.kind, Kind::Usage);
            assert!(error.message.contains(word) && error.hint.is_some(), "{error:?}");
            assert!(!format!("{error:?}").contains("tiger"), "{error:?}");
        }
    }

    proptest! {
        #[test]
        fn no_service_file_panics(text in "(\\[?[a-z=\\]\n# ]{0,9}){0,9}") {
            let _ = find(&text, "s", Path::new("f"));
        }
    }
}
