use proptest::prelude::*;

use super::secret::is_secret;
use super::*;

fn parsed(text: &str) -> Target {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn problem(text: &str) -> String {
    text.parse::<Target>().expect_err(text).problem
}

#[test]
fn a_bare_name_is_an_embedded_engine() {
    for text in ["sqlite", "sqlite:", "sqlite://"] {
        let target = parsed(text);
        assert_eq!((target.scheme.as_str(), target.local), ("sqlite", false));
        assert!(target.addresses.is_empty() && target.database.is_none());
        assert_eq!(target.to_string(), "sqlite");
    }
}

#[test]
fn local_names_a_temporary_server_with_its_settings() {
    let target = parsed("local:postgres?shared_buffers=2GB&fsync=off&fsync=on");
    assert!(target.local);
    assert_eq!(target.parameter("shared_buffers"), Some("2GB"));
    assert_eq!(target.parameter("fsync"), Some("on"), "the last one counts");
    assert_eq!(target.parameter("jit"), None);
    assert_eq!(target.to_string(), "local:postgres?shared_buffers=2GB&fsync=off&fsync=on");
}

#[test]
fn a_url_has_login_hosts_ports_database_and_parameters() {
    let target = parsed("postgres://scott:ti%40ger@db1:5433,[::1]:5434,%2Frun%2Fpg/sales?sslmode=require");
    assert_eq!(target.user.as_deref(), Some("scott"));
    assert_eq!(target.password.as_ref().map(Secret::reveal), Some("ti@ger"));
    let hosts: Vec<(&str, Option<u16>)> = target.addresses.iter().map(|at| (at.host.as_str(), at.port)).collect();
    assert_eq!(hosts, [("db1", Some(5433)), ("::1", Some(5434)), ("/run/pg", None)]);
    assert_eq!(target.database.as_deref(), Some("sales"));
    assert_eq!(target.parameter("sslmode"), Some("require"));
    assert_eq!(target.to_string(), "postgres://scott@db1:5433,[::1]:5434,%2Frun%2Fpg/sales?sslmode=require");
}

#[test]
fn an_empty_host_means_the_default_place() {
    let target = parsed("postgres:///sales");
    assert!(target.addresses.is_empty());
    assert_eq!(target.database.as_deref(), Some("sales"));
    assert_eq!(parsed("postgres://scott@/sales").user.as_deref(), Some("scott"));
    assert_eq!(parsed("postgres://db1:/").addresses, [Address { host: "db1".to_owned(), port: None }]);
}

#[test]
fn a_password_parameter_is_a_password_wherever_it_stands() {
    for text in ["postgres://scott:old@db1?password=tiger", "local:postgres?password=x&password=tiger"] {
        let target = parsed(text);
        assert_eq!(target.password.as_ref().map(Secret::reveal), Some("tiger"));
        assert!(target.parameters.is_empty(), "{:?}", target.parameters);
        assert!(!format!("{target} {target:?}").contains("tiger"));
    }
    assert!(problem("postgres://db1?sslpassword=tiger").contains("looks like a password"));
}

#[test]
fn an_address_of_ipv6_is_shown_as_it_was_written() {
    for text in ["oracle://ann@[::0]:2484/s", "postgres://[0:0::1]/x", "mysql://[::FFFF:192.0.2.1]/x"] {
        assert_eq!(parsed(text).to_string(), text);
        assert_eq!(parsed(&parsed(text).to_string()), parsed(text));
    }
}

#[test]
fn what_is_not_a_target_is_refused_with_its_reason() {
    for text in ["", ":", "local:", "1two", "a b", "local:a/b", "//host", "sqlite:/path"] {
        assert_eq!(problem(text), "does not name an engine", "{text}");
    }
    assert_eq!(problem("://host"), "does not start with a scheme");
    for port in ["0", "65536", "+1", "-1", "x", "5432x", "1:2"] {
        assert!(problem(&format!("postgres://db1:{port}/x")).contains("port"), "{port}");
    }
    assert_eq!(problem("postgres://[::1/x"), "has a [ without a ]");
    assert!(problem("postgres://[::1]5432/x").contains("between"));
    for text in ["postgres://db1,/x", "postgres://:5432/x", "postgres://[]:1/x"] {
        assert_eq!(problem(text), "has an empty host", "{text}");
    }
    assert!(problem("postgres://db1/x?fsync").contains("name=value"));
    assert!(problem("postgres://db1/x?=on").contains("without a name"));
    for text in ["postgres://db1/%ff", "postgres://%ff/x", "postgres://%ff@db1/x", "null?a=%ff"] {
        assert!(problem(text).contains("UTF-8"), "{text}");
    }
}

#[test]
fn an_error_has_the_scheme_alone_and_a_fitting_hint() {
    let error = |text: &str| text.parse::<Target>().expect_err(text);
    for (text, scheme, hint) in [
        ("postgres://scott:tiger@db1:x/sales", Some("postgres"), "host:PORT"),
        ("postgres:scott:tiger@db1", None, "SCHEME://user@host"),
        ("postgres://scott:tiger", Some("postgres"), "between user and @"),
        ("postgres://scott:12/34@db1/sales", Some("postgres"), "%2F for /"),
        ("oracle://scott/tiger@db1/service", Some("oracle"), "after a colon"),
        ("postgres://db1?a=1&sslPassword=tiger&b=2", Some("postgres"), "decrypted"),
        ("postgres://db1/shop;Pwd=tiger", Some("postgres"), "?password="),
        ("postgres://db1?options=-c%20my.password%3Dtiger", Some("postgres"), "?password="),
        ("local:postgres?password=top&tiger=1", Some("postgres"), "%26"),
        ("postgres://scott@::1/sales", Some("postgres"), "[::1]"),
        ("postgres://scott@fe80::1%eth0/sales", Some("postgres"), "[::1]"),
        ("postgres://scott@2001:db8::7:5432:x/sales", Some("postgres"), "host:PORT"),
        ("postgres://scott@2001:db8::7::5432/sales", Some("postgres"), "[::1]"),
        ("jdbc:postgresql://db1/sales?password=tiger", None, "leave out jdbc:"),
        ("jdbc:oracle:thin:scott/tiger@//db1:1521/sales", None, "leave out jdbc: and thin:"),
        ("scott:tiger@tcp(db1:3306)/sales", None, "without tcp(...)"),
        ("mysql://scott:tiger@tcp(db1:3306)/sales", Some("mysql"), "without tcp(...)"),
        ("host=db1 password=tiger user=scott", None, "as a URL"),
        ("Server=db1;Uid=scott;Pwd=tiger;", None, "as a URL"),
        ("scott/tiger@//db1:1521/sales", None, "SCHEME://user@host"),
        ("sales tiger", None, "list engines"),
    ] {
        let error = error(text);
        assert_eq!(error.scheme.as_deref(), scheme, "{text}");
        assert!(error.hint.contains(hint), "{text}: {error}");
        assert!(!format!("{error} {error:?}").contains("tiger"), "{text}: {error}");
    }
}

/// The forms in which people give a login; `WORD` is the password.
const FORMS: [&str; 30] = [
    "postgres://scott:WORD@db1:5432/sales",
    "postgres://scott:WORD@::1/sales",
    "postgres://scott:WORD@db1:x/sales",
    "postgresql+psycopg2://scott:WORD@db1,/sales",
    "mysql://scott:WORD",
    "mysql://scott:WORD@tcp(db1:3306)/sales",
    "scott:WORD@tcp(db1:3306)/sales",
    "scott:WORD@unix(/run/mysqld.sock)/sales",
    "oracle://scott/WORD@db1/service",
    "oracle://scott/WORD@//db1:1521/service",
    "scott/WORD@db1",
    "scott/WORD@//db1:1521/service",
    "scott/\"WORD\"@db1:1521/service as sysdba",
    "host=db1 password=WORD user=scott",
    "password=WORD host=db1",
    "host=db1 password='WORD'",
    "host=db1 passwd = WORD",
    "Server=db1;Uid=scott;Pwd=WORD;",
    "Data Source=db1;User Id=scott;Password=WORD",
    "Driver={PostgreSQL};SERVER=db1;UID=scott;PWD={WORD}",
    "jdbc:postgresql://db1/sales?user=scott&password=WORD",
    "jdbc:mysql://scott:WORD@db1/sales",
    "jdbc:oracle:thin:scott/WORD@db1:1521:sid",
    "jdbc:sqlserver://db1:1433;databaseName=sales;user=scott;password=WORD",
    "sqlserver://db1;user=scott;password=WORD",
    "postgres://db1/sales;password=WORD",
    "postgres://db1/sales?sslpassword=WORD",
    "postgres://db1/sales?passwd=WORD",
    "postgres://db1/sales?password=WORD",
    "local:postgres?password=WORD",
];

/// All that can be shown of `text`. The names of parameters are shown by engines, which know whether one may be the rest
/// of a password ([`crate::unknown_parameter`]).
fn shown(text: &str) -> String {
    match text.parse::<Target>() {
        Ok(target) if target.password.is_some() && !target.parameters.is_empty() => {
            let names =
                target.parameters.iter().map(|(name, _)| crate::unknown_parameter(&target, name, &["sslmode"], ""));
            let names: Vec<String> = names.map(|error| format!("{error:?}")).collect();
            format!("{:?} {:?} {:?} {:?} {names:?}", target.user, target.addresses, target.database, target.password)
        }
        Ok(target) => format!("{target} {target:?}"),
        Err(error) => format!("{error} {error:?}"),
    }
}

/// A target as a parser may give it, without a password.
fn target() -> impl Strategy<Value = Target> {
    let some = || proptest::option::of("\\PC{1,12}");
    let host = prop_oneof!["[a-z][a-z0-9.-]{0,12}", "/\\PC{0,12}", "\\PC{1,12}", Just("fe80::1".to_owned())];
    let addresses = proptest::collection::vec((host, proptest::option::of(1..=u16::MAX)), 0..3);
    let name = "\\PC{1,10}".prop_filter("not a secret", |name| !is_secret(name));
    let parameters = proptest::collection::vec((name, "\\PC{0,10}"), 0..4);
    let parts = ("[A-Za-z][A-Za-z0-9_+-]{0,8}", any::<bool>(), some(), addresses, some(), parameters);
    parts.prop_map(|(scheme, local, user, addresses, database, parameters)| {
        let addresses = addresses.into_iter().map(|(host, port)| Address { host, port }).collect();
        let url = Target { scheme, local: false, user, password: None, addresses, database, parameters };
        if local { Target { local, user: None, addresses: Vec::new(), database: None, ..url } } else { url }
    })
}

proptest! {
    #[test]
    fn a_printed_target_parses_to_the_same_target(target in target()) {
        prop_assert_eq!(parsed(&target.to_string()), target);
    }

    #[test]
    fn an_escaped_password_is_kept_and_shown_nowhere(
        target in target(), before in "\\PC{0,6}", after in "\\PC{0,6}", as_parameter in any::<bool>(),
    ) {
        let password = format!("{before}hunter2{after}");
        let escaped = utf8_percent_encode(&password, NON_ALPHANUMERIC).to_string();
        let text = match (as_parameter || target.local, target.to_string()) {
            (true, text) if text.contains('?') => format!("{text}&password={escaped}"),
            (true, text) => format!("{text}?password={escaped}"),
            (false, _) => {
                let target = Target { user: Some("scott".to_owned()), ..target.clone() };
                target.to_string().replacen("scott@", &format!("scott:{escaped}@"), 1)
            }
        };
        let parsed = parsed(&text);
        prop_assert_eq!(parsed.password.as_ref().map(Secret::reveal), Some(password.as_str()));
        let shown = format!("{parsed} {parsed:?}");
        prop_assert!(!shown.contains("hunter2"), "{}", shown);
    }

    #[test]
    fn a_password_that_was_not_escaped_is_shown_nowhere_either(
        before in "[a-z0-9/?#@:&=%,\\[\\]]{0,8}", after in "[a-z0-9/?#@:&=%,\\[\\]]{0,8}",
        scheme in prop_oneof![Just("postgres://"), Just("postgres:"), Just("//"), Just("")],
        end in prop_oneof![Just("db1"), Just("db1:5432/sales"), Just("/sales"), Just("db1/sales?x=1"), Just("db1:y")],
    ) {
        // `scott://hunter2@db1` is a target with the user hunter2, and nothing tells that it was not meant.
        prop_assume!(!scheme.is_empty() || !before.starts_with("//"));
        let text = format!("{scheme}scott:{before}hunter2{after}@{end}");
        let shown = shown(&text);
        prop_assert!(!shown.contains("hunter2"), "{}", shown);
    }

    #[test]
    fn no_form_of_a_login_shows_its_password(
        form in proptest::sample::select(&FORMS[..]), before in "([A-Z][A-Za-z0-9/?#@:&=%;,+ \\[\\]!'\"{}()-]{0,5})?",
        after in "[A-Za-z0-9/?#@:&=%;,+ \\[\\]!'\"{}()-]{0,6}",
    ) {
        // `scheme://scott:A@hunterX` is a whole target with a host, and nothing tells that it was not meant.
        prop_assume!(form.contains('@') || !before.contains('@') || form.contains('='));
        let text = form.replace("WORD", &format!("{before}hunterX{after}"));
        let shown = shown(&text);
        prop_assert!(!shown.contains("hunterX"), "{}: {}", text, shown);
        // As an argument of the command line or a path it is not shown either.
        prop_assert!(may_hold_password(&text), "{}", text);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "\\PC{0,40}") {
        let _ = text.parse::<Target>().map(|target| target.to_string());
    }

    #[test]
    fn no_text_made_of_its_marks_makes_the_parser_panic(text in "[a-z0-9:/?&=@%,\\[\\]é]{0,40}") {
        if let Ok(target) = text.parse::<Target>() {
            prop_assert_eq!(parsed(&target.to_string()), Target { password: None, ..target });
        }
    }
}
