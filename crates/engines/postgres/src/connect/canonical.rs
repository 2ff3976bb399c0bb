//! A target as the connection takes it: user, database and addresses at their places, completed by its service.

use engine::{Address, Error, Kind, Result, Target};
use transport::Environment;

use super::parameter::{check, port, refused};
use super::service;

/// `target` with user, database and addresses at their places, completed by its service; without a host the port stays a
/// parameter. What is canonical stays as it is.
pub(crate) fn canonical(target: &Target, environment: &Environment) -> Result<Target> {
    check(target)?;
    let mut target = service::completed(target, environment)?;
    let mut take = |name: &str| {
        let value = target.parameter(name).map(str::to_owned);
        target.parameters.retain(|(known, _)| known != name);
        value.filter(|value| !value.is_empty())
    };
    let (user, database) = (take("user"), take("dbname"));
    // As libpq: the JDBC driver's word.
    let ssl = take("ssl");
    let (hosts, ports) = (take("host"), take("port"));
    match ssl.as_deref() {
        None => {}
        Some("true") if target.parameter("sslmode").is_some() => {}
        Some("true") => target.parameters.push(("sslmode".to_owned(), "require".to_owned())),
        Some(_) => return Err(refused("ssl", "is not true", "say it with sslmode, such as sslmode=disable")),
    }
    target.user = user.or(target.user);
    target.database = database.or(target.database);
    place_hosts(&mut target, environment, hosts.as_deref(), ports.as_deref())?;
    Ok(target)
}

