//! Logging in: passwords, encryption, and what is neither MariaDB nor MySQL at all.

mod impostor;
#[path = "../mysql/mod.rs"]
mod mysql;
mod server;
mod sha2;

use std::time::{Duration, Instant};

use dbdyno_engine_mysql::MARIADB;
use engine::{Engine, Error, Kind, Node, Processes, Result, Target, Value, Workspace};
use record::Location;

use engine_kit::{impostor as foreign, session};

use self::server::Server;

/// Counts 900⁴ rows.
const LONG: &str = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 900) \
                    select count(*) from n a, n b, n c, n d where a.i + b.i + c.i + d.i > 0";

fn open(target: &str) -> Result<Box<dyn Node>> {
    let target: Target = target.parse().unwrap_or_else(|error| panic!("{error}"));
    let workspace = Workspace { directory: std::env::temp_dir(), keep: false, cache_bytes: None, sessions_max: 4 };
    MARIADB.open(&target, &workspace)
}

fn refused(target: &str) -> Error {
    match open(target) {
        Ok(_) => panic!("{target} was let in"),
        Err(error) => error,
    }
}

/// The encryption that the inventory of a node says, after proving that a session works.
fn encryption(target: &str) -> Option<String> {
    let node = open(target).unwrap_or_else(|error| panic!("{target}: {error:?}"));
    let mut session = node.connect().expect("connect");
    let one = session.prepare("select cast(? as signed) + 1").expect("prepare");
    assert_eq!(session.query(one, &[Value::Int(41)]).expect("query"), [[Value::Int(42)]]);
    let cipher = session.prepare("show session status like 'Ssl_cipher'").expect("prepare");
    let rows = session.query(cipher, &[]).expect("query");
    let Value::Text(seen_by_server) = &rows[0][1] else { panic!("{rows:?}") };
    let encryption = node.inventory().expect("inventory").encryption;
    assert_eq!(encryption.is_some(), !seen_by_server.is_empty());
    encryption
}

#[test]
fn a_password_lets_in_over_tcp_and_tls_and_nobody_needs_one() {
    let server = Server::shared();
    for user in ["plain:pass%20word", "nobody"] {
        assert_eq!(encryption(&server.tcp(user, "127.0.0.1", "sslmode=disable")), None, "{user}");
        let encryption = encryption(&server.tcp(user, "127.0.0.1", "sslmode=require")).expect("encrypted");
        assert!(encryption.starts_with("TLS 1.3, TLS_"), "{encryption}");
    }
    assert!(encryption(&server.tcp("plain:pass%20word", "localhost", "")).is_some(), "prefer is the default");
    assert!(encryption(&server.tcp("encrypted:pass%20word", "127.0.0.1", "")).is_some());
    assert_eq!(refused(&server.tcp("encrypted:pass%20word", "127.0.0.1", "sslmode=disable")).kind, Kind::Access);
    assert_eq!(encryption(&server.socket("root")), None);
}

#[test]
fn a_wrong_or_missing_password_is_told_with_its_number_and_never_shown() {
    let server = Server::shared();
    for user in ["plain:wr0ng", "plain:", "plain", "stranger:wr0ng"] {
        for mode in ["disable", "require"] {
            let error = refused(&server.tcp(user, "127.0.0.1", &format!("sslmode={mode}")));
            assert_eq!((error.kind, error.code.as_deref()), (Kind::Access, Some("1045")), "{user}: {error:?}");
            assert!(!format!("{error:?}").contains("wr0ng") && error.hint.is_some());
        }
    }
    let error = refused(&server.tcp("curved:pass%20word", "127.0.0.1", ""));
    assert_eq!(error.kind, Kind::Access);
    assert!(error.message.contains("client_ed25519"), "{error:?}");
    let no_database = server.socket("root").replace("localhost?", "localhost/nowhere?");
    assert_eq!(refused(&no_database).code.as_deref(), Some("1049"));
}

#[test]
fn a_certificate_is_checked_as_far_as_was_asked() {
    let server = Server::shared();
    let target = |host: &str, mode: &str, roots: &std::path::Path| {
        server.tcp("plain:pass%20word", host, &format!("sslmode={mode}&sslrootcert={}", roots.display()))
    };
    let (authority, stranger) = (server.authority(), server.stranger());
    assert!(encryption(&target("localhost", "verify-full", &authority)).is_some());
    assert!(encryption(&target("127.0.0.1", "verify-ca", &authority)).is_some(), "the name does not matter");
    let error = refused(&target("127.0.0.1", "verify-full", &authority));
    assert_eq!(error.kind, Kind::Unreachable, "the certificate does not name the address: {error:?}");
    for mode in ["verify-full", "verify-ca", "require"] {
        let error = refused(&target("localhost", mode, &stranger));
        assert!(error.hint.as_deref().is_some_and(|hint| hint.contains("sslrootcert")), "{mode}: {error:?}");
    }
}

