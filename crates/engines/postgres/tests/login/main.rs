//! Logging in: passwords, encryption, and what is not a PostgreSQL server at all.

mod impostor;
mod parameters;
mod server;

use std::time::{Duration, Instant};

use dbdyno_engine_postgres::POSTGRES;
use engine::{Engine, Error, Kind, Node, Processes, Result, Target, Value, Workspace};
use record::{Bytes, Location};

use engine_kit::{impostor as foreign, session};

use self::server::Server;

fn open(target: &str) -> Result<Box<dyn Node>> {
    let target: Target = target.parse().unwrap_or_else(|error| panic!("{error}"));
    let workspace = Workspace { directory: std::env::temp_dir(), keep: false, cache_bytes: None, sessions_max: 4 };
    POSTGRES.open(&target, &workspace)
}

fn refused(target: &str) -> Error {
    match open(target) {
        Ok(_) => panic!("{target} was accepted"),
        Err(error) => error,
    }
}

/// The encryption in the inventory of a node, after testing a session.
fn encryption(target: &str) -> Option<String> {
    let node = open(target).unwrap_or_else(|error| panic!("{target}: {error:?}"));
    let mut session = node.connect().expect("connect");
    let one = session.prepare("select $1::int8 + 1").expect("prepare");
    assert_eq!(session.query(one, &[Value::Int(41)]).expect("query"), [[Value::Int(42)]]);
    let sql = "select ssl from pg_stat_ssl where pid = pg_backend_pid()";
    let seen_by_server = session.prepare(sql).and_then(|statement| session.query(statement, &[])).expect("query");
    let encryption = node.inventory().expect("inventory").encryption;
    assert_eq!(seen_by_server, [[Value::Int(i64::from(encryption.is_some()))]]);
    encryption
}

#[test]
fn every_password_method_works_over_tcp_and_tls() {
    let server = Server::shared();
    for user in ["bound:pass%20word", "hashed:pass%20word"] {
        assert_eq!(encryption(&server.tcp(user, "127.0.0.1", "sslmode=disable")), None, "{user}");
        let encryption = encryption(&server.tcp(user, "127.0.0.1", "sslmode=require")).expect("encrypted");
        assert!(encryption.starts_with("TLS 1.3, TLS_"), "{encryption}");
    }
    // In clear text only over an encrypted connection.
    assert!(encryption(&server.tcp("clear:pass%20word", "127.0.0.1", "sslmode=require")).is_some());
    let error = refused(&server.tcp("clear:pass%20word", "127.0.0.1", "sslmode=disable"));
    assert_eq!(error.kind, Kind::Access);
    assert!(error.message.contains("clear text") && error.hint.unwrap().contains("sslmode=require"));
    assert_eq!(encryption(&server.socket("boss")), None);
}

#[test]
fn a_wrong_or_missing_password_has_its_code_and_is_never_shown() {
    let server = Server::shared();
    for user in ["bound:wr0ng", "hashed:wr0ng", "bound:"] {
        for mode in ["disable", "require"] {
            let error = refused(&server.tcp(user, "127.0.0.1", &format!("sslmode={mode}")));
            assert_eq!((error.kind, error.code.as_deref()), (Kind::Access, Some("28P01")), "{user}: {error:?}");
            assert!(!format!("{error:?}").contains("wr0ng") && error.hint.is_some());
        }
    }
    let error = refused(&server.tcp("bound", "127.0.0.1", "sslmode=disable"));
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Access, Some("28P01")));
    assert!(error.hint.unwrap().contains("PGPASSWORD"));
}

#[test]
fn a_rejected_login_is_an_access_error() {
    let server = Server::shared();
    let error = refused(&server.tcp("nobody", "127.0.0.1", "sslmode=disable"));
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Access, Some("28000")), "no line in pg_hba.conf");
    let error = refused(&server.socket("boss").replace("/postgres?", "/nowhere?"));
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Access, Some("3D000")), "no such database");
    let error = refused(&server.tcp("mapped", "127.0.0.1", "sslmode=disable"));
    assert_eq!(error.kind, Kind::Access, "ident: {error:?}");
}

