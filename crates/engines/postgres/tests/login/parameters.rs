//! Parameters of libpq at a real server: each does what it says, or refuses.

use engine::{Kind, Value};

use crate::server::Server;
use crate::{encryption, open, refused};

/// The answer to a query of one row and one column of text.
fn answer(target: &str, sql: &str) -> String {
    let node = open(target).unwrap_or_else(|error| panic!("{target}: {error:?}"));
    let mut session = node.connect().expect("connect");
    let rows = session.prepare(sql).and_then(|statement| session.query(statement, &[])).expect("query");
    match &rows[0][0] {
        Value::Text(text) => text.clone().into_owned(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_client_certificate_is_sent_where_the_server_asks_for_it() {
    let server = Server::shared();
    for mode in ["require", "prefer"] {
        let parameters = format!("sslmode={mode}&{}", server.client());
        assert!(encryption(&server.tcp("certified", "127.0.0.1", &parameters)).is_some(), "{mode}");
    }
    let verified = format!("sslmode=verify-full&sslrootcert={}&{}", server.authority().display(), server.client());
    assert!(encryption(&server.tcp("certified", "localhost", &verified)).is_some());
    let error = refused(&server.tcp("certified", "127.0.0.1", "sslmode=require"));
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Access, Some("28000")), "{error:?}");
    // The one of another name.
    let error = refused(&server.tcp("encrypted", "127.0.0.1", &format!("sslmode=require&{}", server.client())));
    assert_eq!(error.kind, Kind::Access, "{error:?}");
    // A certificate of another authority: the server says so after the handshake.
    let directory = server.sockets().join("data");
    let strange = format!("sslmode=require&sslcert={0}/stranger.crt&sslkey={0}/stranger.key", directory.display());
    let error = refused(&server.tcp("certified", "127.0.0.1", &strange));
    assert_eq!(error.kind, Kind::Access, "{error:?}");
    assert!(error.hint.as_deref().is_some_and(|hint| hint.contains("sslcert")), "{error:?}");
    // A key of another certificate.
    let mixed = format!("sslmode=require&sslcert={0}/client.crt&sslkey={0}/server.key", directory.display());
    let error = refused(&server.tcp("certified", "127.0.0.1", &mixed));
    assert!(error.kind == Kind::Usage && error.message.contains("does not fit"), "{error:?}");
}

#[test]
fn allow_encrypts_only_where_the_server_insists_and_then_all_sessions() {
    let server = Server::shared();
    assert_eq!(encryption(&server.tcp("bound:pass%20word", "127.0.0.1", "sslmode=allow")), None);
    assert_eq!(encryption(&server.tcp("unencrypted", "127.0.0.1", "sslmode=allow")), None);
    assert!(encryption(&server.tcp("encrypted:pass%20word", "127.0.0.1", "sslmode=allow")).is_some());
    let error = refused(&server.tcp("nobody", "127.0.0.1", "sslmode=allow"));
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Access, Some("28000")), "{error:?}");
}

#[test]
fn a_password_is_bound_to_its_connection_or_not_sent() {
    let server = Server::shared();
    let required = "channel_binding=require&sslmode";
    assert!(encryption(&server.tcp("bound:pass%20word", "127.0.0.1", &format!("{required}=require"))).is_some());
    assert!(encryption(&server.tcp("bound:pass%20word", "127.0.0.1", "channel_binding=disable")).is_some());
    for (user, mode) in [
        ("bound:pass%20word", "disable"),
        ("hashed:pass%20word", "require"),
        ("clear:pass%20word", "require"),
        ("unencrypted", "disable"),
    ] {
        let error = refused(&server.tcp(user, "127.0.0.1", &format!("{required}={mode}")));
        assert!(
            error.kind == Kind::Access && error.message.contains("channel_binding is require"),
            "{user}: {error:?}"
        );
    }
    assert!(encryption(&server.tcp("bound:pass%20word", "127.0.0.1", "require_auth=scram-sha-256")).is_some());
    for user in ["hashed:pass%20word", "clear:pass%20word"] {
        let error = refused(&server.tcp(user, "127.0.0.1", "require_auth=scram-sha-256&sslmode=require"));
        assert!(error.kind == Kind::Access && error.message.contains("require_auth"), "{user}: {error:?}");
    }
    let error = refused(&server.tcp("unencrypted", "127.0.0.1", "require_auth=!none&sslmode=disable"));
    assert!(error.message.contains("without authentication"), "{error:?}");
}

#[test]
fn what_libpq_takes_has_its_meaning() {
    let server = Server::shared();
    let port = server.port;
    let whole = format!("postgres://?user=bound&password=pass%20word&dbname=postgres&host=127.0.0.1&port={port}");
    assert_eq!(answer(&whole, "select current_user::text"), "bound");
    let by_address = format!("postgres://bound:pass%20word@no-such-host.invalid:{port}/postgres?hostaddr=127.0.0.1");
    assert_eq!(answer(&by_address, "select host(inet_server_addr())"), "127.0.0.1");
    // The certificate is that of the name, though it is not looked up.
    let named = by_address.replace("no-such-host.invalid", "localhost");
    let verified = format!("{named}&sslmode=verify-full&sslrootcert={}", server.authority().display());
    assert!(encryption(&verified).is_some());
    let options = "options=-c%20work_mem%3D7MB%20-c%20search_path%3Dnowhere&application_name=meter&gssencmode=disable\
                   &client_encoding=UTF8&keepalives=1&keepalives_idle=30&tcp_user_timeout=9000&connect_timeout=5\
                   &target_session_attrs=read-write";
    let target = server.tcp("bound:pass%20word", "127.0.0.1", options);
    assert_eq!(answer(&target, "show work_mem"), "7MB");
    assert_eq!(answer(&target, "show application_name"), "meter");
    let settings = open(&target).expect("open").inventory().expect("inventory").settings;
    assert!(settings.iter().any(|setting| setting.name == "work_mem" && setting.value == "7MB"), "it is in the record");
    let error = refused(&server.tcp("bound:pass%20word", "127.0.0.1", "options=-c%20work_mem%3Dmuch"));
    assert!(error.message.contains("work_mem"), "{error:?}");
    let error = refused(&server.tcp("bound:pass%20word", "127.0.0.1", "target_session_attrs=standby"));
    assert!(error.message.contains("is a primary"), "{error:?}");
    // The first of a list that responds.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let listed = "postgres://bound:pass%20word@/postgres?host=127.0.0.1,127.0.0.1&target_session_attrs=any";
    assert_eq!(answer(&format!("{listed}&port={free},{port}"), "select current_user::text"), "bound");
}

#[test]
fn services_and_password_files_are_read() {
    use std::os::unix::fs::PermissionsExt;
    let server = Server::shared();
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    let service =
        format!("[shop]\nhost=127.0.0.1\nport={}\nuser=bound\ndbname=postgres\nsslmode=require\n", server.port);
    std::fs::write(at("services"), &service).unwrap();
    std::fs::write(at("passwords"), "127.0.0.1:*:postgres:bound:pass word\n").unwrap();
    std::fs::set_permissions(at("passwords"), std::fs::Permissions::from_mode(0o600)).unwrap();
    let target = format!(
        "postgres://?service=shop&servicefile={}&passfile={}",
        at("services").display(),
        at("passwords").display()
    );
    assert!(encryption(&target).is_some());
    let error = refused(&target.replace("passwords", "nowhere"));
    assert!(error.hint.as_deref().is_some_and(|hint| hint.contains("does not exist")), "{error:?}");
}