#[test]
fn a_client_certificate_and_the_options_of_the_clients_have_their_meaning() {
    let server = Server::shared();
    let identity = format!("ssl-cert={}&ssl-key={}", server.client("crt").display(), server.client("key").display());
    let target = |user: &str, parameters: &str| server.tcp(user, "localhost", parameters);
    assert!(encryption(&target("certified:pass%20word", &format!("ssl-mode=REQUIRED&{identity}"))).is_some());
    let verified = format!("ssl_mode=VERIFY_IDENTITY&ssl_ca={}&{identity}", server.authority().display());
    assert!(encryption(&target("certified:pass%20word", &verified)).is_some());
    let error = refused(&target("certified:pass%20word", "ssl-mode=REQUIRED"));
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Access, Some("1045")), "{error:?}");
    for (parameters, is_encrypted) in [("ssl-mode=DISABLED", false), ("ssl=true", true), ("ssl=0", false)] {
        assert_eq!(encryption(&target("plain:pass%20word", parameters)).is_some(), is_encrypted, "{parameters}");
    }
    let three = encryption(&target("plain:pass%20word", "ssl=1&tls-version=TLSv1.2")).expect("encrypted");
    assert!(three.starts_with("TLS 1.2, "), "{three}");
    // An option file, in which the password and the certificate stand.
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("client.cnf");
    let text = format!(
        "[client]\nuser=certified\npassword='pass word'\nhost=127.0.0.1\nport={}\nssl-mode=REQUIRED\n[mysql]\nssl-cert={}\nssl-key={}\n",
        server.port,
        server.client("crt").display(),
        server.client("key").display()
    );
    std::fs::write(&file, text).unwrap();
    assert!(encryption(&format!("mariadb://?defaults-file={}", file.display())).is_some());
}

#[test]
fn a_statement_is_cancelled_over_tls_and_tcp() {
    let server = Server::shared();
    for mode in ["require", "disable"] {
        let node = open(&server.tcp("plain:pass%20word", "127.0.0.1", &format!("sslmode={mode}"))).expect("open");
        session::cancel(&*node, LONG);
    }
}

#[test]
fn the_process_is_found_over_loopback_and_socket() {
    let server = Server::shared();
    let targets = [
        (server.socket("root"), Location::UnixSocket),
        (server.tcp("plain:pass%20word", "127.0.0.1", "sslmode=disable"), Location::LocalTcp),
    ];
    for (target, location) in targets {
        let node = open(&target).expect("open");
        assert_eq!(node.processes(), Processes::Local(vec![server.process()]), "{target}");
        assert_eq!(node.inventory().expect("inventory").location, location);
        assert!(node.data_directory().is_some_and(|path| path.ends_with("data")));
    }
}

/// One after the other, because there is one such database in a server.
#[test]
fn the_database_of_somebody_else_is_left_alone_and_ours_is_claimed_once() {
    let server = Server::shared();
    let boss = open(&server.socket("root")).expect("open");
    let mut session = boss.connect().expect("connect");
    session.batch("create database dbdyno; create table dbdyno.precious (id int)").expect("create");
    let error = boss.claim().expect_err("not ours");
    assert_eq!(error.kind, Kind::NotOurs);
    assert!(error.hint.is_some());
    boss.close().expect("close");
    session.batch("select * from dbdyno.precious; drop database dbdyno").expect("it is still there");
    // Without it it is made, held by one, and removed by the one that does not keep.
    let target = server.tcp("plain:pass%20word", "127.0.0.1", "");
    let node = open(&target).expect("open");
    node.claim().expect("claim");
    let error = open(&target).expect("open").claim().expect_err("taken");
    assert!(error.message.contains("in use by another dbdyno"), "{error}");
    node.connect().expect("connect").batch("create table item (id int)").expect("in our database");
    session.batch("select * from dbdyno.item").expect("it lies in our database");
    node.close().expect("close");
    session.batch("select * from dbdyno.item").expect_err("it is gone");
    // Who may not make one is told what is needed.
    let node = open(&server.tcp("nobody", "127.0.0.1", "")).expect("open");
    let error = node.claim().expect_err("no privilege");
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Access, Some("1044")), "{error:?}");
    assert!(error.hint.unwrap().contains("grant all on dbdyno.*"));
    // He may still look, and settling does what is allowed on a server of somebody else: nothing.
    let mut session = node.connect().expect("connect");
    node.settle(&mut *session).expect("settle");
    assert!(node.counters(&mut *session).expect("counters").0.len() > 10);
    assert!(!node.inventory().expect("inventory").settings.is_empty());
    node.close().expect("nothing to remove");
}