/// Sets the addresses of `target` from the lists `hosts` and `ports`, by the rules of libpq: a parameter takes precedence
/// over the URL; one port is that of all hosts.
fn place_hosts(target: &mut Target, environment: &Environment, hosts: Option<&str>, ports: Option<&str>) -> Result<()> {
    if target.addresses.len() > 1 && hosts.is_some() {
        let message = format!("target {target} gives hosts twice, before the database and with host=");
        return Err(Error::new(Kind::Usage, message).hint("omit host="));
    }
    let numbers = target.parameter("hostaddr").filter(|list| !list.is_empty()).map(str::to_owned);
    let listed = hosts.map(str::to_owned).or_else(|| {
        let is_named = !target.addresses.is_empty();
        let default = || numbers.clone().or_else(|| environment.variable("PGHOST"));
        if is_named { None } else { default() }
    });
    if let Some(list) = &listed {
        let port = target.addresses.first().and_then(|address| address.port);
        let names: Vec<&str> = list.split(',').map(str::trim).collect();
        if names.iter().any(|name| name.is_empty()) {
            return Err(refused("host", "has an empty host in its list", "name each host, such as host=h1,h2"));
        }
        target.addresses = names.iter().map(|name| Address { host: (*name).to_owned(), port }).collect();
    }
    let count = target.addresses.len();
    if let Some(numbers) = numbers.filter(|list| list.split(',').count() != count) {
        let message =
            format!("target parameter hostaddr has {} addresses for {count} hosts", numbers.split(',').count());
        return Err(Error::new(Kind::Usage, message).hint("give one for each host, in the same order"));
    }
    let has_ports = target.addresses.iter().any(|address| address.port.is_some());
    let default = || if has_ports { None } else { environment.variable("PGPORT") };
    let Some(ports) = ports.map(str::to_owned).or_else(default) else { return Ok(()) };
    let ports: Vec<Option<u16>> = ports.split(',').map(port).collect::<Result<_>>()?;
    match (ports.as_slice(), count) {
        ([port], 0) => {
            // Of the socket in a default directory.
            target.parameters.extend(port.map(|port| ("port".to_owned(), port.to_string())));
        }
        ([port], _) => target.addresses.iter_mut().for_each(|address| address.port = *port),
        (ports, count) if ports.len() == count => {
            target.addresses.iter_mut().zip(ports).for_each(|(address, port)| address.port = *port);
        }
        (ports, _) => {
            let message = format!("target parameter port has {} ports for {count} hosts", ports.len());
            return Err(Error::new(Kind::Usage, message).hint("give one port for all hosts, or one for each"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, variables: &[(&str, &str)]) -> Result<String> {
        let environment = Environment::of(variables, std::path::Path::new("/nonexistent"), &[]);
        let found = canonical(&text.parse().unwrap(), &environment)?;
        assert_eq!(canonical(&found, &environment)?, found, "it stays as it is");
        Ok(found.to_string())
    }

    #[test]
    fn what_a_url_gives_as_parameters_is_put_at_its_place() {
        for (given, canonical) in [
            ("postgres://h/d?user=ann&dbname=shop", "postgres://ann@h/shop"),
            ("postgres://bob@h/d?user=ann", "postgres://ann@h/d"),
            ("postgres://bob@h/d?user=&dbname=", "postgres://bob@h/d"),
            ("postgres:///d?host=h1,h2&port=1,2", "postgres://h1:1,h2:2/d"),
            ("postgres:///d?host=h1,h2&port=,2", "postgres://h1,h2:2/d"),
            ("postgres://h1,h2/d?port=7", "postgres://h1:7,h2:7/d"),
            ("postgres://h1:5/d?host=/tmp/x", "postgres://%2Ftmp%2Fx:5/d"),
            ("postgres:///d?hostaddr=10.0.0.1", "postgres://10.0.0.1/d?hostaddr=10.0.0.1"),
            ("postgres://h/d?ssl=true", "postgres://h/d?sslmode=require"),
            ("postgres://h/d?sslmode=verify-full&ssl=true", "postgres://h/d?sslmode=verify-full"),
            ("postgres:///d?port=7", "postgres:///d?port=7"),
        ] {
            assert_eq!(of(given, &[]).unwrap(), canonical, "{given}");
        }
        let variables = [("PGHOST", "h1,h2"), ("PGPORT", "7")];
        assert_eq!(of("postgres:///d", &variables).unwrap(), "postgres://h1:7,h2:7/d");
        assert_eq!(of("postgres://h/d", &variables).unwrap(), "postgres://h:7/d");
        assert_eq!(of("postgres://h:5/d", &variables).unwrap(), "postgres://h:5/d");
    }

    #[test]
    fn what_cannot_be_honoured_is_refused_by_name_with_a_fitting_hint() {
        for (given, message, hint) in [
            ("gssencmode=require", "gssencmode = require", "sslmode=require"),
            ("client_encoding=LATIN1", "client_encoding", "UTF8"),
            ("sslcrl=/c", "sslcrl", "revocation"),
            ("krbsrvname=x", "krbsrvname", "scram-sha-256"),
            ("load_balance_hosts=random", "load_balance_hosts", "spread evenly"),
            ("ssl-mode=REQUIRED", "ssl-mode is unknown", "did you mean sslmode?"),
            ("connectTimeout=3", "connectTimeout is unknown", "did you mean connect_timeout?"),
            ("work_mem=1GB", "work_mem is unknown", "options=-c%20work_mem%3DVALUE"),
            ("host=a,,b", "empty host", "name each host"),
            ("host=a,b&port=1,2,3", "3 ports for 2 hosts", "one for each"),
            ("hostaddr=10.0.0.1,10.0.0.2&host=h", "2 addresses for 1 hosts", "one for each"),
            ("port=x", "port x is not a number", "5432"),
            ("ssl=1", "ssl is not true", "sslmode"),
        ] {
            let error = of(&format!("postgres:///d?{given}"), &[]).unwrap_err();
            assert_eq!(error.kind, Kind::Usage, "{given}");
            assert!(error.message.contains(message), "{given}: {error}");
            assert!(error.hint.as_deref().is_some_and(|text| text.contains(hint)), "{given}: {error:?}");
        }
        for accepted in
            ["gssencmode=disable", "gssencmode=prefer", "client_encoding=UTF8", "load_balance_hosts=disable"]
        {
            of(&format!("postgres://h/d?{accepted}"), &[]).expect(accepted);
        }
        let error = of("postgres:///d", &[("PGPORT", "5432 password=tiger")]).unwrap_err();
        assert!(!format!("{error:?}").contains("tiger"), "{error:?}");
    }
}