#[test]
fn prefer_falls_back_to_unencrypted() {
    let server = Server::shared();
    assert!(encryption(&server.tcp("bound:pass%20word", "localhost", "")).is_some(), "prefer is the default");
    assert!(encryption(&server.tcp("encrypted:pass%20word", "127.0.0.1", "sslmode=prefer")).is_some());
    assert_eq!(
        encryption(&server.tcp("unencrypted", "127.0.0.1", "sslmode=prefer")),
        None,
        "only accepted unencrypted"
    );
    assert_eq!(refused(&server.tcp("unencrypted", "127.0.0.1", "sslmode=require")).kind, Kind::Access);
    assert_eq!(refused(&server.tcp("encrypted:pass%20word", "127.0.0.1", "sslmode=disable")).kind, Kind::Access);
}

#[test]
fn a_certificate_is_verified_according_to_the_mode() {
    let server = Server::shared();
    let target = |host: &str, mode: &str, roots: &std::path::Path| {
        server.tcp("bound:pass%20word", host, &format!("sslmode={mode}&sslrootcert={}", roots.display()))
    };
    let (authority, stranger) = (server.authority(), server.stranger());
    assert!(encryption(&target("localhost", "verify-full", &authority)).is_some());
    assert!(encryption(&target("127.0.0.1", "verify-ca", &authority)).is_some(), "the name does not matter");
    let error = refused(&target("127.0.0.1", "verify-full", &authority));
    assert_eq!(error.kind, Kind::Unreachable, "the certificate does not name the address: {error:?}");
    assert!(error.hint.unwrap().contains("host name"));
    for mode in ["verify-full", "verify-ca", "require"] {
        let error = refused(&target("localhost", mode, &stranger));
        assert!(error.hint.as_deref().is_some_and(|hint| hint.contains("sslrootcert")), "{mode}: {error:?}");
    }
    assert!(encryption(&target("localhost", "prefer", &stranger)).is_some(), "prefer checks nothing");
}

#[test]
fn a_statement_is_cancelled_over_tls_and_tcp() {
    let server = Server::shared();
    for mode in ["require", "disable"] {
        let node = open(&server.tcp("bound:pass%20word", "127.0.0.1", &format!("sslmode={mode}"))).expect("open");
        session::cancel(&*node, "select pg_sleep(60)");
    }
}

#[test]
fn the_processes_are_found_over_loopback_and_socket() {
    let server = Server::shared();
    let targets = [
        (server.socket("boss"), Location::UnixSocket),
        (server.tcp("bound:pass%20word", "127.0.0.1", "sslmode=disable"), Location::LocalTcp),
    ];
    for (target, location) in targets {
        let node = open(&target).expect("open");
        assert_eq!(node.processes(), Processes::Local(vec![server.postmaster()]), "{target}");
        assert_eq!(node.inventory().expect("inventory").location, location);
        let mut session = node.connect().expect("connect");
        let own = session.prepare("select pg_backend_pid()").and_then(|sql| session.query(sql, &[])).expect("query");
        let process = session.server_process().expect("a process of its own");
        assert_eq!(own, [[Value::Int(process.into())]]);
        assert!(node.data_directory().is_some_and(|path| path.ends_with("data")));
    }
}

