//! A peer and its clients over loopback, and what is none of either.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use measure::{RunSeed, Work};
use record::{Bytes, Nanos, NetworkEnd, Preset};

use super::protocol::Greeting;
use super::*;
use crate::{Context, Form, probe};

/// What a peer refused.
type Refused = Arc<Mutex<Vec<String>>>;

fn server(limits: Limits) -> (Server, Refused) {
    let refused = Refused::default();
    let told = Arc::clone(&refused);
    let describe: Describe = Arc::new(|near, _| Facts {
        end: NetworkEnd { host_name: Some(format!("host of {near}")), ..NetworkEnd::default() },
        ..Facts::default()
    });
    let on_refused: OnRefused = Arc::new(move |_, why| told.lock().unwrap().push(why.to_owned()));
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    (Server::start(any, limits, describe, on_refused).unwrap(), refused)
}

/// Waits until something is refused.
fn reason(refused: &Refused) -> String {
    let until = Instant::now() + Duration::from_secs(10);
    loop {
        if let Some(why) = refused.lock().unwrap().pop() {
            return why;
        }
        assert!(Instant::now() < until, "nothing was refused");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn work(code: &str, peer: Option<SocketAddr>) -> Box<dyn Work> {
    let context = Context {
        jobs: 1,
        seed: RunSeed { plan: 1, run: 1 },
        preset: Preset::Smoke,
        last_level_cache_bytes: None,
        memory_available_bytes: None,
        region_bytes: Bytes(0),
        warm_up: Nanos(0),
        window: Nanos::SECOND,
        peer,
    };
    let Form::Steps(build) = probe(code).unwrap().form else { panic!("{code} has no steps") };
    build(&context).remove(0)
}

/// Something that listens and is no peer: what it says, before it closes if it does.
fn stranger(says: &'static [u8], closes: bool) -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut greeting = [0; 16];
        let _ = stream.read_exact(&mut greeting);
        let _ = stream.write_all(says);
        if !closes {
            std::thread::sleep(Duration::from_secs(30));
        }
    });
    address
}

#[test]
fn a_peer_says_who_it_is() {
    let (server, _) = server(Limits::default());
    let (facts, near) = ask(server.address()).unwrap();
    assert_eq!(facts.end.host_name.as_deref(), Some("host of 127.0.0.1"));
    assert!(near.ip().is_loopback());
}

#[test]
fn a_round_trip_is_one_operation_and_comes_back_as_it_was() {
    let (server, _) = server(Limits::default());
    let mut work = work("N11", Some(server.address()));
    for number in 0..100 {
        assert_eq!(work.step(number).unwrap().operations, 1);
    }
    work.finish().unwrap();
}

#[test]
fn both_ends_count_the_same_bytes() {
    let (server, _) = server(Limits::default());
    let mut connection = Connection::open(server.address(), Service::Receive, 4_096, 1).unwrap();
    let told: u64 = (0..1_000).map(|_| connection.send().unwrap()).sum();
    assert!(told <= 4_096_000, "no more is received than was sent");
    assert_eq!(connection.counts(), (4_096_000, told), "what was counted is what the peer said");
    connection.settle().unwrap();
    assert_eq!(connection.counts(), (4_096_000, 4_096_000));
    assert!(connection.send().unwrap() <= 4_096, "the connection is still open");
    connection.settle().unwrap();
    assert_eq!(connection.counts(), (4_100_096, 4_100_096));
    let mut connection = Connection::open(server.address(), Service::Send, 4_096, 1).unwrap();
    let received: u64 = (0..1_000).map(|_| connection.receive().unwrap()).sum();
    assert_eq!(received, 4_096_000, "each block was checked against the count of the peer");
}

