//! `dbdyno run --target oracle://...` without Oracle: the error depends on what answers instead.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use engine::{Engine, Target, Workspace};

use crate::bench::Bench;

const PASSWORD: &str = "s3cret";

/// The error for an Oracle server at `port`.
fn refusal(port: u16) -> String {
    refusal_of(port, "")
}

/// The same with `parameters` of the target.
fn refusal_of(port: u16, parameters: &str) -> String {
    let bench = Bench::new();
    let target = format!("oracle://ann:{PASSWORD}@127.0.0.1:{port}/sales?connect_timeout=10{parameters}");
    let output = bench.run(&["run", "--target", &target, "--preset", "smoke", "--tests", "T611"]);
    assert_eq!(output.code, 1, "{}", output.err);
    assert!(output.err.contains("hint: ") && output.err.contains(&port.to_string()), "{}", output.err);
    assert!(!output.err.contains(PASSWORD) && !output.out.contains(PASSWORD), "{}", output.err);
    assert!(!output.err.contains("panicked"), "{}", output.err);
    assert!(bench.files().is_empty(), "{:?}", bench.files());
    output.err
}

/// An HTTP server.
struct Http(Child);

impl Http {
    fn start() -> (Http, u16) {
        let mut child = Command::new("python3")
            .args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", "/nonexistent"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("python3");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("where it listens");
        let port = line.split(" port ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok());
        let port = port.unwrap_or_else(|| panic!("no port in {line}"));
        (Http(child), port)
    }
}

impl Drop for Http {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Forwards a port to the Unix socket of a server.
fn relay(socket: PathBuf) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let (Ok(near), Ok(far)) = (stream, UnixStream::connect(&socket)) else { continue };
            let (mut from_near, mut to_far) = (near.try_clone().expect("clone"), far.try_clone().expect("clone"));
            std::thread::spawn(move || {
                let _ = io::copy(&mut from_near, &mut to_far);
                let _ = to_far.shutdown(Shutdown::Write);
            });
            std::thread::spawn(move || pass_back(far, near));
        }
    });
    port
}

fn pass_back(mut far: UnixStream, mut near: TcpStream) {
    let _ = io::copy(&mut far, &mut near);
    let _ = near.shutdown(Shutdown::Both);
}

/// The socket of the server below `directory`.
fn socket(directory: &Path) -> Option<PathBuf> {
    directory.read_dir().ok()?.filter_map(Result::ok).find_map(|entry| {
        let is_socket = entry.file_name().to_string_lossy().starts_with(".s.PGSQL.");
        let is_lock = entry.file_name().to_string_lossy().ends_with(".lock");
        match entry.path() {
            path if path.is_dir() => socket(&path),
            path => (is_socket && !is_lock).then_some(path),
        }
    })
}

#[test]
fn a_closed_port_an_http_server_and_a_postgresql_server_are_three_different_errors() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let refused = refusal(closed);
    assert!(refused.contains("no Oracle listener answers") && refused.contains("connection refused"), "{refused}");

    // The driver looks for a library of ciphers before it looks at what answers.
    let answering = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = answering.local_addr().unwrap().port();
    std::thread::spawn(move || answering.incoming().for_each(drop));
    let refused = refusal_of(port, "&protocol=tcps");
    assert!(!refused.contains("speaks as no Oracle server"), "it ended its thread: {refused}");

    let (_http, port) = Http::start();
    let http = refusal(port);
    assert!(http.contains("is no Oracle listener but an HTTP server"), "{http}");

    let directory = tempfile::Builder::new().prefix("dbdyno-oracle-").tempdir_in("/tmp").expect("a directory");
    let target: Target = "local:postgres".parse().expect("a target");
    let workspace =
        Workspace { directory: directory.path().to_owned(), keep: false, cache_bytes: None, sessions_max: 4 };
    let node = postgres::POSTGRES.open(&target, &workspace).unwrap_or_else(|error| panic!("{error:?}"));
    let socket = socket(directory.path()).expect("the socket of the server");
    let postgresql = refusal(relay(socket));
    assert!(postgresql.contains("is no Oracle listener but a PostgreSQL server"), "{postgresql}");
    node.close().expect("close");
}

/// A listener of which the driver understands the first packet only: it refuses a ping and sends a packet of type 99 then.
fn nonsense() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().filter_map(Result::ok) {
            let mut received = [0; 4096];
            let count = stream.read(&mut received).unwrap_or(0);
            let is_ping = String::from_utf8_lossy(&received[..count]).contains("COMMAND=ping");
            let refusal = b"(DESCRIPTION=(TMP=)(VSNNUM=318767104)(ERR=0))";
            let length = refusal.len() as u8;
            let answer = match is_ping {
                true => [&[0, 12 + length, 0, 0, 4, 0, 0, 0, 34, 0, 0, length], &refusal[..]].concat(),
                false => vec![0, 8, 0, 0, 99, 0, 0, 0],
            };
            let _ = stream.write_all(&answer);
            let _ = stream.read(&mut received);
        }
    });
    port
}

#[test]
fn a_monitor_says_why_there_is_no_oracle_to_watch() {
    let bench = Bench::new();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let target = format!("oracle://ann:{PASSWORD}@127.0.0.1:{closed}/sales?connect_timeout=10");
    crate::fleet_hosts::write(&bench, "slo.toml", crate::cmd_monitor::PATIENT);
    let output = bench.run(&["monitor", &target, "--slo", "slo.toml"]);
    assert_eq!(output.code, 1, "{}", output.err);
    let is_told = output.err.contains("no Oracle listener answers") && output.err.contains("hint: ");
    assert!(is_told && !output.err.contains(PASSWORD), "{}", output.err);
    assert_eq!(bench.files().len(), 1, "nothing is left: {:?}", bench.files());
    let output = bench.run(&["monitor", "local:oracle", "--slo", "slo.toml"]);
    assert!(output.code == 2 && output.err.contains("hint: "), "{}: {}", output.code, output.err);
}

#[test]
fn what_the_driver_panics_on_is_an_error_without_a_panic() {
    let error = refusal(nonsense());
    assert!(error.contains("speaks as no Oracle server that is known"), "{error}");
}

#[test]
fn an_engine_that_was_never_run_against_a_server_says_so() {
    let output = Bench::new().succeed(&["list", "engines"]);
    let line = output.out.lines().find(|line| line.contains("Oracle")).unwrap_or_else(|| panic!("{}", output.out));
    assert!(output.out.contains("not yet run against a server"), "{line}");
}