#[test]
fn a_foreign_schema_is_not_touched() {
    let server = Server::shared();
    let boss = open(&server.socket("boss")).expect("open");
    let mut session = boss.connect().expect("connect");
    session.batch("create database claimed").expect("create database");
    let target = server.socket("boss").replace("/postgres?", "/claimed?");
    let node = open(&target).expect("open");
    let mut session = node.connect().expect("connect");
    session.batch("create schema dbdyno; create table dbdyno.precious (id int8)").expect("create");
    let error = node.claim().expect_err("not ours");
    assert_eq!(error.kind, Kind::NotOurs);
    assert!(error.hint.is_some());
    node.close().expect("close");
    session.batch("select from dbdyno.precious; drop schema dbdyno cascade").expect("it is still there");
    // Without it the schema is created, used, and removed at close.
    let node = open(&target).expect("open");
    node.claim().expect("claim");
    node.connect().expect("connect").batch("create table item (id int8)").expect("in the schema of dbdyno");
    session.batch("select from dbdyno.item").expect("it is in the schema of dbdyno");
    node.close().expect("close");
    session.batch("select from dbdyno.item").expect_err("it is gone");
}

#[test]
fn large_objects_of_a_crash_are_removed_with_the_schema() {
    let server = Server::shared();
    let boss = open(&server.socket("boss")).expect("open");
    boss.connect().and_then(|mut session| session.batch("create database objects")).expect("create database");
    let target = server.socket("boss").replace("/postgres?", "/objects?");
    let node = open(&target).expect("open");
    let mut session = node.connect().expect("connect");
    session.batch("select lo_create(4711)").expect("a foreign object");
    node.claim().expect("claim");
    let form =
        POSTGRES.about().object_forms.expect("forms").iter().find(|form| form.name == "large-object").expect("one");
    let mut objects = node.object_session(form).expect("a session");
    objects.make().expect("make");
    objects.session().begin().expect("begin");
    objects.create(1, Bytes(4096)).expect("create");
    objects.write(0, &[7; 4096]).expect("write");
    objects.session().commit().expect("commit");
    // As after a crash: nothing was removed, nothing closed.
    drop(objects);
    drop(node);
    let known = session.prepare("select count(*), max(oid) = 4711 from pg_largeobject_metadata").expect("prepare");
    assert_eq!(session.query(known, &[]).expect("query")[0][0], Value::Int(2));
    let node = open(&target).expect("open again");
    node.claim().expect("claim again");
    node.close().expect("close");
    assert_eq!(session.query(known, &[]).expect("query"), [[Value::Int(1), Value::Int(1)]]);
}

#[test]
fn a_role_without_create_gets_the_required_grant_as_hint() {
    let server = Server::shared();
    let node = open(&server.tcp("unencrypted", "127.0.0.1", "sslmode=disable")).expect("open");
    let error = node.claim().expect_err("no privilege");
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Access, Some("42501")), "{error:?}");
    assert_eq!(error.hint.as_deref(), Some("grant create on database postgres to unencrypted"));
    // It may still read counters, and settling does nothing without the privilege.
    let mut session = node.connect().expect("connect");
    node.settle(&mut *session).expect("settle");
    assert!(node.counters(&mut *session).expect("counters").0.len() > 10);
    assert!(!node.inventory().expect("inventory").settings.is_empty());
    node.close().expect("nothing to remove");
}

#[test]
fn too_many_sessions_are_rejected_with_a_hint() {
    let server = Server::shared();
    let node = open(&server.tcp("bound:pass%20word", "127.0.0.1", "sslmode=disable")).expect("open");
    let mut sessions = Vec::new();
    let error = loop {
        match node.connect() {
            Ok(session) => sessions.push(session),
            Err(error) => break error,
        }
        assert!(sessions.len() < 30, "the server allows 20");
    };
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Access, Some("53300")));
    assert!(error.hint.unwrap().contains("max_connections"));
}

#[test]
fn other_servers_are_unreachable_and_named_as_not_postgresql() {
    let handlers: [foreign::Handler; 4] = [foreign::http, impostor::mysql, foreign::ssh, foreign::closes_on_request];
    for handler in handlers {
        let port = foreign::start(handler);
        for mode in ["prefer", "disable", "verify-full"] {
            let error = refused(&format!("postgres://ann@127.0.0.1:{port}/db?sslmode={mode}"));
            assert_eq!(error.kind, Kind::Unreachable, "{error:?}");
            assert!(error.message.contains("is not PostgreSQL"), "{mode}: {error:?}");
            assert!(error.hint.is_some());
        }
    }
}

