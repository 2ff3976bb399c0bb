//! A target as the connection takes it: user, database and addresses at their places, completed by its option file.

use engine::{Address, Result, Target, shown};
use transport::Environment;

use super::option_file;
use super::parameter::{checked, uniform, usage};

/// `target` completed by its option file, with user, database and address at their places, and the words of libpq for all
/// that concerns TLS. What is canonical stays as it is.
pub(crate) fn canonical(target: &Target, environment: &Environment) -> Result<Target> {
    let mut canonical = target.clone();
    canonical.parameters = uniform(checked(target)?)?;
    option_file::complete(&mut canonical, environment)?;
    let mut take = |name: &str| {
        let value = canonical.parameter(name).map(str::to_owned);
        canonical.parameters.retain(|(known, _)| known != name);
        value.filter(|value| !value.is_empty())
    };
    let (user, database, host, port) = (take("user"), take("database"), take("host"), take("port"));
    canonical.user = user.or(canonical.user);
    canonical.database = database.or(canonical.database);
    if let Some(host) = host {
        if !canonical.addresses.is_empty() {
            return Err(usage(
                "the target gives a host twice, before the database and with host=".to_owned(),
                "omit host=",
            ));
        }
        canonical.addresses = vec![Address { host, port: None }];
    }
    if let Some(text) = port {
        let port: Option<u16> = text.parse().ok().filter(|port| *port > 0);
        let wrong =
            || usage(format!("port {} is not a number from 1 to 65535", shown(&text)), "give a port such as 3306");
        let port = Some(port.ok_or_else(wrong)?);
        match canonical.addresses.as_mut_slice() {
            [] => canonical.addresses = vec![Address { host: "localhost".to_owned(), port }],
            addresses => addresses.iter_mut().for_each(|address| address.port = port),
        }
    }
    Ok(canonical)
}

#[cfg(test)]
mod tests {
    use engine::Kind;

    use super::super::parameter::versions;
    use super::*;

    fn of(text: &str) -> Result<String> {
        let environment = Environment::of(&[], std::path::Path::new("/nonexistent"), &[]);
        let found = canonical(&text.parse().unwrap(), &environment)?;
        assert_eq!(canonical(&found, &environment)?, found, "it stays as it is");
        Ok(found.to_string())
    }

    #[test]
    fn the_words_of_both_clients_and_of_libpq_mean_the_same() {
        for (given, canonical) in [
            ("ssl-mode=REQUIRED", "sslmode=require"),
            ("ssl_mode=verify_identity&ssl-ca=/ca", "sslmode=verify-full&sslrootcert=%2Fca"),
            ("sslMode=PREFERRED", "sslmode=prefer"),
            ("sslmode=verify-ca&sslrootcert=/ca", "sslmode=verify-ca&sslrootcert=%2Fca"),
            ("ssl=true", "sslmode=require"),
            ("ssl=0", "sslmode=disable"),
            ("ssl-ca=/ca", "sslmode=verify-ca&sslrootcert=%2Fca"),
            ("ssl-verify-server-cert=1", "sslmode=verify-full"),
            ("ssl-mode=REQUIRED&ssl_verify_server_cert=0", "sslmode=require"),
            ("ssl-cert=/c&ssl-key=/k", "sslcert=%2Fc&sslkey=%2Fk"),
            ("default-character-set=utf8mb4&connect-timeout=3", "connect_timeout=3"),
        ] {
            assert_eq!(
                of(&format!("mysql://ann@h/d?{given}")).unwrap(),
                format!("mysql://ann@h/d?{canonical}"),
                "{given}"
            );
        }
        assert_eq!(of("mysql:///?host=h&port=7&user=ann&database=d").unwrap(), "mysql://ann@h:7/d");
    }

    #[test]
    fn what_cannot_be_honoured_is_refused_by_name_with_a_fitting_hint() {
        for (given, message, hint) in [
            ("ssl-crl=/c", "ssl-crl is not supported", "revocation"),
            ("tls=skip-verify", "tls is not supported", "ssl-mode=REQUIRED"),
            ("useSSL=true", "usessl is not supported", "ssl-mode=REQUIRED"),
            ("compress=1", "compress", "not compressed"),
            ("sslmode=allow", "sslmode allow is unknown", "prefer"),
            ("ssl-mode=MAYBE", "MAYBE", "verify-full"),
            ("innodb_buffer_pool_size=1G", "innodb_buffer_pool_size is unknown", "options of the client"),
            ("connectTimeout=3", "connectTimeout is unknown", "did you mean connect_timeout?"),
            ("default-character-set=latin1", "latin1", "utf8mb4"),
            ("ssl=maybe", "ssl=maybe", "use 1"),
            ("port=0", "port 0", "3306"),
            ("host=h2", "twice", "omit host="),
        ] {
            let error = of(&format!("mysql://h/d?{given}")).unwrap_err();
            assert_eq!(error.kind, Kind::Usage, "{given}");
            assert!(error.message.contains(message), "{given}: {error}");
            assert!(error.hint.as_deref().is_some_and(|text| text.contains(hint)), "{given}: {error:?}");
        }
        assert_eq!(versions(Some("TLSv1.1,TLSv1.2")).unwrap(), (None, Some("TLSv1.2")));
        assert_eq!(versions(Some("TLSv1")).unwrap_err().kind, Kind::Usage);
    }
}
