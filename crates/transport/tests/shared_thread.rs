//! Connections of jobs that share a thread, to peers that fall silent.

use std::cell::{Cell, RefCell};
use std::io::{self, Read};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dbdyno_transport::{Buffer, Framing, Keepalive, Messages, Tls, TlsSettings, Transport, connect};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection};

type Job<'a> = Box<dyn FnOnce() + 'a>;

const TIMEOUT: Duration = Duration::from_millis(200);
/// After this a wait that has no end is ended.
const LIMIT: Duration = Duration::from_secs(20);

/// Messages of one byte.
#[derive(Default)]
struct Bytes;

impl Framing for Bytes {
    type Frame = ();
    type Message<'a> = u8;

    fn frame(&self, unread: &[u8], _bytes_max: usize) -> io::Result<Option<()>> {
        Ok(unread.first().map(|_| ()))
    }

    fn take<'a>(&'a mut self, (): (), buffer: &'a mut Buffer) -> u8 {
        buffer.take(1)[0]
    }
}

fn tls() -> Tls {
    Tls::of(&TlsSettings { mode: Some("require"), ..TlsSettings::default() }, true).unwrap()
}

/// The client's end of a connection to a server that greets by TLS if it `greets`, and then says nothing.
fn silent(greets: bool) -> TcpStream {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        if greets {
            greet(&mut stream);
        }
        while stream.read(&mut [0; 64]).is_ok_and(|count| count > 0) {}
    });
    connect("127.0.0.1", port, None, Some(TIMEOUT), &Keepalive::default()).unwrap()
}

fn greet(stream: &mut TcpStream) {
    let directory = tempfile::tempdir().unwrap();
    engine_kit::programs::make_certificates(directory.path());
    let at = |name: &str| directory.path().join(name);
    let chain: Vec<_> = CertificateDer::pem_file_iter(at("server.crt")).unwrap().map(Result::unwrap).collect();
    let key = PrivateKeyDer::from_pem_file(at("server.key")).unwrap();
    let builder = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let mut connection = ServerConnection::new(Arc::new(builder.with_single_cert(chain, key).unwrap())).unwrap();
    while connection.is_handshaking() {
        connection.complete_io(stream).unwrap();
    }
}

/// Runs `job`, which waits for an answer on a connection of which there is a `copy`, beside another job, which must have turns
/// meanwhile.
fn beside_another<'a>(with_ring: bool, copy: &'a TcpStream, job: impl FnOnce() + 'a) {
    let (is_over, turns) = (Cell::new(false), Cell::new(0));
    let jobs: Vec<Job<'_>> = vec![
        Box::new(|| {
            let before = turns.get();
            let done = catch_unwind(AssertUnwindSafe(job));
            is_over.set(true);
            assert!(turns.get() > before, "the other job has waited");
            done.unwrap_or_else(|panic| resume_unwind(panic));
        }),
        Box::new(|| {
            let start = Instant::now();
            while !is_over.get() {
                multiplex::sleep(Duration::from_millis(1));
                turns.set(turns.get() + 1);
                if start.elapsed() > LIMIT {
                    let _ = copy.shutdown(Shutdown::Both);
                }
            }
        }),
    ];
    multiplex::run(jobs, with_ring).unwrap();
}

#[test]
fn a_server_that_falls_silent_after_its_greeting_is_given_up_over_tls_too() {
    for with_ring in [true, false] {
        let stream = silent(true);
        // The certificates of the server are made meanwhile.
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        let copy = stream.try_clone().unwrap();
        let encrypted = tls().handshake(stream, "localhost", "server").unwrap();
        let mut messages: Messages<Bytes> = Messages::new(Transport::Tls(encrypted.stream), Some(TIMEOUT)).unwrap();
        beside_another(with_ring, &copy, || {
            messages.send(b"login").unwrap();
            assert_eq!(messages.receive().unwrap_err().kind(), io::ErrorKind::TimedOut);
        });
    }
}

#[test]
fn a_server_that_does_not_greet_keeps_only_its_own_job_waiting() {
    for with_ring in [true, false] {
        let stream = silent(false);
        let copy = stream.try_clone().unwrap();
        let tls = tls();
        beside_another(with_ring, &copy, || {
            let error = tls.handshake(stream, "localhost", "server").err().unwrap();
            assert!(error.message.contains("no response within the timeout"), "{}", error.message);
        });
    }
}

#[test]
fn a_timeout_of_plain_connections_keeps_only_its_own_job_waiting() {
    for with_ring in [true, false] {
        let stream = silent(false);
        let copy = stream.try_clone().unwrap();
        let mut messages: Messages<Bytes> = Messages::new(Transport::Tcp(stream), Some(TIMEOUT)).unwrap();
        beside_another(with_ring, &copy, || {
            assert_eq!(messages.receive().unwrap_err().kind(), io::ErrorKind::TimedOut);
        });
    }
}

#[test]
fn what_was_sent_before_a_connection_is_closed_is_sent_there() {
    let (near, mut far) = UnixStream::pair().unwrap();
    let sent = RefCell::new(Vec::new());
    let job: Job<'_> = Box::new(|| {
        let mut messages: Messages<Bytes> = Messages::new(Transport::Unix(near), None).unwrap();
        messages.send(b"bye").unwrap();
        drop(messages);
        far.read_to_end(&mut sent.borrow_mut()).unwrap();
    });
    multiplex::run(vec![job], true).unwrap();
    assert_eq!(sent.into_inner(), b"bye");
}