#[test]
fn no_server_and_a_silent_server_are_unreachable_within_the_timeout() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let error = refused(&format!("postgres://ann@127.0.0.1:{free}/db"));
    assert_eq!(error.kind, Kind::Unreachable);
    assert!(error.message.contains("connection refused"), "{error:?}");
    let error = refused("postgres://ann@/db?host=/nonexistent/directory");
    assert_eq!(error.kind, Kind::Unreachable);
    assert!(error.message.contains("/nonexistent/directory/.s.PGSQL.5432"), "{error:?}");
    let error = refused("postgres://ann@no-such-host.invalid/db?connect_timeout=5");
    assert_eq!(error.kind, Kind::Unreachable, "{error:?}");
    let port = foreign::start(foreign::silent);
    for mode in ["prefer", "disable"] {
        let start = Instant::now();
        let error = refused(&format!("postgres://ann@127.0.0.1:{port}/db?sslmode={mode}&connect_timeout=1"));
        assert_eq!(error.kind, Kind::Unreachable);
        assert!(error.message.contains("no response within the timeout"), "{error:?}");
        assert!(start.elapsed() < Duration::from_secs(4));
    }
}

#[test]
fn a_login_that_goes_on_for_ever_ends_at_its_timeout() {
    let port = foreign::start(impostor::notices);
    let start = Instant::now();
    let error = refused(&format!("postgres://ann@127.0.0.1:{port}/db?sslmode=disable&connect_timeout=1"));
    assert!(error.kind == Kind::Unreachable && error.message.contains("no response within the timeout"), "{error:?}");
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_server_that_violates_the_protocol_is_rejected() {
    let port = foreign::start(impostor::unverified);
    let error = refused(&format!("postgres://ann:secret@127.0.0.1:{port}/db?sslmode=disable"));
    assert_eq!(error.kind, Kind::Access);
    assert!(error.message.contains("without proving"), "{error:?}");
    let port = foreign::start(impostor::clear_text);
    let error = refused(&format!("postgres://ann:secret@127.0.0.1:{port}/db?sslmode=disable"));
    assert!(error.message.contains("clear text"), "{error:?}");
    let port = foreign::start(impostor::invalid_messages);
    let error = refused(&format!("postgres://ann@127.0.0.1:{port}/db?sslmode=disable"));
    assert_eq!(error.kind, Kind::Lost, "{error:?}");
    let port = foreign::start(impostor::old);
    let error = refused(&format!("postgres://ann@127.0.0.1:{port}/db?sslmode=disable"));
    assert_eq!(error.kind, Kind::Usage);
    assert!(error.message.contains("12.22") && error.message.contains("13"), "{error:?}");
}

#[test]
fn a_minimal_compatible_server_can_be_opened() {
    let port = foreign::start(impostor::minimal);
    let node = open(&format!("postgres://ann@127.0.0.1:{port}/db?sslmode=disable")).expect("open");
    assert!(!node.caps().procedures && !node.caps().parallel_query && node.takes_writes());
    let inventory = node.inventory().expect("inventory");
    assert_eq!((inventory.title.as_str(), inventory.version.as_str()), ("openGauss", "5.0.0 (PostgreSQL 9.2.4)"));
    assert_eq!((inventory.durable, inventory.cache_bytes), (None, None));
    let mut session = node.connect().expect("connect");
    assert_eq!(node.counters(&mut *session).expect("counters"), (Default::default(), 0));
    node.settle(&mut *session).expect("settle");
    let error = node.claim().expect_err("it has no schemas");
    assert_eq!((error.kind, error.code.as_deref()), (Kind::Statement, Some("42601")), "{error:?}");
    drop(session);
    node.close().expect("nothing to remove");
}
