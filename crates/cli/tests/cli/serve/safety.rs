//! What the server does not answer.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use super::{Answer, Server, archive, id};
use crate::bench::finished;

#[test]
fn nothing_outside_of_the_pages_is_answered() {
    let bench = archive();
    fs::write(bench.path().join("secret"), "secret").unwrap();
    let server = Server::start(&bench, &[]);
    for target in [
        "/../secret",
        "/r/../../secret",
        "/r/..%2f..%2fsecret",
        "/r/%2e%2e/secret",
        "/records/dbdyno-old.jsonl",
        "/r/dbdyno-old.jsonl",
        "/api/v1/records/..%2fdbdyno-old",
        "/dbdyno.notes",
        "//secret",
        "/r/",
    ] {
        let answer = server.get(target);
        assert!(answer.status == 404 && !answer.body.contains("secret\n"), "{target}: {}", answer.status);
    }
    for method in ["PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"] {
        let status = server.ask(method, "/", &[&format!("Origin: http://{}", server.address)], "").status;
        assert_eq!(status, 405, "{method}");
    }
    let page = server.get("/");
    for (name, value) in [
        ("x-content-type-options", "nosniff"),
        ("content-security-policy", "frame-ancestors 'none'"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        assert_eq!(page.field(name), Some(value), "{}", page.head);
    }
    assert!(page.body.contains("default-src 'none'") || page.body.contains("default-src &#39;none&#39;"));
}

#[test]
fn foreign_names_and_malformed_heads_are_refused() {
    let bench = archive();
    let server = Server::start(&bench, &[]);
    for (host, status) in
        [("evil.example", 421), ("localhost.evil.example:7070", 421), ("localhost:1", 200), ("[::1]", 200)]
    {
        assert_eq!(server.ask("GET", "/", &[&format!("Host: {host}")], "").status, status, "{host}");
    }
    assert_eq!(server.raw(b"GET / HTTP/1.1\r\n\r\n").status, 400, "without a host");
    let long = format!("GET /?text={} HTTP/1.1\r\nHost: localhost\r\n\r\n", "x".repeat(64 << 10));
    let answer = server.raw(long.as_bytes());
    assert!([0, 414, 431].contains(&answer.status), "a head of 64 KiB: {}", answer.status);
    let many: String = (0..200).map(|number| format!("X-{number}: 1\r\n")).collect();
    let answer = server.raw(format!("GET / HTTP/1.1\r\nHost: localhost\r\n{many}\r\n").as_bytes());
    assert!([0, 400, 431].contains(&answer.status), "200 fields: {}", answer.status);
    assert_eq!(server.raw(b"\x16\x03\x01 nonsense\r\n\r\n").status, 400);
    assert_eq!(server.get("/").status, 200, "it goes on");
}

#[test]
fn slow_heads_are_cut_off_while_others_are_answered() {
    let bench = archive();
    let server = Server::start(&bench, &[]);
    let slow: Vec<_> = (0..40)
        .map(|_| {
            let mut stream = server.connect();
            stream.write_all(b"GET / HTTP/1.1\r\nHost: localhost\r\n").unwrap();
            stream
        })
        .collect();
    let begun = Instant::now();
    assert_eq!(server.get("/").status, 200);
    assert!(begun.elapsed() < Duration::from_secs(5), "others are answered meanwhile: {:?}", begun.elapsed());
    let readers: Vec<_> = slow.into_iter().map(|stream| thread::spawn(move || Answer::read(stream).status)).collect();
    for reader in readers {
        let status = reader.join().unwrap();
        assert!([0, 408].contains(&status), "{status}");
    }
    let took = begun.elapsed();
    assert!((Duration::from_secs(8)..Duration::from_secs(25)).contains(&took), "{took:?}");
}

#[test]
fn addresses_of_the_network_want_encryption_and_a_token() {
    let bench = archive();
    fs::write(bench.path().join("short"), "secret\n").unwrap();
    for more in
        [&["--listen", "0.0.0.0:0"][..], &["--listen", "[::]:0"], &["--token-file", "short"], &["--token-file", "none"]]
    {
        let output = finished(bench.as_given(&[&["serve", "records"], more].concat()).output().unwrap());
        assert!(output.code == 2 && output.err.contains("hint: "), "{more:?}: {} {}", output.code, output.err);
        assert!(!output.err.contains("secret"), "{}", output.err);
    }
}

#[test]
fn a_token_that_others_may_write_is_refused_and_one_that_they_read_is_named() {
    let bench = archive();
    let token = bench.path().join("token");
    // An address that is taken ends it at once.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    fs::write(&token, "0123456789abcdef0123456789abcdef\n").unwrap();
    let start = |mode: u32| {
        fs::set_permissions(&token, fs::Permissions::from_mode(mode)).unwrap();
        let words = ["serve", "records", "--token-file", "token", "--listen", &address];
        finished(bench.as_given(&words).output().unwrap()).err
    };
    for mode in [0o602, 0o620, 0o666] {
        let refused = start(mode);
        assert!(refused.contains("lets others write it") && refused.contains("hint: chmod 600 token"), "{refused}");
    }
    assert!(start(0o644).contains("lets every user of this host read it"));
    for mode in [0o600, 0o640] {
        assert!(!start(mode).contains("token file"), "{mode:o}");
    }
}

#[test]
fn encrypted_connections_ask_for_the_token() {
    let bench = archive();
    let (token, at) = ("0123456789abcdef0123456789abcdef", |name: &str| bench.path().join(name).display().to_string());
    fs::write(at("token"), format!("{token}\n")).unwrap();
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
        ])
        .args([
            "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1",
            "-keyout",
            &at("key.pem"),
            "-out",
            &at("cert.pem"),
        ])
        .output()
        .expect("openssl");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let files = ["--tls-certificate", "cert.pem", "--tls-key", "key.pem", "--token-file", "token"];
    let server = Server::start(&bench, &[&["--listen", "0.0.0.0:0"], &files[..]].concat());
    let port = server.address.port();
    let curl = |more: &[&str]| {
        let url = format!("https://localhost:{port}/api/v1/records");
        let mut command = Command::new("curl");
        command.args(["-sS", "--cacert", &at("cert.pem"), "-o", &at("body"), "-w", "%{http_code}"]);
        let output = command.args(more).arg(url).output().expect("curl");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    assert_eq!(curl(&[]), "401");
    assert_eq!(curl(&["-u", "me:wrong"]), "401");
    assert_eq!(curl(&["-u", &format!("me:{token}")]), "200");
    assert!(fs::read_to_string(at("body")).unwrap().contains("dbdyno-old"));
    assert_eq!(curl(&["-H", &format!("Authorization: Bearer {token}")]), "200");
    assert_eq!(curl(&["-H", &format!("Authorization: Bearer {token}"), "-H", "Host: evil.example"]), "421");
    let wrong = finished(
        bench
            .as_given(&[
                "serve",
                "records",
                "--tls-certificate",
                "key.pem",
                "--tls-key",
                "key.pem",
                "--listen",
                "127.0.0.1:0",
            ])
            .output()
            .unwrap(),
    );
    assert!(wrong.code == 2 && wrong.err.contains("key.pem has no certificate"), "{}", wrong.err);
}

#[test]
fn a_busy_address_is_an_error_of_the_environment() {
    let bench = archive();
    let server = Server::start(&bench, &[]);
    let taken = server.address.to_string();
    let output = finished(bench.as_given(&["serve", "records", "--listen", &taken]).output().unwrap());
    assert!(output.code == 1 && output.err.contains("cannot be listened on"), "{}", output.err);
    assert!(!id(&server, "dbdyno-old").is_empty());
}
