//! Logging in to MySQL, whose way to prove a password is `caching_sha2_password`.

use engine::{Kind, Processes};
use engine_kit::session;
use record::Location;

use crate::server::Server;
use crate::{LONG, encryption, open, refused};

/// Sends the password itself where the server asks for it, though its certificate is not verified.
const CLEARTEXT: &str = "sslmode=require&enable_cleartext_plugin=1";

#[test]
fn a_password_lets_in_encrypted_and_then_by_its_proof_in_the_clear() {
    let server = Server::shared_mysql();
    let user = "first:pass%20word";
    // The server has no hash of it in memory, and wants the password itself.
    let error = refused(&server.tcp(user, "127.0.0.1", "sslmode=disable"));
    assert_eq!(error.kind, Kind::Access, "{error:?}");
    assert!(error.message.contains("clear text") && error.hint.is_some(), "{error:?}");
    // Encrypted, but nobody knows for whom.
    for parameters in ["sslmode=require", "sslmode=prefer"] {
        let error = refused(&server.tcp(user, "127.0.0.1", parameters));
        assert_eq!(error.kind, Kind::Access, "{error:?}");
        assert!(error.message.contains("is not verified"), "{error:?}");
        assert!(error.hint.as_deref().is_some_and(|hint| hint.contains("enable_cleartext_plugin=1")), "{error:?}");
    }
    for _ in 0..2 {
        let encryption = encryption(&server.tcp(user, "127.0.0.1", CLEARTEXT)).expect("encrypted");
        assert!(encryption.starts_with("TLS 1.3, TLS_"), "{encryption}");
    }
    assert_eq!(encryption(&server.tcp(user, "127.0.0.1", "sslmode=disable")), None, "now it has");
    assert!(encryption(&server.tcp(user, "localhost", "")).is_some(), "prefer is the default");
}

#[test]
fn the_socket_carries_a_password_and_nobody_needs_one() {
    let server = Server::shared_mysql();
    for user in ["local:pass%20word", "local:pass%20word", "root"] {
        assert_eq!(encryption(&server.socket(user)), None, "{user}");
    }
    assert_eq!(encryption(&server.tcp("nobody", "127.0.0.1", "sslmode=disable")), None);
    assert_eq!(refused(&server.socket("local:wr0ng")).code.as_deref(), Some("1045"));
}

#[test]
fn the_plugin_without_a_cache_is_given_the_password_over_encrypted_connections_alone() {
    let server = Server::shared_mysql();
    assert!(encryption(&server.tcp("uncached:pass%20word", "127.0.0.1", CLEARTEXT)).is_some());
    for target in [
        server.tcp("uncached:pass%20word", "127.0.0.1", "sslmode=disable"),
        server.tcp("uncached:pass%20word", "127.0.0.1", "sslmode=require"),
        server.socket("uncached:pass%20word"),
    ] {
        let error = refused(&target);
        assert_eq!(error.kind, Kind::Access, "{error:?}");
        assert!(error.message.contains("sha256_password") && error.hint.is_some(), "{error:?}");
    }
    for user in ["uncached:wr0ng", "uncached"] {
        let error = refused(&server.tcp(user, "127.0.0.1", CLEARTEXT));
        assert_eq!(error.code.as_deref(), Some("1045"), "{error:?}");
    }
}

#[test]
fn what_mysql_refuses_is_told_with_its_number_and_never_shown() {
    let server = Server::shared_mysql();
    for user in ["plain:wr0ng", "plain:", "plain", "stranger:wr0ng"] {
        let error = refused(&server.tcp(user, "127.0.0.1", CLEARTEXT));
        assert_eq!((error.kind, error.code.as_deref()), (Kind::Access, Some("1045")), "{user}: {error:?}");
        assert!(!format!("{error:?}").contains("wr0ng") && error.hint.is_some());
    }
    assert!(encryption(&server.tcp("encrypted:pass%20word", "127.0.0.1", CLEARTEXT)).is_some());
    assert_eq!(refused(&server.tcp("encrypted:pass%20word", "127.0.0.1", "sslmode=disable")).kind, Kind::Access);
    let no_database = server.socket("root").replace("localhost?", "localhost/nowhere?");
    assert_eq!(refused(&no_database).code.as_deref(), Some("1049"));
}

#[test]
fn a_certificate_of_mysql_is_checked_as_far_as_was_asked() {
    let server = Server::shared_mysql();
    let target = |mode: &str, roots: &std::path::Path| {
        let parameters = format!("sslmode={mode}&sslrootcert={}", roots.display());
        server.tcp("plain:pass%20word", "localhost", &parameters)
    };
    assert!(encryption(&target("verify-full", &server.authority())).is_some());
    let error = refused(&target("verify-full", &server.stranger()));
    assert!(error.hint.as_deref().is_some_and(|hint| hint.contains("sslrootcert")), "{error:?}");
}

#[test]
fn the_process_of_mysql_is_found_and_its_statements_are_cancelled() {
    let server = Server::shared_mysql();
    let targets = [
        (server.socket("root"), Location::UnixSocket),
        (server.tcp("plain:pass%20word", "127.0.0.1", CLEARTEXT), Location::LocalTcp),
    ];
    for (target, location) in targets {
        let node = open(&target).expect("open");
        assert_eq!(node.processes(), Processes::Local(vec![server.process()]), "{target}");
        assert_eq!(node.inventory().expect("inventory").location, location);
        session::cancel(&*node, LONG);
    }
}

#[test]
fn a_database_of_our_own_is_made_with_what_a_user_is_granted() {
    let server = Server::shared_mysql();
    let node = open(&server.tcp("plain:pass%20word", "127.0.0.1", CLEARTEXT)).expect("open");
    node.claim().expect("claim");
    let mut session = node.connect().expect("connect");
    session.batch("create table item (id int)").expect("in our database");
    // Less is told to one who may not ask for more, and that is no error.
    node.settle(&mut *session).expect("settle");
    assert!(node.counters(&mut *session).expect("counters").0.len() > 10);
    assert!(!node.inventory().expect("inventory").settings.is_empty());
    node.active_sessions(&mut *session).expect("a look");
    drop(session);
    node.close().expect("close");
    let node = open(&server.tcp("nobody", "127.0.0.1", "")).expect("open");
    let error = node.claim().expect_err("no privilege");
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Access, Some("1044")), "{error:?}");
}