#[test]
fn counts_that_differ_end_the_run() {
    // A peer that says to have received less than it was sent, more, and less than before.
    let accepted = "\0dbdyno\x17\0\x01\0\0\0\0\0\0";
    for (says, what) in [
        (format!("{accepted}\0\0\0\0\0\0\0\x08"), "4096 bytes and the other one 8"),
        (format!("{accepted}\0\0\0\0\0\0\x7f\x08"), "4096 bytes and the other one 32520"),
        (format!("{accepted}\0\0\0\0\0\0\0\x08\0\0\0\0\0\0\0\x07"), "4096 bytes and the other one 7"),
    ] {
        let address = stranger(says.leak().as_bytes(), true);
        let mut connection = Connection::open(address, Service::Receive, 4_096, 1).unwrap();
        let error = connection.send().and_then(|_| connection.settle()).unwrap_err().to_string();
        // The closed connection may be noticed first.
        assert!(error.contains(what) || error.contains("ended the connection"), "{error}");
    }
    let block = format!("{accepted}\0\0\0\0\0\0\0\x01");
    let mut connection = Connection::open(stranger(block.leak().as_bytes(), false), Service::Send, 8, 1).unwrap();
    let error = connection.receive().unwrap_err().to_string();
    assert_eq!(error, "this end counted 0 bytes and the other one 1");
}

#[test]
fn a_work_of_bandwidth_counts_what_the_receiver_has() {
    let (server, _) = server(Limits::default());
    for code in ["N21", "N22"] {
        let mut work = work(code, Some(server.address()));
        let bytes: u64 = (0..200).map(|number| work.step(number).unwrap().bytes).sum();
        assert!(bytes > 0 && bytes <= 200 * 131_072, "{code}: {bytes}");
        // After the warm-up and after the window.
        work.finish().unwrap();
        work.step(0).unwrap();
        work.finish().unwrap();
    }
}

#[test]
fn without_a_peer_the_first_step_says_so() {
    let broken = work("N11", None).step(0).unwrap_err();
    assert_eq!(broken.message, "N11: no peer is named");
}

#[test]
fn what_answers_and_is_no_peer_is_named() {
    let error = |says, closes| ask(stranger(says, closes)).unwrap_err().to_string();
    assert_eq!(
        error(b"SSH-2.0-OpenSSH_9.2\r\n", false),
        "it is no peer of dbdyno: it answered \"SSH-2.0-OpenSSH_9.2\""
    );
    assert_eq!(error(b"x", true), "it is no peer of dbdyno: it answered \"x\"");
    assert_eq!(error(b"", true), "it closed the connection without an answer");
    assert_eq!(
        error(b"\0dbdyno\x17\0\x02\0\0\0\0\0\0", true),
        "it speaks version 2 of the protocol, this is version 1"
    );
    assert_eq!(error(b"\0dbdyno\x17\0\x01\x01\0\0\0\0\0", true), "it has as many connections as it serves");
    assert_eq!(error(b"\0dbdyno\x17\0\x01\x02\0\0\0\0\0", true), "it does not serve what was asked for");
    assert_eq!(error(b"\0dbdyno\x17\0\x01\0", true), "it closed the connection without an answer");
    let closed = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    assert!(ask(closed).unwrap_err().to_string().starts_with("it cannot be reached: Connection refused"));
}

