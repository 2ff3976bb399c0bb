//! Connections of jobs that share a thread, to peers that fall silent.

use std::cell::{Cell, RefCell};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dbdyno_transport::{Buffer, Deadline, Framing, Keepalive, Messages, Tls, TlsSettings, Transport, connect};
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
        let copy = stream.try_clone().unwrap();
        // The certificates of the server are made meanwhile.
        let encrypted = tls().handshake(stream, "localhost", "server", Deadline::after(Some(LIMIT))).unwrap();
        let mut messages: Messages<Bytes> = Messages::new(Transport::Tls(encrypted.stream), Deadline::NONE);
        beside_another(with_ring, &copy, || {
            messages.send(b"login").unwrap();
            messages.limit(Some(TIMEOUT));
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
            let error = tls.handshake(stream, "localhost", "server", Deadline::after(Some(TIMEOUT))).err().unwrap();
            assert!(error.message.contains("no response within the timeout"), "{}", error.message);
        });
    }
}

#[test]
fn a_timeout_of_plain_connections_keeps_only_its_own_job_waiting() {
    for with_ring in [true, false] {
        let stream = silent(false);
        let copy = stream.try_clone().unwrap();
        let mut messages: Messages<Bytes> = Messages::new(Transport::Tcp(stream), Deadline::NONE);
        beside_another(with_ring, &copy, || {
            messages.limit(Some(TIMEOUT));
            assert_eq!(messages.receive().unwrap_err().kind(), io::ErrorKind::TimedOut);
        });
    }
}

/// Messages that are never complete.
#[derive(Default)]
struct Endless;

impl Framing for Endless {
    type Frame = ();
    type Message<'a> = ();

    fn frame(&self, _unread: &[u8], _bytes_max: usize) -> io::Result<Option<()>> {
        Ok(None)
    }

    fn take<'a>(&'a mut self, (): (), _buffer: &'a mut Buffer) {}
}

/// Sends `first`, and then a zero byte well within the timeout, until the other end is closed or a wait without an end is over.
fn trickle(mut far: impl Write, first: &[u8]) {
    let start = Instant::now();
    let mut next = first;
    while far.write_all(next).is_ok() && start.elapsed() < LIMIT {
        std::thread::sleep(TIMEOUT / 10);
        next = &[0];
    }
}

#[test]
fn a_server_that_goes_on_with_a_few_bytes_is_given_up_at_the_deadline() {
    let soon = || Deadline::after(Some(TIMEOUT));
    let over_tcp = |first: &'static [u8]| {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || trickle(listener.accept().unwrap().0, first));
        connect("127.0.0.1", port, None, Some(TIMEOUT), &Keepalive::default()).unwrap()
    };
    let give_up = || {
        let (near, far) = UnixStream::pair().unwrap();
        std::thread::spawn(move || trickle(far, b""));
        for transport in [Transport::Unix(near), Transport::Tcp(over_tcp(b""))] {
            let mut messages: Messages<Endless> = Messages::new(transport, soon());
            assert_eq!(messages.receive().unwrap_err().kind(), io::ErrorKind::TimedOut);
        }
        // The head of a record of 16 KiB of a handshake.
        let stream = over_tcp(b"\x16\x03\x03\x40\x00");
        let error = tls().handshake(stream, "localhost", "server", soon()).err().unwrap();
        assert!(error.message.contains("no response within the timeout"), "{}", error.message);
    };
    let start = Instant::now();
    give_up();
    for with_ring in [true, false] {
        multiplex::run(vec![Box::new(give_up)], with_ring).unwrap();
    }
    assert!(start.elapsed() < LIMIT);
}

#[test]
fn a_server_that_does_not_read_is_given_up_at_the_deadline() {
    let give_up = || {
        for both in [false, true] {
            let (near, _far) = UnixStream::pair().unwrap();
            let mut messages: Messages<Bytes> = Messages::new(Transport::Unix(near), Deadline::NONE);
            messages.limit(Some(TIMEOUT));
            let (start, body) = (Instant::now(), vec![0; 64 << 10]);
            let mut send = || if both { messages.send_both(b"head", &body) } else { messages.send(&body) };
            let error = (0..1000).find_map(|_| send().err()).unwrap();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{error}");
            assert!(start.elapsed() < LIMIT);
        }
    };
    give_up();
    for with_ring in [true, false] {
        multiplex::run(vec![Box::new(give_up)], with_ring).unwrap();
    }
}

#[test]
fn what_could_not_be_sent_has_no_answer_that_is_waited_for() {
    // A connection of ours on which nothing can be sent, and whose peer lives and has said something before.
    let unsendable = || {
        let ((unix, unix_far), listener) = (UnixStream::pair().unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
        let port = listener.local_addr().unwrap().port();
        let tcp = connect("127.0.0.1", port, None, Some(TIMEOUT), &Keepalive::default()).unwrap();
        let tcp_far = listener.accept().unwrap().0;
        (&unix_far).write_all(b"a").unwrap();
        (&tcp_far).write_all(b"a").unwrap();
        unix.shutdown(Shutdown::Write).unwrap();
        tcp.shutdown(Shutdown::Write).unwrap();
        ([Transport::Unix(unix), Transport::Tcp(tcp)], (unix_far, tcp_far))
    };
    let send = |body: &[u8], both: bool| {
        let (transports, _far) = unsendable();
        for transport in transports {
            let mut messages: Messages<Bytes> = Messages::new(transport, Deadline::NONE);
            let sent = if both { messages.send_both(b"head", body) } else { messages.send(body) };
            messages.limit(Some(LIMIT));
            assert_eq!(messages.receive().unwrap(), b'a');
            let end = messages.receive().unwrap_err();
            assert_eq!(end.kind(), io::ErrorKind::UnexpectedEof, "{sent:?} {end}");
        }
    };
    let start = Instant::now();
    // The longer one is not told to the kernel with others.
    let send_all =
        || [1, 10_000].iter().for_each(|count| [false, true].iter().for_each(|both| send(&vec![0; *count], *both)));
    send_all();
    for with_ring in [true, false] {
        multiplex::run(vec![Box::new(send_all)], with_ring).unwrap();
    }
    assert!(start.elapsed() < LIMIT);
}

#[test]
fn what_was_sent_before_a_connection_is_closed_is_sent_there() {
    let (near, mut far) = UnixStream::pair().unwrap();
    let sent = RefCell::new(Vec::new());
    let job: Job<'_> = Box::new(|| {
        let mut messages: Messages<Bytes> = Messages::new(Transport::Unix(near), Deadline::NONE);
        messages.send(b"bye").unwrap();
        drop(messages);
        far.read_to_end(&mut sent.borrow_mut()).unwrap();
    });
    multiplex::run(vec![job], true).unwrap();
    assert_eq!(sent.into_inner(), b"bye");
}