#[test]
fn too_many_sessions_are_refused_with_what_helps() {
    let server = Server::shared();
    let node = open(&server.tcp("crowded", "127.0.0.1", "sslmode=disable")).expect("open");
    let mut sessions = Vec::new();
    let error = loop {
        match node.connect() {
            Ok(session) => sessions.push(session),
            Err(error) => break error,
        }
        assert!(sessions.len() < 9, "the server allows 3");
    };
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Access, Some("1226")));
    let port = foreign::start(impostor::full);
    let error = refused(&format!("mysql://ann@127.0.0.1:{port}"));
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Access, Some("1040")));
    assert!(error.hint.unwrap().contains("max_connections"));
}

#[test]
fn what_is_no_such_server_is_unreachable_and_named_so() {
    let handlers: [foreign::Handler; 3] = [foreign::ssh, foreign::smtp, foreign::closes];
    for handler in handlers {
        let port = foreign::start(handler);
        let error = refused(&format!("mysql://ann@127.0.0.1:{port}/db"));
        assert_eq!(error.kind, Kind::Unreachable, "{error:?}");
        assert!(error.message.contains("is neither MariaDB nor MySQL"), "{error:?}");
        assert!(error.hint.is_some());
    }
}

#[test]
fn nobody_and_a_silent_server_are_unreachable_within_the_timeout() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = refused(&format!("mysql://ann@127.0.0.1:{free}"));
    assert_eq!(error.kind, Kind::Unreachable);
    assert!(error.message.contains("connection refused"), "{error:?}");
    let error = refused("mysql://ann@localhost?socket=/nonexistent/mysqld.sock");
    assert_eq!(error.kind, Kind::Unreachable);
    assert!(error.message.contains("/nonexistent/mysqld.sock"), "{error:?}");
    let port = foreign::start(foreign::silent);
    let start = Instant::now();
    let error = refused(&format!("mysql://ann@127.0.0.1:{port}?connect_timeout=1"));
    assert_eq!(error.kind, Kind::Unreachable);
    assert!(error.message.contains("no response within the timeout"), "{error:?}");
    assert!(error.hint.unwrap().contains("firewall"));
    assert!(start.elapsed() < Duration::from_secs(4));
}

#[test]
fn a_login_that_goes_on_for_ever_ends_at_its_timeout() {
    for handler in [impostor::repeats as foreign::Handler, impostor::switches] {
        let start = Instant::now();
        let error = refused(&format!("mysql://ann:secret@127.0.0.1:{}?connect_timeout=1", foreign::start(handler)));
        assert_eq!(error.kind, Kind::Unreachable, "{error:?}");
        assert!(error.message.contains("no response within the timeout"), "{error:?}");
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn a_server_that_cannot_be_trusted_gets_nothing() {
    let target = |handler| format!("mysql://ann:secret@127.0.0.1:{}?sslmode=prefer", foreign::start(handler));
    for handler in [impostor::clear_text as foreign::Handler, impostor::uncached] {
        let error = refused(&target(handler));
        assert_eq!(error.kind, Kind::Access, "{error:?}");
        assert!(error.message.contains("clear text") && !format!("{error:?}").contains("secret"), "{error:?}");
    }
    let error = refused(&target(impostor::invalid_packets));
    assert_eq!(error.kind, Kind::Lost, "{error:?}");
    let error = refused(&target(impostor::thief));
    assert_eq!(error.kind, Kind::Statement, "{error:?}");
    let error = refused(&target(impostor::old));
    assert_eq!(error.kind, Kind::Usage);
    assert!(error.message.contains("5.7.44") && error.message.contains("8.0"), "{error:?}");
    let error = refused(&target(impostor::old).replace("prefer", "require"));
    assert!(error.message.contains("older"), "{error:?}");
}

#[test]
fn caching_sha2_lets_in_by_the_proof_and_in_full_where_nobody_reads_along() {
    let directory = tempfile::tempdir().unwrap();
    for (name, handler) in [("uncached", impostor::uncached as foreign::Handler), ("cached", impostor::cached)] {
        let socket = directory.path().join(name);
        foreign::start_at(&socket, handler);
        let error = refused(&format!("mysql://ann:secret@localhost?socket={}", socket.display()));
        assert_eq!((error.code.as_deref(), error.message.as_str()), (Some("3483"), "let in"), "{name}: {error:?}");
    }
}