#[test]
fn a_peer_that_is_silent_is_given_up() {
    let start = Instant::now();
    let error = ask(stranger(b"\0dbdy", false)).unwrap_err().to_string();
    assert_eq!(error, "it did not answer the greeting within 5 s");
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn a_client_that_is_no_dbdyno_is_refused_by_name() {
    let limits = Limits { greeting: Duration::from_millis(300), ..Limits::default() };
    let (server, refused) = server(limits);
    let say = |bytes: &[u8]| {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.write_all(bytes).unwrap();
        stream
    };
    let mut answer = Vec::new();
    let mut stranger = say(b"GET / HTTP/1.1\r\n\r\n");
    assert_eq!(reason(&refused), "it does not speak the protocol of dbdyno");
    // Bytes that nobody reads reset the connection.
    let _ = stranger.read_to_end(&mut answer);
    assert!(answer.is_empty(), "nothing is said to a stranger");
    let mut newer = say(b"\0dbdyno\x17\0\x09\0\0\0\0\0\x40");
    assert_eq!(reason(&refused), "it speaks version 9 of the protocol, this is version 1");
    newer.read_to_end(&mut answer).unwrap();
    assert_eq!(answer[8..10], [0, 1], "another dbdyno is told the version");
    let _asks = say(b"\0dbdyno\x17\0\x01\x09\0\0\0\0\x40");
    assert_eq!(reason(&refused), "it asked for what this version does not have");
    drop(say(b"\0dbdyno"));
    assert_eq!(reason(&refused), "it left before its greeting was complete");
    let start = Instant::now();
    let _slow = say(b"\0dbdyno");
    assert_eq!(reason(&refused), "it sent no greeting within 0.3 s");
    assert!(start.elapsed() >= Duration::from_millis(250));
    assert!(ask(server.address()).is_ok(), "others are served all the same");
}

#[test]
fn a_client_that_drips_its_greeting_has_no_more_time_than_others() {
    let limits = Limits { greeting: Duration::from_millis(300), ..Limits::default() };
    let (server, refused) = server(limits);
    let mut stream = TcpStream::connect(server.address()).unwrap();
    let start = Instant::now();
    while refused.lock().unwrap().is_empty() {
        let _ = stream.write_all(b"\0");
        assert!(start.elapsed() < Duration::from_millis(900), "sixteen bytes would take 1.6 s");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(reason(&refused), "it sent no greeting within 0.3 s");
}

#[test]
fn a_client_that_drips_its_messages_has_no_more_time_than_others() {
    let (server, _) = server(Limits { idle: Duration::from_millis(200), ..Limits::default() });
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(&Greeting { service: Service::Echo, block_bytes: 4_096 }.encode()).unwrap();
    stream.set_nonblocking(true).unwrap();
    // One byte after the other, each in time: the message would take more than a minute.
    let is_closed = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        let is_sent = stream.write_all(b"x").is_ok();
        let is_open = match stream.read(&mut [0; 64]) {
            Ok(count) => count > 0,
            Err(error) => error.kind() == std::io::ErrorKind::WouldBlock,
        };
        !is_sent || !is_open
    });
    assert!(is_closed, "after 10 s");
}

#[test]
fn a_peer_that_says_the_same_again_and_again_is_as_one_that_says_nothing() {
    let accepted = b"\0dbdyno\x17\0\x01\0\0\0\0\0\0";
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let peer = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(accepted).unwrap();
        // It is closed after 10 s at the latest, which is another error.
        let repeat = |_| {
            std::thread::sleep(Duration::from_millis(20));
            stream.write_all(&8_u64.to_be_bytes()).is_ok()
        };
        (0..500).all(repeat)
    });
    let mut connection = Connection::open(address, Service::Receive, 64, 1).unwrap();
    connection.send().unwrap();
    let error = connection.settle_within(Duration::from_millis(200)).unwrap_err();
    assert!(matches!(error, PeerError::Stalled), "{error}");
    drop(connection);
    assert!(!peer.join().unwrap(), "it is left");
}

#[test]
fn connections_are_bounded_in_number_and_idle_time() {
    let limits = Limits { connections: 2, idle: Duration::from_millis(300), ..Limits::default() };
    let (server, refused) = server(limits);
    let open = || Connection::open(server.address(), Service::Echo, 64, 1);
    let mut answer = [0; 64];
    let (mut one, _two) = (open().unwrap(), open().unwrap());
    one.exchange(1, &mut answer).unwrap();
    assert_eq!(open().map(drop).unwrap_err().to_string(), "it has as many connections as it serves");
    assert_eq!(reason(&refused), "there are 2 connections already");
    std::thread::sleep(Duration::from_millis(600));
    assert!(one.exchange(2, &mut answer).unwrap_err().to_string().starts_with("it ended the connection"));
    open().unwrap().exchange(3, &mut answer).unwrap();
}

#[test]
fn a_peer_that_stalls_ends_no_earlier_than_its_time() {
    // Accepted, and then nothing.
    let address = stranger(b"\0dbdyno\x17\0\x01\0\0\0\0\0\0", false);
    let mut connection = Connection::open(address, Service::Echo, 64, 1).unwrap();
    let start = Instant::now();
    let error = connection.exchange(1, &mut [0; 64]).unwrap_err().to_string();
    assert_eq!(error, "nothing was transferred for 10 s");
    assert!(start.elapsed() >= Duration::from_secs(9));
}

#[test]
fn a_peer_ends_with_its_value() {
    let (server, _) = server(Limits::default());
    let address = server.address();
    drop(server);
    assert!(matches!(ask(address), Err(PeerError::Unreachable(_))));
}
