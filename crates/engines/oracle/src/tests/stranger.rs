//! What a user is told who reaches no Oracle server, or one that does not want him.

use std::time::{Duration, Instant};

use engine::{Engine, Error, Kind, Target, Workspace};

use super::listener::{self, Handler, start};
use crate::ORACLE;

const PASSWORD: &str = "s3cret";

fn refused_with(target: &str) -> Error {
    let parsed: Target = target.parse().unwrap_or_else(|error| panic!("{error}"));
    let workspace = Workspace { directory: std::env::temp_dir(), keep: false, cache_bytes: None, sessions_max: 4 };
    let Err(error) = ORACLE.open(&parsed, &workspace) else { panic!("{target} was let in") };
    let said = format!("{error:?} {error}");
    assert!(!said.contains(PASSWORD), "the password is told: {said}");
    assert!(error.hint.is_some(), "{error:?}");
    error
}

fn refused(port: u16) -> Error {
    refused_with(&format!("oracle://ann:{PASSWORD}@127.0.0.1:{port}/sales?connect_timeout=3"))
}

#[test]
fn nobody_listens() {
    let port = listener::closed();
    let error = refused(port);
    assert_eq!(error.kind, Kind::Unreachable);
    assert_eq!(error.message, format!("no Oracle listener answers at 127.0.0.1 port {port}: connection refused"));
    let error = refused_with(&format!("oracle://ann:{PASSWORD}@nowhere.invalid/sales"));
    assert!(error.kind == Kind::Unreachable && error.message.contains("nowhere.invalid"), "{error:?}");
}

#[test]
fn somebody_else_listens_and_is_named() {
    let strangers: [(Handler, &str); 4] = [
        (listener::http, "an HTTP server"),
        (listener::postgresql, "a PostgreSQL server"),
        (listener::mariadb, "a MariaDB or MySQL server"),
        (listener::curt, "closes the connection without a word"),
    ];
    for (conduct, name) in strangers {
        let error = refused(start(conduct));
        assert_eq!(error.kind, Kind::Unreachable, "{error:?}");
        assert!(error.message.contains("is no Oracle listener but") && error.message.contains(name), "{error:?}");
    }
}

#[test]
fn a_listener_that_knows_no_such_service_says_so() {
    let error = refused(start(listener::without_service));
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Access, Some("ORA-12514")), "{error:?}");
    assert!(error.message.contains("knows no service sales"), "{error:?}");
    assert!(error.hint.unwrap().contains("lsnrctl services"));
    let error = refused(start(listener::full));
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Unreachable, Some("ORA-12519")), "{error:?}");
    assert!(error.message.contains("processes"), "{error:?}");
}

#[test]
fn silence_ends_with_the_patience_and_a_broken_login_is_one() {
    for (conduct, word) in
        [(listener::silent as Handler, "no answer in time"), (listener::stuck as Handler, "not over in time")]
    {
        let begun = Instant::now();
        let error =
            refused_with(&format!("oracle://ann:{PASSWORD}@127.0.0.1:{}/sales?connect_timeout=1", start(conduct)));
        assert_eq!(error.kind, Kind::Unreachable, "{error:?}");
        assert!(error.message.contains(word) && error.hint.unwrap().contains("connect_timeout"), "{}", error.message);
        assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
    }
    let error = refused(start(listener::dying));
    assert_eq!(error.kind, Kind::Unreachable, "{error:?}");
    assert!(error.message.contains("was aborted"), "{error:?}");
    let error = refused(start(listener::nonsense));
    assert_eq!(error.kind, Kind::Unreachable, "{error:?}");
    assert!(error.message.contains("speaks as no Oracle server"), "{error:?}");
}

#[test]
fn two_libraries_of_ciphers_are_no_reason_to_panic() {
    // As the program does; it fails only where another test has.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let target = format!("oracle://ann:{PASSWORD}@127.0.0.1:{}/sales", start(listener::curt));
    let error = refused_with(&format!("{target}?protocol=tcps&connect_timeout=3&wallet_location=/nonexistent"));
    assert_eq!(error.kind, Kind::Usage, "{error:?}");
    assert!(error.message.contains("ewallet.pem"), "{error:?}");
    let error = refused_with(&format!("{target}?protocol=tcps&connect_timeout=3"));
    assert_eq!(error.kind, Kind::Unreachable, "{error:?}");
    assert!(!error.message.contains("speaks as no Oracle server"), "the driver gave up its thread: {error:?}");
}

#[test]
fn dbdyno_starts_no_oracle_server() {
    let error = refused_with("local:oracle");
    assert_eq!(error.kind, Kind::Usage);
}
